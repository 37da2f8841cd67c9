// The programs of README.md and docs/ that are no servers, each run as the page shows it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Plugin } from '../../src/service/index.ts';
import { createSigningSecret } from '../../src/webhooks/signature.ts';
import { makeStore } from '../cli/served.ts';
import { startFaultyService } from '../client/faulty-service.ts';
import { at } from '../contracts/store-register.ts';
import { until } from '../until.ts';
import { CREDENTIALS, startS3 } from '../snapshot/bucket/s3-server.ts';
import { recordDelivery, SECRET } from '../webhooks/send/deliveries.ts';
import { statementAt, world } from '../world.ts';
import { writePrograms } from './blocks.ts';

const run = promisify(execFile);
const { folder, remove } = writePrograms();
const output = mkdtempSync(join(tmpdir(), 'gazette-docs-'));
const node = (file: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  withKey(undefined, file, ...args);
const withKey = (
  GAZETTE_API_KEY: string | undefined,
  file: string,
  ...args: string[]
): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, [join(folder, file), ...args], {
    encoding: 'latin1',
    env: { ...process.env, GAZETTE_API_KEY },
  });

afterAll(() => {
  remove();
  rmSync(output, { recursive: true });
});

describe('a program of the pages', () => {
  it('writes a whole register and its pages', async () => {
    await node('files.ts', output);
    expect(readdirSync(output).sort()).toEqual(['permits-1.atom', 'permits.csv']);
    expect(readFileSync(join(output, 'permits.csv'), 'utf8')).toContain('permits:2026~2F0417,');
    expect(readFileSync(join(output, 'permits-1.atom'), 'utf8')).toContain(
      '<id>tag:exampleton.example,2026:record/permits:2026~2F0417</id>',
    );
  });

  it('writes a register compressed, and as a web stream', async () => {
    const { stdout } = await node('streams.ts', output);
    expect(stdout).toContain('permits:2026~2F0417,');
    const [gzip, zstd] = ['gz', 'zst'].map((ending) => readFileSync(join(output, `permits.csv.${ending}`)));
    expect(gunzipSync(gzip!).toString('latin1')).toBe(stdout);
    expect(zstdDecompressSync(zstd!).toString('latin1')).toBe(stdout);
  });

  it('writes a register to a bucket, or says why not', async () => {
    const s3 = await startS3();
    const env = {
      ...{ ...process.env, AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId, AWS_REGION: 'eu-test-1' },
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    };
    const upload = (bucket: string): Promise<unknown> =>
      run(process.execPath, [join(folder, 'to-bucket.ts'), `${s3.url}/${bucket}/open/permits.csv`], { env });
    let answered = 0;
    s3.trouble = () => (answered++ === 0 ? 503 : null);
    await upload('registers');
    const { bytes, type } = s3.objects.get('open/permits.csv')!;
    expect([bytes.toString(), type]).toEqual([
      (await node('streams.ts', output)).stdout,
      'text/csv; charset=utf-8; header=present',
    ]);
    await expect(upload('none')).rejects.toThrow('the bucket answered 404');
    await s3.close();
  });

  it('writes what a generator gives', async () => {
    const file = join(output, 'closings.csv');
    await node('from-iterable.ts', file);
    const rows = readFileSync(file, 'utf8').trimEnd().split('\r\n');
    expect([rows.length, rows[1]!.split(',')[0], rows.at(-1)!.split(',')[0]]).toEqual([
      1201,
      'closings:1200',
      'closings:1',
    ]);
    rmSync(file);
  });

  it('writes a publisher’s file as CSV', async () => {
    const file = join(output, 'decisions.json');
    writeFileSync(file, JSON.stringify({ result: { items: [{ number: '7/2026', name: 'Ford', fee: 12.5 }] } }));
    const { stdout } = await node('ingest.ts', file);
    rmSync(file);
    expect(stdout.split('\r\n')[1]).toBe(
      'records:7~2F2026,records,7/2026,Ford,,,text,,,,https://exampleton.example/decisions/7%2F2026,,2026-04-19T08:12:44Z,,1,,12.5',
    );
  });

  it('keeps a register with its versions', async () => {
    const file = join(output, 'decisions.json');
    const keep = async (name: string): Promise<string> => {
      writeFileSync(file, JSON.stringify({ result: { items: [{ number: '7/2026', name }] } }));
      const { stdout } = await node('keep.ts', file, join(output, 'registers.db'));
      return stdout;
    };
    expect(await keep('Ford')).toContain('{ added: 1, changed: 0, unchanged: 0 }');
    expect(await keep('Ford')).toContain('{ added: 0, changed: 0, unchanged: 1 }');
    const third = await keep('Bridge');
    expect(third).toContain('{ added: 0, changed: 1, unchanged: 0 }');
    expect(third).toContain('decisions:7~2F2026,decisions,7/2026,Bridge,');
    expect(third).toContain('2 source_change title\n1 first_observed \n');
  });

  it('keeps a register of the rows of another database', async () => {
    expect((await node('take-rows.ts', join(output, 'rows.db'))).stdout).toBe('2 records\n');
  });

  it('publishes a store as files', async () => {
    const out = join(output, 'site');
    const { path } = await makeStore(150);
    const { stdout } = await node('publish.ts', path, out);
    expect(stdout).toBe('permits: 150 records\n24 files written, the folder is whole, 0 findings\n');
    rmSync(out, { recursive: true });
  });

  it('reads a service, with a key and without', async () => {
    const service = await startFaultyService(5);
    service.faults.push('reset');
    const { stdout } = await withKey(service.key, 'read.ts', service.url);
    expect(stdout.split('\n').slice(0, 5)).toEqual([5, 4, 3, 2, 1].map((n) => `permits:00${n} Permit number ${n}`));
    expect(stdout).toMatch(/\d+ bytes of CSV\nversion 1: first_observed\n$/);
    expect((await node('read.ts', service.url)).stdout.trimEnd().split('\n')).toHaveLength(3);
    expect((await withKey(service.key, 'follow.ts', service.url)).stdout).toMatch(
      /^1 records, up to [0-9a-f]{8}\.5\n$/,
    );
    const whole = await withKey(service.key, 'whole.ts', service.url);
    expect(whole.stdout).toBe('permits:003 Permit number 3\n');
    await service.stop();
    const empty = await startFaultyService(0);
    expect((await withKey(empty.key, 'read.ts', empty.url)).stdout).toBe('');
    await empty.stop();
  });

  it('follows a register as it changes', async () => {
    const service = await startFaultyService(5);
    const env = { ...process.env, GAZETTE_API_KEY: service.key };
    const child = spawn(process.execPath, [join(folder, 'live.ts'), service.url], { env });
    await until('it waits', () => service.asked.length > 0);
    await service.store.apply('permits', [statementAt(6, 9)], { recordedAt: at(20) });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    expect(line.toString()).toBe('first_observed permits:006 Permit number 6\n');
    child.kill();
    await service.stop();
  });

  it('finds records', async () => {
    const service = await startFaultyService(5);
    const { stdout } = await node('find.ts', service.url);
    await service.stop();
    expect(stdout).toBe([5, 4, 3].map((n) => `00${n} Permit number ${n}\n`).join(''));
  });

  it('copies a whole register', async () => {
    const service = await startFaultyService(5);
    const file = join(output, 'copy.csv');
    const { stdout } = await withKey(service.key, 'mirror.ts', `${service.url}/api/v1/feeds/permits`, file);
    await service.stop();
    expect(stdout).toBe('5 records, 0 withdrawn\n');
    expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(6);
    rmSync(file);
  });

  it('checks a webhook on web standards alone', async () => {
    const { receive } = (await import(join(folder, 'receive-edge.ts'))) as {
      receive: (request: Request, secret: string) => Promise<Response>;
    };
    const { body, headers } = recordDelivery();
    const post = async (secret: string): Promise<number> =>
      (await receive(new Request('https://example.org/', { method: 'POST', body, headers: { ...headers } }), secret))
        .status;
    expect(await post(SECRET)).toBe(204);
    expect(await post(createSigningSecret())).toBe(401);
  });

  it('adds a format of one’s own', async () => {
    const { stdout } = await node('own-format.ts');
    const [names, ford] = stdout.split('\n').map((line) => line.split('\t'));
    expect(names).toContain('fee');
    expect(ford![0]).toBe('permits:2026~2F0417');
  });

  it.each(['check-source.ts', 'check-format.ts', 'check-plugin.ts'])(
    '%s passes the published contract suite',
    async (file) => {
      const { stdout } = await node(file);
      expect(stdout).toMatch(/ pass [1-9]/);
      expect(stdout).toMatch(/ fail 0$/m);
    },
  );

  it('adds a route of a plugin to the service', async () => {
    const { plugin } = (await import(join(folder, 'longest-title.ts'))) as { readonly plugin: Plugin };
    const service = await world({ records: 12, plugins: [plugin] });
    const answer = async (path: string): Promise<unknown> => (await service.pro(path)).json();
    expect(await answer('/feeds/permits/longest-title')).toEqual({ title: 'Permit number 12' });
    expect(await answer('/feeds/permits/longest-title?type=draft')).toEqual({ title: 'Permit number 11' });
    expect(await answer('/feeds/permits/longest-title?typ=draft')).toMatchObject({ code: 'unknown_parameter' });
  });

  it('writes a workbook through the reference writer', async () => {
    const { stdout } = await node('reference.ts');
    expect(stdout.startsWith('PK')).toBe(true);
  });

  it('names the public address in its links', async () => {
    const { handler } = (await import(join(folder, 'base-url.ts'))) as {
      handler: (request: Request) => Promise<Response>;
    };
    const response = await handler(new Request('http://10.0.0.1/feeds/permits/records/export.atom'));
    expect(await response.text()).toContain('https://example.org/feeds/permits/records/export.atom');
  });

  it('serves a register out of a database', async () => {
    const { handler } = (await import(join(folder, 'from-database.ts'))) as {
      handler: (request: Request) => Promise<Response>;
    };
    const response = await handler(new Request('https://exampleton.example/feeds/notices/records/export.csv'));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('notices:1,notices,1,Closing of the ford,');
    const get = async (query: string): Promise<Response> =>
      handler(new Request(`https://exampleton.example/feeds/notices/records/export.csv?${query}`));
    expect(await (await get('document_type=opening')).text()).not.toContain('notices:1');
    expect((await get('limit=1')).headers.get('link')).toContain('limit=1&offset=1&as_of=2');
    expect((await get('limit=1&offset=1&as_of=2')).headers.get('link')).toBeNull();
    expect((await get('as_of=3')).status).toBe(400);
  });
});

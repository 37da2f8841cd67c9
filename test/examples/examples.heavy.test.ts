// Every program of examples/ is started as its first lines say, and does what they promise.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../src/adapters/node.ts';
import { openShop } from '../wings/selling/shop.ts';
import { ending, folder, GAZETTE, gazetteProcess } from '../cli/run.ts';
import { makeStore, serveAs } from '../cli/served.ts';
import { rpc } from '../mcp/agent.ts';
import { startFaultyService } from '../client/faulty-service.ts';
import { freePort } from '../docs/free-port.ts';
import { recordDelivery, SECRET } from '../webhooks/send/deliveries.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

/**
 * What others import: the register, and the format that test/formats/outside.heavy.test.ts tries everywhere; and what
 * test/conformance/runtimes.test.ts runs on the runtimes that it is for.
 */
const OTHERWISE = ['permits.ts', 'tsv.ts', 'bun.ts', 'deno.ts', 'worker.ts'];

/** `gazette` in an example is the built package, as for everybody, or the sources where that is older. */
const OVER = GAZETTE.endsWith('.ts') ? ['--import', join(import.meta.dirname, 'sources.ts')] : [];

/** Starts an example. */
function start(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [...OVER, join(EXAMPLES, file), ...args], {
    stdio: 'pipe',
    env: { ...process.env, ...env },
  });
  child.stderr.on('data', (chunk: Buffer) => {
    console.error(chunk.toString());
  });
  onTestFinished(() => void child.kill());
  return child;
}

/** Starts an example that serves, and waits until it has printed its address. */
async function startServer(file: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = start(file, [], { PORT: String(await freePort()), ...env });
  const [said] = (await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended`))),
  ])) as [Buffer];
  return /http:\S+/.exec(said.toString())![0];
}

/** What a program says that imports examples, in their folder. */
async function evaluated(program: string): Promise<string> {
  const args = [...OVER, '--input-type=module', '--eval', program];
  const { code, stdout, stderr } = await ending(spawn(process.execPath, args, { stdio: 'pipe', cwd: EXAMPLES }));
  if (code !== 0) throw new Error(stderr);
  return stdout.toString();
}

/** The ids of the first page and of the next one, which its `Link` leads to. */
async function firstTwo(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [string, string]> {
  const first = await fetch(url, { headers });
  expect(first.status).toBe(200);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')![1]!;
  return [await first.text(), await (await fetch(next, { headers })).text()];
}

describe('examples', () => {
  it('embed-node.ts serves pages that lead on', async () => {
    const [first, second] = await firstTwo(await startServer('embed-node.ts'));
    expect(first).toContain('permits:2026-0250,');
    expect(second).toContain('permits:2026-0150,');
  });

  it('embed-express.ts serves pages to those who may read them', async () => {
    const url = await startServer('embed-express.ts');
    expect((await fetch(url)).status).toBe(401);
    const [first, second] = await firstTwo(url, { 'X-Token': 'open' });
    expect(first).toContain('record/permits:2026-0250</id>');
    expect(second).toContain('record/permits:2026-0150</id>');
  });

  it('embed-fastify.ts serves pages to those who may read them', async () => {
    const url = await startServer('embed-fastify.ts');
    expect((await fetch(url)).status).toBe(401);
    const [first, second] = await firstTwo(url, { 'X-Token': 'open' });
    expect(first).toContain('record/permits:2026-0250</guid>');
    expect(second).toContain('record/permits:2026-0150</guid>');
  });

  it('embed-hono.ts serves pages that lead on', async () => {
    const [first, second] = await firstTwo(await startServer('embed-hono.ts'));
    expect(first).toContain('permits:2026-0250,');
    expect(second).toContain('permits:2026-0150,');
  });

  it('next/route.ts answers web-standard requests, as Next gives them', async () => {
    // Next itself is too large to install for one call of one function.
    const url = 'https://exampleton.example/open-data/feeds/permits/records/export.csv';
    const program = `const { GET, HEAD } = await import('./next/route.ts');
      const answer = await GET(new Request('${url}'));
      const head = await HEAD(new Request('${url}', { method: 'HEAD' }));
      console.log(JSON.stringify([answer.status, answer.headers.get('link'), await answer.text(), head.status]));`;
    const [status, link, text, head] = JSON.parse(await evaluated(program)) as [number, string, string, number];
    expect([status, head]).toEqual([200, 200]);
    expect(link).toContain(`${url}?limit=100&offset=100`);
    expect(text).toContain('permits:2026-0250,');
  });

  it('own-database.ts serves rows of a database, filtered too', async () => {
    const url = await startServer('own-database.ts');
    const [first, second] = await firstTwo(url);
    expect(first).toContain('notices:250,');
    expect(second).toContain('notices:150,');
    const [, openings] = await firstTwo(`${url}?document_type=opening`);
    expect(openings.match(/^notices:/gm)).toHaveLength(25);
  });

  it('webhook-receiver.ts handles an event once', async () => {
    const database = join(await folder(), 'events.db');
    const url = await startServer('webhook-receiver.ts', { SIGNING_SECRET: SECRET, DATABASE: database });
    const { body, headers } = recordDelivery();
    for (let i = 0; i < 2; i++) {
      expect((await fetch(url, { method: 'POST', body, headers: { ...headers } })).status).toBe(204);
    }
    const db = new DatabaseSync(database);
    expect(db.prepare('SELECT record_id FROM news').all()).toEqual([{ record_id: 'permits:2026~2F0417' }]);
    db.close();
  });

  it('plugin.ts adds a route, a page, a tool and a command', async () => {
    const file = join(EXAMPLES, 'plugin.ts');
    const { path } = await makeStore(12);
    // Node knows what gazette is in it.
    const env = OVER.length === 0 ? {} : { NODE_OPTIONS: OVER.join(' ') };
    const { api } = await serveAs({ env }, path, '--plugin', file);
    const sum = (counts: object): number => Object.values(counts as Record<string, number>).reduce((a, b) => a + b, 0);
    expect(sum((await (await fetch(`${api}/feeds/permits/months`)).json()) as object)).toBe(3);
    const page = await (await fetch(`${new URL(api).origin}/feeds/permits/months`)).text();
    expect(page).toMatch(/<th scope="row">2026-\d\d<\/th><td>\d<\/td>/);
    const asked = rpc('tools/call', { name: 'count_months', arguments: { feed_id: 'permits' } });
    const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' };
    const called = await fetch(`${api}/mcp`, { method: 'POST', headers, body: JSON.stringify(asked) });
    const { result } = (await called.json()) as { readonly result: { readonly structuredContent: object } };
    expect(sum(result.structuredContent)).toBe(3);
    const { stdout } = await gazetteProcess(['months', 'permits', '--store', path], '', {
      ...env,
      GAZETTE_PLUGIN: file,
    });
    expect(sum(JSON.parse(stdout.toString()) as object)).toBe(12);
  });

  it('snapshot.ts writes a folder that is whole', async () => {
    const out = join(await folder(), 'site');
    const { stdout } = await ending(start('snapshot.ts', [out]));
    expect(stdout.toString()).toMatch(/: \d+ files written, whole, 0 findings\n$/);
    expect(readFileSync(join(out, 'permits/index.csv'), 'utf8')).toContain('permits:2026-0250,');
  });

  it('client-walk.ts reads a register twice, and asks only once for it', async () => {
    const service = await startFaultyService(150);
    onTestFinished(() => service.stop());
    const { stdout } = await ending(start('client-walk.ts', [service.url], { GAZETTE_API_KEY: service.key }));
    expect(stdout.toString().split('\n').slice(0, 2)).toEqual(
      ['first', 'second'].map((walk) => `${walk} walk: 150 records, the newest is “Permit number 150”`),
    );
    expect(service.asked.map(({ status }) => status)).toEqual([200, 200, 304, 304]);
  });

  it('buy-through-mcp.ts finds a record and buys it, once', async () => {
    const shop = await openShop({ records: 12 });
    const server = createServer(toNodeListener((request) => shop.fetch(request))).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(async () => {
      server.close();
      await shop.close();
    });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = [url, '"permit number 4"'];
    // What is left says that the second time costs nothing.
    for (const time of ['first', 'second']) {
      const { stdout } = await ending(start('buy-through-mcp.ts', args, { GAZETTE_API_KEY: shop.spender }));
      expect(stdout.toString(), time).toBe(
        'Permit number 4: “confidential content 4” (https://example.org/permits/004)\n800 EUR cents are left\n',
      );
    }
  });

  it('are each started here, and have fewer than 60 lines', () => {
    const test = readFileSync(import.meta.filename, 'utf8');
    const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.ts'));
    expect(files.filter((name) => !OTHERWISE.includes(name) && !test.includes(`'${name}'`))).toEqual([]);
    expect(files.filter((name) => readFileSync(join(EXAMPLES, name), 'utf8').split('\n').length > 60)).toEqual([]);
  });
});

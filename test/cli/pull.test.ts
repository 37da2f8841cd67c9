// `gazette pull` through the real command line, against the real service behind a front that makes trouble.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerSchema } from '../../src/formats/xsd.ts';
import { type FaultyService, startFaultyService } from '../client/faulty-service.ts';
import { keyAt, statementAt } from '../contracts/deployment.ts';
import { at, permits } from '../contracts/store-register.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { type Ending, ending, folder } from './run.ts';

const GAZETTE = join(import.meta.dirname, '../../src/cli/gazette.ts');
const COUNT = 520;
const ALL = Array.from({ length: COUNT }, (_, index) => `permits:${keyAt(COUNT - index)}`);
const FORMATS = ['csv', 'ndjson', 'xml'] as const;

let service: FaultyService;
let output: string;
beforeEach(async () => {
  service = await startFaultyService(COUNT);
  output = join(await folder(), 'copy');
});
afterEach(() => service.stop());

function start(format: string, ...more: string[]): ChildProcess {
  const args = ['pull', `${service.url}/api/v1/feeds/permits`, '--format', format, '--output', output, ...more];
  return spawn(process.execPath, [GAZETTE, ...args], {
    stdio: 'pipe',
    env: { ...process.env, GAZETTE_API_KEY: service.key },
  });
}
const pull = (format: string, ...more: string[]): Promise<Ending> =>
  ending(start(format, ...more) as Parameters<typeof ending>[0]);

/** The ids of the finished file, read by a reader of its format that knows nothing of pages. */
async function idsOf(format: (typeof FORMATS)[number]): Promise<string[]> {
  const text = await readFile(output, 'utf8');
  if (format === 'csv') return parse<{ id: string }>(text, { columns: true }).map(({ id }) => id);
  if (format === 'ndjson') {
    return text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id);
  }
  validateXsd(registerSchema(permits()), [Buffer.from(text)]);
  return Array.from(text.matchAll(/<record id="([^"]+)"/g), ([, id]) => id!);
}

describe('gazette pull', () => {
  it.each(FORMATS)('joins the pages of %s into one valid file, and leaves nothing beside it', async (format) => {
    service.faults.push(null, 'reset', null, 'cut', { status: 503, headers: { 'Retry-After': '0' } });
    const ended = await pull(format);
    expect(ended).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
    expect(ended.stderr).toContain(`${COUNT} records, each position from ${COUNT} down to 1 answered\n`);
    expect(await idsOf(format)).toEqual(ALL);
    expect(await readdir(join(output, '..'))).toEqual(['copy']);
    expect(service.asked.every(({ authorization }) => authorization === `Bearer ${service.key}`)).toBe(true);
  });

  it.each(FORMATS)('resumes %s after kill -9 without a lost or doubled record', async (format) => {
    let kills = 0;
    for (let attempt = 0; !existsSync(output); attempt++) {
      expect(attempt).toBeLessThan(30);
      const child = start(format, '--resume');
      const ended = new Promise((resolve) => child.once('exit', resolve));
      // Slow enough that some pages come between two kills, and the state is kept in between.
      service.onRequest = () => wait(150);
      await Promise.race([ended, wait(900 + attempt * 150)]);
      if (child.kill('SIGKILL')) kills++;
      await ended;
    }
    expect(kills).toBeGreaterThan(0);
    expect(await idsOf(format)).toEqual(ALL);
    expect(await readdir(join(output, '..'))).toEqual(['copy']);
  });

  it('is of the moment it began, whatever is written meanwhile, and knows what was withdrawn', async () => {
    const gone = [3, 4, 5, 200, COUNT].map((index) => `permits:${keyAt(index)}`);
    await service.store.withdraw('permits', gone.slice(0, 3), { recordedAt: at(2) });
    let asked = 0;
    service.onRequest = async () => {
      asked++;
      await service.store.apply('permits', [statementAt(2000 + asked, COUNT)], { recordedAt: at(10 + asked) });
      if (asked === 3) await service.store.withdraw('permits', [gone[3]!, gone[4]!], { recordedAt: at(40) });
    };
    const ended = await pull('ndjson');
    expect(ended).toMatchObject({ code: 0 });
    const found = await idsOf('ndjson');
    expect(found.filter((id) => !ALL.slice(0, COUNT).includes(id)).length).toBeLessThan(2);
    expect(found).toEqual(expect.arrayContaining(ALL.filter((id) => !gone.includes(id))));
    expect(ended.stderr).toMatch(/or withdrawn \([34]\)/);
  });

  it('does not call a copy complete that lacks a record', async () => {
    const page = await (await service.get('/feeds/permits/records?limit=100&as_of=520', service)).json();
    const { records, ...rest } = page as { records: unknown[] };
    service.faults.push(null, {
      status: 200,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...rest, records: records.filter((_, index) => index !== 7) }),
    });
    const ended = await pull('ndjson');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('neither a record nor a withdrawal at the positions 513;');
    expect(ended.stderr).toContain('(incomplete_copy)');
    expect(existsSync(output)).toBe(false);
  });

  it('refuses what cannot be, and says what', async () => {
    expect(await pull('xlsx')).toMatchObject({ code: 2 });
    const keyless = spawn(process.execPath, [GAZETTE, 'pull', service.url, '--format', 'csv', '--output', output], {
      stdio: 'pipe',
      env: { ...process.env, GAZETTE_API_KEY: '' },
    });
    const answer = await ending(keyless);
    expect([answer.code, answer.stderr]).toEqual([2, expect.stringContaining('GAZETTE_API_KEY') as string]);

    await service.store.accounts.updateAccount('acme', { isSuspended: true });
    const refused = await pull('csv');
    expect([refused.code, refused.stderr.includes(service.key)]).toEqual([1, false]);
    expect(refused.stderr).toContain('(request_refused)');
    await service.store.accounts.updateAccount('acme', { isSuspended: false });

    await writeFile(`${output}.part`, 'id');
    await writeFile(`${output}.pull.json`, '{"gazette_pull":1,"bytes":5,"state":{}}');
    const short = await pull('csv', '--resume');
    expect([short.code, short.stderr]).toEqual([1, expect.stringContaining('leave --resume out') as string]);
  });
});

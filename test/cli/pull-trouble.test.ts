// What `gazette pull` does when a copy cannot be what was asked for: which code says so, and what is left to go on with.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RegisterDefinition } from '../../src/register/record.ts';
import type { FaultyService } from '../client/faulty-service.ts';
import { keyAt, statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';
import { ALL, BEFORE_PAGES, COUNT, idsOf, type Pulling, startPulling } from './pulling.ts';
import { ending, folder, GAZETTE, gazette } from './run.ts';

const WIDER: RegisterDefinition = {
  ...permits(),
  fields: [{ name: 'zone', type: 'text', label: 'zone' }, ...permits().fields],
};

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** A page of the list, changed. */
async function pageOf(
  service: FaultyService,
  change: (records: readonly unknown[]) => readonly unknown[],
): Promise<string> {
  const answer = await service.get(`/feeds/permits/records?limit=100&as_of=${COUNT}`, service);
  const { records, ...rest } = (await answer.json()) as { readonly records: readonly unknown[] };
  return JSON.stringify({ ...rest, records: change(records) });
}

/** Stops a copy before the page of this number, from 1. */
async function stopBefore(page: number, { service, copy }: Pulling, format: 'csv' | 'ndjson'): Promise<void> {
  const pages = Array.from({ length: page - 1 }, () => null);
  service.faults.push(...BEFORE_PAGES, ...pages, { status: 403 });
  await expect(copy(format)).rejects.toMatchObject({ code: 'request_refused' });
}

describe('a copy that cannot be complete', () => {
  it('is refused where a record is missing, and begun anew by a further run', async () => {
    const { service, output, part, pull, copy } = await startPulling('pages');
    const body = await pageOf(service, (records) => records.filter((_, index) => index !== 7));
    service.faults.push(...BEFORE_PAGES, { status: 200, headers: { 'Content-Type': 'application/json' }, body });
    const ended = await pull('ndjson');
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('neither a record nor a withdrawal at the positions 513;');
    expect(ended.stderr).toContain(`what came lies in ${part}, and a further run begins anew (incomplete_copy)`);
    expect(await readdir(join(output, '..'))).toEqual(['copy.part']);
    expect(await copy('ndjson', true)).toMatchObject({ records: COUNT });
    expect(await readdir(join(output, '..'))).toEqual(['copy']);
  });

  it('is refused where the record was withdrawn once, and is there again', async () => {
    const { service, copy } = await startPulling('pages');
    await service.store.withdraw('permits', [`permits:${keyAt(513)}`], { recordedAt: at(2) });
    await service.store.apply('permits', [statementAt(513, COUNT)], { recordedAt: at(3) });
    const body = await pageOf(service, (records) => records.filter((_, index) => index !== 7));
    service.faults.push(...BEFORE_PAGES, { status: 200, headers: { 'Content-Type': 'application/json' }, body });
    await expect(copy('ndjson')).rejects.toMatchObject({ code: 'incomplete_copy' });
  });

  it('is refused where positions do not go down', async () => {
    const { service, copy } = await startPulling('pages');
    const body = await pageOf(service, (records) => [...records.slice(0, 3), records[1], ...records.slice(3)]);
    service.faults.push(...BEFORE_PAGES, { status: 200, headers: { 'Content-Type': 'application/json' }, body });
    await expect(copy('ndjson')).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  it.each([
    ['no objects', '[null]'],
    ['nested deeper than any stack', `[{"position":1,"data":${'['.repeat(60_000)}${']'.repeat(60_000)}}]`],
  ])('is refused where records are %s', async (_, records) => {
    const { service, copy } = await startPulling('pages');
    const headers = { 'Content-Type': 'application/json' };
    const page = { status: 200, headers, body: `{"records":${records},"next_offset":null}` };
    service.faults.push(...BEFORE_PAGES, page, page, page);
    await expect(copy('ndjson')).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  it('is refused where pages lead round', async () => {
    const { service, copy } = await startPulling('pages');
    const page = (offset: number): { status: number; body: string } => ({
      status: 200,
      body: JSON.stringify({ records: [], next_offset: offset }),
    });
    service.faults.push(...BEFORE_PAGES, page(7), page(8), page(7), page(8));
    await expect(copy('ndjson')).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  it('is refused where the columns change between two pages, or between a run and the next', async () => {
    const pulling = await startPulling('pages');
    const { service, output, copy } = pulling;
    let asked = 0;
    service.onRequest = async () => {
      asked++;
      if (asked === BEFORE_PAGES.length + 3) await service.store.updateRegister(WIDER, { recordedAt: at(5) });
    };
    await expect(copy('csv')).rejects.toMatchObject({ code: 'register_changed' });
    await stopBefore(3, pulling, 'csv');
    await service.store.updateRegister(permits(), { recordedAt: at(6) });
    await expect(copy('csv', true)).rejects.toMatchObject({ code: 'register_changed' });
    expect(existsSync(output)).toBe(false);
    expect(await copy('csv', true)).toMatchObject({ records: COUNT });
  });

  it('is refused where the register was removed and made anew, during a run or between two', async () => {
    const pulling = await startPulling('pages');
    const { service, output, copy } = pulling;
    const remake = async (count: number): Promise<void> => {
      await service.store.removeRegister('permits');
      await service.store.createRegister(permits());
      const batch = Array.from({ length: count }, (_, index) => statementAt(index + 1, count));
      await service.store.apply('permits', batch, { recordedAt: at(count) });
    };
    let asked = 0;
    service.onRequest = async () => {
      asked++;
      if (asked === BEFORE_PAGES.length + 3) await remake(COUNT + 1);
    };
    await expect(copy('ndjson')).rejects.toMatchObject({ code: 'register_changed' });
    await stopBefore(3, pulling, 'ndjson');
    // As long as before, and then a register that has not come so far.
    await remake(COUNT + 2);
    await expect(copy('ndjson', true)).rejects.toMatchObject({ code: 'register_changed' });
    await stopBefore(3, pulling, 'ndjson');
    await remake(30);
    await expect(copy('ndjson', true)).rejects.toMatchObject({ code: 'register_changed' });
    expect(existsSync(output)).toBe(false);
  });
});

describe('a page that is no whole page', () => {
  const cut = (text: string): { status: number; body: string } => ({ status: 200, body: text });

  it('is asked for again', async () => {
    const { service, output, copy } = await startPulling('pages');
    const answer = await service.get('/feeds/permits/records/export.csv?limit=100', service);
    const text = await answer.text();
    // Within a quoted value, and before the end of a row.
    service.faults.push(...BEFORE_PAGES, cut(text.slice(0, text.indexOf('Summary') + 5)));
    service.faults.push(null, cut(text.slice(0, text.indexOf('\r\n', 2000))));
    expect(await copy('csv')).toMatchObject({ records: COUNT });
    expect(await idsOf(output, 'csv')).toEqual(ALL);
  });

  it.each(['csv', 'ndjson', 'xml'] as const)('is a coded error where it stays so: %s', async (format) => {
    const { service, copy } = await startPulling('pages');
    service.faults.push(...BEFORE_PAGES, ...Array.from({ length: 5 }, () => cut('id,"position\r\n')));
    await expect(copy(format)).rejects.toMatchObject({ code: 'invalid_answer' });
    expect(service.asked).toHaveLength(BEFORE_PAGES.length + 3);
  });
});

describe('the file of a copy', () => {
  it.for(['pages', 'whole'] as const)(
    'of %s stays where the copy stopped when the disk is full, and is completed once there is room',
    async (way, context) => {
      if (!canMount) context.skip('needs a mount of its own');
      const { service } = await startPulling(way);
      const disk = await folder();
      const pull = `'${process.execPath}' '${GAZETTE}' pull '${service.url}/api/v1/feeds/permits' --format csv --output '${disk}/copy' --resume`;
      const script = [
        `mount -t tmpfs -o size=256k none '${disk}'`,
        `${pull}; echo "ended with $?"; ls -x '${disk}' 1>&2`,
        `mount -o remount,size=64m '${disk}'`,
        `${pull}; echo "ended with $?"; cat '${disk}/copy'`,
      ];
      const child = spawn('unshare', ['-rm', 'sh', '-c', script.join('\n')], {
        stdio: 'pipe',
        env: { ...process.env, GAZETTE_API_KEY: service.key },
      });
      const ended = await ending(child);
      const [first, second, ...rows] = ended.stdout.toString().split('\n');
      expect([first, second]).toEqual(['ended with 1', 'ended with 0']);
      expect(ended.stderr).toContain(`gazette: ${disk}/copy.part cannot be written: the disk is full`);
      expect(ended.stderr).toContain('(output_failed)\n');
      expect(ended.stderr).not.toMatch(/internal_error|copy\.pull\.json\.tmp/);
      await writeFile(join(disk, 'copy'), rows.join('\n'));
      expect(await idsOf(join(disk, 'copy'), 'csv')).toEqual(ALL);
    },
  );

  it('is no folder, no pipe and not standard output, which is said before anything is asked', async () => {
    const { service, output, copy } = await startPulling('pages');
    await mkdir(output);
    await expect(copy('csv')).rejects.toMatchObject({ code: 'usage' });
    await rm(output, { recursive: true });
    expect(spawnSync('mkfifo', [output]).status).toBe(0);
    await expect(copy('csv')).rejects.toMatchObject({ code: 'usage' });
    await rm(output);
    const args = ['pull', `${service.url}/api/v1/feeds/permits`, '--format', 'csv', '--output', '-'];
    expect(await gazette(args, '', { GAZETTE_API_KEY: service.key })).toMatchObject({ code: 2 });
    expect([service.asked, await readdir(join(output, '..'))]).toEqual([[], []]);
  });

  it('is the one that a symbolic link points at', async () => {
    const { output, copy } = await startPulling('pages');
    const target = join(await folder(), 'target');
    await symlink(target, output);
    await copy('csv');
    await copy('ndjson');
    expect(await readlink(output)).toBe(target);
    expect(await idsOf(target, 'ndjson')).toEqual(ALL);
  });

  it('is for those alone whom the file in its place was for', async () => {
    const pulling = await startPulling('pages');
    const { output, part, copy } = pulling;
    await writeFile(output, 'the copy of yesterday', { mode: 0o440 });
    await stopBefore(2, pulling, 'csv');
    expect((await stat(part)).mode & 0o777).toBe(0o640);
    await copy('csv', true);
    expect((await stat(output)).mode & 0o777).toBe(0o640);
  });

  it('is written by one run at a time', async () => {
    const { service, output, copy } = await startPulling('pages');
    let second: Promise<unknown> | undefined;
    service.onRequest = async () => {
      second ??= copy('ndjson').catch((error: unknown) => error);
      await second;
    };
    expect(await copy('csv')).toMatchObject({ records: COUNT });
    expect(await second).toMatchObject({ code: 'output_failed' });
    expect(await idsOf(output, 'csv')).toEqual(ALL);
    expect(await readdir(join(output, '..'))).toEqual(['copy']);
  });

  it('is kept when --resume is forgotten', async () => {
    const pulling = await startPulling('pages');
    const { service, output, part, copy } = pulling;
    await stopBefore(4, pulling, 'csv');
    const [kept, asked] = [await readFile(part), service.asked.length];
    await expect(copy('csv')).rejects.toMatchObject({
      code: 'usage',
      message: `${part} is an unfinished copy, with 300 records: give --resume to go on with it, or remove ${output}.pull.json to begin anew`,
    });
    expect([await readFile(part), service.asked.length]).toEqual([kept, asked]);
    await rm(`${output}.pull.json`);
    // What lies there is replaced by a page, by nothing less.
    service.faults.push({ status: 403 });
    await expect(copy('csv')).rejects.toMatchObject({ code: 'request_refused' });
    expect(await readFile(part)).toEqual(kept);
    expect(await copy('csv')).toMatchObject({ records: COUNT });
  });

  it('is not gone on with as another format, nor as another register', async () => {
    const pulling = await startPulling('pages');
    const { service, output, copy } = pulling;
    await stopBefore(2, pulling, 'csv');
    await expect(copy('ndjson', true)).rejects.toMatchObject({ code: 'usage' });
    const args = ['pull', `${service.url}/api/v1/feeds/notices`, '--format', 'csv', '--output', output, '--resume'];
    const ended = await gazette(args, '', { GAZETTE_API_KEY: service.key });
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining('was begun as csv of ') as string]);
    expect(await copy('csv', true)).toMatchObject({ records: COUNT });
  });

  it.each([
    ['of another shape', (text: string) => text.replace('"gazette_pull":1', '"gazette_pull":0')],
    ['cut off', (text: string) => text.slice(0, -20)],
    ['without a state', () => '{"gazette_pull":1,"bytes":2,"state":null}'],
    ['with a next page that is no address', (text: string) => text.replace(/"next":"[^"]*"/, '"next":"nope"')],
    ['with no next page', (text: string) => text.replace(/"next":"[^"]*",/, '')],
    ['of a format there is not', (text: string) => text.replace('"csv"', '"toString"')],
    ['with a gap below its last record', (text: string) => text.replace('"gaps":[]', '"gaps":[[9,8]]')],
    ['with gaps that go up', (text: string) => text.replace('"gaps":[]', '"gaps":[[500,500],[510,510]]')],
    ['of more bytes than there are', (text: string) => text.replace('"bytes":', '"bytes":9')],
  ])('is not gone on with by a state %s', async (_, change) => {
    const pulling = await startPulling('pages');
    const { output, copy } = pulling;
    await stopBefore(2, pulling, 'csv');
    const text = await readFile(`${output}.pull.json`, 'utf8');
    await writeFile(`${output}.pull.json`, change(text));
    await expect(copy('csv', true)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(`remove ${output}.pull.json to begin anew`) as string,
    });
  });
});

describe('gazette pull', () => {
  it.each([
    ['an address', ['https://example.org'], 'gz_key', 'such as https://'],
    ['an address without a query', ['https://example.org/api/v1/feeds/permits?limit=3'], 'gz_key', 'such as https://'],
    ['a format that can be joined', ['https://example.org/api/v1/feeds/permits', '--format', 'xlsx'], 'gz_key', 'xlsx'],
  ])('says that it needs %s', async (_, args, key, said) => {
    const output = join(await folder(), 'copy');
    const ended = await gazette(['pull', '--format', 'csv', '--output', output, ...args], '', { GAZETTE_API_KEY: key });
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(said) as string]);
    expect(existsSync(`${output}.part`)).toBe(false);
  });

  it('needs a key unless the register is open', async () => {
    const { service, output } = await startPulling('pages');
    const args = ['pull', `${service.url}/api/v1/feeds/permits`, '--format', 'csv', '--output', output];
    const refused = await gazette(args, '', { GAZETTE_API_KEY: '' });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('set GAZETTE_API_KEY') as string]);
    const { definition } = (await service.store.register('permits'))!;
    await service.store.updateRegister({ ...definition, access: 'open' }, { recordedAt: new Date().toISOString() });
    const pulled = await gazette(args, '', {});
    expect([pulled.code, pulled.stderr]).toEqual([0, expect.stringContaining('is complete') as string]);
    // Closed while somebody reads it.
    service.faults.push({
      status: 401,
      body: JSON.stringify({ code: 'credentials_required', detail: 'this needs a key' }),
    });
    const closed = await gazette(args, '', {});
    expect([closed.code, closed.stderr]).toEqual([2, expect.stringContaining('set GAZETTE_API_KEY') as string]);
  });

  it('says what the service says to a key that opens nothing, and never shows it', async () => {
    const { service, output, pull } = await startPulling('pages');
    await service.store.accounts.updateAccount('acme', { isSuspended: true });
    const ended = await pull('csv');
    expect([ended.code, ended.stderr.includes(service.key)]).toEqual([1, false]);
    expect(ended.stderr).toContain('(request_refused)');
    expect(await readdir(join(output, '..'))).toEqual([]);
  });
});

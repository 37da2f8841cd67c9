// `gazette import … --watch`: a file, a folder, an address.
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { placeOf } from '../../src/cli/commands/import/places.ts';
import { letPass, until } from '../until.ts';
import { type Ending, ending, folder, gazette, start } from './run.ts';

/** A file with these records. */
function csvOf(...numbers: readonly number[]): string {
  const rows = numbers.map((number) => `${number},Permit ${number},2026-01-01,https://example.org/${number}`);
  return ['id,title,published_at,source_url', ...rows, ''].join('\n');
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Puts a file in its place as a whole. */
async function put(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

/** A store with an empty register. */
async function made(): Promise<{ readonly place: string; readonly store: readonly string[] }> {
  const place = await folder();
  const store = ['--store', join(place, 'store.db')];
  expect(await gazette(['register', 'add', 'permits', '--title', 'Permits', ...store])).toMatchObject({ code: 0 });
  return { place, store };
}

/** A run that goes on until it is ended. */
interface Watching {
  readonly child: ChildProcessWithoutNullStreams;
  readonly ended: Promise<Ending>;
  /** Waits until it says so, on either of its streams, for the so manyth time. */
  readonly says: (words: string, times?: number) => Promise<unknown>;
}

function watching(args: readonly string[]): Watching {
  const child = start(['import', 'permits', ...args, '--watch']);
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  let isOver = false;
  child.once('exit', () => (isOver = true));
  const says = (words: string, times = 1): Promise<unknown> =>
    until(words, () => {
      if (said.split(words).length > times) return true;
      if (isOver) throw new Error(`it ended: ${said}`);
      return false;
    });
  return { child, ended: ending(child), says };
}

/** The files of its imports, and what became of each, oldest first. */
async function importsOf(store: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { stdout } = await gazette(['imports', 'list', 'permits', '--json', ...store]);
  const lines = stdout.toString().trim().split('\n');
  const entries = lines.flatMap((line) => JSON.parse(line) as { readonly file: string; readonly state: string }[]);
  return entries.map(({ file, state }) => [file, state]).reverse();
}

it('keeps a register in step with a file, whatever becomes of that, until it is ended', async () => {
  const { place, store } = await made();
  const file = join(place, 'permits.csv');
  await put(file, csvOf(1, 2));
  const { child, ended, says } = watching([file, ...store]);
  await says('added 2, changed 0');
  await put(file, csvOf(1, 2, 3));
  await says('added 1, changed 0');
  await put(file, 'id,title\n"');
  await says('(invalid_');
  await rm(file);
  await put(file, csvOf(1, 2, 3, 4));
  await says('added 1, changed 0', 2);
  // Longer than it is between two looks.
  for (const number of range(5, 14)) {
    await writeFile(file, csvOf(...range(1, number)));
    await letPass(400, 'its publisher is slow');
  }
  await says('added 10, changed 0');
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
  const states = (await importsOf(store)).map(([, state]) => state);
  expect(states).toEqual(['completed', 'completed', 'failed', 'completed', 'completed']);
});

it('takes in the files of a folder one after the other, each once, and lets a proposal wait for a person', async () => {
  const { place, store } = await made();
  const inbox = join(place, 'inbox');
  await mkdir(inbox);
  const file = (name: string): string => join(inbox, name);
  await put(file('9.csv'), csvOf(...range(1, 20)));
  await put(file('.hidden.csv'), csvOf(98));
  await put(file('9.csv.rejects.ndjson'), '{}\n');
  // Most records would be withdrawn: that stops.
  await put(file('10.csv'), csvOf(1, 2));
  await put(file('11.csv'), csvOf(...range(1, 21)));
  const args = [inbox, '--withdraw-missing', ...store];
  const first = watching(args);
  await first.says('wait until proposal 2 is approved or discarded');
  first.child.kill('SIGTERM');
  await first.ended;
  const second = watching(args);
  await second.says('wait until proposal 2 is approved or discarded');
  await letPass(3000, 'it would take in the third file with its next look');
  expect(await importsOf(store)).toEqual([
    [file('9.csv'), 'completed'],
    [file('10.csv'), 'proposed'],
  ]);
  expect(await gazette(['imports', 'discard', 'permits', '2', ...store])).toMatchObject({ code: 0 });
  await second.says('added 1, changed 0');
  second.child.kill('SIGTERM');
  await second.ended;
  // As they are now, all were taken in, whatever the folder is called: only what changes is.
  const third = watching([relative('.', inbox), ...args.slice(1)]);
  await third.says('watching');
  await put(file('9.csv'), csvOf(...range(2, 21)));
  await third.says('withdrawn 1');
  third.child.kill('SIGTERM');
  await third.ended;
  expect(await importsOf(store)).toEqual([
    [file('9.csv'), 'completed'],
    [file('10.csv'), 'discarded'],
    [file('11.csv'), 'completed'],
    [file('9.csv'), 'completed'],
  ]);
});

it('takes in what an address answers, which is asked with its tag, and named without its secrets', async () => {
  const { store } = await made();
  const asked: Headers[] = [];
  let answer = (): Response => new Response(csvOf(1, 2), { headers: { etag: '"1"' } });
  const server = await startServer(
    async ({ headers }) => {
      asked.push(headers);
      return answer();
    },
    { port: 0, host: '127.0.0.1' },
  );
  onTestFinished(() => server.stop(0));
  const address = `${server.url.replace('//', '//publisher:p%40ss@')}/files/permits.csv?token=secret`;
  const name = `${server.url}/files/permits.csv`;
  const before = (await readdir(tmpdir())).filter((one) => one.startsWith('gazette-import-'));

  expect((await gazette(['import', 'permits', address, ...store])).stdout.toString()).toContain('added 2, changed 0');
  expect(asked.at(-1)!.get('authorization')).toBe(`Basic ${Buffer.from('publisher:p@ss').toString('base64')}`);
  const run = watching([address, ...store]);
  await run.says('unchanged 2');
  run.child.kill('SIGTERM');
  expect((await run.ended).stderr).not.toMatch(/secret|p@ss|p%40ss/);
  expect(await importsOf(store)).toEqual([
    [name, 'completed'],
    [name, 'completed'],
  ]);

  const place = placeOf(address, new AbortController().signal);
  let isRefused = false;
  const look = async (takes = true): Promise<number> => {
    const found = await Array.fromAsync(place.found());
    for (const { take } of found) if (takes) take(isRefused);
    return found.length;
  };
  expect([await look(false), await look()]).toEqual([1, 1]);
  expect(asked.at(-1)!.has('if-none-match')).toBe(false);
  answer = () => new Response(null, { status: 304 });
  expect(await look()).toBe(0);
  expect(asked.at(-1)!.get('if-none-match')).toBe('"1"');
  expect(asked.at(-1)!.get('accept-encoding')).toBe('identity');
  answer = () => new Response(csvOf(1, 2));
  expect([await look(), asked.at(-1)!.get('if-none-match')]).toEqual([0, '"1"']);
  expect([await look(), asked.at(-1)!.has('if-none-match')]).toEqual([0, false]);
  answer = () => new Response(csvOf(3), { headers: { 'last-modified': 'Mon, 30 Nov 2026 10:00:00 GMT' } });
  expect(await look()).toBe(1);
  answer = () => new Response(null, { status: 404 });
  await expect(look()).rejects.toMatchObject({ code: 'request_refused', message: `"${name}" answered 404` });
  expect(asked.at(-1)!.get('if-modified-since')).toBe('Mon, 30 Nov 2026 10:00:00 GMT');
  // The page of a proxy is newer than what changes behind it.
  isRefused = true;
  const page = { headers: { 'last-modified': 'Mon, 30 Nov 2026 12:00:00 GMT' } };
  answer = () => new Response('<html>Back soon</html>', page);
  for (const found of [1, 0, 0]) expect(await look()).toBe(found);
  expect(asked.at(-1)!.has('if-modified-since')).toBe(false);
  isRefused = false;
  answer = () => new Response(csvOf(4), { headers: { 'last-modified': 'Mon, 30 Nov 2026 11:00:00 GMT' } });
  expect(await look()).toBe(1);
  answer = () => new Response(null, { status: 503 });
  await expect(look()).rejects.toMatchObject({ code: 'request_failed' });
  answer = () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(csvOf(1)));
        },
        pull() {
          throw new Error('it breaks off');
        },
      }),
    );
  await expect(look()).rejects.toMatchObject({ code: 'request_failed' });
  expect((await readdir(tmpdir())).filter((one) => one.startsWith('gazette-import-'))).toEqual(before);
});

it('takes each file of a folder in with one look, and a link that names another, and tells once what is tried again', async () => {
  const { place, store } = await made();
  const inbox = join(place, 'inbox');
  await mkdir(inbox);
  for (const number of range(1, 5)) await put(join(inbox, `${number} %.csv`), csvOf(number));
  await put(join(place, 'old.csv'), csvOf(6));
  await put(join(place, 'new.csv'), csvOf(7));
  const link = join(inbox, '6.csv');
  await symlink(join(place, 'new.csv'), link);
  const all = new AbortController();
  const folderOf = placeOf(inbox, all.signal);
  const look = async (): Promise<readonly string[]> => {
    const found = await Array.fromAsync(folderOf.found());
    for (const { take } of found) take(false);
    return found.map(({ path }) => path);
  };
  expect([await look(), await look()]).toEqual([
    [],
    [...range(1, 5).map((number) => join(inbox, `${number} %.csv`)), link],
  ]);
  const first = watching([inbox, ...store]);
  await first.says('added 1, changed 0', 6);
  first.child.kill('SIGTERM');
  await first.ended;
  const second = watching([inbox, ...store]);
  await second.says('watching');
  await symlink(join(place, 'old.csv'), join(place, 'switched'));
  await rename(join(place, 'switched'), link);
  await second.says('added 1, changed 0');
  await rename(inbox, join(place, 'away'));
  await second.says('there is no such file or folder (invalid_input); it is tried again');
  await letPass(5000, 'it would tell it again with its next looks');
  second.child.kill('SIGTERM');
  expect((await second.ended).stderr.split('it is tried again')).toHaveLength(2);
});

it('takes an address in whatever its last part is called', async () => {
  const { place, store } = await made();
  const server = await startServer(async () => new Response(csvOf(1)), { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop(0));
  for (const name of ['100%.csv', 'a%00.csv', 'a%2F..', `${'x'.repeat(300)}.csv`]) {
    const found = placeOf(`${server.url}/${name}`, new AbortController().signal).found();
    const files = await Array.fromAsync(found, ({ path }) => basename(path));
    expect(files).toEqual([name.slice(-100)]);
  }
  const { stderr } = await gazette(['import', 'permits', server.url.replace('//', '//50%:x@'), ...store]);
  expect(stderr).toContain('is written %25 (usage)');
  const configured = join(place, 'gazette.json');
  const register = { definition: { id: 'served', title: 'Served' }, import: { file: `${server.url}/100%.csv` } };
  await writeFile(configured, JSON.stringify({ store: 'served.db', registers: [register] }));
  const serving = start(['serve', '--config', configured, '--port', '0']);
  onTestFinished(() => void serving.kill('SIGKILL'));
  let said = '';
  serving.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await until('it has imported', () => said.includes('served: added 1, changed 0') || serving.exitCode !== null);
  expect([serving.exitCode, said]).toEqual([null, expect.stringContaining('served: added 1, changed 0')]);
  const { stderr: full } = await ending(start(['import', 'permits', server.url, ...store], { TMPDIR: '/none' }));
  expect(full).toContain('/none cannot be written: there is no such file or folder (output_failed)');
});

/** A disk for Node that takes 10 ms for whatever is written. */
const SLOW_DISK = `import fs from 'node:fs';
for (const name of ['write', 'writev']) {
  const write = fs[name];
  fs[name] = (...args) => void setTimeout(() => write(...args), 10);
}`;

it('takes in what comes faster than it is written, from a server that ends each connection', async () => {
  const { store } = await made();
  const notes = 'a'.repeat(20_000);
  let times = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    const rows = csvOf(...range(times * 100 + 1, ++times * 100)).replaceAll('\n', `,${notes}\n`);
    socket.once('data', () => socket.end(`HTTP/1.0 200 OK\r\n\r\n${rows.replace(notes, 'notes')}`));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/permits.csv`;
  const slow = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SLOW_DISK)}` };
  // Whether the end comes while nothing can be taken is chance.
  while (times < 6) {
    const { stdout, stderr } = await ending(start(['import', 'permits', address, '--ignore', 'notes', ...store], slow));
    expect([stdout.toString(), stderr]).toEqual([expect.stringContaining('added 100,'), expect.any(String)]);
  }
});

it('is refused where it could never take anything in', async () => {
  const { place, store } = await made();
  const file = join(place, 'permits.csv');
  await put(file, csvOf(1));
  const refusals: readonly (readonly [string, readonly string[]])[] = [
    ['--watch needs a file, a folder or an address, not - (usage)', ['permits', '-', '--watch']],
    ['--watch takes files in: it cannot go with --dry-run (usage)', ['permits', file, '--watch', '--dry-run']],
    ['--watch takes files in: it cannot go with --guess (usage)', ['permits', file, '--watch', '--guess']],
    ['there is no such file or folder (invalid_input)', ['permits', join(place, 'none'), '--watch']],
    ['/dev/null must be a file or a folder (invalid_input)', ['permits', '/dev/null', '--watch']],
    ['there is no store', ['permits', file, '--watch', '--store', join(place, 'none.db')]],
    ['there is no register "other"', ['other', file, '--watch']],
    [
      'give its name instead of "https://example.org/a.csv" (usage)',
      ['permits', 'https://example.org/a.csv', '--guess'],
    ],
  ];
  for (const [words, args] of refusals) {
    const { code, stderr } = await gazette([
      'import',
      ...args,
      ...(args.includes('--guess') || args.includes('--store') ? [] : store),
    ]);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(words)]);
  }
});

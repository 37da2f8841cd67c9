// `gazette log`, and a service that signs.
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { openCheckpoint, parseVerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatVerifierKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, parseNote, signText } from '../../../../src/wings/proofs/tlog/note.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { keepSigning } from '../../../../src/wings/proofs/cli/signing/signing.ts';
import { at } from '../../../contracts/store-register.ts';
import { until } from '../../../until.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { makeStore } from '../../../cli/served.ts';
import { surroundings as io } from '../../../cli/surroundings.ts';
import { logsOf } from '../logs-of.ts';

const KEY = '07'.repeat(32);
const LOG_VKEY = formatVerifierKey(signerOf('a.example/log', 'log', Buffer.alloc(32, 1)));
const WITNESS_VKEY = formatVerifierKey(signerOf('a.example', 'witness', Buffer.alloc(32, 1)));

it('signs beside a service, shows what is signed, and begins a new log when told to', async () => {
  const { path } = await makeStore(3);
  const state = join(await folder(), 'log-state.json');
  const url = `sqlite:${path}`;
  expect((await gazette(['log', 'show', '--store', url])).stdout.toString()).toMatch(/entries +3\nsigned +not yet/);

  const store = SqliteStore.open(path);
  const options = { logState: state, baseUrl: 'https://registers.example/town' };
  const signing = keepSigning(io({ GAZETTE_LOG_KEY: KEY }).io, store, options)!;
  await until('a checkpoint', async () => (await logsOf(store).of('permits')).checkpoint !== null);
  await signing.stop();
  const { origin, name, vkey, checkpoint, uuid } = await logsOf(store).of('permits');
  expect(origin).toBe(`registers.example/town/api/v1/feeds/permits/log/${name}`);
  expect(openCheckpoint(checkpoint!, origin!, [parseVerifierKey(vkey!)]).size).toBe(3);
  expect(await readFile(state, 'utf8')).toContain(origin);
  await store.close();

  // A witness signs what the log signed.
  const again = SqliteStore.open(path);
  const { text, signatures } = parseNote(checkpoint!);
  const cosigned = [
    ...signatures,
    signText(text, signerOf('w.example', 'witness', Buffer.alloc(32, 3)), 1_000_000_000),
  ];
  const next = {
    uuid,
    origin: origin!,
    vkey: vkey!,
    before: checkpoint,
    checkpoint: formatNote({ text, signatures: cosigned }),
  };
  expect(await logsOf(again).publish('permits', next)).toBe(true);
  await again.close();

  const shown = (await gazette(['log', 'show', 'permits', '--store', url])).stdout.toString();
  expect(shown).toContain('\nwitness   w.example at 2001-09-09T01:46:40Z\n');
  expect(shown.match(/^witness/gm)).toHaveLength(1);
  expect(shown).toContain(`key       ${vkey}`);
  expect(shown).toMatch(/signed +3\n/);
  expect((await gazette(['log', 'recover', 'permits', '--store', url])).code).toBe(2);
  expect((await gazette(['log', 'recover', 'none', '--new-log', '--yes', '--store', url])).code).toBe(1);
  expect((await gazette(['log', 'recover', 'permits', '--new-log', '--yes', '--store', url])).code).toBe(0);
  const all = (await gazette(['log', 'show', '--store', url])).stdout.toString();
  expect(all).toMatch(/signed +not yet/);
  expect(all).toMatch(/log of +logs\nentries +1\nsigned +1\norigin +registers.example\/town\/api\/v1\/log\//);
  expect((await gazette(['log', 'recover', '--new-log', '--store', url])).code).toBe(2);
  expect((await gazette(['log', 'recover', 'permits', '--of-logs', '--new-log', '--store', url])).code).toBe(2);
  const begun = await gazette(['log', 'recover', '--of-logs', '--new-log', '--yes', '--store', url]);
  expect([begun.code, begun.stderr]).toEqual([0, expect.stringContaining('there is a new log of logs')]);
  expect((await gazette(['log', 'show', '--store', url])).stdout.toString()).toMatch(
    /log of +logs\nentries +0\nsigned +not yet/,
  );
});

it('signs once the file of what was signed last can be opened, and says meanwhile that it does not', async () => {
  const { path } = await makeStore(3);
  const place = join(await folder(), 'not-there-yet');
  const store = SqliteStore.open(path);
  const { io: run, said } = io({ GAZETTE_LOG_KEY: KEY });
  const options = { logState: join(place, 'state'), baseUrl: 'https://registers.example', tryEveryMs: 5 };
  const signing = keepSigning(run, store, options)!;
  await until('a message', () => said().includes('logs are not signed at the moment'));
  await mkdir(place);
  await until('a checkpoint', async () => (await logsOf(store).of('permits')).checkpoint !== null);
  expect(said().match(/not signed/g)).toHaveLength(1);
  await signing.stop();
  await store.close();
});

it('signs nothing where that file is another one, and says so', async () => {
  const { path } = await makeStore(3);
  const logState = join(await folder(), 'report.txt');
  await writeFile(logState, 'a report');
  const store = SqliteStore.open(path);
  const { io: run, said } = io({ GAZETTE_LOG_KEY: KEY });
  const signing = keepSigning(run, store, { logState, baseUrl: 'https://registers.example', tryEveryMs: 5 })!;
  await until('a message', () => said().includes('logs are not signed: '));
  await signing.stop();
  expect((await logsOf(store).of('permits')).checkpoint).toBeNull();
  expect(await readFile(logState, 'utf8')).toBe('a report');
  await store.close();
});

it('makes keys that sign', async () => {
  const keys = await Promise.all([gazette(['log', 'key']), gazette(['log', 'key'])]);
  const [a, b] = keys.map(({ stdout }) => stdout.toString());
  expect(a).toMatch(/^[0-9a-f]{64}\n$/);
  expect(a).not.toBe(b);
});

it.each([
  ['a file without a key', {}, { logState: 'x' }, 'usage'],
  ['a key without a file', { GAZETTE_LOG_KEY: KEY }, {}, 'usage'],
  [
    'a witness without a key',
    { GAZETTE_LOG_KEY: KEY },
    { logState: 'x', logWitness: ['https://a.example'] },
    'invalid_log_key',
  ],
  [
    'a witness at no address',
    { GAZETTE_LOG_KEY: KEY },
    { logState: 'x', logWitness: ['a.example x'] },
    'invalid_option',
  ],
  [
    'a witness with the key of a log',
    { GAZETTE_LOG_KEY: KEY },
    { logState: 'x', logWitness: [`https://a.example ${LOG_VKEY}`] },
    'usage',
  ],
  ['a witness of what is not signed', {}, { logWitness: [`https://a.example ${WITNESS_VKEY}`] }, 'usage'],
  ['half a key', { GAZETTE_LOG_KEY: '07' }, { logState: 'x' }, 'invalid_log_key'],
  ['an origin with a scheme', { GAZETTE_LOG_KEY: KEY }, { logState: 'x', origin: 'https://a.example' }, 'usage'],
])('refuses %s', (_what, env, options, code) => {
  const store = SqliteStore.open(':memory:');
  expect(() => keepSigning(io(env).io, store, options)).toThrow(expect.objectContaining({ code }) as Error);
});

it('signs nothing without a name for the logs, and says so', () => {
  const run = io({ GAZETTE_LOG_KEY: KEY });
  expect(keepSigning(run.io, SqliteStore.open(':memory:'), { logState: 'x' })).toBeNull();
  expect(run.said()).toContain('logs are not signed: they need --base-url or --origin');
  expect(keepSigning(io({}).io, SqliteStore.open(':memory:'), {})).toBeNull();
});

it('puts back what a restored store lacks, and signs on under the same name', async () => {
  const { path } = await makeStore(3);
  const place = await folder();
  const state = join(place, 'log-state.json');
  const older = join(place, 'older.db');
  const signFor = async (file: string, size: number): Promise<string> => {
    const store = SqliteStore.open(file);
    const { io: surroundings, said } = io({ GAZETTE_LOG_KEY: KEY });
    const signing = keepSigning(surroundings, store, { logState: state, baseUrl: 'https://registers.example' })!;
    await until('a checkpoint, or why there is none', async () => {
      const { checkpoint } = await logsOf(store).of('permits');
      return said() !== '' || checkpoint?.includes(`\n${size}\n`) === true;
    });
    await signing.stop();
    await store.close();
    return said();
  };
  expect(await signFor(path, 3)).toBe('');
  const copy = new DatabaseSync(path);
  copy.exec(`VACUUM INTO '${older}'`);
  copy.close();
  await chmod(older, 0o600);
  const store = SqliteStore.open(path);
  const { versions } = await store.changes('permits', { since: 0, limit: 1 });
  await store.withdraw('permits', [versions[0]!.record_id], { recordedAt: at(1) });
  await store.close();
  expect(await signFor(path, 4)).toBe('');
  const changed = SqliteStore.open(older);
  const { origin } = await logsOf(changed).of('permits');
  await changed.close();
  expect(await signFor(older, 4)).toContain('gazette log recover permits --from STORE');
  const recover = (...more: readonly string[]) =>
    gazette(['log', 'recover', 'permits', '--store', `sqlite:${older}`, ...more], '');
  expect((await recover('--from', path)).code).toBe(2);
  expect((await recover('--from', path, '--new-log')).code).toBe(2);
  expect(await recover('--from', path, '--log-state', join(place, 'none.json'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no ') as string,
  });
  expect(await recover('--from', older, '--log-state', state)).toMatchObject({ code: 1 });
  expect(await recover('--from', path, '--log-state', state)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('1 change of permits put back') as string,
  });
  const back = SqliteStore.open(older);
  expect(await logsOf(back).of('permits')).toMatchObject({ size: 4, origin });
  await back.close();
  expect(await signFor(older, 4)).not.toContain('"permits"');
  const checked = await gazette(['doctor', '--store', `sqlite:${older}`], '');
  expect([checked.code, checked.stderr, checked.stdout.toString()]).toEqual([
    0,
    expect.stringContaining('is whole'),
    expect.any(String),
  ]);
});

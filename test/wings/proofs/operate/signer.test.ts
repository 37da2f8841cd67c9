// The signer: every checkpoint is consistent with the last, none is made over what is not committed, and a store that
// contradicts what was signed is not signed.
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { vkeysOf } from '../../../../src/wings/proofs/operate/log-files.ts';
import { readLogKeys } from '../../../../src/wings/proofs/operate/log-key.ts';
import { logPlace, LogSigner } from '../../../../src/wings/proofs/operate/signer.ts';
import { FileLogState, type LogState } from '../../../../src/wings/proofs/operate/state.ts';
import { readHashes } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import {
  consistencyRanges,
  isConsistent,
  openCheckpoint,
  parseVerifierKey,
  type VerifiedCheckpoint,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { formatVerifierKey, type SignerKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { logsOf } from '../logs-of.ts';

const KEYS = readLogKeys('07'.repeat(32));

let folder = '';
let store: SqliteStore;
let errors: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  store = SqliteStore.open(join(folder, 'store.db'));
  errors = [];
  await store.createRegister(permits());
  await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const openState = async (): Promise<FileLogState> => (await FileLogState.open(join(folder, 'state.json')))!;

/** Signs once, as one process does. */
async function sign(place = 'registers.example', state?: LogState): Promise<void> {
  const file = state === undefined ? await openState() : null;
  const onError = (error: unknown): void => void errors.push(error instanceof Error ? error.message : String(error));
  await new LogSigner(logsOf(store), { keys: KEYS, place, state: state ?? file!, onError }).signAll();
  file?.close();
}

async function checkpoint(): Promise<VerifiedCheckpoint> {
  const log = await logsOf(store).of('permits');
  return openCheckpoint(log.checkpoint!, log.origin!, [parseVerifierKey(log.vkey!)]);
}

it('signs what is committed, under a name that never changes', async () => {
  await sign();
  const first = await checkpoint();
  const { uuid, name } = await logsOf(store).of('permits');
  expect(first).toMatchObject({ size: 2, origin: `registers.example/api/v1/feeds/permits/log/${name}` });
  expect(name).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(name).not.toBe(uuid);
  await store.apply('permits', [say('a', { title: 'New' })], { recordedAt: at(1) });
  await sign('elsewhere.example');
  const second = await checkpoint();
  expect(second).toMatchObject({ size: 3, origin: first.origin });
  const proof = await readHashes(logsOf(store), 'permits', consistencyRanges(2, 3), 3);
  expect(isConsistent(first, second, proof!)).toBe(true);
  expect(errors).toEqual([]);
});

it('signs a store from before the first signature, put back without its state, under another name', async () => {
  const path = join(folder, 'store.db');
  const putBack = async (): Promise<void> => {
    await store.close();
    await copyFile(`${path}.old`, path);
    store = SqliteStore.open(path);
    await store.apply('permits', [say('other')], { recordedAt: at(2) });
  };
  await store.close();
  await copyFile(path, `${path}.old`);
  store = SqliteStore.open(path);
  const before = await logsOf(store).of('permits');
  expect(before).toMatchObject({ origin: null, name: null });
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  await sign();
  const first = [await logsOf(store).of('permits'), await logsOf(store).ofLogs()];
  // Its UUID, which commitments and change tokens contain, is that of before.
  expect(first[0]!.uuid).toBe(before.uuid);

  // With its state, it is signed no more.
  await putBack();
  await sign();
  expect(errors).toEqual([expect.stringContaining('1 checkpoints were signed, and the store has only 0')]);
  expect((await logsOf(store).of('permits')).origin).toBeNull();

  errors = [];
  await rm(join(folder, 'state.json'));
  await sign();
  const second = [await logsOf(store).of('permits'), await logsOf(store).ofLogs()];
  for (const [at, { uuid, origin, name, checkpoint }] of second.entries()) {
    expect([uuid, origin!.replace(name!, '')]).toEqual([
      first[at]!.uuid,
      first[at]!.origin!.replace(first[at]!.name!, ''),
    ]);
    expect([checkpoint!.startsWith(origin!), name === first[at]!.name]).toEqual([true, false]);
  }
  expect(errors).toEqual([]);
});

it('signs an empty log, and nothing twice', async () => {
  await store.createRegister(permits('empty'));
  await sign();
  expect((await logsOf(store).of('empty')).checkpoint).toContain('\n0\n');
  const remembered: string[] = [];
  const state: LogState = {
    last: () => null,
    remember: async (uuid) => void remembered.push(uuid),
  };
  await sign('registers.example', state);
  expect(remembered).toEqual([]);
});

it('lists a register in the log of logs at most once a minute, another one beside it at once', async () => {
  const state = await openState();
  const onError = (error: unknown): void => void errors.push(String(error));
  let time = 0;
  const options = { keys: KEYS, place: 'registers.example', state, onError, now: () => time };
  const signer = new LogSigner(logsOf(store), options);
  const signAt = async (seconds: number): Promise<readonly string[]> => {
    time = seconds * 1000;
    await signer.signAll();
    const { size, checkpoint: ofLogs } = await logsOf(store).ofLogs();
    expect(ofLogs).toContain(`\n${size}\n`);
    return (await logsOf(store).entries(null, 0, size)).map((entry) => {
      const [origin, count] = Buffer.from(entry).toString().split('\n');
      return `${origin!.split('/').at(-3)} ${count}`;
    });
  };
  expect(await signAt(0)).toEqual(['permits 2']);
  for (const [second, title] of [
    [20, 'One'],
    [40, 'Two'],
  ] as const) {
    await store.apply('permits', [say('a', { title })], { recordedAt: at(second) });
    expect(await signAt(second)).toEqual(['permits 2']);
    expect((await checkpoint()).size).toBe(2 + second / 20);
  }
  await store.createRegister(permits('zoning'));
  expect(await signAt(59)).toEqual(['permits 2', 'zoning 0']);
  // The log of logs has the newest alone; nothing happens until then.
  expect(await signAt(60)).toEqual(['permits 2', 'zoning 0', 'permits 4']);
  expect(await signAt(200)).toHaveLength(3);
  // One that begins again has all of them.
  await logsOf(store).beginOfLogs();
  expect((await signAt(201)).toSorted()).toEqual(['permits 4', 'zoning 0']);
  expect(errors).toEqual([]);
  state.close();
});

it('remembers what it signs before it is served', async () => {
  const state = await openState();
  const failing: LogState = {
    last: (uuid) => state.last(uuid),
    remember: () => Promise.reject(new Error('disk full')),
  };
  await sign('registers.example', failing);
  expect(errors).toEqual(['disk full']);
  expect((await logsOf(store).of('permits')).checkpoint).toBeNull();
  state.close();
  await sign();
  const [, line] = (await readFile(join(folder, 'state.json'), 'utf8')).split('\n');
  expect(JSON.parse(line!)).toMatchObject({ size: 2 });
});

it('goes on after a process that ended between its state and its checkpoint', async () => {
  const logs = logsOf(store);
  const lost = Object.create(logs, { publish: { value: async () => false } }) as typeof logs;
  const state = await openState();
  const onError = (error: unknown): void => void errors.push(String(error));
  await new LogSigner(lost, { keys: KEYS, place: 'registers.example', state, onError }).signAll();
  state.close();
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  await sign();
  expect(errors).toEqual([]);
  const { uuid } = await logsOf(store).of('permits');
  const again = await openState();
  expect(await checkpoint()).toMatchObject({ size: 3, origin: again.last(uuid)?.origin });
  again.close();
});

it('signs no store that lacks what was signed, until a new log begins', async () => {
  const path = join(folder, 'store.db');
  await sign();
  await store.close();
  await copyFile(path, `${path}.old`);
  store = SqliteStore.open(path);
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  await sign();
  await store.close();
  await copyFile(`${path}.old`, path);
  store = SqliteStore.open(path);
  await store.apply('permits', [say('other'), say('more')], { recordedAt: at(2) });
  await store.createRegister(permits('zoning'));
  await sign();
  // One register is as it was signed; the log of logs keeps it from being signed too.
  const ofLogsSaid = expect.stringMatching(
    /^no log is signed any more, because of the log of logs: 2 checkpoints were signed, and the store has only 1/,
  ) as string;
  expect(errors).toEqual([ofLogsSaid]);
  expect([(await checkpoint()).size, (await logsOf(store).of('zoning')).checkpoint]).toEqual([2, null]);
  const { origin } = await checkpoint();
  await logsOf(store).beginOfLogs();
  await sign();
  expect(errors.slice(1)).toEqual([expect.stringContaining('3 changes were signed, and the store has others')]);
  expect((await logsOf(store).of('zoning')).checkpoint).not.toBeNull();
  expect((await checkpoint()).size).toBe(2);
  await store.beginNewLogs({ at: at(3), feedId: 'permits' });
  await sign();
  expect(await checkpoint()).toMatchObject({ size: 4 });
  expect((await checkpoint()).origin).not.toBe(origin);
  expect(errors).toHaveLength(2);
  const ofLogs = await logsOf(store).ofLogs();
  expect(openCheckpoint(ofLogs.checkpoint!, ofLogs.origin!, [parseVerifierKey(ofLogs.vkey!)]).size).toBe(3);
});

it('signs no store that has fewer changes than were signed', async () => {
  const last = { origin: 'registers.example/log', size: 3, root: Buffer.alloc(32) };
  const { uuid } = await logsOf(store).of('permits');
  const state: LogState = { last: (log) => (log === uuid ? last : null), remember: () => Promise.resolve() };
  await sign('registers.example', state);
  expect(errors).toEqual([expect.stringContaining('3 changes were signed, and the store has only 2 changes')]);
  expect((await logsOf(store).of('permits')).checkpoint).toBeNull();
});

it('signs no log whose state was lost, and says so once', async () => {
  await sign();
  await rm(join(folder, 'state.json'));
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  const state = await openState();
  const signer = new LogSigner(logsOf(store), {
    ...{ keys: KEYS, place: 'registers.example', state },
    onError: (error) => void errors.push(String(error)),
  });
  await signer.signAll();
  await signer.signAll();
  state.close();
  expect(errors).toEqual([expect.stringContaining('the state of the logs does not have it')]);
  expect((await checkpoint()).size).toBe(2);
});

it('lets one process at a time have the state, and refuses another file', async () => {
  const state = await openState();
  expect(await FileLogState.open(join(folder, 'state.json'))).toBeNull();
  state.close();
  (await openState()).close();
  const bad = join(folder, 'bad.json');
  for (const text of [
    '',
    '[]',
    '{"v":2}\n',
    '{"v":3}\n{"log":"x","origin":"y","size":-1,"root":""}\n',
    '{"v":3}\n1\n',
  ]) {
    await writeFile(bad, text);
    await expect(FileLogState.open(bad)).rejects.toMatchObject({ code: 'invalid_option' });
  }
});

it('signs with two keys while one takes the place of the other, also what does not grow', async () => {
  const [old, young] = ['07', '08'].map((byte) => byte.repeat(32));
  const run = async (text: string): Promise<void> => {
    const state = await openState();
    const onError = (error: unknown): void => void errors.push(String(error));
    const signer = new LogSigner(logsOf(store), {
      keys: readLogKeys(text),
      place: 'registers.example',
      state,
      onError,
    });
    await signer.signAll();
    await signer.signAll();
    state.close();
  };
  const keysOf = async (): Promise<readonly (readonly number[])[]> => {
    const logs = [await logsOf(store).of('permits'), await logsOf(store).ofLogs()];
    return logs.map(({ checkpoint: note, origin, vkey }) => {
      const keys = [old!, young!].map((hex) => signerOf(origin!, 'log', Buffer.from(hex, 'hex')));
      const signed = openCheckpoint(note!, origin!, keys).signatures.map(({ key }) => keys.indexOf(key as SignerKey));
      expect(vkeysOf(vkey)).toEqual(signed.map((at) => formatVerifierKey(keys[at]!)));
      return signed;
    });
  };
  await run(old!);
  expect(await keysOf()).toEqual([[0], [0]]);
  await run(`${young} ${old}`);
  expect(await keysOf()).toEqual([
    [1, 0],
    [1, 0],
  ]);
  expect(await inspected(store)).toEqual([]);
  await run(young!);
  expect(await keysOf()).toEqual([[1], [1]]);
  expect([errors, (await checkpoint()).size]).toEqual([[], 2]);
});

it.each([
  ['https://registers.example', 'registers.example'],
  ['https://registers.example:8443/town/', 'registers.example:8443/town'],
])('names logs of %s after %s', (url, place) => {
  expect(logPlace(url)).toBe(place);
});

it.each(['', 'zz', '07'.repeat(31), `${'07'.repeat(32)} ${'07'.repeat(32)}`, `${'07'.repeat(32)},zz`])(
  'refuses the key %j',
  (hex) => {
    expect(() => readLogKeys(hex)).toThrow(expect.objectContaining({ code: 'invalid_log_key' }) as Error);
  },
);

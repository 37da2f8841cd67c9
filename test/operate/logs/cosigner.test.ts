// Witnesses of the log of logs: their signatures join the checkpoints, one that is away costs nothing else, and one that signed what the
// store lacks ends the signing.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogCosigner } from '../../../src/operate/logs/cosigner.ts';
import { readLogKeys } from '../../../src/operate/logs/log-key.ts';
import { LogSigner } from '../../../src/operate/logs/signer.ts';
import { FileLogState } from '../../../src/operate/logs/state.ts';
import { checkWitnessUrl, LogWitnesses } from '../../../src/operate/logs/witnesses.ts';
import {
  formatNote,
  generateSignerKey,
  openCheckpoint,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
  signText,
  type VerifierKey,
} from '../../../src/proofs/index.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { witnessHandler } from '../../witness/handler.ts';
import { WitnessState } from '../../witness/state.ts';
import { trustedLogs, Witness } from '../../witness/witness.ts';

const KEYS = readLogKeys('07'.repeat(32));
const WITNESSES = ['one', 'two'].map((name) => parseSignerKey(generateSignerKey(`${name}.example`, 'witness')));

let folder = '';
let store: SqliteStore;
let warnings: string[] = [];
let errors: string[] = [];
let asked: string[] = [];
let states: WitnessState[] = [];
/** The time, in milliseconds. */
let time = 0;
const now = (): number => time;
/** What answers in the place of a witness, by its host. */
let instead: Map<string, (request: Request) => Response | Promise<Response>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  warnings = [];
  errors = [];
  asked = [];
  time = 0;
  instead = new Map();
  states = WITNESSES.map(({ name }) => WitnessState.open(join(folder, name)));
  store = SqliteStore.open(join(folder, 'store.db'));
  await store.createRegister(permits());
  await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
});
afterEach(async () => {
  for (const state of states) state.close();
  await store.close();
  await rm(folder, { recursive: true });
});

/** The key of the log of logs, once it is signed. */
async function logKey(): Promise<VerifierKey> {
  return parseVerifierKey((await store.logs.ofLogs()).vkey!);
}

/** A network that has these witnesses, for whatever logs they are asked. */
async function network(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { host, pathname } = new URL(request.url);
  asked.push(`${host} ${pathname.replace(/^\/[0-9a-f]{64}\/checkpoint$/, 'shows')}`);
  const other = instead.get(host);
  if (other !== undefined) return other(request);
  const number = WITNESSES.findIndex(({ name }) => name === host);
  const { vkey } = await store.logs.ofLogs();
  const logs = trustedLogs(vkey === null ? [] : [parseVerifierKey(vkey)]);
  return witnessHandler(new Witness({ key: WITNESSES[number]!, logs, state: states[number]! }), (error) => {
    throw error;
  })(request);
}

interface Run {
  readonly keys?: readonly SignerKey[];
}

/** A process that signs. */
async function opened({ keys = WITNESSES }: Run = {}): Promise<{
  readonly sign: () => Promise<void>;
  readonly close: () => Promise<void>;
}> {
  const state = (await FileLogState.open(join(folder, 'state.json')))!;
  const onError = (error: unknown): void => void errors.push((error as Error).message);
  const witnesses = new LogWitnesses(
    keys.map((key) => ({ url: `https://${key.name}`, key })),
    { fetch: network },
  );
  const onWarning = (message: string): void => void warnings.push(message);
  const cosigner = new LogCosigner(store.logs, { witnesses, onWarning, onError, now });
  const signer = new LogSigner(store.logs, { keys: KEYS, place: 'registers.example', state, cosigner, onError, now });
  return {
    sign: async () => {
      await signer.signAll();
      await cosigner.cosignAll();
    },
    close: async () => {
      await signer.close();
      state.close();
    },
  };
}

async function signOnce(run?: Run): Promise<void> {
  const { sign, close } = await opened(run);
  await sign();
  await close();
}

/** The size of the stored checkpoint, and who signed it. */
async function signed(): Promise<{ readonly size: number; readonly by: readonly string[] }> {
  const { checkpoint, origin } = await store.logs.ofLogs();
  const { size, signatures } = openCheckpoint(checkpoint!, origin!, [await logKey(), ...WITNESSES]);
  return { size, by: signatures.flatMap(({ key }) => (key.role === 'witness' ? [key.name] : [])).sort() };
}

const BOTH = ['one.example', 'two.example'];

it('sign each checkpoint, each from what it signed before, and nothing twice', async () => {
  const { sign, close } = await opened();
  await sign();
  expect(await signed()).toEqual({ size: 1, by: BOTH });
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  asked = [];
  time += 60_000;
  await sign();
  expect(await signed()).toEqual({ size: 2, by: BOTH });
  // It is known what they signed.
  expect(asked.toSorted()).toEqual(['one.example /add-checkpoint', 'two.example /add-checkpoint']);
  asked = [];
  await sign();
  expect(asked).toEqual([]);
  await close();
  expect([warnings, errors]).toEqual([[], []]);
});

it('are asked once by a process that has read what they show', async () => {
  await signOnce();
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  asked = [];
  await signOnce();
  expect(asked.toSorted()).toEqual([
    'one.example /add-checkpoint',
    'one.example shows',
    'two.example /add-checkpoint',
    'two.example shows',
  ]);
});

it('are asked from where they are by a process that knows nothing of them', async () => {
  await signOnce();
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  // The addresses of what they signed are not there: the first question is answered 409.
  for (const [number, { name }] of WITNESSES.entries()) {
    instead.set(name, async (request) => {
      if (request.method === 'GET') return new Response('', { status: 404 });
      const witness = new Witness({
        ...{ key: WITNESSES[number]!, state: states[number]! },
        logs: trustedLogs([await logKey()]),
      });
      return witnessHandler(witness, () => undefined)(request);
    });
  }
  asked = [];
  await signOnce();
  expect(await signed()).toEqual({ size: 2, by: BOTH });
  expect(asked.filter((one) => one === 'one.example /add-checkpoint')).toHaveLength(2);
});

it('are asked for what a process that ended left without their signatures', async () => {
  await signOnce({ keys: [] });
  expect(await signed()).toEqual({ size: 1, by: [] });
  await signOnce();
  expect(await signed()).toEqual({ size: 1, by: BOTH });
});

it('sign no log of a register', async () => {
  await signOnce();
  const { checkpoint, origin, vkey } = await store.logs.of('permits');
  expect(openCheckpoint(checkpoint!, origin!, [parseVerifierKey(vkey!), ...WITNESSES]).signatures).toHaveLength(1);
});

it.each<[string, () => Response | Promise<Response>, string]>([
  ['is away', () => Promise.reject(new TypeError('fetch failed')), 'does not answer'],
  [
    'does not know the log',
    () => new Response('unknown log\n', { status: 404 }),
    'does not know the log registers.example/api/v1/log/',
  ],
  ['fails', () => new Response('', { status: 500 }), '500'],
  ['signs nothing', () => new Response('thank you\n'), 'signatures'],
  ['says that it signed less, again and again', () => new Response('1\n', { status: 409 }), '409 1'],
  ['sends without end', () => new Response('x'.repeat(100_000)), 'at most'],
  [
    'signs something else',
    () => {
      const other = signText('another.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n', WITNESSES[1]!, 1);
      return new Response(formatNote({ text: '', signatures: [other] }).slice(1));
    },
    'is wrong',
  ],
])('of which one %s cost its signature alone, which is asked for again', async (_what, answer, said) => {
  instead.set('two.example', (request) => (request.method === 'GET' ? new Response('', { status: 404 }) : answer()));
  const { sign, close } = await opened();
  await sign();
  expect(await signed()).toEqual({ size: 1, by: ['one.example'] });
  expect(warnings).toEqual([expect.stringContaining(said)]);
  await sign();
  expect(asked.filter((one) => one === 'two.example /add-checkpoint').length).toBeLessThan(3);
  // Nothing more is said of one that stays away; what comes back is asked again in its time.
  time = 60_000;
  await sign();
  expect(warnings).toHaveLength(1);
  instead.clear();
  time = 120_000;
  await sign();
  expect(await signed()).toEqual({ size: 1, by: BOTH });
  expect(warnings).toHaveLength(1);
  expect(errors).toEqual([]);
  await close();
});

/** A store that goes back to what it was, and grows otherwise. */
async function rolledBack(after: readonly ReturnType<typeof say>[]): Promise<void> {
  const path = join(folder, 'store.db');
  await signOnce();
  await store.close();
  await copyFile(path, `${path}.old`);
  store = SqliteStore.open(path);
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  await signOnce();
  await store.close();
  await copyFile(`${path}.old`, path);
  // The state outside of the store is lost too, as on a machine that was restored whole: the witnesses alone know.
  const state = join(folder, 'state.json');
  await rm(state);
  store = SqliteStore.open(path);
  const file = (await FileLogState.open(state))!;
  for (const { origin, checkpoint, vkey } of [await store.logs.of('permits'), await store.logs.ofLogs()]) {
    const { size, root } = openCheckpoint(checkpoint!, origin!, [parseVerifierKey(vkey!)]);
    await file.remember(origin!, { size, root });
  }
  file.close();
  if (after.length > 0) await store.apply('permits', after, { recordedAt: at(2) });
}

it.each([
  ['has other changes', [say('other')], 'has others'],
  ['has more, and others', [say('other'), say('more')], 'has others'],
])('keep a store that was rolled back, and %s, from being signed', async (_what, after, said) => {
  await rolledBack(after);
  const before = (await store.logs.ofLogs()).checkpoint;
  await signOnce();
  expect(errors).toEqual([expect.stringContaining('signed 2 checkpoints, and the store')]);
  expect(errors[0]).toContain(said);
  expect((await store.logs.ofLogs()).checkpoint).toBe(before);
});

it('end the signing of a log that a witness signed more of, although it shows nothing', async () => {
  const { sign, close } = await opened();
  await sign();
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  time += 60_000;
  instead.set('two.example', () => new Response('9\n', { status: 409 }));
  await sign();
  expect(errors).toEqual([expect.stringContaining('signed 9 checkpoints, and the store lacks some of them')]);
  await store.apply('permits', [say('d')], { recordedAt: at(2) });
  time += 60_000;
  await sign();
  expect(errors.at(-1)).toContain('signed 9 checkpoints');
  expect((await signed()).size).toBe(2);
  await close();
});

it('end the signing of a log of which a witness signed another one of the same size', async () => {
  const { sign, close } = await opened();
  await sign();
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  time += 60_000;
  let answers = 0;
  instead.set('two.example', () =>
    answers++ === 0 ? new Response('2\n', { status: 409 }) : new Response('', { status: 422 }),
  );
  await sign();
  expect(errors).toEqual([expect.stringContaining('signed 2 checkpoints, and the store has others')]);
  await close();
});

it.each(['ftp://a.example', 'a.example', 'https://user@a.example', 'https://a.example/?x', 'https://a.example/#x'])(
  'have no address like %s',
  (url) => {
    expect(() => checkWitnessUrl(url)).toThrow('must be an http or https URL');
  },
);

it('have addresses that may end in a slash', () => {
  expect(checkWitnessUrl('https://a.example/w/')).toBe('https://a.example/w');
});

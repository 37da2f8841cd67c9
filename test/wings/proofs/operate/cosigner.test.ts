// Witnesses of the log of logs: their signatures join the checkpoints, one that is away costs nothing else, and one that signed what the
// store lacks ends the signing.
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogCosigner } from '../../../../src/wings/proofs/operate/cosigner.ts';
import { readLogKeys } from '../../../../src/wings/proofs/operate/log-key.ts';
import { LogSigner } from '../../../../src/wings/proofs/operate/signer.ts';
import { FileLogState } from '../../../../src/wings/proofs/operate/state.ts';
import { checkWitnessUrl, LogWitnesses } from '../../../../src/wings/proofs/operate/witnesses.ts';
import { openCheckpoint, parseVerifierKey, type VerifierKey } from '../../../../src/wings/proofs/tlog/index.ts';
import { formatCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { generateSignerKey, parseSignerKey, type SignerKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { formatNote, signText } from '../../../../src/wings/proofs/tlog/note.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { witnessHandler } from '../witness/handler.ts';
import { WitnessState } from '../witness/state.ts';
import { trustedLogs, Witness } from '../witness/witness.ts';
import { logsOf } from '../logs-of.ts';

const KEYS = readLogKeys('07'.repeat(32));
const WITNESSES = ['one', 'two'].map((name) => parseSignerKey(generateSignerKey(`${name}.example`, 'witness')));

let folder = '';
let store: SqliteStore;
let warnings: string[] = [];
let errors: string[] = [];
let asked: string[] = [];
let states: WitnessState[] = [];
const NOW = 1_800_000_000_000;

/** The time, in milliseconds since 1970. */
let time = NOW;
const now = (): number => time;
/** What answers in the place of a witness, by its host. */
let instead: Map<string, (request: Request) => Response | Promise<Response>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  warnings = [];
  errors = [];
  asked = [];
  time = NOW;
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
  return parseVerifierKey((await logsOf(store).ofLogs()).vkey!);
}

/** A network that has these witnesses, for whatever logs they are asked. */
async function network(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const { host, pathname } = new URL(request.url);
  asked.push(`${host} ${pathname.replace(/^\/[0-9a-f]{64}\/checkpoint$/, 'shows')}`);
  const other = instead.get(host);
  if (other !== undefined) return other(request);
  const number = WITNESSES.findIndex(({ name }) => name === host);
  const { vkey } = await logsOf(store).ofLogs();
  const logs = trustedLogs(vkey === null ? [] : [parseVerifierKey(vkey)]);
  return witnessHandler(new Witness({ key: WITNESSES[number]!, logs, state: states[number]!, now }), (error) => {
    throw error;
  })(request);
}

interface Run {
  readonly keys?: readonly SignerKey[];
  readonly publicUrl?: string;
}

/** A process that signs. */
async function opened({ keys = WITNESSES, publicUrl }: Run = {}): Promise<{
  readonly sign: () => Promise<void>;
  readonly close: () => Promise<void>;
}> {
  const state = (await FileLogState.open(join(folder, 'state.json')))!;
  const onError = (error: unknown): void => void errors.push((error as Error).message);
  const witnesses = new LogWitnesses(
    keys.map((key) => ({ url: `https://${key.name}`, key })),
    { fetch: network, publicUrl },
  );
  const onWarning = (message: string): void => void warnings.push(message);
  const keepEvidence = (ours: string, theirs: string): Promise<string> => state.keepEvidence(ours, theirs);
  const cosigner = new LogCosigner(logsOf(store), { witnesses, keepEvidence, onWarning, now });
  const signer = new LogSigner(logsOf(store), {
    keys: KEYS,
    place: 'registers.example',
    state,
    cosigner,
    onError,
    now,
  });
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
  const { checkpoint, origin } = await logsOf(store).ofLogs();
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
        ...{ key: WITNESSES[number]!, state: states[number]!, now },
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
  const { checkpoint, origin, vkey } = await logsOf(store).of('permits');
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
  time += 60_000;
  await sign();
  expect(warnings).toHaveLength(1);
  instead.clear();
  time += 60_000;
  await sign();
  expect(await signed()).toEqual({ size: 1, by: BOTH });
  expect(warnings).toHaveLength(1);
  expect(errors).toEqual([]);
  await close();
});

/** A store that goes back to what it was, and grows otherwise. */
async function rolledBack(): Promise<void> {
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
  for (const { uuid, origin, checkpoint, vkey } of [await logsOf(store).of('permits'), await logsOf(store).ofLogs()]) {
    const { size, root } = openCheckpoint(checkpoint!, origin!, [parseVerifierKey(vkey!)]);
    await file.remember(uuid, { origin: origin!, size, root });
  }
  file.close();
  await store.apply('permits', [say('other')], { recordedAt: at(2) });
}

it('keep all logs of a store that was rolled back from being signed', async () => {
  await rolledBack();
  await store.createRegister(permits('zoning'));
  const before = (await logsOf(store).of('permits')).checkpoint;
  await signOnce();
  await signOnce();
  const said = expect.stringContaining('signed 2 checkpoints, and the store lacks some of them') as string;
  expect(errors).toEqual([said, said]);
  expect(await readFile(join(folder, 'state.json.forked'), 'utf8')).toContain('\n2\n');
  expect((await logsOf(store).of('permits')).checkpoint).toBe(before);
  expect((await logsOf(store).of('zoning')).checkpoint).toBeNull();
  expect((await logsOf(store).ofLogs()).size).toBe(1);
});

/** What a witness shows of the log of logs, when somebody signed it with these keys. */
async function checkpointBy(keys: readonly SignerKey[], size: number): Promise<string> {
  const { origin } = await logsOf(store).ofLogs();
  const text = formatCheckpoint({ origin: origin!, size, root: Buffer.alloc(32, 9) });
  return formatNote({ text, signatures: keys.map((key) => signText(text, key, NOW / 1000)) });
}

/** Our key, of which somebody else has a copy. */
async function ourKey(): Promise<SignerKey> {
  return signerOf((await logsOf(store).ofLogs()).origin!, 'log', Buffer.from('07'.repeat(32), 'hex'));
}

/** What a witness answers to a checkpoint, and what it shows. */
const CLAIMS = [
  ['more', () => new Response('99999999\n', { status: 409 }), 99_999_999],
  ['others of the same size', () => new Response('', { status: 422 }), 2],
  ['others of the same size, as older witnesses say it', () => new Response('2\n', { status: 409 }), 2],
] as const;

it.each(
  CLAIMS.flatMap((claim) => [
    [...claim, 'nothing'] as const,
    [...claim, 'witness'] as const,
    [...claim, 'log'] as const,
  ]),
)(
  'are not believed when they say that they signed %s, and show nothing that both signed',
  async (_what, answer, size, shown) => {
    const { sign, close } = await opened();
    await sign();
    const key = shown === 'witness' ? WITNESSES[1]! : await ourKey();
    const note = shown === 'nothing' ? null : await checkpointBy([key], size);
    instead.set('two.example', (request) => {
      if (request.method === 'POST') return answer();
      return note === null ? new Response('', { status: 404 }) : new Response(note);
    });
    for (const title of ['One', 'Two']) {
      time += 60_000;
      await store.apply('permits', [say('a', { title })], { recordedAt: at(1) });
      await sign();
    }
    await close();
    // Both logs are signed, with the other witness.
    expect(await signed()).toEqual({ size: 3, by: ['one.example'] });
    expect((await logsOf(store).of('permits')).checkpoint).toContain('\n4\n');
    expect(errors).toEqual([]);
    for (const warning of warnings) expect(warning).toContain('"two.example"');
    expect(warnings.length).toBeGreaterThan(0);
    expect(existsSync(join(folder, 'state.json.forked'))).toBe(false);
  },
);

it.each(CLAIMS)('end all signing when they signed %s, and the log did so too', async (_what, answer, size) => {
  const { sign, close } = await opened();
  await sign();
  const theirs = await checkpointBy([await ourKey(), WITNESSES[1]!], size);
  instead.set('two.example', (request) => (request.method === 'POST' ? answer() : new Response(theirs)));
  time += 60_000;
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  await sign();
  const { checkpoint: ours } = await logsOf(store).ofLogs();
  const before = (await logsOf(store).of('permits')).checkpoint;
  await store.apply('permits', [say('d')], { recordedAt: at(2) });
  time += 60_000;
  await sign();
  await close();
  expect((await logsOf(store).of('permits')).checkpoint).toBe(before);
  const found = size === 2 ? '2 checkpoints, and the store has others' : 'and the store lacks some of them';
  expect(errors).toEqual([expect.stringContaining(found)]);
  expect(errors[0]).toContain(
    `no log is signed any more, because of the log of logs: the witness "two.example" signed`,
  );
  // As evidence, both are kept.
  const evidence = await readFile(join(folder, 'state.json.forked'), 'utf8');
  expect(errors[0]).toContain(join(folder, 'state.json.forked'));
  expect(evidence.split(theirs)[0]).toContain(ours!.split('\n\n')[0]);

  // The next process signs nothing either.
  errors = [];
  await signOnce();
  expect(errors).toEqual([expect.stringContaining(found)]);
  expect((await logsOf(store).of('permits')).checkpoint).toBe(before);
});

it('are asked again twelve hours after they signed the same size, also by another process', async () => {
  const times = async (): Promise<readonly number[]> => {
    const { checkpoint, origin } = await logsOf(store).ofLogs();
    const { signatures } = openCheckpoint(checkpoint!, origin!, [await logKey(), ...WITNESSES]);
    return signatures.flatMap(({ time }) => (time === null ? [] : [time - NOW / 1000]));
  };
  const hours = async (count: number): Promise<void> => {
    time = NOW + count * 3_600_000;
  };
  const { sign, close } = await opened();
  await sign();
  for (const [count, expected] of [
    [11, [0, 0]],
    [12, [12, 12]],
    [23, [12, 12]],
  ] as const) {
    await hours(count);
    await sign();
    expect(await times()).toEqual(expected.map((hour) => hour * 3600));
  }
  await close();
  await signOnce();
  expect(await times()).toEqual([12 * 3600, 12 * 3600]);
  await hours(24);
  // One that is away keeps its signature of before, and is asked a minute later.
  instead.set('two.example', () => Promise.reject(new TypeError('fetch failed')));
  const again = await opened();
  await again.sign();
  expect((await times()).toSorted((a, b) => a - b)).toEqual([12 * 3600, 24 * 3600]);
  instead.clear();
  asked = [];
  await again.sign();
  expect(asked).toEqual([]);
  time += 60_000;
  await again.sign();
  await again.close();
  expect((await times()).toSorted((a, b) => a - b)).toEqual([24 * 3600, 24 * 3600 + 60]);
  expect(errors).toEqual([]);
});

it('are not the only ones: what the service shows at its public URL is compared too', async () => {
  const publicUrl = 'https://registers.example';
  await signOnce({ keys: [], publicUrl });
  const { name } = await logsOf(store).ofLogs();
  const path = `/api/v1/log/${name}/checkpoint`;
  await store.apply('permits', [say('c')], { recordedAt: at(1) });
  // Not there, or not ours.
  for (const answer of [new Response('', { status: 502 }), new Response('<html>'), new Response('x'.repeat(100_000))]) {
    instead.set('registers.example', () => answer);
    await signOnce({ keys: [], publicUrl });
  }
  expect([errors, warnings, asked.at(-1)]).toEqual([[], [], `registers.example ${path}`]);
  const before = (await logsOf(store).of('permits')).checkpoint;
  expect(before).toContain('\n3\n');
  const theirs = await checkpointBy([await ourKey()], 7);
  instead.set('registers.example', () => new Response(theirs));
  await store.apply('permits', [say('d')], { recordedAt: at(2) });
  await signOnce({ keys: [], publicUrl });
  expect(errors).toEqual([expect.stringContaining('its public URL shows 7 checkpoints, and the store lacks some')]);
  expect(await readFile(join(folder, 'state.json.forked'), 'utf8')).toContain(theirs);
  expect((await logsOf(store).of('permits')).checkpoint).toBe(before);
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

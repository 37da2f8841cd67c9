// A witness over HTTP: every status of C2SP tlog-witness, what is stored when, and what is never signed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../../../src/adapters/server.ts';
import { openCheckpoint } from '../../../../src/wings/proofs/tlog/index.ts';
import { type SignerKey, signerOf } from '../../../../src/wings/proofs/tlog/keys.ts';
import { parseNote, verifyNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { formatSubmission } from '../../../../src/wings/proofs/tlog/submission.ts';
import { witnessHandler } from './handler.ts';
import { originHash } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { WitnessState } from './state.ts';
import { trustedLogs, Witness } from './witness.ts';
import { KnownLog } from './known-log.ts';

const KEY = signerOf('witness.example/w1', 'witness', Buffer.alloc(32, 9));
const NOW = 1_800_000_000_000;

let folder = '';
let state: WitnessState;
let server: RunningServer;
let log: KnownLog;
let errors: unknown[] = [];
let now = NOW;

async function begin(keys: readonly SignerKey[]): Promise<void> {
  state = WitnessState.open(join(folder, 'state.db'));
  const witness = new Witness({ key: KEY, logs: trustedLogs(keys), state, now: () => now });
  server = await startServer(
    witnessHandler(witness, (error) => errors.push(error)),
    { port: 0, host: '127.0.0.1' },
  );
}

async function end(): Promise<void> {
  await server.stop(0);
  state.close();
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  log = new KnownLog().grow(10);
  errors = [];
  now = NOW;
  await begin([log.key]);
});
afterEach(async () => {
  await end();
  await rm(folder, { recursive: true });
});

function add(body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(`${server.url}/add-checkpoint`, { method: 'POST', body });
}

async function statusOf(body: string): Promise<[status: number, text: string]> {
  const response = await add(body);
  return [response.status, await response.text()];
}

const last = (origin = log.key.name): Promise<Response> => fetch(`${server.url}/${originHash(origin)}/checkpoint`);

describe('add-checkpoint', () => {
  it('answers with a signature that says when, and of nothing else', async () => {
    const response = await add(log.request(0));
    expect(response.status).toBe(200);
    const lines = await response.text();
    expect(lines).toMatch(/^— witness\.example\/w1 \S+\n$/);
    const note = parseNote(log.checkpoint() + lines);
    expect(verifyNote(note, [KEY])).toEqual([{ key: KEY, time: NOW / 1000 }]);
  });

  it('signs each size from the one before, and the same one again at a later time', async () => {
    for (const [before, size] of [
      [0, 1],
      [1, 2],
      [2, 7],
      [7, 7],
      [7, 10],
    ] as const)
      expect((await statusOf(log.request(before, size)))[0]).toBe(200);
    now += 60_000;
    const [, line] = await statusOf(log.request(10, 10));
    expect(verifyNote(parseNote(log.checkpoint() + line), [KEY])[0]?.time).toBe(NOW / 1000 + 60);
    // A clock that was put back.
    now = NOW - 1000;
    const [, again] = await statusOf(log.request(10, 10));
    expect(verifyNote(parseNote(log.checkpoint() + again), [KEY])[0]?.time).toBe(NOW / 1000 + 60);
  });

  it('answers 409 with the size that was signed last, as a size', async () => {
    expect(await statusOf(log.request(4, 5))).toEqual([409, '0\n']);
    expect((await statusOf(log.request(0, 5)))[0]).toBe(200);
    const response = await add(log.request(0, 5));
    expect([response.status, response.headers.get('content-type')]).toEqual([409, 'text/x.tlog.size']);
    expect(await response.text()).toBe('5\n');
    expect(await statusOf(log.request(4, 10))).toEqual([409, '5\n']);
    expect(await statusOf(log.request(3, 4))).toEqual([409, '5\n']);
  });

  it('answers 404 for a log that it does not know', async () => {
    const other = new KnownLog('registers.example/other').grow(1);
    expect((await statusOf(other.request(0)))[0]).toBe(404);
    expect((await last(other.key.name)).status).toBe(404);
  });

  it('answers 403 without the signature of the log, or with a wrong one', async () => {
    const stranger = signerOf(log.key.name, 'log', Buffer.alloc(32, 2));
    const submission = { oldSize: 0, proof: [] };
    const unsigned = formatSubmission({ ...submission, checkpoint: log.checkpoint(10, [stranger]) });
    expect((await statusOf(unsigned))[0]).toBe(403);
    const wrong = log.checkpoint(10, [{ ...log.key, sign: stranger.sign }]);
    expect((await statusOf(formatSubmission({ ...submission, checkpoint: wrong })))[0]).toBe(403);
    // The signature of a key that nobody here knows changes nothing.
    const both = log.checkpoint(10, [stranger, log.key]);
    expect((await statusOf(formatSubmission({ ...submission, checkpoint: both })))[0]).toBe(200);
  });

  it('answers 422 when the tree does not begin with what was signed', async () => {
    expect((await statusOf(log.request(0, 4)))[0]).toBe(200);
    const fork = new KnownLog(log.key.name, 'other').grow(10);
    expect((await statusOf(fork.request(4, 4)))[0]).toBe(422);
    expect((await statusOf(fork.request(4, 9)))[0]).toBe(422);
    const late = new KnownLog(log.key.name).grow(3).grow(7, 'other');
    expect((await statusOf(late.request(4, 10)))[0]).toBe(422);
    const [first, ...rest] = log.proof(4, 10);
    for (const proof of [[], rest, [...rest, first!], [first!, ...rest, first!]])
      expect((await statusOf(formatSubmission({ oldSize: 4, proof, checkpoint: log.checkpoint() })))[0]).toBe(422);
    expect((await statusOf(log.request(4, 10)))[0]).toBe(200);
  });

  it('answers 422 to a proof from nothing, and to an empty tree with another root', async () => {
    const proof = [log.head().root];
    expect((await statusOf(formatSubmission({ oldSize: 0, proof, checkpoint: log.checkpoint() })))[0]).toBe(422);
    const empty = { ...log.head(), size: 0 };
    const wrong = Object.assign(new KnownLog(), { head: () => empty });
    expect((await statusOf(wrong.request(0, 0)))[0]).toBe(422);
    expect((await statusOf(new KnownLog().request(0, 0)))[0]).toBe(200);
  });

  it('answers 400 to what is malformed, and to an old size beyond the checkpoint', async () => {
    const sound = log.request(0);
    const parts = { oldSize: 0, proof: [] } as const;
    for (const body of [
      '',
      'old 0\n',
      sound.replace('old 0', 'old 00'),
      sound.replace('\n10\n', '\n010\n'),
      sound.slice(0, -1),
      sound.replace('—', '-'),
      `\ufeff${sound}`,
      formatSubmission({ ...parts, oldSize: 11, checkpoint: log.checkpoint() }),
      formatSubmission({ ...parts, proof: Array(64).fill(log.head().root), checkpoint: log.checkpoint() }),
    ])
      expect([body, (await statusOf(body))[0]]).toEqual([body, 400]);
    // In the name of somebody whose signature would be passed over.
    const stranger = signerOf('?tranger.example', 'log', Buffer.alloc(32, 2));
    const named = Buffer.from(formatSubmission({ ...parts, checkpoint: log.checkpoint(10, [stranger, log.key]) }));
    named[named.indexOf('?')] = 0xff;
    expect((await add(Uint8Array.from(named))).status).toBe(400);
    expect((await last()).status).toBe(404);
  });

  it('reads no more of a body than it may have, and answers no other method', async () => {
    const response = await add(`${log.request(0)}${'x'.repeat(1024 * 1024)}`).catch(() => null);
    expect(response?.status ?? 413).toBe(413);
    expect((await fetch(`${server.url}/add-checkpoint`)).status).toBe(405);
    expect((await fetch(`${server.url}/${originHash(log.key.name)}/checkpoint`, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(`${server.url}/add-checkpoints`, { method: 'POST', body: '' })).status).toBe(404);
    expect((await last()).status).toBe(404);
  });

  it('forgets a request that breaks off', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const body = log.request(0);
    socket.write(`POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length + 10}\r\n\r\n${body}`);
    await new Promise((resolve) => socket.once('ready', resolve));
    socket.destroy();
    expect((await statusOf(log.request(0, 3)))[0]).toBe(200);
    expect(errors).toEqual([]);
  });

  it('signs one of many requests that come at once', async () => {
    expect((await statusOf(log.request(0, 4)))[0]).toBe(200);
    const fork = new KnownLog(log.key.name).grow(4).grow(20, 'other');
    log.grow(14);
    const requests = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? log : fork).request(4, 5 + at));
    const answers = await Promise.all(requests.map(statusOf));
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.filter(([status]) => status === 409)).toHaveLength(19);
    const at = answers.findIndex(([status]) => status === 200);
    expect(new Set(answers.filter(([status]) => status === 409).map(([, text]) => text))).toEqual(
      new Set([`${5 + at}\n`]),
    );
  });

  it('keeps several keys of a log, and several logs apart', async () => {
    await end();
    const second = signerOf(log.key.name, 'log', Buffer.alloc(32, 3));
    const other = new KnownLog('registers.example/other').grow(3);
    await begin([log.key, second, other.key]);
    const checkpoint = log.checkpoint(10, [second]);
    expect((await statusOf(formatSubmission({ oldSize: 0, proof: [], checkpoint })))[0]).toBe(200);
    expect((await statusOf(other.request(0)))[0]).toBe(200);
    expect(openCheckpoint(await (await last()).text(), log.key.name, [second, KEY]).size).toBe(10);
    expect(openCheckpoint(await (await last(other.key.name)).text(), other.key.name, [other.key, KEY]).size).toBe(3);
  });
});

describe('the last checkpoint', () => {
  it('has the signatures of the log and of the witness, and no others', async () => {
    const stranger = signerOf('stranger.example', 'log', Buffer.alloc(32, 2));
    const checkpoint = log.checkpoint(10, [stranger, log.key]);
    const [, line] = await statusOf(formatSubmission({ oldSize: 0, proof: [], checkpoint }));
    expect(await (await last()).text()).toBe(log.checkpoint() + line);
  });

  it('stays what it was when a request is refused', async () => {
    await statusOf(log.request(0, 4));
    const before = await (await last()).text();
    await statusOf(new KnownLog(log.key.name, 'other').grow(9).request(4, 9));
    await statusOf(log.request(3, 9));
    expect(await (await last()).text()).toBe(before);
  });
});

describe('the state', () => {
  it('has what is signed before it is answered', async () => {
    // The process ends as soon as the checkpoint is stored: nobody gets the answer.
    await end();
    state = WitnessState.open(join(folder, 'state.db'));
    const advance = state.advance.bind(state);
    const ended = new Error('killed');
    const ending = Object.assign(Object.create(state) as WitnessState, {
      advance(...args: Parameters<typeof advance>) {
        advance(...args);
        throw ended;
      },
    });
    const witness = new Witness({ key: KEY, logs: trustedLogs([log.key]), state: ending });
    expect(() => witness.add(log.request(0, 4))).toThrow(ended);
    state.close();
    await begin([log.key]);
    const fork = new KnownLog(log.key.name, 'other').grow(9);
    expect(await statusOf(fork.request(0, 4))).toEqual([409, '4\n']);
    expect((await statusOf(fork.request(4, 4)))[0]).toBe(422);
    expect(await statusOf(log.request(0, 3))).toEqual([409, '4\n']);
    expect((await statusOf(log.request(4, 4)))[0]).toBe(200);
  });

  it('is as it was when the process ends before it is stored', async () => {
    await end();
    state = WitnessState.open(join(folder, 'state.db'));
    expect(() => {
      state.advance(log.key.name, () => {
        throw new Error('killed');
      });
    }).toThrow('killed');
    expect(state.last(originHash(log.key.name))).toBeNull();
    state.close();
    await begin([log.key]);
    expect((await statusOf(log.request(0)))[0]).toBe(200);
  });

  it('lets two processes sign, one after the other', async () => {
    const second = WitnessState.open(join(folder, 'state.db'));
    const witness = new Witness({ key: KEY, logs: trustedLogs([log.key]), state: second, now: () => now });
    expect((await statusOf(log.request(0, 4)))[0]).toBe(200);
    expect(witness.add(log.request(0, 5))).toEqual({ status: 409, body: '4\n' });
    expect(witness.add(log.request(4, 5)).status).toBe(200);
    expect(await statusOf(log.request(4, 6))).toEqual([409, '5\n']);
    second.close();
  });

  it('is in no file of something else', async () => {
    const path = join(folder, 'other');
    await writeFile(
      path,
      'this is a letter, and it is longer than the header of a database would be, so that nobody mistakes it',
    );
    expect(() => WitnessState.open(path)).toThrow(expect.objectContaining({ code: 'invalid_option' }) as Error);
    expect(() => WitnessState.open(folder)).toThrow(expect.objectContaining({ code: 'store_unavailable' }) as Error);
    const { SqliteStore } = await import('../../../../src/stores/sqlite/store.ts');
    const store = SqliteStore.open(join(folder, 'store.db'));
    await store.close();
    expect(() => WitnessState.open(join(folder, 'store.db'))).toThrow(
      expect.objectContaining({ code: 'invalid_option' }) as Error,
    );
  });
});

it('refuses keys that are for something else', () => {
  const invalid = expect.objectContaining({ code: 'invalid_log_key' }) as Error;
  expect(() => trustedLogs([KEY])).toThrow(invalid);
  expect(() => new Witness({ key: log.key, logs: trustedLogs([]), state })).toThrow(invalid);
});

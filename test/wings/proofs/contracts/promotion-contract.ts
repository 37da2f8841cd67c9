// A mirror that is made a register of its own: its log is a new one, or goes on where everything that signed came along. It never signs
// under the name of a source that is alive.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { mirrorRegister } from '../../../../src/mirror/index.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import { readLogKeys } from '../../../../src/wings/proofs/operate/log-key.ts';
import { missingIn } from '../../../../src/wings/proofs/mirror/recover.ts';
import { promoteSigned } from '../../../../src/wings/proofs/operate/promote.ts';
import { LogSigner } from '../../../../src/wings/proofs/operate/signer.ts';
import { FileLogState } from '../../../../src/wings/proofs/operate/state.ts';
import { readHashes, readRoot } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import {
  consistencyRanges,
  isConsistent,
  openCheckpoint,
  parseVerifierKey,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { served } from '../../../contracts/mirror-contract.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { logsOf, recoveryOf } from '../logs-of.ts';

type Store = InspectedStore & ServiceStore;

const FEED = 'https://registers.example.org/api/v1/feeds/permits';
const KEYS = readLogKeys('07'.repeat(32));

/** Nobody is there. */
const away: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));

/** Registers the suite for one database. */
export function promotionContract(
  open: () => Promise<{ readonly store: Store; readonly dispose: () => Promise<void> }>,
): void {
  /** A source that signed its changes, with its file of what was signed last, and a mirror of it. */
  async function mirrored(place?: string): Promise<Mirrored> {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
    const [source, mirror] = [await open(), await open()];
    onTestFinished(async () => {
      await source.dispose();
      await mirror.dispose();
      await rm(folder, { recursive: true });
    });
    const state = join(folder, 'state');
    const both = { source: source.store, mirror: mirror.store, state, answers: served(source.store) };
    await source.store.createRegister({ ...permits(), access: 'open' });
    await source.store.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
    await sign(source.store, state, place);
    await follow(both);
    return both;
  }

  it('is not signed while it is a mirror, whatever keys and files there are', async () => {
    const { source, mirror, state } = await mirrored();
    await sign(mirror, state, 'mirror.example.net');
    expect(await logsOf(mirror).of('permits')).toMatchObject({ origin: null, checkpoint: null });
    await source.apply('permits', [say('c')], { recordedAt: at(2) });
    expect(await sign(source, state)).toEqual([]);
  });

  it('has nothing put back while it is a mirror', async () => {
    const { source, mirror } = await mirrored();
    await source.apply('permits', [say('c')], { recordedAt: at(2) });
    const missing = await missingIn(source, 'permits', 2);
    const root = (await readRoot(logsOf(source), 'permits', 3))!;
    const signed = { uuid: (await logsOf(source).of('permits')).uuid, size: 3, root };
    await expect(recoveryOf(mirror).putBack('permits', missing, signed)).rejects.toMatchObject({
      code: 'register_busy',
    });
  });

  it('signs under a name of its own beside its source, with the same keys and a copy of its file', async () => {
    const { source, mirror, state } = await mirrored();
    const before = await logsOf(source).of('permits');
    await mirror.mirrors.promote('permits', { at: at(3) });
    await mirror.apply('permits', [say('own')], { recordedAt: at(4) });
    expect(await sign(mirror, state)).toEqual([]);
    const now = await logsOf(mirror).of('permits');
    expect(now.checkpoint).not.toBeNull();
    expect([now.origin, now.uuid]).not.toContain(before.origin);
    expect(now.uuid).not.toBe(before.uuid);
  });

  it('keeps the log of its source where that is gone, and all that was signed stays', async () => {
    const { source, mirror, state } = await mirrored();
    const before = await logsOf(source).of('permits');
    expect(await promoted(mirror, state, away)).toBe(before.origin);
    await mirror.apply('permits', [say('c'), say('d')], { recordedAt: at(4) });
    expect(await sign(mirror, state)).toEqual([]);
    const now = await logsOf(mirror).of('permits');
    expect(now).toMatchObject({ uuid: before.uuid, origin: before.origin, size: 4 });
    const [old, head] = [before, now].map(({ checkpoint, origin, vkey }) =>
      openCheckpoint(checkpoint!, origin!, [parseVerifierKey(vkey!)]),
    );
    const hashes = await readHashes(logsOf(mirror), 'permits', consistencyRanges(old!.size, head!.size), head!.size);
    expect(isConsistent(old!, head!, hashes!)).toBe(true);
    expect(await mirror.changes('permits', { since: 1, log: before.uuid.slice(0, 8), limit: 9 })).toBeTruthy();
    expect(await inspected(mirror)).toEqual([]);
  });

  it('keeps no log whose source answers at another address than the one that was followed', async () => {
    const { mirror, state, answers } = await mirrored('signed.example.net');
    const asked: string[] = [];
    const elsewhere: typeof fetch = (url, init) => {
      asked.push(url instanceof Request ? url.url : url.toString());
      return (asked.length > 1 ? answers : away)(FEED, init);
    };
    await expect(promoted(mirror, state, elsewhere)).rejects.toMatchObject({ code: 'register_busy' });
    expect(asked).toEqual([FEED, 'https://signed.example.net/api/v1/feeds/permits']);
  });

  it.each<readonly [string, number]>([
    ['no register', 404],
    ['that it is gone', 410],
    ['through a proxy that reaches nobody', 502],
  ])('keeps it where the address answers %s', async (_, status) => {
    const { mirror, state } = await mirrored();
    await promoted(mirror, state, () => Promise.resolve(new Response('{}', { status })));
  });

  it('keeps it where the address is its own by now', async () => {
    const { mirror, state } = await mirrored();
    await promoted(mirror, state, served(mirror));
  });

  it.each<readonly [string, (both: Mirrored) => Promise<typeof fetch | undefined>, string]>([
    ['its source answers', ({ answers }) => Promise.resolve(answers), 'register_busy'],
    [
      'its source answers nobody',
      () => Promise.resolve(() => Promise.resolve(new Response('{}', { status: 403 }))),
      'register_busy',
    ],
    ['something else answers', () => Promise.resolve(() => Promise.resolve(Response.json([]))), 'register_busy'],
    [
      'more was signed than it has',
      async ({ source, state }) => {
        await source.apply('permits', [say('c')], { recordedAt: at(2) });
        await sign(source, state);
        return away;
      },
      'log_contradicted',
    ],
    [
      'the file is older than what it has',
      async (both) => {
        await both.source.apply('permits', [say('c')], { recordedAt: at(2) });
        await follow(both);
        return away;
      },
      'log_contradicted',
    ],
    [
      'it has something else than what was signed',
      async ({ source, state }) => {
        const { uuid } = await logsOf(source).of('permits');
        const file = (await FileLogState.open(state))!;
        await file.remember(uuid, { ...file.last(uuid)!, root: Buffer.alloc(32, 1) });
        file.close();
        return away;
      },
      'log_contradicted',
    ],
    [
      'another log was signed than it has',
      async ({ source, state }) => {
        const { uuid } = await logsOf(source).of('permits');
        await writeFile(state, (await readFile(state, 'utf8')).replace(uuid, randomUUID()));
        return away;
      },
      'not_found',
    ],
    [
      'others of its logs were signed than it has',
      async ({ source, state }) => {
        const { uuid } = await logsOf(source).of('permits');
        const [head, line] = (await readFile(state, 'utf8')).split('\n');
        const lines = [randomUUID(), randomUUID()].map((other) => line!.replaceAll(uuid, other));
        await writeFile(state, [head, ...lines, ''].join('\n'));
        return away;
      },
      'not_found',
    ],
    [
      'it is none any more',
      async ({ mirror }) => {
        await mirror.mirrors.promote('permits', { at: at(2) });
        return away;
      },
      'not_found',
    ],
  ])('keeps no log, and stays what it is, where %s', async (_, prepared, code) => {
    const both = await mirrored();
    const answers = (await prepared(both))!;
    const before = [await both.mirror.mirrors.find('permits'), await both.mirror.register('permits')];
    await expect(promoted(both.mirror, both.state, answers)).rejects.toMatchObject({ code });
    expect([await both.mirror.mirrors.find('permits'), await both.mirror.register('permits')]).toEqual(before);
  });
}

interface Mirrored {
  readonly source: Store;
  readonly mirror: Store;
  /** The file of what was signed last. */
  readonly state: string;
  readonly answers: typeof fetch;
}

async function follow({ mirror, answers }: Mirrored): Promise<void> {
  await mirrorRegister(mirror, FEED, { once: true, attempts: 1, isUnproved: true, fetch: answers });
}

/** Signs once, as one process does. @returns what it could not */
async function sign(store: Store, path: string, place = 'registers.example.org'): Promise<string[]> {
  const errors: string[] = [];
  const state = (await FileLogState.open(path))!;
  const onError = (error: unknown): void => void errors.push(String(error));
  await new LogSigner(logsOf(store), { keys: KEYS, place, state, onError }).signAll();
  state.close();
  return errors;
}

async function promoted(mirror: Store, path: string, answers: typeof fetch): Promise<string> {
  const state = (await FileLogState.open(path))!;
  try {
    return await promoteSigned(mirror, { feedId: 'permits', heads: state.heads, fetch: answers });
  } finally {
    state.close();
  }
}

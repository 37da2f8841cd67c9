// A service whose answers somebody changes on the way, and one that signs another history with the same key.
import { leafHash } from '../../../../src/wings/proofs/tlog/index.ts';
import { type FilledTile, TreeGrowth } from '../../../../src/wings/proofs/tlog/growth.ts';
import { joinEntries, parseTilePath } from '../../../../src/wings/proofs/tlog/tiles.ts';
import { type Proved, provedChanges, type ProvedChange } from '../../../../src/mirror/index.ts';
import { renumber } from '../../../../src/operate/registers/renumber.ts';
import { toPublishedRecord } from '../../../../src/stores/rows/published-record.ts';
import { sign, signedHead } from '../signing.ts';
import { sampleRecord } from '../../../contracts/sample-register.ts';
import { addSamples, API, SAMPLES, type World, world } from '../../../world.ts';
import { logsOf } from '../logs-of.ts';

/** The register's address. */
export const FEED: string = [API, 'feeds/permits'].join('/');

/** A version as the service answers it. */
export interface Answered {
  change: number;
  position: number;
  version: number;
  cause: string;
  recorded_at: string;
  record_id: string;
  statement: { title: string } | null;
  proof: { entry: string; log: string; salt: string | null; record_salt: string | null };
}

/** An answer. */
export interface Answer {
  readonly status: number;
  body: Buffer;
  /** Where a stream goes on; null, or absent: it is none. */
  readonly nextOffset?: string | null;
}

/** Answers a path below {@link FEED}, with its query; below the API, it begins with `..`. */
export type Answers = (path: string) => Promise<Answer>;

/** A service with every kind of version, whose log is signed at two sizes. */
export interface Watched {
  readonly service: World;
  readonly vkey: string;
  /** The checkpoint that a reader kept, of {@link kept} changes. */
  readonly keptCheckpoint: string;
  readonly kept: number;
  /** The checkpoint of before that. */
  readonly oldCheckpoint: string;
  /** What is true. */
  readonly truth: readonly ProvedChange[];
  /** The versions as they are answered. */
  readonly versions: readonly Answered[];
  /** The true answers, each asked for once. */
  readonly answers: Answers;
}

/** Makes one. */
export async function watchedService(): Promise<Watched> {
  const service = await world({ samples: SAMPLES });
  const { store } = service;
  const checkpoint = async (): Promise<string> => {
    await sign(store, 'permits');
    return (await logsOf(store).of('permits')).checkpoint!;
  };
  const oldCheckpoint = await checkpoint();
  await addSamples(store, 121, 290);
  const again = (position: number, title: string) => toPublishedRecord({ ...sampleRecord(position), title }, true);
  const times = { recordedAt: '2026-10-02T10:00:00Z' };
  await store.apply('permits', [again(3, 'New'), again(7, 'Newer')], times);
  await store.withdraw('permits', [idOf(5)], times);
  const keptCheckpoint = await checkpoint();
  const kept = (await logsOf(store).of('permits')).size;
  await store.redact(idOf(7), times);
  await store.apply('permits', [again(5, 'Back')], times);
  await addSamples(store, 291, 330);
  // Two records have each other's keys by now.
  const [first, second] = [11, 322].map((position) => sampleRecord(position).key);
  const swapped = [{ from: first!, to: second!, where: 'line 1' }, { from: second!, to: first!, where: 'line 2' }]; // prettier-ignore
  const renumbered = Date.parse(times.recordedAt) + 1000;
  await renumber(store, 'permits', { name: 'map.csv', rows: swapped }, { who: null, now: () => renumbered });
  await checkpoint();
  const known = new Map<string, Answer>();
  const answered = live(service);
  const answers: Answers = async (path) => {
    const answer = known.get(path) ?? (await answered(path));
    known.set(path, answer);
    return { ...answer, body: Buffer.from(answer.body) };
  };
  const { vkey } = await logsOf(store).of('permits');
  const proved = await read({ vkey: vkey!, answers });
  const versions: Answered[] = [];
  while (versions.length < proved.changes.length) {
    const page = JSON.parse(String((await answers(`/changes?since=${versions.length}&limit=100&proof=1`)).body)) as {
      readonly versions: Answered[];
    };
    versions.push(...page.versions);
  }
  return {
    ...{ service, vkey: vkey!, keptCheckpoint, kept, oldCheckpoint, answers, versions },
    truth: proved.changes,
  };
}

/** The answers of a service as it is now. */
export function live({ pro }: Pick<World, 'pro'>): Answers {
  return async (path) => {
    const response = await pro(path.startsWith('..') ? path.slice(2) : `/feeds/permits${path}`);
    const nextOffset = response.headers.get('stream-next-offset');
    return { status: response.status, body: Buffer.from(await response.arrayBuffer()), nextOffset };
  };
}

/** The id of a record of the sample. */
export function idOf(position: number): string {
  return sampleRecord(position).id;
}

/** What is read, and how it is answered. */
export interface ReadOptions {
  readonly vkey: string;
  readonly answers: Answers;
  readonly kept?: string;
  readonly since?: number;
  readonly policy?: string;
}

/**
 * Reads a register as somebody does who has the log's key.
 *
 * @param changes where each change goes as it is handed on, also those before an error
 */
export async function read(
  options: ReadOptions,
  changes: ProvedChange[] = [],
): Promise<{ readonly changes: ProvedChange[]; readonly kept: string; readonly listing: Proved['listing'] }> {
  const { answers, ...asked } = options;
  let [kept, listing]: [string, Proved['listing']] = ['', null];
  const proved = provedChanges(FEED, {
    ...asked,
    attempts: 1,
    sleep: () => Promise.resolve(),
    fetch: async (url) => {
      const { status, body } = await answers(pathOf(url));
      return new Response(new Uint8Array(body), { status });
    },
    onProved: (head) => {
      ({ kept, listing } = head);
    },
  });
  for await (const change of proved) changes.push(change);
  return { changes, kept, listing };
}

/** The path of a request, as {@link Answers} have it. */
export function pathOf(url: string | URL | Request): string {
  const address = url instanceof Request ? url.url : String(url);
  return address.startsWith(FEED) ? address.slice(FEED.length) : `..${address.slice(API.length)}`;
}

/** What is answered where there is nothing. */
export const NOTHING: Answer = { status: 404, body: Buffer.from('{}') };

/** A page of these versions. */
export function pageOf(versions: readonly Answered[], path: string): Answer {
  const since = Number(new URLSearchParams(path.slice(path.indexOf('?'))).get('since')!.replace(/^.*\./, ''));
  const shown = versions.slice(since, since + 100);
  const next = `01234567.${since + shown.length}`;
  return { status: 200, body: Buffer.from(JSON.stringify({ versions: shown, next_since: next })) };
}

/** The answers of a service that signs these versions as its history. Who has the key of a log can do so. */
export function forged(versions: readonly Answered[], origin: string): Answers {
  const growth = new TreeGrowth(0, () => new Uint8Array());
  for (const { proof } of versions) growth.add(leafHash(Buffer.from(proof.entry)));
  const tiles = growth.changed();
  const { checkpoint } = signedHead(origin, { size: versions.length, root: growth.root() });
  return (path) => Promise.resolve(answerOf(path));

  function answerOf(path: string): Answer {
    const [name = ''] = path.split('?');
    if (name.endsWith('/checkpoint')) return { status: 200, body: Buffer.from(checkpoint) };
    if (name === '/changes') return pageOf(versions, path);
    const tile = parseTilePath(name.slice(name.indexOf('/tile/') + 1));
    if (tile?.level === 'entries') {
      const bundle = versions.slice(tile.index * 256, tile.index * 256 + tile.width);
      return { status: 200, body: Buffer.from(joinEntries(bundle.map(({ proof }) => Buffer.from(proof.entry)))) };
    }
    const found = tiles.find(({ level, index }: FilledTile) => level === tile?.level && index === tile.index);
    if (tile === null || found === undefined) return NOTHING;
    return { status: 200, body: Buffer.from(found.hashes.subarray(0, tile.width * 32)) };
  }
}

// A service whose answers somebody changes on the way, and one that signs another history with the same key.
import { type FilledTile, leafHash, parseTilePath, TreeGrowth } from '../../src/proofs/index.ts';
import { provedChanges, type ProvedChange } from '../../src/mirror/index.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { sign, signedHead } from '../contracts/full-store.ts';
import { sampleRecord } from '../contracts/sample-register.ts';
import { API, type DemoService, demoService, takeIn } from '../service/demo-service.ts';

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
}

/** Answers a path below {@link FEED}, with its query. */
export type Answers = (path: string) => Promise<Answer>;

/** A service with every kind of version, whose log is signed at two sizes. */
export interface Watched {
  readonly service: DemoService;
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
  const service = await demoService();
  const { store, pro } = service;
  const checkpoint = async (): Promise<string> => {
    await sign(store, 'permits');
    return (await store.logs.of('permits')).checkpoint!;
  };
  const oldCheckpoint = await checkpoint();
  await takeIn(store, 121, 290);
  const again = (position: number, title: string) => toPublishedRecord({ ...sampleRecord(position), title }, true);
  const times = { recordedAt: '2026-10-02T10:00:00Z' };
  await store.apply('permits', [again(3, 'New'), again(7, 'Newer')], times);
  await store.withdraw('permits', [idOf(5)], times);
  const keptCheckpoint = await checkpoint();
  const kept = (await store.logs.of('permits')).size;
  await store.redact(idOf(7), times);
  await store.apply('permits', [again(5, 'Back')], times);
  await takeIn(store, 291, 330);
  await checkpoint();
  const known = new Map<string, Answer>();
  const answers: Answers = async (path) => {
    const before = known.get(path);
    if (before !== undefined) return { ...before, body: Buffer.from(before.body) };
    const response = await pro(`/feeds/permits${path}`);
    const answer = { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
    known.set(path, answer);
    return { ...answer, body: Buffer.from(answer.body) };
  };
  const { vkey } = await store.logs.of('permits');
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
}

/**
 * Reads a register as somebody does who has the log's key.
 *
 * @param changes where each change goes as it is handed on, also those before an error
 */
export async function read(
  options: ReadOptions,
  changes: ProvedChange[] = [],
): Promise<{ readonly changes: ProvedChange[]; readonly checkpoint: string }> {
  const { answers, ...asked } = options;
  let checkpoint = '';
  const proved = provedChanges(FEED, {
    ...asked,
    attempts: 1,
    sleep: () => Promise.resolve(),
    fetch: async (url) => {
      const { status, body } = await answers(String(url instanceof Request ? url.url : url).slice(FEED.length));
      return new Response(new Uint8Array(body), { status });
    },
    onProved: (head) => {
      checkpoint = head.checkpoint;
    },
  });
  for await (const change of proved) changes.push(change);
  return { changes, checkpoint };
}

/** A page of these versions. */
export function pageOf(versions: readonly Answered[], path: string): Answer {
  const since = Number(new URLSearchParams(path.slice(path.indexOf('?'))).get('since')!.replace(/^.*\./, ''));
  return { status: 200, body: Buffer.from(JSON.stringify({ versions: versions.slice(since, since + 100) })) };
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
    const found = tiles.find(({ level, index }: FilledTile) => level === tile?.level && index === tile.index);
    if (tile === null || found === undefined) return { status: 404, body: Buffer.from('{}') };
    return { status: 200, body: Buffer.from(found.hashes.subarray(0, tile.width * 32)) };
  }
}

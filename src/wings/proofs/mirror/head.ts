// The signed size and root of a register's log, compared with the ones seen before, and the hashes by which content is compared with
// it: the roots of its full tiles, and the hashes of its last one.
import { GazetteError } from '../../../errors.ts';
import { openCheckpoint } from '../tlog/checkpoint.ts';
import { EMPTY_ROOT, foldRoots, HASH_LENGTH, leafHash, rootOf, sameHash } from '../tlog/hashes.ts';
import type { VerifierKey } from '../tlog/keys.ts';
import { formatSubmission } from '../tlog/submission.ts';
import { splitEntries, tilePath, TILE_WIDTH, tileWidth } from '../tlog/tiles.ts';
import { consistencyRanges, type EntryRange, hashesOf, tilesOf } from '../tlog/tree.ts';
import { isConsistent, type TreeHead } from '../tlog/verification.ts';
import { CHECKPOINT, type LogFiles } from './log-source.ts';

/** A log as it is signed now. */
export interface LogHead extends TreeHead {
  /** The signed checkpoint. */
  readonly checkpoint: string;
  /** The roots of the full tiles of entries, one after the other. */
  readonly roots: Uint8Array;
  /** The hashes of the entries behind them. */
  readonly rest: Uint8Array;
}

/** A log, and what is trusted of it. */
export interface WatchedLog {
  readonly files: LogFiles;
  readonly key: VerifierKey;
  /** A checkpoint seen before; null: none. */
  readonly kept: string | null;
}

/** The register and the log that a key's name names. @throws GazetteError `invalid_option` when it is none of a register's log */
export function logNamed({ name }: VerifierKey): { readonly feedId: string; readonly uuid: string } {
  const [, feedId, uuid] = REGISTER_LOG.exec(name) ?? [];
  if (feedId !== undefined && uuid !== undefined) return { feedId, uuid };
  throw new GazetteError('invalid_option', 'vkey must be the key of a register’s log', { details: { option: 'vkey' } });
}

const REGISTER_LOG = /\/feeds\/([^/.]+)\/log\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** @throws GazetteError `invalid_option` for a kept checkpoint of something else */
export function keptHead({ kept, key }: Pick<WatchedLog, 'kept' | 'key'>): TreeHead | null {
  if (kept === null) return null;
  try {
    return openCheckpoint(kept, key.name, [key]);
  } catch (cause) {
    throw new GazetteError('invalid_option', 'the checkpoint that was kept must be signed by the same key', {
      ...{ cause, details: { option: 'kept' } },
    });
  }
}

/**
 * Reads the head of a log.
 *
 * @throws GazetteError `invalid_proof`; `log_stale` when it is older than the one that was kept, `log_forked` when the two cannot be
 *   of one log; and the errors of its place
 */
export async function readHead(log: WatchedLog): Promise<LogHead> {
  const before = keptHead(log);
  const checkpoint = new TextDecoder().decode(await log.files.read(CHECKPOINT));
  const { size, root } = openCheckpoint(checkpoint, log.key.name, [log.key]);
  if (before !== null && size < before.size)
    throw stale(
      `the log ${log.key.name} has ${size} changes here, and had ${before.size} at the last run: it is older than the last run’s`,
    );
  const full = Math.floor(size / TILE_WIDTH);
  const roots = Buffer.alloc(full * HASH_LENGTH);
  for (let index = 0; index * TILE_WIDTH < full; index++) {
    roots.set(await readTile(log, 1, index, size), index * TILE_WIDTH * HASH_LENGTH);
  }
  const rest = full * TILE_WIDTH === size ? new Uint8Array() : await readTile(log, 0, full, size);
  const head = { size, root, checkpoint, roots, rest };
  if (!sameHash(rootAt(roots, rest), root)) {
    throw new GazetteError('invalid_proof', `the tiles below ${log.files.place} must have the root that is signed`);
  }
  if (before !== null) await checkBegins(log, head, before, () => log.kept!);
  return head;
}

/** The error for an old state, which somebody is shown. */
export function stale(message: string): GazetteError {
  return new GazetteError('log_stale', message);
}

/**
 * Checks that a log begins with what it was before.
 *
 * @param before of at most its size
 * @param signed what shows that this was signed: a note, or the proof of an entry of the log of logs
 * @throws GazetteError `log_forked` with `kept`, which is `signed`, and `served`, the checkpoint with the proof by which both cannot
 *   be of one log (as C2SP tlog-witness has it: `old` and the size before, the hashes, and the checkpoint); `invalid_proof`
 */
export async function checkBegins(
  log: WatchedLog,
  head: LogHead,
  before: TreeHead,
  signed: () => string | Promise<string>,
): Promise<void> {
  const root = await rootBefore(log, head, before.size);
  if (sameHash(root, before.root)) return;
  const isGrown = before.size > 0 && before.size < head.size;
  const proof = isGrown ? await hashesIn(log, consistencyRanges(before.size, head.size), head.size) : [];
  if (isGrown && !isConsistent({ size: before.size, root }, head, proof)) throw unsigned(log, 'tile');
  const served = formatSubmission({ oldSize: before.size, proof, checkpoint: head.checkpoint });
  const name = `the log ${log.key.name} of ${head.size} changes`;
  throw new GazetteError(
    'log_forked',
    `${name} does not begin with the ${before.size} that it had: keep the evidence`,
    {
      details: { kept: await signed(), served },
    },
  );
}

/** The hashes of ranges of a log, by its tiles. */
export async function hashesIn(
  log: Pick<WatchedLog, 'files'>,
  ranges: readonly EntryRange[],
  size: number,
): Promise<Uint8Array[]> {
  const held = new Map<string, Uint8Array>();
  for (const tile of tilesOf(ranges, size)) held.set(tilePath(tile), await readTile(log, tile.level, tile.index, size));
  return hashesOf(ranges, size, (tile) => held.get(tilePath(tile))!);
}

/** The hashes of the first entries of the tile that a place is in, up to the place. */
export async function hashesBefore(log: WatchedLog, head: LogHead, place: number): Promise<Uint8Array> {
  const index = Math.floor(place / TILE_WIDTH);
  const count = place % TILE_WIDTH;
  if (count === 0) return new Uint8Array();
  if (index * HASH_LENGTH >= head.roots.length) return head.rest.subarray(0, count * HASH_LENGTH);
  const hashes = await readTile(log, 0, index, head.size);
  if (!sameHash(rootOf(hashes), hashAt(head.roots, index))) {
    throw new GazetteError('invalid_proof', `tile ${index} below ${log.files.place} must be that of the signed root`);
  }
  return hashes.subarray(0, count * HASH_LENGTH);
}

/** A bundle of entries, which are those of the signed root. */
export interface Bundle {
  /** Where it is, below the log's place. */
  readonly path: string;
  readonly entries: readonly Uint8Array[];
  /** Their hashes, one after the other. */
  readonly leaves: Uint8Array;
}

/** Reads a bundle of entries. @throws GazetteError `invalid_proof` when they are not those of the signed root */
export async function readBundle(log: WatchedLog, head: LogHead, index: number): Promise<Bundle> {
  const width = tileWidth(head.size, 0, index);
  const path = tilePath({ level: 'entries', index, width });
  const entries = splitEntries(await log.files.read(path));
  const leaves = Buffer.concat((entries ?? []).map(leafHash));
  const isSigned =
    entries?.length === width &&
    (width === TILE_WIDTH ? sameHash(rootOf(leaves), hashAt(head.roots, index)) : sameHash(leaves, head.rest));
  if (!isSigned) throw unsigned(log, path);
  return { path, entries, leaves };
}

/** The error for a file that is not what the log has signed. */
export function unsigned({ files }: WatchedLog, path: string): GazetteError {
  return new GazetteError('invalid_proof', `${files.place}/${path} must be what the log has signed`);
}

/** One of hashes that lie one after the other. */
export function hashAt(hashes: Uint8Array, index: number): Uint8Array {
  return hashes.subarray(index * HASH_LENGTH, (index + 1) * HASH_LENGTH);
}

/** The root that a log had at an earlier size, by its tiles. */
export async function rootBefore(log: WatchedLog, head: LogHead, size: number): Promise<Uint8Array> {
  const full = Math.floor(size / TILE_WIDTH);
  return rootAt(head.roots.subarray(0, full * HASH_LENGTH), await hashesBefore(log, head, size));
}

/** The root over full tiles, and what is behind them. */
function rootAt(roots: Uint8Array, rest: Uint8Array): Uint8Array {
  const subtrees = [...perfect(roots), ...perfect(rest)];
  return subtrees.length === 0 ? EMPTY_ROOT : foldRoots(subtrees);
}

/** The roots over hashes that lie one after the other, each over as many as it can, the largest first. */
function perfect(hashes: Uint8Array): Uint8Array[] {
  const count = hashes.length / HASH_LENGTH;
  const found: Uint8Array[] = [];
  for (let from = 0; from < count;) {
    const width = 2 ** Math.floor(Math.log2(count - from));
    found.push(rootOf(hashes.subarray(from * HASH_LENGTH, (from + width) * HASH_LENGTH)));
    from += width;
  }
  return found;
}

/** The hashes of a tile of a log of some size. @throws GazetteError `invalid_proof` when there are more or fewer */
export async function readTile(
  { files }: Pick<WatchedLog, 'files'>,
  level: number,
  index: number,
  size: number,
): Promise<Uint8Array> {
  const width = tileWidth(size, level, index);
  const path = tilePath({ level, index, width });
  const hashes = await files.read(path);
  if (hashes.length === width * HASH_LENGTH) return hashes;
  throw new GazetteError(
    'invalid_proof',
    `${path} below ${files.place} must have ${width} hashes of ${HASH_LENGTH} bytes`,
  );
}

// The log of a register: every entry and every tile is read, and compared with what is signed.
import { join } from 'node:path';
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { fromBase64 } from '../tlog/base64.ts';
import { HASH_LENGTH, rootOf, sameHash } from '../tlog/hashes.ts';
import { splitEntries, type Tile, TILE_WIDTH, tilePath, tileWidth } from '../tlog/tiles.ts';
import { canonicalJson, type JsonValue } from '../../../register/canonical-json.ts';
import { CAUSES, type VersionCause } from '../../../register/record.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { isDateTime } from '../../../register/time.ts';
import {
  type Bundle,
  hashAt,
  hashesBefore,
  type LogHead,
  logNamed,
  readBundle,
  readTile,
  unsigned,
  type WatchedLog,
} from './head.ts';
import { keptText } from './last-checkpoint.ts';
import type { Listing } from '../../../mirror/prover.ts';
import { readListedHead, type WatchOptions } from './listed-head.ts';
import type { LogSource } from './log-source.ts';

/** What a log proves by itself, without what its records say. */
export interface ProvedLog {
  /** The id of the register. */
  readonly feedId: string;
  /** How many changes are signed. */
  readonly size: number;
  /** What to keep for the next time. */
  readonly kept: string;
  /** What the log of logs says of it; null: there is none. */
  readonly listing: Listing | null;
  /** The positions of the records that there are after the last of these changes; null: the reader gets no entries. */
  readonly positions: ReadonlySet<number> | null;
}

/**
 * Checks the log of a register: that it is signed, that its entries are those of the signed root, one for each change, that it begins
 * with what was seen before and with all that the log of logs lists of it, and that all its tiles are right. Where the reader gets no
 * entries it is checked by its tiles. What the records say is not compared: that takes their salts.
 *
 * @param visit is given each entry, in their order
 * @throws GazetteError `invalid_proof` with the file that is missing or not what was signed, `invalid_input` for one that cannot be
 *   read, `log_stale`, `log_forked`, `invalid_option`, `invalid_log_key`, `aborted`
 */
export async function proveLog(
  place: LogSource,
  options: WatchOptions,
  visit: (entry: BundledEntry) => void = () => undefined,
): Promise<ProvedLog> {
  const { log, head, listing, ofLogs } = await readListedHead(place, options);
  const { feedId, uuid } = logNamed(log.key);
  const hasEntries = head.size === 0 || (await place.hasEntries(feedId, uuid, head.size));
  const live = new Set<number>();
  for (let index = 0; index * TILE_WIDTH < head.size; index++) {
    throwIfAborted(options.signal);
    if (!hasEntries) {
      await hashesBefore(log, head, Math.min((index + 1) * TILE_WIDTH, head.size) - 1);
      continue;
    }
    for (const entry of await readEntries(log, head, index)) {
      visit(entry);
      const { position, cause } = entry;
      if (cause === 'withdrawn' || cause === 'redacted') live.delete(position);
      else live.add(position);
    }
  }
  await checkTiles(log, head, await place.earlierTiles(feedId, uuid));
  const kept = keptText({ checkpoint: head.checkpoint, ofLogs });
  return { feedId, size: head.size, kept, listing, positions: hasEntries ? live : null };
}

/** Checks the tiles that neither {@link readHead} nor the entries do: the upper ones, and those of earlier checkpoints. */
export async function checkTiles(log: WatchedLog, head: LogHead, found: readonly Tile[]): Promise<void> {
  await checkUpperTiles(log, head);
  for (const tile of found) await checkEarlier(log, tile, head.size);
}

/** The bytes of a full tile. */
const TILE_BYTES = TILE_WIDTH * HASH_LENGTH;

/** What the entries of a bundle say, which are those of the tile of their hashes, and of the signed root. */
async function readEntries(log: WatchedLog, head: LogHead, index: number): Promise<readonly BundledEntry[]> {
  const bundle = await readBundle(log, head, index);
  const width = bundle.entries.length;
  if (width === TILE_WIDTH && !sameHash(await readTile(log, 0, index, head.size), bundle.leaves)) {
    throw unsigned(log, tilePath({ level: 0, index, width }));
  }
  return entriesIn(log, bundle, index);
}

/** What the entries of a bundle say. @throws GazetteError `invalid_proof` */
export function entriesIn(log: WatchedLog, { path, entries, leaves }: Bundle, index: number): readonly BundledEntry[] {
  return entries.map((bytes, at) => {
    const change = index * TILE_WIDTH + at + 1;
    const entry = entryIn(new TextDecoder().decode(bytes), change);
    if (entry !== null) return { ...entry, leaf: hashAt(leaves, at) };
    const file = join(log.files.place, path);
    throw new GazetteError('invalid_proof', `${file} must have an entry for change ${change}, as canonical JSON`);
  });
}

/** What an entry says. */
export interface LogEntry {
  readonly change: number;
  readonly position: number;
  readonly version: number;
  readonly cause: VersionCause;
  /** RFC 3339 date-time. */
  readonly recorded_at: string;
  /** HMACs in base64: of the record's id, and of what was stated. */
  readonly record: string;
  readonly commitment: string;
}

/** An entry of a bundle. */
export interface BundledEntry extends LogEntry {
  /** Its hash. */
  readonly leaf: Uint8Array;
}

/** What the entry of a change says; null when the text is none. */
export function entryIn(text: string, change: number): LogEntry | null {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(entry) || canonicalJson(entry as JsonValue) !== text) return null;
  const { v, change: own, position, version, cause, recorded_at: at, record, commitment } = entry;
  // Each position came with a change.
  if (v !== 1 || own !== change || !isWhole(position, 1, change) || !isWhole(version, 1)) return null;
  if (!isCause(cause) || !isTime(at) || !isHash(record) || !isHash(commitment)) return null;
  return { change, position, version, cause, recorded_at: at, record, commitment };
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && isDateTime(value);
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && fromBase64(value)?.length === HASH_LENGTH;
}

function isCause(value: unknown): value is VersionCause {
  return CAUSES.includes(value as VersionCause);
}

/** Checks a partial tile that the folder has of an earlier checkpoint: the present one begins with it. */
async function checkEarlier(log: WatchedLog, tile: Tile, size: number): Promise<void> {
  const { level, index, width } = tile;
  const now = tileWidth(size, level === 'entries' ? 0 : level, index);
  const [earlier, present] = [tilePath(tile), tilePath({ level, index, width: now })];
  if (width > now) throw unsigned(log, earlier);
  if (width === now) return;
  const [some, all] = [await log.files.read(earlier), await log.files.read(present)];
  const count = level === 'entries' ? splitEntries(some)?.length : some.length / HASH_LENGTH;
  if (count !== width || !sameHash(some, all.subarray(0, some.length))) throw unsigned(log, earlier);
}

/** The tiles above those that {@link readHead} reads. */
async function checkUpperTiles(log: WatchedLog, { size, roots }: LogHead): Promise<void> {
  let hashes = rootsOver(roots);
  for (let level = 2; hashes.length > 0; level++) {
    for (let from = 0, index = 0; from < hashes.length; from += TILE_BYTES, index++) {
      const expected = hashes.subarray(from, from + TILE_BYTES);
      if (!sameHash(await readTile(log, level, index, size), expected)) {
        throw unsigned(log, tilePath({ level, index, width: expected.length / HASH_LENGTH }));
      }
    }
    hashes = rootsOver(hashes);
  }
}

/** The roots over as many hashes as a full tile has. */
function rootsOver(hashes: Uint8Array): Uint8Array {
  const roots: Uint8Array[] = [];
  for (let to = TILE_BYTES; to <= hashes.length; to += TILE_BYTES)
    roots.push(rootOf(hashes.subarray(to - TILE_BYTES, to)));
  return Buffer.concat(roots);
}

// The log of a register among the files of a snapshot, or in a store: every entry and every tile is read, and compared with what is
// signed.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LOG_FOLDER, LOG_OF_LOGS_FOLDER } from '../../archive/layout.ts';
import { isObject, isWhole } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import { fromBase64 } from '../../proofs/base64.ts';
import { HASH_LENGTH, rootOf, sameHash } from '../../proofs/hashes.ts';
import { parseVerifierKey } from '../../proofs/keys.ts';
import { parseTilePath, splitEntries, type Tile, TILE_WIDTH, tilePath, tileWidth } from '../../proofs/tiles.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { CAUSES, type VersionCause } from '../../register/record.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { isDateTime } from '../../register/time.ts';
import {
  hashesBefore,
  type LogFiles,
  type LogHead,
  logNamed,
  readBundle,
  readHead,
  readTile,
  unsigned,
  type WatchedLog,
} from './head.ts';

/** Where logs are: in a snapshot's folder, or in a store. */
export interface LogPlace {
  /** The files of a log. @param feedId null: the log of logs */
  files(feedId: string | null, uuid: string): LogFiles;
  /** The tiles of a log that are there, of any of its sizes, as far as they are to be compared. */
  tiles(feedId: string | null, uuid: string): Promise<readonly Tile[]>;
  /** The logs of the registers that are there. */
  registers(): Promise<readonly { readonly feedId: string; readonly uuid: string }[]>;
}

/** What the log in a folder proves. */
export interface ProvedFolder {
  /** The id of the register. */
  readonly feedId: string;
  /** How many changes are signed. */
  readonly size: number;
  /** The signed checkpoint. */
  readonly checkpoint: string;
  /** How many records there are after the last of these changes; null: the folder has no entries, which are for payers alone. */
  readonly records: number | null;
  /** The positions of these records. */
  readonly positions: ReadonlySet<number> | null;
}

/** Options of {@link proveFolder}. */
export interface ProveFolderOptions {
  /** The key of a register's log, from somebody whom you trust. */
  readonly vkey: string;
  /** The checkpoint that was seen the last time; null: none. */
  readonly kept: string | null;
  readonly signal?: AbortSignal;
}

/**
 * Checks the log of a register in a snapshot's folder: that it is signed, that its entries are those of the signed root, one for each
 * change, that it begins with what was seen before, and that all its tiles are right, also those of earlier checkpoints. A folder
 * without entries is checked by its tiles. What the records say is not compared: the salts that are needed for it are in no snapshot.
 *
 * @param place a folder, by its path, or a store
 * @throws GazetteError `invalid_proof` with the file that is missing or not what was signed, `invalid_input` for one that cannot be
 *   read, `log_forked`, `invalid_option`, `invalid_log_key`, `aborted`
 */
export async function proveFolder(
  place: string | LogPlace,
  { vkey, kept, signal }: ProveFolderOptions,
): Promise<ProvedFolder> {
  const key = parseVerifierKey(vkey);
  const { feedId, uuid } = logNamed(key);
  const logs = typeof place === 'string' ? folderPlace(place) : place;
  const log: WatchedLog = { files: logs.files(feedId, uuid), key, kept };
  const head = await readHead(log);
  const found = await logs.tiles(feedId, uuid);
  const hasEntries = head.size === 0 || found.some(({ level }) => level === 'entries');
  const live = new Set<number>();
  for (let index = 0; index * TILE_WIDTH < head.size; index++) {
    throwIfAborted(signal);
    if (!hasEntries) {
      await hashesBefore(log, head, Math.min((index + 1) * TILE_WIDTH, head.size) - 1);
      continue;
    }
    for (const { position, cause } of await readEntries(log, head, index)) {
      if (cause === 'withdrawn' || cause === 'redacted') live.delete(position);
      else live.add(position);
    }
  }
  await checkTiles(log, head, found);
  const positions = hasEntries ? live : null;
  return { feedId, size: head.size, checkpoint: head.checkpoint, records: positions?.size ?? null, positions };
}

/** Checks the tiles that neither {@link readHead} nor the entries do: the upper ones, and those of earlier checkpoints. */
export async function checkTiles(log: WatchedLog, head: LogHead, found: readonly Tile[]): Promise<void> {
  await checkUpperTiles(log, head);
  for (const tile of found) await checkEarlier(log, tile, head.size);
}

/** The logs in a snapshot's folder. */
export function folderPlace(folder: string): LogPlace {
  const at = (feedId: string | null, uuid: string): string =>
    feedId === null ? join(folder, LOG_OF_LOGS_FOLDER, uuid) : join(folder, feedId, LOG_FOLDER, uuid);
  return {
    files(feedId, uuid) {
      const place = at(feedId, uuid);
      return { place, read: (path) => reading(join(place, path), (file) => readFile(file)) };
    },
    tiles: (feedId, uuid) => tilesIn(at(feedId, uuid)),
    async registers() {
      const found: { feedId: string; uuid: string }[] = [];
      for (const feedId of (await readdir(folder)).sort()) {
        const logs = join(folder, feedId, LOG_FOLDER);
        if (!existsSync(logs)) continue;
        for (const uuid of await readdir(logs)) found.push({ feedId, uuid });
      }
      return found;
    },
  };
}

/** The tiles that a folder has, of any size of the log. @throws GazetteError `invalid_proof` for a file that is none */
async function tilesIn(folder: string): Promise<readonly Tile[]> {
  if (!existsSync(join(folder, 'tile'))) return [];
  const all = await reading(join(folder, 'tile'), (path) => readdir(path, { recursive: true, withFileTypes: true }));
  return all.flatMap((one) => {
    if (one.isDirectory()) return [];
    const path = relative(folder, join(one.parentPath, one.name)).replaceAll('\\', '/');
    const tile = parseTilePath(path);
    if (tile === null) throw new GazetteError('invalid_proof', `${join(folder, path)} must be a tile of the log`);
    return [tile];
  });
}

async function reading<Read>(path: string, read: (path: string) => Promise<Read>): Promise<Read> {
  try {
    return await read(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (MISSING.has(code ?? '')) throw new GazetteError('invalid_proof', `${path} must be there`, { cause });
    throw new GazetteError('invalid_input', `${path} cannot be read: ${message}`, { cause });
  }
}

/** The bytes of a full tile. */
const TILE_BYTES = TILE_WIDTH * HASH_LENGTH;

/** What the system says where there is no file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/** What the entries of a bundle say, which are those of the tile of their hashes, and of the signed root. */
async function readEntries(log: WatchedLog, head: LogHead, index: number): Promise<readonly LogEntry[]> {
  const { path, entries, leaves } = await readBundle(log, head, index);
  const width = entries.length;
  if (width === TILE_WIDTH && !sameHash(await readTile(log, 0, index, head.size), leaves)) {
    throw unsigned(log, tilePath({ level: 0, index, width }));
  }
  return entries.map((bytes, at) => {
    const change = index * TILE_WIDTH + at + 1;
    const entry = entryIn(new TextDecoder().decode(bytes), change);
    if (entry !== null) return entry;
    const file = join(log.files.place, path);
    throw new GazetteError('invalid_proof', `${file} must have an entry for change ${change}, as canonical JSON`);
  });
}

/** What is read of an entry. */
interface LogEntry {
  readonly position: number;
  readonly cause: string;
}

/** What the entry of a change says; null when the text is none. */
function entryIn(text: string, change: number): LogEntry | null {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isObject(entry) || canonicalJson(entry as JsonValue) !== text) return null;
  const { v, change: own, position, version, cause, recorded_at: at, record, commitment } = entry;
  const isEntry =
    v === 1 && own === change && isWhole(version, 1) && isTime(at) && isHash(record) && isHash(commitment);
  return isEntry && isWhole(position, 1) && isCause(cause) ? { position, cause } : null;
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDateTime(value);
}

function isHash(value: unknown): boolean {
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

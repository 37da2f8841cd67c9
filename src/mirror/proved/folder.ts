// The log of a register among the files of a snapshot: every entry and every tile is read, and compared with what is signed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, isWhole } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import { HASH_LENGTH, leafHash, rootOf, sameHash } from '../../proofs/hashes.ts';
import { parseVerifierKey } from '../../proofs/keys.ts';
import { splitEntries, TILE_WIDTH, tilePath, tileWidth } from '../../proofs/tiles.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { hashAt, type LogFiles, type LogHead, logNamed, readHead, readTile, type WatchedLog } from './head.ts';

/** What the log in a folder proves. */
export interface ProvedFolder {
  /** The id of the register. */
  readonly feedId: string;
  /** How many changes are signed. */
  readonly size: number;
  /** The signed checkpoint. */
  readonly checkpoint: string;
  /** How many records there are after the last of these changes. */
  readonly records: number;
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
 * change, that it begins with what was seen before, and that all its tiles are right. What the records say is not compared: the salts
 * that are needed for it are in no snapshot.
 *
 * @throws GazetteError `invalid_proof` with the file that is missing or not what was signed, `log_forked`, `invalid_option`,
 *   `invalid_log_key`, `aborted`
 */
export async function proveFolder(folder: string, { vkey, kept, signal }: ProveFolderOptions): Promise<ProvedFolder> {
  const key = parseVerifierKey(vkey);
  const { feedId, uuid } = logNamed(key);
  const log: WatchedLog = { files: filesIn(join(folder, feedId, 'log', uuid)), key, kept };
  const head = await readHead(log);
  const live = new Set<number>();
  for (let index = 0; index * TILE_WIDTH < head.size; index++) {
    throwIfAborted(signal);
    const entries = await readEntries(log, head, index);
    entries.forEach((entry, at) => {
      const { position, cause } = readEntry(entry, index * TILE_WIDTH + at + 1);
      if (cause === 'withdrawn' || cause === 'redacted') live.delete(position);
      else live.add(position);
    });
  }
  await checkUpperTiles(log, head);
  return { feedId, size: head.size, checkpoint: head.checkpoint, records: live.size };
}

/** The files of a log in a folder. */
function filesIn(folder: string): LogFiles {
  return {
    place: folder,
    async read(path) {
      try {
        return await readFile(join(folder, path));
      } catch (cause) {
        if (!(cause instanceof Error && 'code' in cause && MISSING.has(String(cause.code)))) throw cause;
        throw new GazetteError('invalid_proof', `${join(folder, path)} must be there`, { cause });
      }
    },
  };
}

/** The bytes of a full tile. */
const TILE_BYTES = TILE_WIDTH * HASH_LENGTH;

/** What the system says where there is no file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

/** The entries of a bundle, which are those of the tile of their hashes, and of the signed root. */
async function readEntries(log: WatchedLog, head: LogHead, index: number): Promise<readonly Uint8Array[]> {
  const width = tileWidth(head.size, 0, index);
  const path = tilePath({ level: 'entries', index, width });
  const entries = splitEntries(await log.files.read(path));
  const leaves = Buffer.concat((entries ?? []).map(leafHash));
  const isFull = width === TILE_WIDTH;
  const isSigned =
    entries?.length === width &&
    (isFull ? sameHash(rootOf(leaves), hashAt(head.roots, index)) : sameHash(leaves, head.rest));
  if (!isSigned) throw unsigned(log, path);
  if (isFull && !sameHash(await readTile(log, 0, index, head.size), leaves)) {
    throw unsigned(log, tilePath({ level: 0, index, width }));
  }
  return entries;
}

/** What an entry says. @throws GazetteError `invalid_proof` when it is none of this change */
function readEntry(bytes: Uint8Array, change: number): { readonly position: number; readonly cause: string } {
  const text = new TextDecoder().decode(bytes);
  const entry = parsed(text);
  if (isObject(entry) && entry.change === change && isWhole(entry.position, 1) && typeof entry.cause === 'string') {
    if (canonicalJson(entry as JsonValue) === text) return { position: entry.position, cause: entry.cause };
  }
  throw new GazetteError('invalid_proof', `entry ${change - 1} must be that of change ${change} as canonical JSON`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
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

function unsigned({ files }: WatchedLog, path: string): GazetteError {
  return new GazetteError('invalid_proof', `${join(files.place, path)} must be what the log has signed`);
}

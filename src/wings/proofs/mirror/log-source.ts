// Where the logs of registers are, and the log of logs: at a service, or in a snapshot's folder. A store is another such place.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { LOG_FOLDER, LOG_OF_LOGS_FOLDER, WELL_KNOWN_LOG_FILE } from '../../../archive/layout.ts';
import { isObject } from '../../../checks.ts';
import { jsonOf, type Requester, where } from '../../../client/requester.ts';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { HASH_LENGTH } from '../tlog/hashes.ts';
import { parseNote } from '../tlog/note.ts';
import { parseTilePath, splitEntries, type Tile, TILE_WIDTH, tilePath } from '../tlog/tiles.ts';

/** The file with the signed size and root. */
export const CHECKPOINT = 'checkpoint';

/** The files of a log (C2SP tlog-tiles). */
export interface LogFiles {
  /** Where they are, for messages. */
  readonly place: string;
  /** @param path below the log's place: `checkpoint`, or that of a tile */
  read(path: string): Promise<Uint8Array>;
}

/** A place with logs. The last part of a log's name is its UUID. */
export interface LogSource {
  /** The files of a log. @param feedId null: the log of logs */
  files(feedId: string | null, uuid: string): LogFiles;
  /** Whether the reader gets the entries of the log of a register, which has this many. */
  hasEntries(feedId: string, uuid: string, size: number): Promise<boolean>;
  /** The tiles of earlier checkpoints that are there, and are to be compared too. */
  earlierTiles(feedId: string | null, uuid: string): Promise<readonly Tile[]>;
  /** The name of the log of logs, by the word of the place; null: it says that there is none. */
  logOfLogs(): Promise<string | null>;
}

/** A place that says which logs of registers it has. */
export interface ListingSource extends LogSource {
  /** The logs of the registers that are there. */
  registers(): Promise<readonly { readonly feedId: string; readonly uuid: string }[]>;
}

/** The logs of a service. @param api the address of its API, without a slash at its end */
export function servedLogs(api: string, requester: Requester): LogSource {
  const place: LogSource = {
    files(feedId, uuid) {
      const prefix = `${api}/${feedId === null ? '' : `feeds/${feedId}/`}log/${uuid}`;
      return {
        place: where(new URL(prefix)),
        async read(path) {
          const type = path === CHECKPOINT ? 'text/plain' : 'application/octet-stream';
          const { url, body } = await requester.get(new URL(`${prefix}/${path}`), type);
          if (isFileOfLog(path, body)) return body;
          throw new GazetteError(
            'request_failed',
            `${where(url)} answered something that is no ${path === CHECKPOINT ? 'signed note' : 'tile'}`,
          );
        },
      };
    },
    async hasEntries(feedId, uuid, size) {
      const first = tilePath({ level: 'entries', index: 0, width: Math.min(size, TILE_WIDTH) });
      return (await unlessRefused(place.files(feedId, uuid).read(first), [401, 403])) !== null;
    },
    earlierTiles: () => Promise.resolve([]),
    async logOfLogs() {
      const url = new URL(`${api}/log`);
      const answer = await unlessRefused(requester.get(url, 'application/json'), [404]);
      return answer === null ? null : originIn(jsonOf(answer, 'request_failed'), where(url));
    },
  };
  return place;
}

/** Whether an answer has the form of a file of a log. Otherwise it says nothing of the log: it is a proxy's page, or was cut off. */
function isFileOfLog(path: string, body: Uint8Array): boolean {
  if (path === CHECKPOINT) return isNote(new TextDecoder().decode(body));
  const { level, width } = parseTilePath(path)!;
  return level === 'entries' ? splitEntries(body)?.length === width : body.length === width * HASH_LENGTH;
}

function isNote(text: string): boolean {
  try {
    parseNote(text);
    return true;
  } catch (error) {
    if (!isGazetteError(error, 'invalid_proof')) throw error;
    return false;
  }
}

/** What is answered; null where a service refuses it with one of these statuses. */
export async function unlessRefused<T>(asked: Promise<T>, statuses: readonly number[]): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (isGazetteError(error, 'request_refused') && statuses.includes(Number(error.details.status))) return null;
    throw error;
  }
}

/** The logs in a snapshot's folder. */
export function folderLogs(folder: string): ListingSource {
  const at = (feedId: string | null, uuid: string): string =>
    feedId === null ? join(folder, LOG_OF_LOGS_FOLDER, uuid) : join(folder, feedId, LOG_FOLDER, uuid);
  return {
    files(feedId, uuid) {
      const place = at(feedId, uuid);
      return { place, read: (path) => reading(join(place, path), (file) => readFile(file)) };
    },
    async hasEntries(feedId, uuid) {
      return (await tilesIn(at(feedId, uuid))).some(({ level }) => level === 'entries');
    },
    earlierTiles: (feedId, uuid) => tilesIn(at(feedId, uuid)),
    async logOfLogs() {
      const path = join(folder, WELL_KNOWN_LOG_FILE);
      if (!existsSync(path)) return null;
      return originIn(parsed(await reading(path, (file) => readFile(file, 'utf8'))), path);
    },
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @throws GazetteError `invalid_proof` */
function originIn(answer: unknown, place: string): string {
  if (isObject(answer) && typeof answer.origin === 'string') return answer.origin;
  throw new GazetteError('invalid_proof', `${place} must say which log of logs there is`);
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

/** What the system says where there is no file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR']);

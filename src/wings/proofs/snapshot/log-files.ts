// The log of a register, and the log of logs, as files (C2SP tlog-tiles), below the same paths as over HTTP: every tile of the signed
// size, and every partial tile of a checkpoint that was published here, until the full tile is there.
import { GazetteError } from '../../../errors.ts';
import { nameOfLog, signedHead, tileBytes } from '../operate/log-files.ts';
import { readRoot } from '../stores/tree-reader.ts';
import { sameHash } from '../tlog/hashes.ts';
import { parseTilePath, type Tile, TILE_WIDTH, tilePath, tileWidth } from '../tlog/tiles.ts';
import type { TreeHead } from '../tlog/verification.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import type { LogStore, StoredLog } from '../stores/contract/logs.ts';
import type { SignedPlace } from '../../../snapshot/wing.ts';
import { LOG_FOLDER, LOG_OF_LOGS_FOLDER } from '../../../archive/layout.ts';
import { sideBySide } from '../../../snapshot/side-by-side.ts';

/** What a snapshot reads of the logs of a store. */
export type SnapshotLogs = Pick<LogStore, 'all' | 'of' | 'ofLogs' | 'tiles' | 'entries' | 'provedRecords'>;

/** A log that is signed: of a register, or the log of logs. */
export interface SignedLog extends Pick<StoredLog, 'feedId' | 'uuid' | 'name'> {
  readonly checkpoint: string;
  readonly logs: SnapshotLogs;
}

/** How many tiles are made at once. */
const TILES_AT_ONCE = 4;

/** The files of a log, and which of them may be kept. */
export interface LogPlan {
  readonly log: SignedLog;
  /** In the order of the manifest, without the checkpoint. */
  readonly tiles: readonly Tile[];
  /** Whether the log begins with what was published of it, so that its tiles are what they were. */
  readonly isContinued: boolean;
}

/**
 * Which files a log has.
 *
 * @param hasEntries whether the readers of the snapshot get the entries
 * @throws GazetteError `log_contradicted` when the store's tree is not the signed one; errors of the store
 */
export async function planLog(folder: SignedPlace, log: SignedLog, hasEntries: boolean): Promise<LogPlan> {
  const head = signedHead(log.checkpoint);
  if (!(await hasRoot(log, head))) {
    throw new GazetteError(
      'log_contradicted',
      `the store must have ${nameOfLog(log.feedId)} as it is signed: run gazette doctor`,
      detailsOf(log),
    );
  }
  const published = folder.previous?.head.checkpoint;
  const last = published === undefined ? null : signedHead(published);
  const isContinued =
    last !== null && last.origin === head.origin && last.size <= head.size && (await hasRoot(log, last));
  const tiles = new Map(tilesAt(head.size).map((tile) => [tilePath(tile), tile]));
  const prefix = `${folderOf(log)}/`;
  const before = isContinued ? folder.previous!.namesWithin(parentOf(log)) : [];
  for (const name of [...before, ...folder.begunNames]) {
    const tile = name.startsWith(prefix) ? parseTilePath(name.slice(prefix.length)) : null;
    if (tile !== null && isPublished(tile, head.size)) tiles.set(tilePath(tile), tile);
  }
  const shown = [...tiles.values()].filter(({ level }) => hasEntries || level !== 'entries');
  return { log, tiles: shown.sort(inOrder), isContinued };
}

/** Whether a folder certainly has every file of a log as it is. */
export function isWritten(folder: SignedPlace, { log, tiles, isContinued }: LogPlan): boolean {
  if (!isContinued || folder.previous?.head.checkpoint !== log.checkpoint) return false;
  return tiles.every((tile) => folder.isKnown(nameIn(log, tile))) && folder.isKnown(checkpointOf(log));
}

/**
 * Writes what is new of a log, the checkpoint last.
 *
 * @returns the names of all its files, for the manifest
 * @throws GazetteError `log_contradicted` when another log took its place meanwhile; `output_failed`, `aborted`, errors of the store
 */
export async function writeLog(
  folder: SignedPlace,
  { log, tiles, isContinued }: LogPlan,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const { logs, feedId, uuid, checkpoint } = log;
  await sideBySide(tiles, TILES_AT_ONCE, async (tile) => {
    throwIfAborted(signal);
    const name = nameIn(log, tile);
    if (isContinued && folder.isKnown(name)) folder.keep(name);
    else await folder.put(name, await tileBytes(logs, log, tilePath(tile)));
  });
  if ((await (feedId === null ? logs.ofLogs() : logs.of(feedId))).uuid !== uuid) {
    const message = `another log took the place of ${nameOfLog(feedId)} meanwhile: run it again`;
    throw new GazetteError('log_contradicted', message, detailsOf(log));
  }
  const last = checkpointOf(log);
  await folder.put(last, new TextEncoder().encode(checkpoint));
  return [...tiles.map((tile) => nameIn(log, tile)), last];
}

function parentOf({ feedId }: SignedLog): string {
  return feedId === null ? LOG_OF_LOGS_FOLDER : LOG_FOLDER;
}

function folderOf(log: SignedLog): string {
  return `${parentOf(log)}/${log.name}`;
}

function nameIn(log: SignedLog, tile: Tile): string {
  return `${folderOf(log)}/${tilePath(tile)}`;
}

function checkpointOf(log: SignedLog): string {
  return `${folderOf(log)}/checkpoint`;
}

function detailsOf({ feedId }: SignedLog): { readonly details?: { readonly feed_id: string } } {
  return feedId === null ? {} : { details: { feed_id: feedId } };
}

async function hasRoot({ logs, feedId }: SignedLog, { size, root }: TreeHead): Promise<boolean> {
  const held = await readRoot(logs, feedId, size);
  return held !== null && sameHash(held, root);
}

/** All tiles of a log of some size. */
function tilesAt(size: number): readonly Tile[] {
  const tiles: Tile[] = [];
  const add = (level: Tile['level'], height: number): void => {
    for (let index = 0, width; (width = tileWidth(size, height, index)) > 0; index++)
      tiles.push({ level, index, width });
  };
  for (let level = 0; size >= TILE_WIDTH ** level; level++) add(level, level);
  add('entries', 0);
  return tiles;
}

/** Whether a tile that was published is still needed: it is partial, and the log has no full one yet. */
function isPublished({ level, index, width }: Tile, size: number): boolean {
  const now = tileWidth(size, level === 'entries' ? 0 : level, index);
  return width <= now && now < TILE_WIDTH;
}

function inOrder(a: Tile, b: Tile): number {
  const height = ({ level }: Tile): number => (level === 'entries' ? -1 : level);
  return height(a) - height(b) || a.index - b.index || a.width - b.width;
}

// The files of a log (C2SP tlog-tiles), as the service answers them and as snapshots have them.
import { GazetteError, quote } from '../../../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../tlog/checkpoint.ts';
import { parseNote } from '../tlog/note.ts';
import { joinEntries, parseTilePath, TILE_WIDTH, tileWidth } from '../tlog/tiles.ts';
import type { LogStore, StoredLog } from '../stores/contract/logs.ts';

/**
 * A tile of what is signed: an older state of a store, put back, may grow otherwise under the same addresses.
 *
 * @param path below the log's URL
 * @throws GazetteError `not_found` for a path of something else than a tile of the signed log
 */
export async function tileBytes(
  logs: Pick<LogStore, 'tiles' | 'entries'>,
  { feedId, checkpoint }: Pick<StoredLog, 'feedId' | 'checkpoint'>,
  path: string,
): Promise<Uint8Array> {
  const tile = parseTilePath(path);
  const size = checkpoint === null ? 0 : signedHead(checkpoint).size;
  if (tile !== null && tile.width <= tileWidth(size, tile.level === 'entries' ? 0 : tile.level, tile.index)) {
    const { level, index, width } = tile;
    if (level === 'entries') return joinEntries(await logs.entries(feedId, index * TILE_WIDTH, width));
    const [hashes] = await logs.tiles(feedId, [{ level, index, width }]);
    if (hashes !== null && hashes !== undefined) return hashes;
  }
  throw new GazetteError('not_found', `${nameOfLog(feedId)} has no tile ${quote(path)}`);
}

/** A log, in a message. @param feedId its register; null: the log of logs */
export function nameOfLog(feedId: string | null): string {
  return feedId === null ? 'the log of logs' : `the log of register ${quote(feedId)}`;
}

/** The checkpoint of a log. @throws GazetteError `not_found` while it is not signed */
export function signedCheckpoint({ feedId, checkpoint }: Pick<StoredLog, 'feedId' | 'checkpoint'>): string {
  if (checkpoint !== null) return checkpoint;
  throw new GazetteError('not_found', `${nameOfLog(feedId)} is not signed`);
}

/** The keys of a log, as text; the first one stays, another is being replaced. @param vkey as it is stored */
export function vkeysOf(vkey: string | null): readonly string[] {
  return vkey?.split('\n') ?? [];
}

/** A log as the API returns it; null while it is not signed. @param url where its files are */
export function logAnswer({ origin, vkey, checkpoint }: StoredLog, url: string): object | null {
  return checkpoint === null ? null : { origin, url, size: signedHead(checkpoint).size, vkeys: vkeysOf(vkey) };
}

/** What a stored checkpoint says. */
export function signedHead(checkpoint: string): Checkpoint {
  return parseCheckpoint(parseNote(checkpoint).text);
}

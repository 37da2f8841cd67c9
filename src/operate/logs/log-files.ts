// The files of a register's log (C2SP tlog-tiles), as the service answers them and as snapshots have them.
import { GazetteError, quote } from '../../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../../proofs/checkpoint.ts';
import { parseNote } from '../../proofs/note.ts';
import { joinEntries, parseTilePath, TILE_WIDTH, tileWidth } from '../../proofs/tiles.ts';
import type { LogStore, RegisterLog } from '../../stores/contract/proofs/logs.ts';

/**
 * A tile of what is signed: an older state of a store, put back, may grow otherwise under the same addresses.
 *
 * @param path below the log's URL
 * @throws GazetteError `not_found` for a path of something else than a tile of the signed log
 */
export async function tileBytes(
  logs: Pick<LogStore, 'tiles' | 'entries'>,
  { feedId, checkpoint }: Pick<RegisterLog, 'feedId' | 'checkpoint'>,
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
  throw new GazetteError('not_found', `the log of register ${quote(feedId)} has no tile ${quote(path)}`);
}

/** What a stored checkpoint says. */
export function signedHead(checkpoint: string): Checkpoint {
  return parseCheckpoint(parseNote(checkpoint).text);
}

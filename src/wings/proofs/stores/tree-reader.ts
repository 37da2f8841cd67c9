// Roots and proofs of a log, made of the tiles that the store holds.
import { type EntryRange, hashesOf, tilesOf } from '../tlog/tree.ts';
import type { LogStore } from './contract/logs.ts';

/**
 * The hashes of ranges of a log.
 *
 * @param feedId the register; null: the log of logs
 * @param size of the log, at most what its tree has
 * @returns null when the tree has not so many entries
 * @throws GazetteError `unknown_feed`
 */
export async function readHashes(
  logs: Pick<LogStore, 'tiles'>,
  feedId: string | null,
  ranges: readonly EntryRange[],
  size: number,
): Promise<Uint8Array[] | null> {
  const tiles = tilesOf(ranges, size);
  const stored = await logs.tiles(feedId, tiles);
  const held = new Map<string, Uint8Array>();
  for (const [at, { level, index }] of tiles.entries()) {
    const hashes = stored[at] ?? null;
    if (hashes === null) return null;
    held.set(`${level}/${index}`, hashes);
  }
  return hashesOf(ranges, size, ({ level, index }) => held.get(`${level}/${index}`)!);
}

/** The root of a log at some size; null when its tree has not so many entries. */
export async function readRoot(
  logs: Pick<LogStore, 'tiles'>,
  feedId: string | null,
  size: number,
): Promise<Uint8Array | null> {
  const hashes = await readHashes(logs, feedId, [{ from: 0, to: size }], size);
  return hashes === null ? null : hashes[0]!;
}

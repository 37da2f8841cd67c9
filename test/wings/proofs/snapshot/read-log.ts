// Reads the log in a register's folder of a snapshot as somebody else's verifier reads it: from the files alone.
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { hashesOf, leafHash, splitEntries, tilePath, tilesOf } from '../../../../src/wings/proofs/tlog/index.ts';
import { parseNote } from '../../../../src/wings/proofs/tlog/note.ts';
import { tileWidth } from '../../../../src/wings/proofs/tlog/tiles.ts';
import { parseCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { hex, naiveRoot } from '../tlog/naive-tree.ts';

/** The UUIDs of the logs in a register's folder. */
export async function logsIn(folder: string): Promise<readonly string[]> {
  return existsSync(join(folder, 'log')) ? readdir(join(folder, 'log')) : [];
}

/**
 * Proves every checkpoint in a register's folder: all entries and all tiles of its size are there, and have its root.
 *
 * @returns the sizes
 */
export async function provedSizes(folder: string): Promise<readonly number[]> {
  const sizes: number[] = [];
  for (const uuid of await logsIn(folder)) {
    const log = join(folder, 'log', uuid);
    if (existsSync(join(log, 'checkpoint')))
      sizes.push(await prove(log, await readFile(join(log, 'checkpoint'), 'utf8')));
  }
  return sizes;
}

/** Proves a checkpoint by the files of a log. @returns its size */
export async function prove(log: string, note: string): Promise<number> {
  const { size, root } = parseCheckpoint(parseNote(note).text);
  const read = async (level: number | 'entries', index: number, width: number): Promise<Buffer> => {
    const place = join(log, tilePath({ level, index, width }));
    // C2SP tlog-tiles: where the partial tile is gone, the full one is there.
    return readFile(existsSync(place) ? place : join(log, tilePath({ level, index, width: 256 })));
  };
  const entries: Uint8Array[] = [];
  for (let index = 0; index * 256 < size; index++) {
    const width = tileWidth(size, 0, index);
    entries.push(...splitEntries(await read('entries', index, width))!.slice(0, width));
  }
  expect(hex([naiveRoot(entries.map(leafHash))])).toEqual(hex([root]));
  const ranges = [{ from: 0, to: size }, ...entries.map((_, from) => ({ from, to: from + 1 }))];
  const tiles = new Map<string, Buffer>();
  for (const { level, index, width } of tilesOf(ranges, size))
    tiles.set(`${level}/${index}`, await read(level, index, width));
  const [top, ...leaves] = hashesOf(ranges, size, ({ level, index }) => tiles.get(`${level}/${index}`)!);
  expect(hex([top!])).toEqual(hex([root]));
  expect(hex(leaves)).toEqual(hex(entries.map(leafHash)));
  return size;
}

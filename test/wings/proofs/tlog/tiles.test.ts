import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitEntries, type Tile, tilePath } from '../../../../src/wings/proofs/tlog/index.ts';
import { joinEntries, parseTilePath, tileWidth } from '../../../../src/wings/proofs/tlog/tiles.ts';
import { RUNS } from '../../../properties/arbitraries.ts';

describe('tilePath()', () => {
  it.each<[Tile, string]>([
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 0, index: 0, width: 1 }, 'tile/0/000.p/1'],
    [{ level: 63, index: 999, width: 255 }, 'tile/63/999.p/255'],
    [{ level: 1, index: 1000, width: 256 }, 'tile/1/x001/000'],
    [{ level: 'entries', index: 273, width: 112 }, 'tile/entries/273.p/112'],
  ])('of %j is %s, and is read again', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  it('has one spelling for each tile', () => {
    const level = fc.oneof(fc.integer({ min: 0, max: 63 }), fc.constant('entries' as const));
    const index = fc.maxSafeNat();
    fc.assert(
      fc.property(level, index, fc.integer({ min: 1, max: 256 }), (at, place, width) => {
        const tile = { level: at, index: place, width };
        expect(parseTilePath(tilePath(tile))).toEqual(tile);
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    'tile/0/1',
    'tile/00/000',
    'tile/64/000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/0/x000/001',
    'tile/0/001/002',
    'tile/0/x001',
    'tile/8/0/000',
    'tile/entries/0/000',
    '/tile/0/000',
    'tile/0/000/',
    'tile/0/x999/x999/x999/x999/x999/999',
    'checkpoint',
  ])('%s is none', (path) => {
    expect(parseTilePath(path)).toBeNull();
  });
});

describe('tileWidth()', () => {
  // The example of C2SP tlog-tiles.
  it.each([
    [0, 272, 256],
    [0, 273, 112],
    [0, 274, 0],
    [1, 0, 256],
    [1, 1, 17],
    [2, 0, 1],
    [3, 0, 0],
  ])('of a log of 70,000 at level %i has tile %i with %i hashes', (level, index, width) => {
    expect(tileWidth(70_000, level, index)).toBe(width);
  });
});

describe('joinEntries()', () => {
  it('is undone by splitEntries()', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (entries) => {
        expect(splitEntries(joinEntries(entries))?.map((entry) => [...entry])).toEqual(
          entries.map((entry) => [...entry]),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps the longest entry', () => {
    expect(splitEntries(joinEntries([new Uint8Array(65_535), new Uint8Array(0)]))?.map(({ length }) => length)).toEqual(
      [65_535, 0],
    );
  });

  it.each([[[0]], [[0, 2, 1]], [[0, 1, 1, 0]]])('bytes %j end within an entry', (bytes) => {
    expect(splitEntries(Uint8Array.from(bytes))).toBeNull();
  });
});

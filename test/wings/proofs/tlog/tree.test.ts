// The tree against a naive one, at the sizes where tiles begin and end and at random ones.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  hashesOf,
  inclusionRanges,
  isConsistent,
  isIncluded,
  leafHash,
  tilesOf,
} from '../../../../src/wings/proofs/tlog/index.ts';
import { TreeGrowth } from '../../../../src/wings/proofs/tlog/growth.ts';
import { tileWidth } from '../../../../src/wings/proofs/tlog/tiles.ts';
import { tries } from '../../../effort.ts';
import { RUNS } from '../../../properties/arbitraries.ts';
import { hex, leavesOf, naivePath, naiveProof, naiveRoot, TiledLog } from './naive-tree.ts';

const EDGES = [0, 1, 255, 256, 257, 65_536, 65_537];

function grown(leaves: readonly Uint8Array[]): TiledLog {
  const log = new TiledLog();
  log.grow(leaves);
  return log;
}

describe('a tree of tiles', () => {
  const all = leavesOf(65_537);
  const whole = grown(all);

  it.each(EDGES)('has the root of RFC 6962 at %i entries', (size) => {
    const leaves = all.slice(0, size);
    const expected = naiveRoot(leaves);
    expect(hex([grown(leaves).root])).toEqual(hex([expected]));
    const tiles = tilesOf([{ from: 0, to: size }], size);
    expect(tiles.every(({ level, index, width }) => width === tileWidth(size, level, index))).toBe(true);
    expect(hex(hashesOf([{ from: 0, to: size }], size, whole.read))).toEqual(hex([expected]));
  });

  it.each(EDGES.slice(1))('proves entries of a log of %i', (size) => {
    const leaves = all.slice(0, size);
    const head = { size, root: naiveRoot(leaves) };
    for (const index of new Set([
      0,
      size - 1,
      Math.floor(size / 2),
      Math.min(255, size - 1),
      Math.min(256, size - 1),
    ])) {
      const proof = hashesOf(inclusionRanges(index, size), size, whole.read);
      expect(hex(proof)).toEqual(hex(naivePath(index, leaves)));
      expect(isIncluded(index, leaves[index]!, proof, head)).toBe(true);
    }
  });

  it('proves that it begins with what it was, between all of these sizes', () => {
    const heads = new Map(EDGES.map((size) => [size, { size, root: naiveRoot(all.slice(0, size)) }]));
    for (const size of EDGES)
      for (const before of EDGES.filter((edge) => edge > 0 && edge <= size)) {
        const leaves = all.slice(0, size);
        const proof = hashesOf(consistencyRanges(before, size), size, whole.read);
        expect(hex(proof)).toEqual(hex(naiveProof(before, leaves)));
        expect(isConsistent(heads.get(before)!, heads.get(size)!, proof)).toBe(true);
      }
  });

  it('gives the same tiles and roots however its entries come', () => {
    const steps = fc.array(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 200, max: 600 })), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(steps, (counts) => {
        const size = counts.reduce((sum, count) => sum + count, 0);
        const leaves = all.slice(0, size);
        const log = new TiledLog();
        for (const [at, count] of counts.entries()) {
          const from = counts.slice(0, at).reduce((sum, before) => sum + before, 0);
          log.grow(leaves.slice(from, from + count));
        }
        const expected = grown(leaves).tiles;
        expect(hex([log.root])).toEqual(hex([naiveRoot(leaves)]));
        expect([...log.tiles.keys()].sort()).toEqual([...expected.keys()].sort());
        for (const [tile, hashes] of log.tiles) expect(hex([hashes])).toEqual(hex([expected.get(tile)!]));
      }),
      { numRuns: tries(25, 2500) },
    );
  });

  it('proves every entry and every earlier size, and nothing else', () => {
    const sizes = fc.integer({ min: 1, max: 700 });
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, a, b) => {
        const leaves = all.slice(0, size);
        const head = { size, root: naiveRoot(leaves) };
        const [index, before] = [a % size, 1 + (b % size)];
        const path = hashesOf(inclusionRanges(index, size), size, whole.read);
        const proof = hashesOf(consistencyRanges(before, size), size, whole.read);
        const old = { size: before, root: naiveRoot(leaves.slice(0, before)) };
        expect(hex(path)).toEqual(hex(naivePath(index, leaves)));
        expect(hex(proof)).toEqual(hex(naiveProof(before, leaves)));
        expect(isIncluded(index, leaves[index]!, path, head)).toBe(true);
        expect(isConsistent(old, head, proof)).toBe(true);

        // A node is not an entry.
        expect(isIncluded(0, head.root, [], head)).toBe(size === 1);
        const other = leafHash(Buffer.from('another'));
        const swapped = (hashes: readonly Uint8Array[], at: number): Uint8Array[] =>
          hashes.with(at % hashes.length, other);
        expect(isIncluded(index, other, path, head)).toBe(false);
        expect(isIncluded(index + 1, leaves[index]!, path, head)).toBe(false);
        expect(isIncluded(index, leaves[index]!, [...path, other], head)).toBe(false);
        expect(isIncluded(index, leaves[index]!, path, { ...head, root: other })).toBe(false);
        if (path.length > 0) {
          expect(isIncluded(index, leaves[index]!, swapped(path, b), head)).toBe(false);
          expect(isIncluded(index, leaves[index]!, path.slice(1), head)).toBe(false);
        }
        expect(isConsistent({ ...old, root: other }, head, proof)).toBe(false);
        expect(isConsistent(old, { ...head, root: other }, proof)).toBe(false);
        expect(isConsistent(old, head, [...proof, other])).toBe(false);
        expect(isConsistent(head, old, proof)).toBe(before === size);
        if (proof.length > 0) {
          expect(isConsistent(old, head, swapped(proof, a))).toBe(false);
          expect(isConsistent(old, head, proof.slice(0, -1))).toBe(false);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it.each([
    ['an index outside', () => inclusionRanges(3, 3)],
    ['a size above', () => consistencyRanges(4, 3)],
    ['no size at all', () => consistencyRanges(0, 3)],
  ])('refuses to prove %s', (_what, prove) => {
    expect(prove).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it.each([0, 31, 33, 40])('takes %i bytes for no hash', (length) => {
    const [one, two, three] = all as [Uint8Array, Uint8Array, Uint8Array];
    const other = (hash: Uint8Array): Uint8Array => Buffer.concat([hash, hash]).subarray(0, length);
    const pair = { size: 2, root: naiveRoot([one, two]) };
    const triple = { size: 3, root: naiveRoot([one, two, three]) };
    // What was hashed before is left where hashes are put together.
    expect(isIncluded(1, two, [one], pair)).toBe(true);
    expect(isIncluded(1, two, [other(one)], pair)).toBe(false);
    expect(isIncluded(0, one, [other(two)], pair)).toBe(false);
    expect(isIncluded(0, other(one), [two], pair)).toBe(false);
    expect(isConsistent(pair, triple, [other(three)])).toBe(false);
    expect(isConsistent({ ...pair, root: other(pair.root) }, triple, [three])).toBe(false);
  });

  it('makes nothing of a tile that is too short', () => {
    const short = { code: 'invalid_proof', message: 'tile/0/000.p/3 must have 96 bytes, got 64' };
    const read = (): Uint8Array => Buffer.concat(all.slice(0, 2));
    expect(() => hashesOf([{ from: 0, to: 1 }], 3, read)).toThrow(expect.objectContaining(short));
    expect(() => new TreeGrowth(3, read)).toThrow(expect.objectContaining(short));
  });

  it('takes nothing for the beginning of everything', () => {
    const [empty, one] = [
      { size: 0, root: naiveRoot([]) },
      { size: 1, root: naiveRoot(all.slice(0, 1)) },
    ];
    expect(isConsistent(empty, one, [])).toBe(true);
    expect(isConsistent({ ...empty, root: one.root }, one, [])).toBe(false);
    expect(isConsistent(empty, one, [one.root])).toBe(false);
  });
});

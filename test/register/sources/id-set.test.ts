import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../../src/register/sources/id-set.ts';
import { RUNS, character } from '../../properties/arbitraries.ts';

describe('the set of ids', () => {
  it('answers the place of an id that it has', () => {
    const ids = new IdSet();
    expect([ids.add('a', 0), ids.add('b', 7), ids.add('a', 8), ids.add('b', 9)]).toEqual([null, null, 0, 7]);
    expect(ids.size).toBe(2);
  });

  it('keeps apart what a Map keeps apart', () => {
    const text = fc.oneof(fc.string({ unit: character, maxLength: 4 }), fc.constantFrom('', '\0', '\0\0', 'ab', 'ba'));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 60 }), (texts) => {
        const ids = new IdSet();
        const known = new Map<string, number>();
        texts.forEach((id, at) => {
          expect(ids.add(id, at)).toBe(known.get(id) ?? null);
          if (!known.has(id)) known.set(id, at);
        });
        expect(ids.size).toBe(known.size);
      }),
      { numRuns: RUNS },
    );
  });

  it('finds no false duplicate among a million ids that differ in one place, and every true one', () => {
    const ids = new IdSet();
    const count = 1_000_000;
    let wrong = 0;
    for (let at = 0; at < count; at++) if (ids.add(`records:CVE-2025-${at}`, at) !== null) wrong++;
    for (let at = 0; at < count; at += 997) if (ids.add(`records:CVE-2025-${at}`, 0) !== at) wrong++;
    expect(wrong).toBe(0);
  });
});

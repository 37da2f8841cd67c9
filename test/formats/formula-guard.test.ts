import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardCell, guardFormula, unguardFormula } from '../../src/formats/formula-guard.ts';
import { decimals, integers, jsonValues, RUNS, texts } from '../properties/arbitraries.ts';
import { canonicalJson } from '../../src/register/canonical-json.ts';

const STARTS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

const cells = fc.oneof(
  texts(),
  fc.tuple(fc.stringMatching(/^'{0,3}$/), fc.constantFrom(...STARTS, 'a', ''), texts(2)).map((parts) => parts.join('')),
);

describe('the formula guard', () => {
  it.each(STARTS)('puts an apostrophe before a text that starts with %j, also behind apostrophes', (start) => {
    expect(guardFormula(`${start}x`)).toBe(`'${start}x`);
    expect(guardFormula(start)).toBe(`'${start}`);
    expect(guardFormula(`''${start}x`)).toBe(`'''${start}x`);
  });

  it.each(['', ' =1', 'a=1', "'", "''", "'text", '5-1', 'ÿ', '\u0000=1', '\ufeff=1', '（', '漢', '\ud83d\ude00'])(
    'leaves %j as it is',
    (text) => {
      expect(guardFormula(text)).toBe(text);
    },
  );

  it('is undone by its inverse for every text', () => {
    fc.assert(
      fc.property(cells, (text) => {
        expect(unguardFormula(guardFormula(text))).toBe(text);
      }),
      { numRuns: 5 * RUNS },
    );
  });

  it('leaves no text that a spreadsheet would run, and no two texts alike', () => {
    fc.assert(
      fc.property(cells, cells, (a, b) => {
        expect(STARTS).not.toContain(guardFormula(a)[0]);
        expect(guardFormula(a) === guardFormula(b)).toBe(a === b);
      }),
      { numRuns: 5 * RUNS },
    );
  });

  it('never touches numbers that are kept as text, and guards every other text of an integer field', () => {
    fc.assert(
      fc.property(integers(), (value) => {
        expect(guardCell('integer', String(value))).toBe(String(value));
      }),
      { numRuns: RUNS },
    );
    fc.assert(
      fc.property(decimals(), (value) => {
        expect(guardCell('decimal', value)).toBe(value);
      }),
      { numRuns: RUNS },
    );
    expect(guardCell('decimal', '-1.5+cmd')).toBe("'-1.5+cmd");
    expect(guardCell('integer', '-1+cmd')).toBe("'-1+cmd");
    expect(guardCell('integer', '-')).toBe("'-");
    expect(guardCell('text', '-5')).toBe("'-5");
    expect(guardCell('url', '=1')).toBe("'=1");
  });

  it('never touches JSON, which begins with a sign only where it is a number', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        const text = canonicalJson(value);
        expect(guardCell('json', text)).toBe(text);
        expect(guardFormula(text) === text || typeof value === 'number').toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

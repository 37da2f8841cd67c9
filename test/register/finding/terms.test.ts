import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../../src/register/finding/filter.ts';
import { STATED_FILTERS } from '../../../src/register/finding/filters.ts';
import { eachKey, indexQuestion, termsOf } from '../../../src/register/finding/terms.ts';
import { RUNS } from '../../properties/arbitraries.ts';
import { plainMatches } from './plain-filter.ts';
import { askedFields, askedFilter, askedRecord } from './questions.ts';

/** A register of a few records, and filters that ask it. */
const asked = askedFields.chain((fields) =>
  fc
    .tuple(...[1, 2, 3, 4].map((number) => askedRecord(fields, number)))
    .chain((records) =>
      fc.record({ fields: fc.constant(fields), records: fc.constant(records), filter: askedFilter(fields, records) }),
    ),
);

it('no two core fields have the same mark: their first letters, and y is for own fields', () => {
  const marks = STATED_FILTERS.map((name) => name.charAt(0));
  expect(new Set([...marks, 'y']).size).toBe(marks.length + 1);
});

describe('the terms and keys of a record', () => {
  it('are what every filter asks for that the record matches; and it matches as a plain model says', () => {
    let matching = 0;
    fc.assert(
      fc.property(asked, ({ fields, records, filter }) => {
        const compiled = compileFilter(filter, fields);
        if (compiled === null) return;
        const { groups, beginnings, ranges } = indexQuestion(compiled);
        for (const record of records) {
          const isMatch = plainMatches(record, filter, fields);
          expect(compiled.matches(record)).toBe(isMatch);
          const terms = new Set(termsOf(record, { fields, hasSearch: true }));
          const keys = new Map<string, number>();
          eachKey(record, { fields }, (field, key) => keys.set(field, key));
          const isIndexed =
            groups.every((group) => group.some((term) => terms.has(term))) &&
            beginnings.every((group) => [...terms].some((term) => group.some((word) => term.startsWith(word)))) &&
            ranges.every(({ field, lowest, highest }) => {
              const key = keys.get(field);
              return key !== undefined && key >= lowest && key <= highest;
            });
          if (isMatch) matching++;
          if (isMatch) expect(isIndexed).toBe(true);
          // The index knows the single words exactly: they need no second look.
          if (isIndexed) expect(compiled.matches(record, true)).toBe(isMatch);
        }
      }),
      { numRuns: RUNS * 5 },
    );
    expect(matching).toBeGreaterThan(RUNS);
  });

  it('are what SQLite’s ascii tokenizer reads, each whole', () => {
    const database = new DatabaseSync(':memory:');
    database.exec("CREATE VIRTUAL TABLE found USING fts5(terms, tokenize = 'ascii')");
    database.exec("CREATE VIRTUAL TABLE words USING fts5vocab('found', 'row')");
    const insert = database.prepare('INSERT INTO found VALUES (?)');
    const read = database.prepare('SELECT term FROM words');
    fc.assert(
      fc.property(asked, ({ fields, records }) => {
        database.exec('DELETE FROM found');
        for (const record of records) {
          const terms = termsOf(record, { fields, hasSearch: true });
          insert.run(terms.join(' '));
          expect(terms.filter((term) => !/^[a-z0-9\u0080-\uffff]+$/.test(term))).toEqual([]);
        }
        const all = new Set(records.flatMap((record) => termsOf(record, { fields, hasSearch: true })));
        expect(read.all().map(({ term }) => term)).toEqual(expect.arrayContaining([...all]));
        expect(read.all()).toHaveLength(all.size);
      }),
      { numRuns: RUNS },
    );
    database.close();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILTERS } from '../../src/register/finding/filters.ts';
import type { PageQuery } from '../../src/register/page.ts';
import {
  canonicalQuery,
  checkLimit,
  checkOffset,
  pageParameters,
  parsePageQuery,
  resolveAsOf,
} from '../../src/register/query.ts';
import { nonEmptyTexts, RUNS, texts } from '../properties/arbitraries.ts';

const parse = (query: string): PageQuery => parsePageQuery(new URLSearchParams(query), { defaultLimit: 100 });
const KNOWN = `there are limit, offset, as_of, at, fields, ${FILTERS.map(({ name }) => name).join(', ')}, data.NAME of own fields`;
const MOMENT_WORDS = 'q does not go with at: the words of a register are indexed as of today';
const refusal = (parameter: string, message: string): unknown =>
  expect.objectContaining({ code: 'invalid_parameter', message, details: { parameter } });

describe('parsePageQuery', () => {
  it('takes the default limit of the surface', () => {
    expect(parsePageQuery(new URLSearchParams(), { defaultLimit: 50 }).limit).toBe(50);
  });

  it.each([
    ['limt=5', 'limt', 'unknown parameter "limt": did you mean limit?'],
    ['Limit=5', 'Limit', 'unknown parameter "Limit": did you mean limit?'],
    ['document-type=x', 'document-type', 'unknown parameter "document-type": did you mean document_type?'],
    ['limit=5&type=x', 'type', 'unknown parameter "type": did you mean document_type?'],
    ['utm_source=x&limit=0', 'utm_source', `unknown parameter "utm_source": ${KNOWN}`],
    ['=', '', `unknown parameter "": ${KNOWN}`],
    ['x'.repeat(400), `${'x'.repeat(60)}…`, `unknown parameter "${'x'.repeat(60)}…": ${KNOWN}`],
  ])('refuses "%s", which it does not know, and names the nearest', (query, parameter, message) => {
    const error = { code: 'unknown_parameter', message, details: { parameter } };
    expect(() => parse(query)).toThrow(expect.objectContaining(error) as Error);
  });

  it('accepts a whole number from 1 to 100 as a limit and nothing else', () => {
    const values = fc.oneof(fc.integer({ min: -5, max: 110 }).map(String), texts(2), fc.double().map(String));
    fc.assert(
      fc.property(values, (value) => {
        const parameters = new URLSearchParams({ limit: value });
        if (/^(?:[1-9]\d?|100)$/.test(parameters.get('limit')!)) {
          expect(parsePageQuery(parameters, { defaultLimit: 50 }).limit).toBe(Number(value));
        } else {
          expect(() => parsePageQuery(parameters, { defaultLimit: 50 })).toThrow(/^limit must be /);
        }
      }),
      { numRuns: RUNS * 2 },
    );
  });
});

describe('pageParameters', () => {
  const values = nonEmptyTexts().map((text) => text.toWellFormed());
  const lists = fc.uniqueArray(values, { minLength: 1, maxLength: 3 }).map((list) => list.toSorted());
  const queries: fc.Arbitrary<PageQuery> = fc.record(
    {
      limit: fc.integer({ min: 1, max: 100 }),
      offset: fc.maxSafeNat(),
      // A text of digits comes back as a number: see AsOf.
      asOf: fc.oneof(
        fc.nat(),
        values.filter((text) => !/^\d+$/.test(text)),
        fc.constant('2026-05-02T10:00:00+02:00'),
      ),
      filter: fc.oneof(
        fc.record({ document_type: lists }),
        fc.record({ facility_id: lists }),
        fc.record({ document_type: lists, 'data.country': lists }),
      ),
    },
    { requiredKeys: ['limit', 'offset'] },
  );

  it('asks for the same page again, through a URL and back', () => {
    fc.assert(
      fc.property(queries, (query) => {
        const url = new URL(`https://example.org/export.csv?${pageParameters(query).toString()}`);
        expect(parsePageQuery(url.searchParams, { defaultLimit: 1 })).toEqual(query);
      }),
      { numRuns: RUNS },
    );
  });

  it('asks for a moment by a parameter of its own', () => {
    const asOf = '2026-05-02T00:00:00Z';
    expect(pageParameters({ limit: 5, offset: 0, asOf }).toString()).toBe(
      'limit=5&offset=0&at=2026-05-02T00%3A00%3A00Z',
    );
    expect(parse('at=2026-05-02')).toEqual({ limit: 100, offset: 0, asOf });
    const wrong = (query: string, parameter: string): void => {
      const error = expect.objectContaining({ code: 'invalid_parameter', details: { parameter } }) as Error;
      expect(() => parse(query)).toThrow(error);
    };
    wrong('at=2026-05-02&as_of=3', 'at');
    wrong('at=2026-02-30', 'at');
    wrong('at=noon', 'at');
    expect(() => canonicalQuery({ asOf, filter: { q: 'word' } }, [])).toThrow(refusal('q', MOMENT_WORDS));
  });

  it('writes what is asked for and nothing else', () => {
    expect(pageParameters({ limit: 50, offset: 100 }).toString()).toBe('limit=50&offset=100');
    expect(
      pageParameters({
        limit: 5,
        offset: 0,
        asOf: 0,
        filter: { document_type: 'a&b', facility_id: 'FAC 1' },
      }).toString(),
    ).toBe('limit=5&offset=0&as_of=0&document_type=a%26b&facility_id=FAC+1');
  });
});

describe('checks of numbers that come from code', () => {
  it.each([1, 50, 100])('take %d as a limit', (limit) => {
    expect(checkLimit(limit)).toBe(limit);
  });

  it.each([0, -1, 101, 1.5, NaN, Infinity])('refuse %d as a limit', (limit) => {
    expect(() => checkLimit(limit)).toThrow(refusal('limit', `limit must be 1..100, got ${limit}`));
  });

  it.each([0, 1, Number.MAX_SAFE_INTEGER])('take %d as an offset', (offset) => {
    expect(checkOffset(offset)).toBe(offset);
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])('refuse %d as an offset', (offset) => {
    expect(() => checkOffset(offset)).toThrow(/^offset must be a whole number from 0, got /);
  });

  it('refuse what is no number at all', () => {
    for (const value of ['5', null, undefined, {}, 5n]) {
      expect(() => checkLimit(value as number)).toThrow(
        expect.objectContaining({ code: 'invalid_parameter' }) as Error,
      );
      expect(() => checkOffset(value as number)).toThrow(
        expect.objectContaining({ code: 'invalid_parameter' }) as Error,
      );
    }
  });
});

describe('resolveAsOf', () => {
  it('is the top when no view is asked for', () => {
    expect(resolveAsOf(undefined, 7)).toBe(7);
  });

  it.each([0, 3, 7])('is the view asked for: %d', (asOf) => {
    expect(resolveAsOf(asOf, 7)).toBe(asOf);
  });

  it.each([
    [8, 'as_of must be 0..7, got 8'],
    [-1, 'as_of must be 0..7, got -1'],
    [1.5, 'as_of must be 0..7, got 1.5'],
    ['abc', 'as_of must be 0..7, got "abc"'],
    ['3', 'as_of must be 0..7, got "3"'],
  ])('refuses %j, which the register of 7 has never been', (asOf, message) => {
    expect(() => resolveAsOf(asOf, 7)).toThrow(refusal('as_of', message));
  });
});

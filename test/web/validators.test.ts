import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  entityTag,
  evaluatePreconditions,
  lastModified,
  type Precondition,
  registerModified,
} from '../../src/web/validators.ts';
import { tries } from '../effort.ts';

const ETAG = '"abc"';
// 2026-04-17T00:00:00Z
const MODIFIED = 1_776_384_000;
const AT = 'Fri, 17 Apr 2026 00:00:00 GMT';
const BEFORE = 'Thu, 16 Apr 2026 23:59:59 GMT';
const AFTER = 'Fri, 17 Apr 2026 00:00:01 GMT';

const TABLE: readonly (readonly [string, Record<string, string>, Precondition])[] = [
  ['no precondition', {}, 'proceed'],
  ['If-None-Match with the tag', { 'if-none-match': '"abc"' }, 'not_modified'],
  ['If-None-Match with the weak tag', { 'if-none-match': 'W/"abc"' }, 'not_modified'],
  ['If-None-Match with another tag', { 'if-none-match': '"abd"' }, 'proceed'],
  ['If-None-Match with a list that holds the tag', { 'if-none-match': '"x", W/"abc" ,"y"' }, 'not_modified'],
  ['If-None-Match with a list whose tags hold commas', { 'if-none-match': '"a,b","abc,"' }, 'proceed'],
  ['If-None-Match: *', { 'if-none-match': '*' }, 'not_modified'],
  ['If-None-Match with the tag a gzipping proxy made', { 'if-none-match': '"abc-gzip"' }, 'not_modified'],
  ['If-None-Match with the tag a compressing proxy made', { 'if-none-match': 'W/"abc;br"' }, 'not_modified'],
  ['If-None-Match without quotes', { 'if-none-match': 'abc' }, 'proceed'],
  ['If-None-Match before If-Modified-Since', { 'if-none-match': '"x"', 'if-modified-since': AFTER }, 'proceed'],
  ['If-Modified-Since the last change', { 'if-modified-since': AT }, 'not_modified'],
  ['If-Modified-Since later, which no answer said', { 'if-modified-since': AFTER }, 'proceed'],
  ['If-Modified-Since earlier', { 'if-modified-since': BEFORE }, 'proceed'],
  ['If-Modified-Since that is no date', { 'if-modified-since': '2026-04-17' }, 'proceed'],
  ['If-Match with the tag', { 'if-match': '"abc"' }, 'proceed'],
  ['If-Match: *', { 'if-match': '*' }, 'proceed'],
  ['If-Match with the weak tag', { 'if-match': 'W/"abc"' }, 'failed'],
  ['If-Match with another tag', { 'if-match': '"x", "y"' }, 'failed'],
  ['If-Match before If-None-Match', { 'if-match': '"x"', 'if-none-match': '"abc"' }, 'failed'],
  ['If-Match that holds, then If-None-Match', { 'if-match': '"abc"', 'if-none-match': '"abc"' }, 'not_modified'],
  ['If-Unmodified-Since earlier', { 'if-unmodified-since': BEFORE }, 'failed'],
  ['If-Unmodified-Since the last change', { 'if-unmodified-since': AT }, 'proceed'],
  ['If-Match before If-Unmodified-Since', { 'if-match': '"abc"', 'if-unmodified-since': BEFORE }, 'proceed'],
];

describe('preconditions (RFC 9110 13.2.2)', () => {
  it.each(TABLE)('%s', (_, headers, outcome) => {
    expect(evaluatePreconditions(new Headers(headers), { etag: ETAG, lastModified: MODIFIED })).toBe(outcome);
  });

  it.each([
    ['Fri, 17 Apr 2026 00:00:00 GMT', 2026],
    ['Friday, 17-Apr-26 00:00:00 GMT', 2026],
    ['Fri Apr 17 00:00:00 2026', 2026],
    ['Sunday, 06-Apr-75 00:00:00 GMT', 2075],
    ['Monday, 06-Apr-76 00:00:00 GMT', 2076],
    ['Wednesday, 06-Apr-77 00:00:00 GMT', 1977],
    ['Sun Nov  6 08:49:37 1994', 1994],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 1994],
  ])('understands the date %s (RFC 9110 5.6.7)', (date, year) => {
    const { groups } = /(?<month>Apr|Nov)/.exec(date)!;
    const exact = { Apr: Date.UTC(year, 3, date.includes('17') ? 17 : 6), Nov: Date.UTC(year, 10, 6, 8, 49, 37) };
    const modified = exact[groups!.month as 'Apr' | 'Nov'] / 1000;
    const now = (): number => Date.parse('2026-11-20T12:00:00Z');
    const outcome = (lastModified: number): Precondition =>
      evaluatePreconditions(new Headers({ 'if-modified-since': date }), { etag: ETAG, lastModified }, now);
    expect([outcome(modified), outcome(modified + 1)]).toEqual(['not_modified', 'proceed']);
  });

  it('ignores dates when it knows no honest one', () => {
    for (const name of ['if-modified-since', 'if-unmodified-since']) {
      const headers = new Headers({ [name]: BEFORE });
      expect(evaluatePreconditions(headers, { etag: ETAG, lastModified: null })).toBe('proceed');
    }
  });

  it('does not go by a date that decides nothing', () => {
    const headers = new Headers({ 'if-modified-since': AT });
    const validators = { etag: ETAG, lastModified: MODIFIED, isDateDecisive: false };
    expect(evaluatePreconditions(headers, validators)).toBe('proceed');
  });

  it('answers any header value without failing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((c) => String.fromCharCode(c)) }),
        (text) => {
          const headers = new Headers({ 'if-none-match': text, 'if-match': text, 'if-modified-since': text });
          expect(['proceed', 'not_modified', 'failed']).toContain(
            evaluatePreconditions(headers, { etag: ETAG, lastModified: MODIFIED }),
          );
        },
      ),
      { numRuns: tries(250) },
    );
  });
});

describe('an entity tag', () => {
  it('is quoted, and made of characters that need no escape', () => {
    expect(entityTag('a')).toMatch(/^"[A-Za-z0-9_-]{22}"$/);
  });

  it('tells parts apart wherever they are cut', () => {
    expect(entityTag('ab', 'c')).not.toBe(entityTag('a', 'bc'));
    expect(entityTag('ab')).not.toBe(entityTag('ab', ''));
  });
});

describe('Last-Modified', () => {
  it('is not said before the change is more than two seconds old', () => {
    expect(lastModified(10_999, 12_999)).toBeNull();
    expect(lastModified(10_999, 13_000)).toBe(10);
    expect(lastModified(99_000, 10_000), 'a change ahead of the clock').toBeNull();
  });

  it('of a register is not said before both its date and the configuration are settled', () => {
    expect(registerModified(10, 0, 12_999).lastModified).toBeNull();
    expect(registerModified(10, 0, 13_000).lastModified).toBe(10);
    expect(registerModified(10, 99_000, 101_000).lastModified).toBeNull();
    expect(registerModified(10, 99_000, 102_000).lastModified).toBe(10);
    expect(registerModified(null, 0, 99_000).lastModified).toBeNull();
  });

  it.each([
    [10, 9999, true],
    [10, 10_000, false],
    [10, 11_000, false],
    [null, 0, false],
  ])('%s of a register, served since %s ms, decides: %s', (date, configuredAtMs, decides) => {
    expect(registerModified(date, configuredAtMs, 99_000).isDateDecisive).toBe(decides);
  });

  it('is not said when nobody knows it', () => {
    expect(lastModified(null, 1e12)).toBeNull();
    expect(lastModified(NaN, 1e12)).toBeNull();
  });
});

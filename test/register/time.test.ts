import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDate, isDateTime, TIME_PATTERNS, toDateTime, toEpochMs } from '../../src/register/time.ts';
import { dates, dateTimes, RUNS } from '../properties/arbitraries.ts';

describe('dates and date-times', () => {
  it('are told apart: no text is both', () => {
    fc.assert(
      fc.property(fc.oneof(dates(), dateTimes()), (text) => {
        expect([isDate(text), isDateTime(text)].filter(Boolean)).toHaveLength(1);
      }),
      { numRuns: RUNS },
    );
  });

  it('agree with the calendar of the language on every day of a century', () => {
    for (let time = Date.UTC(1896, 0, 1); time < Date.UTC(2004, 0, 1); time += 86_400_000) {
      expect(isDate(new Date(time).toISOString().slice(0, 10))).toBe(true);
    }
    for (let year = 1896; year < 2004; year++) {
      const leap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
      expect(isDate(`${year}-02-29`), String(year)).toBe(leap);
    }
  });

  it('become a time where one is demanded: midnight UTC for a date, itself for a date-time', () => {
    expect(toDateTime('2026-04-17')).toBe('2026-04-17T00:00:00Z');
    expect(toDateTime('2026-04-17T08:12:44.5+02:00')).toBe('2026-04-17T08:12:44.5+02:00');
    fc.assert(
      fc.property(fc.oneof(dates(), dateTimes()), (text) => {
        expect(isDateTime(toDateTime(text))).toBe(true);
        expect(toEpochMs(toDateTime(text))).toBe(toEpochMs(text));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('toEpochMs', () => {
  it('is a number for everything that is a date or a date-time', () => {
    fc.assert(
      fc.property(fc.oneof(dates(), dateTimes()), (text) => {
        expect(toEpochMs(text)).not.toBeNaN();
      }),
      { numRuns: RUNS },
    );
  });
});

it('the pattern for schemas takes what is a date-time, and besides only days that a month does not have', () => {
  const two = (number: number): string => String(number).padStart(2, '0');
  const upTo = (end: number): string[] => Array.from({ length: end + 1 }, (_, number) => two(number));
  const cases = [
    ...['0000', '0001', '9999', '999', '20260'].map((year) => `${year}-01-01T00:00:00Z`),
    ...upTo(13).flatMap((month) => upTo(32).map((day) => `2026-${month}-${day}T00:00:00Z`)),
    ...upTo(61)
      .flatMap((part) => [`${part}:00:00`, `00:${part}:00`, `00:00:${part}`])
      .map((time) => `2026-01-01T${time}Z`),
    ...upTo(15)
      .flatMap((hour) => upTo(60).flatMap((minute) => [`+${hour}:${minute}`, `-${hour}:${minute}`]))
      .map((end) => `2026-01-01T00:00:00${end}`),
    ...['', 'z', '.Z', '.1Z', '.123456789Z', '.1234567890Z', 'ZZ', '+1:00', '+01', '+0100'].map(
      (end) => `2026-01-01T00:00:00${end}`,
    ),
    ...[
      '2026-01-01t00:00:00Z',
      '2026-01-01 00:00:00Z',
      '2026-01-01T00:00Z',
      '2026-1-01T00:00:00Z',
      ' 2026-01-01T00:00:00Z',
    ],
  ];
  const differing = cases.filter((text) => TIME_PATTERNS.dateTime.test(text) !== isDateTime(text));
  expect(differing).toEqual(
    ['02-29', '02-30', '02-31', '04-31', '06-31', '09-31', '11-31'].map((day) => `2026-${day}T00:00:00Z`),
  );
});

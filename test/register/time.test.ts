import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDate, isDateTime, TIME_PATTERNS, toDateTime, toEpochMs } from '../../src/register/time.ts';
import { dates, dateTimes, RUNS } from '../properties/arbitraries.ts';

describe('isDate', () => {
  it.each(['2026-04-17', '0001-01-01', '9999-12-31', '2024-02-29', '2000-02-29', '1600-02-29', '2026-11-30'])(
    'accepts %s',
    (text) => {
      expect(isDate(text)).toBe(true);
    },
  );

  it.each([
    ['year zero, which XML Schema 1.0 does not have', '0000-01-01'],
    ['a leap day in a common year', '2026-02-29'],
    ['a leap day in a century that has none', '1900-02-29'],
    ['month 13', '2026-13-01'],
    ['month 0', '2026-00-01'],
    ['day 0', '2026-01-00'],
    ['31 April', '2026-04-31'],
    ['day 32', '2026-01-32'],
    ['five digits of a year', '12026-01-01'],
    ['a sign', '-2026-01-01'],
    ['missing zeros', '2026-4-7'],
    ['another order', '17.04.2026'],
    ['slashes', '2026/04/17'],
    ['a time', '2026-04-17T00:00:00Z'],
    ['a month alone', '2026-04'],
    ['white space', ' 2026-04-17'],
    ['a line feed at the end', '2026-04-17\n'],
    ['digits of another script', '２０２６-04-17'],
    ['nothing', ''],
  ])('refuses %s', (_, text) => {
    expect(isDate(text)).toBe(false);
  });
});

describe('isDateTime', () => {
  it.each([
    '2026-04-17T08:12:44Z',
    '2026-04-17T00:00:00Z',
    '2026-04-17T23:59:59.999999999Z',
    '2026-04-17T08:12:44.1+02:00',
    '2026-04-17T08:12:44+14:00',
    '2026-04-17T08:12:44-14:00',
    '2026-04-17T08:12:44-00:00',
    '2026-04-17T08:12:44+05:45',
    '0001-01-01T00:00:00Z',
  ])('accepts %s', (text) => {
    expect(isDateTime(text)).toBe(true);
  });

  it.each([
    ['a date alone', '2026-04-17'],
    ['no offset', '2026-04-17T08:12:44'],
    ['no seconds', '2026-04-17T08:12Z'],
    ['hour 24', '2026-04-17T24:00:00Z'],
    ['minute 60', '2026-04-17T08:60:00Z'],
    ['a leap second, which neither XML Schema nor a spreadsheet carries', '2016-12-31T23:59:60Z'],
    ['a space for T', '2026-04-17 08:12:44Z'],
    ['a small t', '2026-04-17t08:12:44Z'],
    ['a small z', '2026-04-17T08:12:44z'],
    ['an offset beyond fourteen hours', '2026-04-17T08:12:44+14:01'],
    ['an offset with minute 60', '2026-04-17T08:12:44+01:60'],
    ['an offset without a colon', '2026-04-17T08:12:44+0200'],
    ['an offset of hours alone', '2026-04-17T08:12:44+02'],
    ['ten digits of a fraction', '2026-04-17T08:12:44.0123456789Z'],
    ['a fraction without digits', '2026-04-17T08:12:44.Z'],
    ['a comma in the fraction', '2026-04-17T08:12:44,5Z'],
    ['an impossible day', '2026-02-30T08:12:44Z'],
    ['something after the offset', '2026-04-17T08:12:44Z '],
  ])('refuses %s', (_, text) => {
    expect(isDateTime(text)).toBe(false);
  });
});

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
  it.each([
    ['1970-01-01', 0],
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01T01:00:00+01:00', 0],
    ['1969-12-31T23:59:59.5Z', -500],
    ['2026-04-17T08:12:44.123456789Z', Date.UTC(2026, 3, 17, 8, 12, 44, 123)],
    ['0001-01-01', -62_135_596_800_000],
    ['9999-12-31T23:59:59-14:00', Date.UTC(10_000, 0, 1, 13, 59, 59)],
  ])('counts %s as %d', (text, expected) => {
    expect(toEpochMs(text)).toBe(expected);
  });

  it.each(['', 'today', '2026', '2026-02-30', '2026-04-17T08:12:44', 'April 17, 2026', '1'])(
    'knows no time for %j, whatever Date.parse makes of it',
    (text) => {
      expect(toEpochMs(text)).toBeNaN();
    },
  );

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

// What becomes of what is given, and what is told from what: every rule in full, at the function that has it.
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { compileDateFormat, parseDate } from '../../src/import/mapping/parse-date.ts';
import { parseDecimal } from '../../src/import/mapping/parse-decimal.ts';
import { parseMapping, readSource } from '../../src/import/mapping/mapping.ts';
import { decimalOf, isDecimal, isHeldByDouble, isSameNumber, significantDigits } from '../../src/register/decimal.ts';
import { decodeKey, encodeKey, recordKey } from '../../src/register/identity.ts';
import { parsePageQuery } from '../../src/register/query.ts';
import { isDate, isDateTime, toEpochMs } from '../../src/register/time.ts';
import { isHttpUrl, toUri } from '../../src/register/url.ts';
import { cookieIn } from '../../src/web/cookies.ts';
import { linkTarget } from '../../src/web/link-header.ts';
import { retryAfterMs } from '../../src/webhooks/send/schedule.ts';
import { SAID, toSampleRecord } from './record.ts';
import { rowsOf } from './rows.ts';

/** What is given, what becomes of it, and what is remarkable in it. */
type Row = readonly [given: never[], expected: unknown, remark?: string];

const DOORS: Readonly<Record<string, (...given: never[]) => unknown>> = {
  ...{ isDate, isDateTime, toEpochMs, isHttpUrl, toUri, recordKey, encodeKey, decodeKey, parseDecimal },
  ...{ isHeldByDouble, significantDigits },
  decimalOf(value: unknown) {
    const decimal = decimalOf(value);
    return decimal === null || isDecimal(decimal) ? decimal : `${decimal}, which is none`;
  },
  isSameNumber: (one: string, other: string) =>
    isSameNumber(one, other) === isSameNumber(other, one) ? isSameNumber(one, other) : 'only one way',
  parsePageQuery: (query: string) => parsePageQuery(new URLSearchParams(query), { defaultLimit: 100 }),
  toRecord: (name: string, value: unknown) => toSampleRecord({ ...SAID, data: { [name]: value } }).data[name],
  parseDate: (format: string, text: string) => parseDate(compileDateFormat(format), text),
  readSource: (expression: string, record: never) => readSource(parseMapping([expression])[0]!, record, 'line 1'),
  linkTarget: (header: string | null) => linkTarget(header, 'next'),
  cookieIn: (header: string) => cookieIn(header, 'gazette'),
  retryAfterMs: (header: string | undefined) => retryAfterMs(header, Date.parse('2026-05-01T00:00:00Z')),
};

const ROWS = rowsOf<Row>('conversions.ndjson');

it('every row has a door, and every door a row', () => {
  expect([...ROWS.keys()].toSorted()).toEqual(Object.keys(DOORS).toSorted());
});

describe.each(Object.entries(DOORS))('%s', (name, open) => {
  it.each(ROWS.get(name)!.map(([given, ...rest]) => [titleOf(given, ...rest), given, rest[0]] as const))(
    '%s',
    (_, given, expected) => {
      expect(open(...given)).toEqual(expected);
    },
  );
});

function titleOf(given: readonly unknown[], expected: unknown, remark?: string): string {
  const [of, becomes] = [given, [expected]].map((all) => inspect(all, { maxStringLength: 80, breakLength: Infinity }).slice(2, -2)); // prettier-ignore
  return `makes of ${of} ${becomes}${remark === undefined ? '' : `: ${remark}`}`;
}

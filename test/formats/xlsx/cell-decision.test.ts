import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCell, toSerial } from '../../../src/formats/xlsx/cell-decision.ts';
import { cutText } from '../../../src/formats/xlsx/cut-text.ts';
import { columnLetters } from '../../../src/formats/xlsx/cell-xml.ts';
import { linkTarget } from '../../../src/formats/xlsx/links.ts';
import { RecordRows } from '../../../src/formats/xlsx/rows.ts';
import { SAMPLE_DEFINITION } from '../../contracts/sample-register.ts';
import { dates, dateTimes, RUNS, texts } from '../../properties/arbitraries.ts';

describe('serials', () => {
  it.each([
    ['1900-03-01', 61],
    ['2000-02-29', 36_585],
    ['2026-04-17', 46_129],
    ['9999-12-31', 2_958_465],
    ['2026-04-17T00:00:00Z', 46_129],
    ['2026-04-17T12:00:00Z', 46_129.5],
    ['2026-04-17T06:00:00.000Z', 46_129.25],
    ['2026-04-17T12:00:00+12:00', NaN],
    ['2026-04-17T12:00:00+00:00', NaN],
    ['2026-04-17T06:00:00.0Z', NaN],
    ['2026-04-17T06:00:00.000000Z', NaN],
    ['1900-02-28', NaN],
    ['1900-02-29', NaN],
    ['1900-02-28T23:59:59.999Z', NaN],
    ['2026-02-30', NaN],
    ['2026-04-17T24:00:00Z', NaN],
    ['2026-04-17T12:00:00.0001Z', NaN],
    ['2026-04-17 12:00:00Z', NaN],
    ['20260417', NaN],
    ['', NaN],
  ])('%s is %d', (text, serial) => {
    expect(toSerial(text)).toBe(serial);
  });

  it('are those of every date, and of every date-time in UTC to the second or millisecond', () => {
    fc.assert(
      fc.property(fc.oneof(dates(), dateTimes()), (text) => {
        const serial = toSerial(text);
        const ms = Date.parse(text);
        const isHeld = ms >= Date.UTC(1900, 2, 1) && /^[^T]*(?:T[^.+-]*(?:\.\d{3})?Z)?$/.test(text);
        expect(Number.isNaN(serial)).toBe(!isHeld);
        if (isHeld) expect(Math.round((serial - 25_569) * 86_400_000)).toBe(ms);
      }),
      { numRuns: 5 * RUNS },
    );
  });
});

describe('the kind of a cell', () => {
  it.each([
    ['text', 'x', { kind: 'text', text: 'x' }],
    ['text', '', { kind: 'text', text: '' }],
    ['text', '2026-04-17', { kind: 'text', text: '2026-04-17' }],
    ['url', '12', { kind: 'text', text: '12' }],
    ['date', '2026-04-17', { kind: 'time', serial: 46_129, style: 'date' }],
    ['datetime', '2026-04-17', { kind: 'time', serial: 46_129, style: 'date' }],
    ['datetime', '2026-04-17T12:00:00Z', { kind: 'time', serial: 46_129.5, style: 'datetime' }],
    ['datetime', '2026-04-17T12:00:00.000Z', { kind: 'time', serial: 46_129.5, style: 'datetime_ms' }],
    ['datetime', '2026-04-17T12:00:00+00:00', { kind: 'instead', text: '2026-04-17T12:00:00+00:00' }],
    ['datetime', '2026-04-17T12:00:00.0Z', { kind: 'instead', text: '2026-04-17T12:00:00.0Z' }],
    ['date', 'in spring', { kind: 'instead', text: 'in spring' }],
    ['integer', 5, { kind: 'number', value: 5 }],
    ['integer', '999999999999999', { kind: 'number', value: 999_999_999_999_999 }],
    ['integer', '-999999999999999', { kind: 'number', value: -999_999_999_999_999 }],
    ['integer', '1000000000000000', { kind: 'instead', text: '1000000000000000' }],
    ['integer', 1e15, { kind: 'instead', text: '1000000000000000' }],
    ['integer', '007', { kind: 'text', text: '007' }],
    ['decimal', '12.50', { kind: 'number', value: 12.5 }],
    ['decimal', '-0.000123456789012345', { kind: 'number', value: -0.000123456789012345 }],
    ['decimal', '1234567890123450000', { kind: 'number', value: 1_234_567_890_123_450_000 }],
    ['decimal', '12345678901234567.89', { kind: 'instead', text: '12345678901234567.89' }],
    ['decimal', `1${'0'.repeat(400)}`, { kind: 'instead', text: `1${'0'.repeat(400)}` }],
    ['decimal', 'much', { kind: 'text', text: 'much' }],
    ['number', 1e15, { kind: 'number', value: 1e15 }],
    ['number', 1_234_567_890_123_456, { kind: 'instead', text: '1234567890123456' }],
    ['number', 0.1 + 0.2, { kind: 'number', value: 0.1 + 0.2 }],
    ['number', NaN, { kind: 'instead', text: 'NaN' }],
    ['number', -Infinity, { kind: 'instead', text: '-Infinity' }],
    ['text', 5, { kind: 'number', value: 5 }],
    ['boolean', false, { kind: 'boolean', value: false }],
    ['boolean', null, null],
  ] as const)('of a %s %j is %j', (type, value, cell) => {
    expect(decideCell(type, value)).toEqual(cell);
  });
});

describe('a text that is too long', () => {
  it('keeps its start and its characters whole', () => {
    fc.assert(
      fc.property(texts(3), fc.nat(70), texts(3), (start, length, end) => {
        const text = start + '\u{1f600}'.repeat((32_720 + length) / 2) + end;
        const cut = cutText(text);
        if (text.length <= 32_767) expect(cut).toBe(text);
        else {
          expect(cut.length).toBeGreaterThanOrEqual(32_766);
          expect(cut.length).toBeLessThanOrEqual(32_767);
          expect(cut.endsWith(' […]')).toBe(true);
          expect(text.startsWith(cut.slice(0, -4))).toBe(true);
          if (text.isWellFormed()) expect(cut.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('columns', () => {
  it.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ])('%i is %s', (index, letters) => {
    expect(columnLetters(index)).toBe(letters);
  });

  it('has the links in K', () => {
    const definition = SAMPLE_DEFINITION;
    expect(columnLetters(new RecordRows({ definition }, undefined).linkColumn)).toBe('K');
    expect(new RecordRows({ definition, fields: ['id', 'source_url'] }, undefined).linkColumn).toBe(1);
  });
});

describe('the target of a link', () => {
  it.each([
    ['https://example.org/a?b=1&c=[2]#d~e', 'https://example.org/a?b=1&c=%5B2%5D#d~e'],
    ['https://blåbær.example/a', 'https://xn--blbr-roah.example/a'],
    ['https://example.org/100%', 'https://example.org/100%25'],
    ['http://[::1]:8080/x', 'http://[::1]:8080/x'],
    ['https://a..b/', null],
    ['https://_a.example/', null],
    [`https://${'x'.repeat(64)}.example/`, null],
    ['https://example.org:99999/', null],
    ['https://example.org/é', 'https://example.org/%C3%A9'],
    ['https://example.org/\u{1f600}%20', 'https://example.org/%F0%9F%98%80%20'],
    ['https://example.org/a b', null],
    ['https://example.org/"', null],
    ['https://example.org/\ud800', null],
    ['javascript:alert(1)', null],
    ['/relative', null],
    ['https://', null],
    ['', null],
    [`https://example.org/${'x'.repeat(2060)}`, `https://example.org/${'x'.repeat(2060)}`],
    [`https://example.org/${'x'.repeat(2061)}`, null],
    [`https://example.org/${'é'.repeat(400)}`, null],
  ])('of %s is %s', (url, target) => {
    expect(linkTarget(url)).toBe(target);
  });
});

// Amounts and dates as people on the continent write them.
import { describe, expect, it } from 'vitest';
import { compileDateFormat, parseDate } from '../../../src/import/mapping/parse-date.ts';
import { parseDecimal } from '../../../src/import/mapping/parse-decimal.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { source } from '../sources.ts';

describe('an amount with a decimal comma', () => {
  it.each([
    ['1,5', '1.5'],
    ['-1.234,56', '-1234.56'],
    ['\u22121,5', '-1.5'],
    ['+7', '7'],
    ['0,10', '0.10'],
    ['1.234', '1234'],
    ['1.234.567', '1234567'],
    ['1 234,5', '1234.5'],
    ['1\u202f234\u202f567,5', '1234567.5'],
    ["12'345,00", '12345.00'],
    ['1234567,891', '1234567.891'],
    ['12345678901234567,8901234567890', '12345678901234567.8901234567890'],
    [' 3,0 ', '3.0'],
  ])('%s', (text, expected) => {
    expect(parseDecimal(text)).toBe(expected);
  });

  it.each([
    '',
    '-',
    '1.5',
    '1.23',
    '01,5',
    '1,',
    ',5',
    '1.234,5.6',
    '1.234 567',
    '1,5 €',
    '1,2,3',
    '1e5',
    '1.2345',
    '12.34.567',
  ])('is not %j', (text) => {
    expect(parseDecimal(text)).toBeNull();
  });
});

describe('a date in a form', () => {
  it.each([
    ['DD.MM.YYYY', '17.04.2026', '2026-04-17'],
    ['DD.MM.YYYY', '7.4.2026', '2026-04-07'],
    ['DD.MM.YYYY', '17.04.2026 8:12', '2026-04-17T08:12:00Z'],
    ['DD.MM.YYYY HH:mm', '17.04.2026 08:12:44', '2026-04-17T08:12:44Z'],
    ['DD.MM.YYYY HH:mm:ss', '17.04.2026', '2026-04-17'],
    ['DD.MM.YYYY', '17.04.2026, 08:12', '2026-04-17T08:12:00Z'],
    ['MM/DD/YYYY', '04/05/2026', '2026-04-05'],
    ['DD/MM/YYYY', '04/05/2026', '2026-05-04'],
    ['YYYY/MM/DD', '2026/04/17', '2026-04-17'],
    ['YYYYMMDD', '20260417', '2026-04-17'],
    ['D. M. YYYY', '7. 4. 2026', '2026-04-07'],
    ['DD.MM.YY', '17.04.68', '2068-04-17'],
    ['DD.MM.YY', '17.04.69', '1969-04-17'],
    ['DD-MM-YYYY', '29-02-2024', '2024-02-29'],
  ])('%s: %s', (format, text, expected) => {
    expect(parseDate(compileDateFormat(format), text)).toBe(expected);
  });

  it.each([
    ['DD.MM.YYYY', '31.02.2026'],
    ['DD.MM.YYYY', '17/04/2026'],
    ['DD.MM.YYYY', '17.04.26'],
    ['DD.MM.YYYY', '04.17.2026'],
    ['DD.MM.YYYY', '17.04.2026 25:00'],
    ['DD.MM.YYYY', 'am 17.04.2026'],
    ['YYYYMMDD', '2026417'],
  ])('%s: not %s', (format, text) => {
    expect(parseDate(compileDateFormat(format), text)).toBeNull();
  });

  it.each(['', 'DD.MM', 'DD.DD.YYYY', 'DD.MM.YYY', 'TT.MM.JJJJ', 'DD.MM.YYYY hh', '%d.%m.%Y', 'DDMMYYYY'])(
    'is not said as %j',
    (format) => {
      expect(() => compileDateFormat(format)).toThrow(
        expect.objectContaining({ code: 'invalid_option', details: { option: 'date_format' } }),
      );
    },
  );
});

describe('the forms of a file', () => {
  const definition = defineRegister({
    id: 'r',
    title: 'R',
    created_at: '2026-01-01T00:00:00Z',
    fields: [
      { name: 'amount', type: 'number' },
      { name: 'year', type: 'integer' },
      { name: 'exact', type: 'decimal' },
      { name: 'day', type: 'date' },
      { name: 'note', type: 'text' },
    ],
  });
  const head = 'id;title;source_url;Datum;seen;amount;year;day;note;exact';
  const read = async (row: string, forms = { decimalComma: true, dateFormat: 'DD.MM.YYYY' }): Promise<unknown> => {
    const stream = await openRecordStream(csvReader(source(`${head}\n${row}\n`)), {
      definition,
      ...forms,
      mapping: parseMapping(['published_at=Datum,observed_at=seen']),
    });
    for await (const { records } of stream.pages()) return records[0];
    return null;
  };

  it('are read in core dates and in fields of numbers and dates, and nowhere else', async () => {
    expect(
      await read(
        '7;T;https://example.org/;17.04.2026;1.5.2026 08:00;1.234,56;2.026;3.4.2026;1,5;12.345.678.901.234.567,890',
      ),
    ).toMatchObject({
      published_at: '2026-04-17',
      observed_at: '2026-05-01T08:00:00Z',
      data: { amount: 1234.56, year: 2026, day: '2026-04-03', note: '1,5', exact: '12345678901234567.890' },
    });
  });

  it('do not stop dates in gazette’s own form, but amounts: what would 1.234 be?', async () => {
    const row = '7;T;https://example.org/;2026-04-17;2026-05-01T08:00:00+02:00;12,5;2026;2026-04-03;x;1';
    expect(await read(row)).toMatchObject({
      published_at: '2026-04-17',
      observed_at: '2026-05-01T08:00:00+02:00',
      data: { amount: 12.5, year: 2026, day: '2026-04-03' },
    });
    await expect(read(row.replace('12,5', '12.5'))).rejects.toMatchObject({
      code: 'invalid_record',
      details: { field: 'data.amount' },
    });
  });

  it('are refused where they do not fit', async () => {
    const row = '7;T;https://example.org/;17/04/2026;1.5.2026;1;1;3.4.2026;x;1';
    await expect(read(row)).rejects.toMatchObject({
      code: 'invalid_record',
      message: expect.stringContaining('17/04/2026') as string,
    });
    await expect(read(row, { decimalComma: false, dateFormat: 'TT.MM.JJJJ' })).rejects.toMatchObject({
      code: 'invalid_option',
    });
  });
});

// Amounts and dates as people on the continent write them.
import { describe, expect, it } from 'vitest';
import { compileDateFormat } from '../../../src/import/mapping/parse-date.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { source } from '../sources.ts';

describe('a date in a form', () => {
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

// Totals below a table are none of its records: only where a cell says so, or where amounts are the sums of those above.
import ExcelJS from 'exceljs';
import { expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { xlsxReader } from '../../../src/import/readers/xlsx/index.ts';
import { readAll, source } from '../sources.ts';

const csv = (text: string, keepsFaults = true) => csvReader(source(text, 7, 'file.csv'), { keepsFaults });

it.each([
  ['Datum;Zähler A\n01.02.2026 10:00;5\n01.02.2026 11:00;7\nInsgesamt;12\n', 'it says "Insgesamt"'],
  ['id,name,n\n1,A,5\n2,B,7\n,TOTAL:,12\n', 'it says "TOTAL:"'],
  ['město;počet\nPraha;5\nBrno;7\nCelkem;12\n', 'it says "Celkem"'],
  ['都市,数\n焼津,5\n静岡,7\n合計,12\n', 'it says "合計"'],
  ['город;число;доля\nМосква;5;40%\nКазань;7;60%\nИтого;12;100%\n', 'it says "Итого"'],
  ['name,n,m\nA,5,1.5\nB,7,2.5\nC,1,1\n,13,5\n', '"n" is the sum of the rows above'],
  ['name;n\nA;1.005,50\nB;7,25\nC;1,00\n;1.013,75\n', '"n" is the sum of the rows above'],
])('%j ends with a total', async (text, reason) => {
  const records = await readAll(csv(text));
  const { fault, at, value } = records.at(-1)!;
  expect(fault?.message).toBe(`file.csv: line ${at} is a total, not a record: ${reason}; --skip-invalid leaves it out`);
  expect(Object.keys(value as object)).toEqual(Object.keys(records[0]!.value as object));
  expect(records.slice(0, -1).map(({ fault: none }) => none)).toEqual(records.slice(1).map(() => undefined));
  await expect(readAll(csv(text, false))).rejects.toMatchObject({ code: 'invalid_input', message: fault!.message });
});

it.each([
  ['a name that is a word for totals beside other texts', 'brand,city,n\nBP,A,5\nTOTAL,B,7\n'],
  ['what the rows above say, too', 'year,who,n\n2019,Men,5\n2019,Total,7\n2020,Men,1\n2020,Total,3\n'],
  ['an amount that is a sum by chance', 'name,n\nA,5\nB,7\nC,1\nD,13\n'],
  ['a word alone', 'name,n\nA,5\nTotal,\n'],
  ['a sum of two rows, with a cell left out', 'name,n\nA,5\nB,7\n,12\n'],
  ['zeros', 'name,n\nA,0\nB,0\nC,0\n,0\n'],
  ['one record', 'name,n\nTotally,5\n'],
])('%s are no total', async (_, text) => {
  expect((await readAll(csv(text))).filter(({ fault }) => fault !== undefined)).toEqual([]);
});

it('is found in a workbook, and at the end of a long table', async () => {
  const book = new ExcelJS.Workbook();
  book.addWorksheet('S').addRows([
    ['name', 'n'],
    ['A', 5],
    ['B', 7],
    ['Summe', 12],
  ]);
  const bytes = new Uint8Array(await book.xlsx.writeBuffer());
  const records = await readAll(xlsxReader(source(bytes, undefined, 'file.xlsx'), { keepsFaults: true }));
  expect(records.at(-1)!.fault?.message).toContain('file.xlsx: row 4 is a total, not a record: it says "Summe"');
  const lines = Array.from({ length: 5000 }, (_, index) => `a${index},${index}`).join('\n');
  const long = await readAll(
    csvReader(source(`name,n\n${lines}\nTotal,5\n`, undefined, 'file.csv'), { keepsFaults: true }),
  );
  expect(long).toHaveLength(5001);
  expect(long.at(-1)!.fault?.message).toContain('line 5002 is a total');
});

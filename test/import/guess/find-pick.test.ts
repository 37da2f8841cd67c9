// Where the records of a file are found: in which array of a JSON document, in which sheet of a workbook.
import ExcelJS from 'exceljs';
import { expect, it } from 'vitest';
import { findPick, findSheet } from '../../../src/import/guess/find-pick.ts';
import { source } from '../sources.ts';

it.each([
  [{ a: [{}], b: { c: [{}, {}, 1] }, d: [1, 2, 3, 4] }, 'b.c'],
  [{ items: [{ inner: [{}, {}, {}] }] }, 'items'],
  [{ a: { 'b.c': [{}] } }, '/a/b.c'],
  [[{ a: [{}] }], null],
  [{ a: [1, 2], b: 'x' }, null],
  ['text', null],
])('of %j, it is %s', async (document, path) => {
  expect(await findPick(source(JSON.stringify(document)), {})).toBe(path);
});

it('leaves it to the reader to say what is no JSON', async () => {
  expect(await findPick(source('{"a": [{}], }'), {})).toBeNull();
});

async function sheets(...rows: readonly (readonly (readonly unknown[])[])[]): Promise<string | null> {
  const book = new ExcelJS.Workbook();
  rows.forEach((cells, index) => book.addWorksheet(`S${index + 1}`).addRows(cells.map((row) => [...row])));
  return findSheet(source(new Uint8Array(await book.xlsx.writeBuffer())));
}

it('is the fullest sheet; the first one needs no name', async () => {
  const table = [
    ['Nr', 'Name'],
    [1, 'A'],
    [2, 'B'],
  ];
  expect(await sheets([['Cover'], [], ['Office']], table)).toBe('S2');
  expect(await sheets(table, [['Notes'], ['x']])).toBeNull();
  expect(await sheets([['Cover'], ['Published by', 'Office', 2026]], table)).toBe('S2');
  expect(await sheets([['only']])).toBeNull();
});

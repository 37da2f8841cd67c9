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
  expect((await findPick(source(JSON.stringify(document)), {}))?.pick ?? null).toBe(path);
});

it.each([
  [{ title: ' Permits of Exampleton ', items: [{ title: 'One' }] }, 'Permits of Exampleton'],
  [{ type: 'FeatureCollection', features: [{ name: 'One' }], name: 'Shelters' }, 'Shelters'],
  [{ title: { en: 'Permits' }, items: [{ title: 'One' }] }, null],
  [{ title: 'x'.repeat(201), items: [{}] }, null],
])('has the title that the document gives itself: %j', async (document, title) => {
  expect((await findPick(source(JSON.stringify(document)), {}))!.title).toBe(title);
});

it('leaves it to the reader to say what is no JSON', async () => {
  expect(await findPick(source('{"a": [{}], }'), {})).toBeNull();
});

async function sheets(...rows: readonly (readonly (readonly unknown[])[])[]): Promise<string | null> {
  const book = new ExcelJS.Workbook();
  rows.forEach((cells, index) => book.addWorksheet(`S${index + 1}`).addRows(cells.map((row) => [...row])));
  const found = await findSheet(source(new Uint8Array(await book.xlsx.writeBuffer())));
  return found!.isFirst ? null : found!.sheet;
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
  // The part has fuller first rows, the whole has more of them.
  const all = Array.from({ length: 401 }, (_, index) => [index, 'Office', index < 201 ? null : 'a note']);
  const names = ['no', 'unit', 'note'];
  expect(await sheets([names, ...all], [names, ...all.slice(201)])).toBeNull();
  expect(await sheets([names, ...all.slice(201)], [names, ...all])).toBe('S2');
});

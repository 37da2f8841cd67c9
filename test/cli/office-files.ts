// Files as offices have them, for tests of what `gazette init` makes of them.
import ExcelJS from 'exceljs';

/** Semicolons, Windows-1252, decimal commas, German dates, lines above the header and a total below. */
export const OFFICE: Buffer = Buffer.from(
  'Bescheide der Gemeinde Übersee;;;;\r\n\r\nAktenzeichen;Vorhaben;Bescheiddatum;Gebühr;PLZ\r\n' +
    '2026/1;Erweiterung;17.04.2026;1.234,50;01234\r\n2026/2;"Umbau; Anbau";3.5.2026;80,00;99999\r\n2026/3;Abriß;13.5.2026;;10115\r\n',
  'latin1',
);

/** Records inside of an envelope, with their title, date and source inside of objects. */
export const NESTED: object = {
  meta: { generated: '2026-05-01', tags: ['a', 'b'] },
  response: {
    total: 2,
    items: [
      {
        ref: 'W/7',
        subject: { text: 'Weir' },
        dates: { published: '2026-03-01' },
        links: [{ href: 'https://exampleton.example/w/7' }],
        depth: 1.5,
      },
      {
        ref: 'W/8',
        subject: { text: 'Ford' },
        dates: { published: '2026-03-04' },
        links: [{ href: 'https://exampleton.example/w/8' }],
        depth: 2,
      },
    ],
  },
};

/** A cover sheet, and a table with a title above its header on the second one. */
export async function workbook(): Promise<Uint8Array> {
  const book = new ExcelJS.Workbook();
  book.addWorksheet('Cover').addRows([['Register of discharges'], [], ['Published by the Office of Water']]);
  const sheet = book.addWorksheet('Data');
  sheet.addRows([
    ['Discharges, 2026'],
    [],
    ['Permit number', 'Name', 'Date of issue', 'Volume', 'Link'],
    ['D-1', 'Mill', new Date('2026-02-03'), 12.5, 'https://exampleton.example/d/1'],
    ['D-2', 'Brewery', new Date('2026-02-09'), 7, 'https://exampleton.example/d/2'],
  ]);
  return new Uint8Array(await book.xlsx.writeBuffer());
}

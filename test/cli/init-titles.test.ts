// The title that `gazette init` proposes for a register.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8 } from 'fflate';
import { expect, it } from 'vitest';
import { text, workbook } from '../import/readers/workbook-by-hand.ts';
import { folder, gazette } from './run.ts';

/** The title of the register that is made of a file. */
async function titleOf(name: string, content: string | Uint8Array): Promise<string> {
  const at = await folder();
  await writeFile(join(at, name), content);
  const config = join(at, 'gazette.json');
  const places = ['--config', config, '--store', join(at, 'a.db')];
  const { code, stderr } = await gazette(['init', join(at, name), '--yes', '--no-serve', ...places]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const { registers } = JSON.parse(await readFile(config, 'utf8')) as {
    readonly registers: readonly { readonly definition: { readonly title: string } }[];
  };
  return registers[0]!.definition.title;
}

const TABLE = 'Nr;Baum;Jahr\n1;Linde;1990\n2;Eiche;1950\n3;Ulme;1970\n';

/** A workbook of one sheet with this name. */
function sheet(name: string, above: readonly string[] = []): Uint8Array {
  const rows = [...above, ...TABLE.trimEnd().split('\n')].map((line) => line.split(';').map(text).join(''));
  return workbook(rows.map((cells) => `<row>${cells}</row>`).join(''), {
    'xl/workbook.xml': strToU8(
      `<workbook xmlns="urn:x" xmlns:r="urn:r"><sheets><sheet name="${name}" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
  });
}

it.each<[title: string, what: string, name: string, content: string | Uint8Array]>([
  ['Bäume der Stadt 2026', 'row above the header', 'b17.csv', `Bäume der  Stadt 2026;;\n;;\n${TABLE}`],
  ['Bäume der Stadt', 'row above the header of a workbook', 'Liste.xlsx', sheet('Sheet1', ['Bäume der Stadt'])],
  [
    'Премии',
    'row above the header, where the first one leads back',
    'T.xlsx',
    sheet('1.1', ['К содержанию', 'Премии']),
  ],
  ['B17', 'name of the file, where the row above says of when it is', 'b17.csv', `Stand: Januar 2026;;\n${TABLE}`],
  ['B17', 'name of the file, where the row above has several cells', 'b17.csv', `Bäume;Stadt;\n;;\n${TABLE}`],
  ['B17', 'name of the file, where the row above is a sentence', 'b17.csv', `${'Alle Bäume '.repeat(12)};;\n${TABLE}`],
  ['Bäume', 'name of the sheet, where the file is called by a code', '222127_aed.xlsx', sheet('Bäume')],
  ['都市公園', 'name of the sheet, in any script', '222127_aed.xlsx', sheet('都市公園')],
  ['Stadtbäume', 'name of the file, where it is no code', 'stadtbäume.xlsx', sheet('Bäume')],
  ['222127 aed', 'name of the file, where the sheet has none of its own', '222127_aed.xlsx', sheet('Tabelle1')],
  ['222127 aed', 'name of the file, where that of the sheet is a code', '222127_aed.xlsx', sheet('T 2.1')],
])('is %s: the %s', async (title, _, name, content) => {
  expect(await titleOf(name, content)).toBe(title);
});

// `gazette import --guess`: what it prints is what the next commands take.
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ExcelJS from 'exceljs';
import { expect, it } from 'vitest';
import { folder, gazette, GAZETTE } from './run.ts';

const OFFICE = Buffer.from(
  'Bescheide der Gemeinde;;;;\r\n\r\nAktenzeichen;Vorhaben;Datum;Gebühr;PLZ\r\n' +
    "2026/1;Erweiterung;17.04.2026;1.234,50;01234\r\n2026/2;Umbau; 3.5.2026;80,00;99999\r\n2026/3;Abriß Müller's;13.5.2026;;10115\r\n",
  'latin1',
);

/** The guess of a file as the program prints it with `--json`. */
interface Answer {
  readonly definition: unknown;
  readonly map: readonly string[];
  readonly commands: readonly string[];
  readonly first: readonly { readonly id: string }[];
}

it('prints a definition and commands that import the file as it is, and writes nothing', async () => {
  const place = await folder();
  const file = "Müllers Bescheide '26.csv";
  await writeFile(join(place, file), OFFICE);
  const { code, stdout } = await gazette(['import', 'r', join(place, file), '--guess'], '', { GAZETTE_STORE: '' });
  expect(code).toBe(0);
  expect(await readdir(place)).toEqual([file]);
  const text = stdout.toString();
  expect(text.split('\n')[0]).toBe(
    `${join(place, file)}: 3 records, encoding windows-1252, delimiter ;, header in line 3, dates as DD.MM.YYYY, amounts with a decimal comma, order oldest-first`,
  );
  expect(text).toMatch(/^Aktenzeichen {2}id {2,}text {2,}3, all different$/m);
  const [definition] = /^\{\n[^]*?^\}$/m.exec(text)!;
  await writeFile(join(place, 'r.definition.json'), definition);
  const commands = text.split('\n').filter((line) => line.startsWith('gazette '));
  const shell = `gazette() { "${process.execPath}" "${GAZETTE}" "$@"; }\nset -e\n${commands.join('\n')}`;
  const done = await promisify(execFile)('sh', ['-c', shell], { cwd: place });
  expect(done.stdout).toBe('r: added 3, changed 0, unchanged 0, withdrawn 0, restored 0, refused 0\n');
  const shown = await gazette(['record', 'show', 'r:2026~2F3', '--json', '--store', join(place, 'gazette.db')]);
  const { record } = JSON.parse(shown.stdout.toString()) as { readonly record: unknown };
  const [first] = text.slice(text.indexOf('The first records')).matchAll(/^\{\n[^]*?^\}$/gm);
  expect(JSON.parse(first![0])).toMatchObject({ id: 'r:2026~2F1', data: { gebuehr: 1234.5, plz: '01234' } });
  expect(record).toMatchObject({
    title: "Abriß Müller's",
    published_at: '2026-05-13',
    data: { gebuehr: null, plz: '10115' },
  });
});

it('--json fits its schema, and its first records are those that an import publishes', async () => {
  const place = await folder();
  const path = join(place, 'office.csv');
  await writeFile(path, OFFICE);
  const { stdout } = await gazette(['import', 'r', path, '--guess', '--json']);
  const answer = JSON.parse(stdout.toString()) as Answer;
  const schema = await readFile(new URL('../../src/cli/schemas/guess.schema.json', import.meta.url), 'utf8');
  const closed = JSON.parse(schema, (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'properties' in value && 'required' in value
      ? { ...value, additionalProperties: false }
      : value,
  ) as object;
  const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(closed);
  expect(validate(answer), JSON.stringify(validate.errors)).toBe(true);
  await writeFile(join(place, 'd.json'), JSON.stringify(answer.definition));
  const forms = ['--date-format', 'DD.MM.YYYY', '--decimal-comma', '--observed-at', '2026-06-01'];
  const exported = await gazette([
    ...['export', '-', '--input', path, '--format', 'ndjson', '--definition', join(place, 'd.json'), ...forms],
    ...answer.map.flatMap((rule) => ['--map', rule]),
  ]);
  const lines = exported.stdout.toString().trimEnd().split('\n');
  const dated = answer.first.map((record) => ({ ...record, observed_at: '2026-06-01' }));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject(dated);
});

it('shows every column on a line of its own, whatever its name contains', async () => {
  const place = await folder();
  const path = join(place, 'names.csv');
  await writeFile(path, 'id,"Amount\n2. month\u001b[2J\u200b",title\n1,2,A\n');
  const { stdout } = await gazette(['import', 'r', path, '--guess']);
  const [shown] = stdout.toString().split('\nThe definition');
  expect(shown).toMatch(/^Amount 2\. month \[2J\\u200b {2}data\./m);
  expect(shown!.split('\n').filter((line) => line.includes('\u001b'))).toEqual([]);
});

it('needs a file that it can read twice', async () => {
  const { code, stderr } = await gazette(['import', 'r', '-', '--guess'], 'id,title\n');
  expect(code).toBe(2);
  expect(stderr).toBe('gazette: --guess reads the file twice: give its name instead of "-" (usage)\n');
});

it('reads the sheet with the records rather than a cover, and says which is read, also where the file is refused for it', async () => {
  const file = join(await folder(), 'permits.xlsx');
  const workbook = new ExcelJS.Workbook();
  workbook.addWorksheet('Cover').addRows([['Register of permits'], ['Published by', 'Office', 2026]]);
  workbook.addWorksheet('Data').addRows([
    ['Nr', 'Name'],
    [1, 'A'],
    [2, 'B'],
  ]);
  await workbook.xlsx.writeFile(file);
  const note = (read: string, other: string): string =>
    `the sheet "${read}" is read, not "${other}"; --pick names another`;
  const refused = await gazette(['import', 'r', file, '--guess', '--pick', 'Cover']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(note('Cover', 'Data'));
  const { stdout } = await gazette(['import', 'r', file, '--guess']);
  expect(stdout.toString()).toContain(`- ${note('Data', 'Cover')}\n`);
  expect(stdout.toString()).not.toContain('the records are those of');
  expect(stdout.toString()).toContain(' --pick Data ');
});

it('names words for no value, a table without a header and thousands in groups, in commands that read them so again', async () => {
  const place = await folder();
  await writeFile(join(place, 'list.csv'), '36,"AERO","1,709",n/a\n173,"ANGLO",871,5\n306,"BANK",-0-,7\n');
  const file = join(place, 'list.csv');
  const { stdout } = await gazette(['import', 'r', file, '--guess', '--json', '--missing', '-0-,?']);
  const answer = JSON.parse(stdout.toString()) as Answer & { readonly header: boolean; readonly remarks: string[] };
  expect(answer.header).toBe(false);
  expect(answer.first).toMatchObject([
    { key: '36', data: { column_c: 1709, column_d: null } },
    { key: '173', data: { column_c: 871, column_d: 5 } },
    { key: '306', data: { column_c: null, column_d: 7 } },
  ]);
  expect(answer.remarks).toContain(
    'words and signs such as n/a and - mean no value in column_c (1 record), column_d (1 record)',
  );
  expect(answer.commands[1]).toContain(" --no-header --missing '-0-,?' ");
  await writeFile(join(place, 'd.json'), JSON.stringify(answer.definition));
  const store = ['--store', join(place, 'gazette.db')];
  await gazette(['register', 'add', 'r', '--definition', join(place, 'd.json'), ...store]);
  const taken = await gazette([
    'import',
    'r',
    file,
    '--no-header',
    '--missing',
    '-0-,?',
    ...answer.map.flatMap((rule) => ['--map', rule]),
    ...store,
  ]);
  expect(taken.stderr).toContain('column_c (1 record)');
  expect(taken.stdout.toString()).toContain('added 3,');
});

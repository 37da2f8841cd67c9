// Every table has as many cells as headers, and under each header the value of that field: the lists that are written out
// for speed, and the loops over them, have the order of the table of core fields.
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { allFields, CORE_FIELDS } from '../../src/register/fields.ts';
import { type CoreValue, coreValues, recordOfValues, type RegisterRecord } from '../../src/register/record.ts';
import { csv } from '../../src/formats/csv.ts';
import type { Format } from '../../src/formats/format.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { xml } from '../../src/formats/xml/xml.ts';
import { encodeAll } from '../contracts/readers.ts';
import { SAMPLE_HEAD as HEAD } from '../contracts/sample-register.ts';
import { msOf, type ReadCell, readWorkbook } from '../contracts/xlsx-reader.ts';

/** A value that no other field has. */
function valueOf({ name, type, values }: (typeof CORE_FIELDS)[number], at: number): CoreValue {
  if (type === 'integer') return at + 1;
  if (type === 'datetime') return `2026-01-${String(at + 1).padStart(2, '0')}`;
  return values?.[0] ?? (type === 'url' ? `https://example.org/${name}` : `value of ${name}`);
}

const VALUES = CORE_FIELDS.map(valueOf);
const OWN = { name: 'own', label: 'Own', type: 'text' } as const;
const definition = { ...HEAD.definition, fields: [OWN] };
const record: RegisterRecord = {
  ...Object.fromEntries(CORE_FIELDS.map(({ name }, at) => [name, VALUES[at]])),
  data: { own: 'own value' },
} as unknown as RegisterRecord;
const NAMES = allFields(definition).map(({ name }) => name);
const TEXTS = [...VALUES, 'own value'].map(String);

it('the values of a record, and the record of values, have the order of the table', () => {
  expect(coreValues(record)).toEqual(VALUES);
  const made = recordOfValues(VALUES, record.data);
  expect(made).toEqual(record);
  expect(Object.keys(made)).toEqual([...CORE_FIELDS.map(({ name }) => name), 'data']);
});

type Table = readonly [header: readonly string[], row: readonly string[]];

/** Ids and numbers are attributes of XML. */
function xmlTable(text: string): Table {
  const [, attributes, elements] = /<record ([^>]*)>\n(.*)<\/record>/s.exec(text)!;
  const all = [...attributes!.matchAll(/(\w+)="([^"]*)"/g), ...elements!.matchAll(/<(\w+)>([^<]*)<\/\1>/g)];
  const found = new Map(all.map(([, name, value]) => [name!, value!]));
  expect(found.size).toBe(all.length);
  return [NAMES.filter((name) => found.has(name)), NAMES.map((name) => found.get(name)!)];
}

const TABLES: readonly (readonly [Format, (document: Buffer) => Table])[] = [
  [csv, (document) => parse(document) as unknown as Table],
  [
    ndjson,
    (document) => {
      const { data, ...core } = JSON.parse(document.toString()) as RegisterRecord;
      const members = Object.entries({ ...core, ...data });
      return [members.map(([name]) => name), members.map(([, value]) => String(value))];
    },
  ],
  [xml, (document) => xmlTable(document.toString())],
  [
    xlsx,
    (document) => {
      const [header, row] = readWorkbook(document).sheets[0]!.rows.map((cells) => [...cells.values()]);
      const text = ({ value, format }: ReadCell): string =>
        format.startsWith('yyyy') ? new Date(msOf(value as number)).toISOString().slice(0, 10) : String(value);
      return [header!.map(text), row!.map(text)];
    },
  ],
];

it.each(TABLES.map(([format, read]) => [format.name, format, read] as const))(
  'a row of %s has a cell for each header, of that field',
  async (_, format, read) => {
    const pages = [{ records: [record], nextOffset: null, asOf: null }];
    const document = await encodeAll(format, { ...HEAD, definition }, pages);
    const [header, row] = read(document);
    expect(header).toEqual(NAMES);
    expect(row).toEqual(TEXTS);
  },
);

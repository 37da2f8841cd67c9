import { describe, expect, it } from 'vitest';
import { asciiName, FieldNames, toFieldName } from '../../../src/import/mapping/field-name.ts';
import { findFields } from '../../../src/import/fields/find-fields.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { exactNumber } from '../../../src/import/readers/exact-number.ts';
import type { RawValue } from '../../../src/import/readers/raw-record.ts';
import { ImportPlan, MAX_FOUND_FIELDS } from '../../../src/import/mapping/plan.ts';
import { contentReader } from '../../../src/import/readers/file/content-reader.ts';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import type { Field } from '../../../src/register/record.ts';
import { source } from '../sources.ts';

/** The fields found in these records, as in the first ones of a file. */
function fieldsOf(values: readonly RawValue[], ...mapping: string[]): Field[] {
  const plan = new ImportPlan({
    reader: ndjsonReader(source('')),
    rules: parseMapping(mapping),
    definition: defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }),
    fields: 'while reading',
    readsTexts: false,
  });
  for (const [at, value] of values.entries()) plan.learn(value, `[${at}]`);
  return plan.found()!.map(({ field }) => field);
}

describe('a field is named after the property', () => {
  it.each([
    ['knownRansomwareCampaignUse', 'known_ransomware_campaign_use'],
    ['cveID', 'cve_id'],
    ['Größe (m²)', 'groesse_m2'],
    ['Ålesund', 'aalesund'],
    ['ÄNDERUNG', 'aenderung'],
    ['Łódź', 'lodz'],
    ['œuvre', 'oeuvre'],
    ['Straße', 'strasse'],
    ['HTTPServer', 'http_server'],
    ['CVSS-Score (v3.1)', 'cvss_score_v3_1'],
    ['due_date', 'due_date'],
    ['Fläche in m²', 'flaeche_in_m2'],
    ['2ndName', 'field_2nd_name'],
    ['名前', null],
    ['', null],
    ['№ п/п', 'no'],
    ['__proto__', 'proto'],
    ['a'.repeat(100), 'a'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ])('%s', (property, name) => {
    expect(asciiName(property)).toBe(name);
  });

  it('or its column, where it has no letter of ASCII', () => {
    const record = { id: 1, 名前: 'x', data: { '': 1 }, ['Ёлка'.normalize('NFD')]: 'y' };
    expect(['名前', 'Ёлка'.normalize()].map((name) => toFieldName([name], record))).toEqual(['column_b', 'column_d']);
    expect(toFieldName(['data', ''], record)).toBe('column_a');
  });

  it('with a number where the name is taken, the same on every run', () => {
    const take = (names: FieldNames, property: string): string => names.take([property], { [property]: 1 });
    const names = new FieldNames(['due_date']);
    expect(['dueDate', 'due date', 'Title', 'data', 'x', 'X'].map((property) => take(names, property))).toEqual([
      ...['due_date_2', 'due_date_3', 'title_2', 'data_2', 'x', 'x_2'],
    ]);
    const long = new FieldNames();
    expect([take(long, 'a'.repeat(70)), take(long, 'a'.repeat(71))]).toEqual(['a'.repeat(64), `${'a'.repeat(62)}_2`]);
  });
});

describe('the type of a field without a definition', () => {
  it.each<[string, RawValue[], string]>([
    ['text for texts', ['a', 'b'], 'text'],
    ['text for dates and URLs too: later ones may be none', ['2026-01-01', 'https://example.org/'], 'text'],
    ['integer for whole numbers', [1, -5], 'integer'],
    ['integer for whole numbers of any length', [1, 12345678901234567890n], 'integer'],
    ['number when there are fractions', [1, 2.5], 'number'],
    ['number for what a double cannot hold exactly', [1e300], 'number'],
    ['decimal for fractions beside integers that are too long for a number', [2.5, 12345678901234567890n], 'decimal'],
    ['decimal for numbers with more digits than a double holds', [1, 0.5, exactNumber('1e400')], 'decimal'],
    ['text for such numbers beside texts', [exactNumber('1e400'), 'a'], 'text'],
    ['boolean for true and false', [true, false], 'boolean'],
    ['text for scalars of different types', [1, 'a', true], 'text'],
    ['text for numbers and booleans', [1, true], 'text'],
    ['json for arrays', [['a']], 'json'],
    ['json for objects among other values', ['a', { b: 1 }], 'json'],
    ['text when there is nothing but null', [null], 'text'],
  ])('is %s', (_title, values, type) => {
    expect(fieldsOf([{ x: null }, ...values.map((x) => ({ x }))])).toEqual([{ name: 'x', label: 'x', type }]);
  });
});

describe('the fields without a definition', () => {
  it('are the properties no core field takes, in the order of their first appearance', () => {
    expect(
      fieldsOf([
        { id: 1, b: 1, title: 'x' },
        { a: 'y', b: 2 },
      ]),
    ).toEqual([
      { name: 'b', label: 'b', type: 'integer' },
      { name: 'a', label: 'a', type: 'text' },
    ]);
  });

  it('leave out the property that a rule takes, and keep the one whose place it took', () => {
    expect(fieldsOf([{ name: 'A', title: 'Dr' }], 'title=name').map(({ name, label }) => [name, label])).toEqual([
      ['title_2', 'title'],
    ]);
  });

  it('keep what only a template uses, or a path leads through', () => {
    const found = fieldsOf([{ n: 1, m: { o: 2, p: 3 } }], 'source_url=https://example.org/{n}', 'author=m.o');
    expect(found.map(({ name, type }) => [name, type])).toEqual([
      ['n', 'integer'],
      ['m', 'json'],
    ]);
  });

  it('begin with those that rules name', () => {
    expect(fieldsOf([{ a: 1, b: { c: 2.5 } }], 'data.depth=b.c')).toEqual([
      { name: 'depth', label: 'b.c', type: 'number' },
      { name: 'a', label: 'a', type: 'integer' },
      { name: 'b', label: 'b', type: 'json' },
    ]);
  });

  it('are those inside data, in records as gazette writes them', () => {
    const record = { id: 'r:1', feed_id: 'r', title: 'T', version: 1, position: 7, data: { area: 2, state: 'x' } };
    expect(fieldsOf([record]).map(({ name }) => name)).toEqual(['area', 'state']);
  });

  it('have a position, where that is the publisher’s own property', () => {
    expect(fieldsOf([{ position: 'left' }])).toEqual([{ name: 'position_2', label: 'position', type: 'text' }]);
  });

  it('have the type of the others where some are empty texts', () => {
    const records = [
      { n: 1, t: 'x', e: '', l: [1] },
      { n: '', t: '', e: '', l: '' },
    ];
    expect(fieldsOf(records).map(({ name, type }) => [name, type])).toEqual([
      ['n', 'integer'],
      ['t', 'text'],
      ['e', 'text'],
      ['l', 'json'],
    ]);
  });

  it('are refused where ids stand as names', () => {
    const record = Object.fromEntries(Array.from({ length: MAX_FOUND_FIELDS + 1 }, (_, index) => [`k${index}`, 1]));
    expect(fieldsOf([Object.fromEntries(Object.entries(record).slice(1))])).toHaveLength(MAX_FOUND_FIELDS);
    expect(() => fieldsOf([{}, record])).toThrow(/^\[1\]: the records up to here have more than 1000 different/);
  });
});

it('fields of a table that only its content shows to be one are found in its texts', async () => {
  const reader = contentReader(source('id,area\n1,5\n2,6\n'), (_, bytes) => csvReader(bytes));
  expect((await findFields(reader)).map(({ field }) => field.type)).toEqual(['integer']);
});

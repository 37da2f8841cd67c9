// Tables that gazette writes, read back by its own importer: the values are those that went out, up to what a format
// cannot carry (docs/formats.md), and a text that was cut is refused.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encode } from '../../src/formats/encode.ts';
import type { DocumentHead, Format } from '../../src/formats/format.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import type { ImportOptions, ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import { xlsxReader } from '../../src/import/readers/xlsx/index.ts';
import { describedFile } from '../../src/import/from-file/table-schema.ts';
import { openRecordStream } from '../../src/import/record-stream.ts';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { isDecimal } from '../../src/register/decimal.ts';
import { CORE_FIELDS } from '../../src/register/fields.ts';
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { dataPackage } from '../../src/templates/catalogues/data-package.ts';
import { sampleRecord, SAMPLE_DEFINITION } from '../contracts/sample-register.ts';
import { readAll, source, valuesOf } from '../import/sources.ts';
import { tries } from '../effort.ts';
import { registers } from './arbitraries.ts';

const ILLEGAL_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

interface Way {
  readonly title: string;
  readonly write: (records: readonly RegisterRecord[], head: DocumentHead) => Promise<Buffer>;
  readonly read: (document: Buffer) => RecordReader;
  /** A text as the format carries it. */
  readonly carried: (text: string) => string;
  /** Whether numbers are cells of their own, which hold their value but not the zeros at its end. */
  readonly hasTypedCells: boolean;
}

const WAYS: readonly Way[] = [
  ...(['guarded', 'raw'] as const).map((formulas): Way => ({
    title: `CSV, ${formulas}`,
    write: (records, head) => bytesOf(csv, records, head, { formulas: formulas === 'raw' ? 'raw' : 'guard' }),
    read: (document) => csvReader(source(document), { formulas, delimiter: ',', headerRow: 1 }),
    carried: (text) => text.toWellFormed().replaceAll('\0', '\ufffd'),
    hasTypedCells: false,
  })),
  {
    title: 'XLSX',
    write: (records, head) => bytesOf(xlsx, records, head, {}),
    read: (document) => xlsxReader(source(document), { headerRow: 1 }),
    carried: (text) => text.toWellFormed().replace(ILLEGAL_IN_XML, '\ufffd'),
    hasTypedCells: true,
  },
];

describe.each(WAYS)('a register written as $title and read again', (way) => {
  it('has equal values', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ definition, records: any, head }) => {
        const records = any.map(finite);
        // Refused when it is read: only one of the values could be kept.
        fc.pre(!records.some(({ data }) => hasNamesAlike(data, way.carried)));
        const document = await way.write(records, head);
        const found = await readAgain(way.read(document), definition);
        expect(found.map((record) => comparable(record, definition, way))).toEqual(
          records.map((record) => comparable(record, definition, way)),
        );
      }),
      { numRuns: tries(30, 10_000) },
    );
  });
});

describe.each(WAYS)('a register imported again as $title that it was written as', (way) => {
  it('is unchanged, whatever its records were first read from', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), fc.constantFrom(null, ...WAYS), async (sample, first) => {
        const fields = sample.definition.fields.map(({ name, type }) => ({ name, label: name, type }));
        const definition = defineRegister({
          id: sample.definition.id,
          title: 'T',
          created_at: '2000-01-01T00:00:00Z',
          fields,
        });
        const head = { ...sample.head, definition };
        const carried = (text: string): string => way.carried(first?.carried(text) ?? text);
        const records = sample.records.map((record) => carriedBy(record, definition, carried));
        const store = SqliteStore.open(':memory:');
        await store.createRegister(definition);
        const take = (reader: RecordReader): Promise<ImportResult> =>
          importRecords(store, definition.id, reader, { order: 'newest-first', now: () => NOW });
        const lines = records.map((record) => JSON.stringify(record)).join('\n');
        await take(first === null ? ndjsonReader(source(lines)) : first.read(await first.write(records, head)));
        const kept = await Array.fromAsync(pages(await store.source(definition.id)));
        const document = await way.write(
          kept.flatMap((page) => page.records),
          head,
        );
        const { unchanged, changed } = await take(way.read(document));
        expect({ unchanged, changed }).toEqual({ unchanged: records.length, changed: 0 });
        await store.close();
      }),
      // Each run imports twice.
      { numRuns: tries(15, 5000) },
    );
  });
});

describe('a register written as CSV, imported with its data package into a register without fields', () => {
  it('has the same types and equal values', async () => {
    const [way] = WAYS as [Way];
    await fc.assert(
      fc.asyncProperty(
        registers({ large: false }),
        fc.record({ delimiter: fc.constantFrom(',', ';', '\t'), formulas: fc.constantFrom('guard', 'raw') }),
        async (sample, options) => {
          fc.pre(sample.records.length > 0);
          const { id } = sample.definition;
          const fields = sample.definition.fields.map(({ name, type }) => ({ name, label: name, type }));
          const register = { id, title: 'T', created_at: '2000-01-01T00:00:00Z' };
          const definition = defineRegister({ ...register, fields });
          const empty = defineRegister({ ...register, fields: [] });
          const records = sample.records.map((record) => carriedBy(record, definition, way.carried));
          fc.pre(!records.some(({ data }) => hasNamesAlike(data, way.carried)));
          const lines = records.map((record) => JSON.stringify(record)).join('\n');
          const first = await importedInto(definition, ndjsonReader(source(lines)), {});
          const document = await bytesOf(csv, first.records, { ...sample.head, definition }, options);
          const packaged = dataPackage(definition, { path: 'a/r.csv', options, service: { licenceUrl: null } });
          const described = describedFile(JSON.parse(JSON.stringify(packaged)), 'r.csv', {
            where: 'p',
            isNamed: false,
          });
          const { delimiter, headerRow, formulas } = described!.reading;
          const reader = csvReader(source(document), {
            ...{ delimiter: delimiter!, headerRow: headerRow! },
            ...(formulas === undefined ? {} : { formulas }),
          });
          const { missing } = described!.reading;
          const second = await importedInto(empty, reader, { missing, describedTypes: described!.types });
          // The fields that are found have the names of the columns as labels.
          expect(second.definition.fields.map(({ label, type }) => [label, type])).toEqual(
            fields.map(({ name, type }) => [name, type]),
          );
          const renamed = second.records.map((record) => {
            const values = second.definition.fields.map(({ name, label }) => [label, record.data[name] ?? null]);
            return { ...record, data: Object.fromEntries(values) as RegisterRecord['data'] };
          });
          expect(renamed.map((record) => comparable(record, definition, way))).toEqual(
            first.records.map((record) => comparable(record, definition, way)),
          );
        },
      ),
      { numRuns: tries(30, 10_000) },
    );
  });
});

/** What a new register holds after an import. */
async function importedInto(
  definition: RegisterDefinition,
  reader: RecordReader,
  options: ImportOptions,
): Promise<{ readonly definition: RegisterDefinition; readonly records: readonly RegisterRecord[] }> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(definition);
  const { definition: found } = await importRecords(store, definition.id, reader, {
    ...{ order: 'newest-first', now: () => NOW },
    ...options,
  });
  const kept = await Array.fromAsync(pages(await store.source(definition.id)));
  await store.close();
  return { definition: found, records: kept.flatMap((page) => page.records) };
}

it('refuses a workbook with two names of an object that it carries as one', async () => {
  const [, , way] = WAYS;
  const definition = defineRegister({
    ...{ id: 'r', title: 'R', created_at: '2000-01-01T00:00:00Z' },
    fields: [{ name: 'own', label: 'own', type: 'json' }],
  });
  const records = [sampleRecord(1, { data: { own: { '\ufffe': 1, '\uffff': 2 } } })];
  const document = await way!.write(records, { definition, lastChange: null, asOf: null });
  await expect(readAgain(way!.read(document), definition)).rejects.toMatchObject({
    code: 'invalid_record',
    message: expect.stringContaining('has the name "\ufffd" twice in one object') as string,
  });
});

describe('a table read in', () => {
  const cells = ["'=a", "'plain", "''+1", "'-5", '=1', '-5'];

  it.each([
    ['guarded', ['=a', "'plain", "'+1", '-5', '=1', '-5']],
    ['raw', cells],
  ] as const)('with %s formulas takes texts and names so', async (formulas, values) => {
    const text = `${cells.join(',')}\n${cells.join(',')}\n`.replace(',-5\n', ',b\n').replace("'-5,", "'@c,");
    const names = text.split('\n', 1)[0]!.split(',');
    const [record] = await valuesOf(csvReader(source(text), { formulas, headerRow: 1 }));
    expect(Object.values(record as object)).toEqual(values);
    expect(Object.keys(record as object)).toEqual(
      formulas === 'raw' ? names : ['=a', "'plain", "'+1", '@c', '=1', 'b'],
    );
  });

  it.each([0, 1])(
    'refuses a text that a workbook cut, and names its place (%i units before the limit)',
    async (less) => {
      const content = less === 0 ? 'x'.repeat(40_000) : `${'x'.repeat(32_762)}\u{1f600}${'x'.repeat(9)}`;
      const records = [sampleRecord(1), sampleRecord(2, { content })];
      const head = { definition: SAMPLE_DEFINITION, lastChange: null, asOf: null };
      const document = await bytesOf(xlsx, records, head, {});
      await expect(readAgain(xlsxReader(source(document)), SAMPLE_DEFINITION)).rejects.toMatchObject({
        code: 'invalid_input',
        message: expect.stringContaining('row 3, column "content": the text was cut') as string,
      });
      const kept = await readAll(xlsxReader(source(document), { keepsFaults: true }));
      expect(kept.map(({ fault }) => fault?.code)).toEqual([undefined, 'invalid_input']);
      const text = `a,b\n1,${content.slice(0, 32_763 - less)} […]\n`;
      await expect(valuesOf(csvReader(source(text)))).rejects.toThrow('line 2, column "b": the text was cut');
    },
  );
});

async function bytesOf(
  format: Format,
  records: readonly RegisterRecord[],
  head: DocumentHead,
  options: object,
): Promise<Buffer> {
  async function* pages() {
    yield { records, nextOffset: null, asOf: null };
  }
  return Buffer.concat(await Array.fromAsync(encode(pages(), format, head, options)));
}

async function readAgain(reader: RecordReader, definition: RegisterDefinition): Promise<readonly RegisterRecord[]> {
  const stream = await openRecordStream(reader, { definition, observedAt: '2000-01-01' });
  const pages = await Array.fromAsync(stream.pages());
  return pages.flatMap(({ records }) => records);
}

/** A record as a table carries it. An empty text is an empty cell, as an absent one is. */
function comparable(record: RegisterRecord, definition: RegisterDefinition, way: Way): object {
  const { data } = record;
  const carried = (type: FieldType, value: unknown): unknown => {
    if (typeof value !== 'string') return Object.is(value, -0) ? 0 : value;
    if (value === '') return null;
    if (type === 'integer') return value === '-0' ? '0' : value;
    if (!way.hasTypedCells) return way.carried(value);
    if (type === 'decimal' && isDecimal(value)) return decimal(value);
    return way.carried(value);
  };
  const own = definition.fields.map(({ name, type }) => {
    const value = Object.hasOwn(data, name) ? (data[name] ?? null) : null;
    const text = type === 'json' && value !== null ? canonicalJson(withDigits(value)) : value;
    // A small integer may be given as text of its digits.
    return [name, carried(type, type === 'integer' && typeof text === 'number' ? `${text}` : text) ?? null];
  });
  return {
    ...Object.fromEntries(CORE_FIELDS.map(({ name, type }) => [name, carried(type, record[name])])),
    key: record.key,
    // Given by a store.
    position: null,
    data: Object.fromEntries(own) as object,
  };
}

/** Whether two names of one object within a value are one name as a table carries them. */
function hasNamesAlike(value: unknown, carried: (text: string) => string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  const isAlike =
    !Array.isArray(value) && new Set(names.map((name) => carried(JSON.stringify(name)))).size < names.length;
  return isAlike || Object.values(value).some((member) => hasNamesAlike(member, carried));
}

const NOW = Date.parse('2000-01-01T00:00:00Z');

/** The record without what no store takes in, what its definition does not name, and what tables replace. */
function carriedBy(
  record: RegisterRecord,
  { fields }: RegisterDefinition,
  carriedText: (text: string) => string,
): RegisterRecord {
  const carried = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return carriedText(value);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [carriedText(name), member as unknown]));
  };
  const { id, key, feed_id, data, ...rest } = finite(record);
  const own = Object.entries(data).filter(([name]) => fields.some((field) => field.name === name));
  const text = JSON.stringify({ ...rest, data: Object.fromEntries(own) }, carried);
  return { ...(JSON.parse(text) as RegisterRecord), id, key, feed_id };
}

/** The record without numbers that no store takes in. */
function finite(record: RegisterRecord): RegisterRecord {
  const members = Object.entries(record.data).filter(
    ([, value]) => typeof value !== 'number' || Number.isFinite(value),
  );
  return { ...record, data: Object.fromEntries(members) };
}

/** A JSON value as an import keeps it: integers beyond 2^53 are texts of their digits, wherever they are. */
function withDigits(value: JsonValue): JsonValue {
  if (typeof value === 'number')
    return /^-?\d{16,}$/.test(`${value}`) && !Number.isSafeInteger(value) ? `${value}` : value;
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withDigits);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withDigits(member)]));
}

/** A decimal without what does not change it: zeros at the end, the sign of zero. */
function decimal(text: string): string {
  const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
  return short === '-0' ? '0' : short;
}

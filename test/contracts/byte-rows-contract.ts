// Documents of a store are those of the records that its pages give, byte for byte, on each database: written from its bytes,
// of some fields, of the records that match, and page by page.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encodeWalk } from '../../src/formats/encode.ts';
import type { DocumentHead, Format, FormatOptions } from '../../src/formats/format.ts';
import { Report } from '../../src/formats/report.ts';
import { FORMATS, formatsFor } from '../../src/formats/index.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { xml } from '../../src/formats/xml/xml.ts';
import type { Field } from '../../src/register/record.ts';
import { FIELD_TYPES } from '../../src/register/definition.ts';
import { allFields, CORE_FIELDS } from '../../src/register/fields.ts';
import { type ExportRegisterOptions, exportRegister } from '../../src/export/register.ts';
import { walkExportPages } from '../../src/export/walk.ts';
import { matchesFilter } from '../../src/register/finding/filter.ts';
import { PAGE_SIZE, type PageQuery } from '../../src/register/page.ts';
import { pages, type RegisterSource } from '../../src/register/sources/source.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { at, HOSTILE_TEXTS, type OpenStore, permits, say, sayOdd } from './store-register.ts';
import { dialects } from '../formats/csv-dialects.ts';
import { registers } from '../properties/arbitraries.ts';

/** How a definition may change after records came: types, other names in the file, fields that go. */
const changes = fc.array(
  fc.record({
    type: fc.option(fc.constantFrom(...FIELD_TYPES), { nil: undefined }),
    isRenamed: fc.boolean(),
    isGone: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  }),
  { minLength: 6, maxLength: 6 },
);

function changed(fields: readonly Field[], how: typeof changes extends fc.Arbitrary<infer T> ? T : never): Field[] {
  return fields.flatMap((field, index) => {
    const { type, isRenamed, isGone } = how[index]!;
    if (isGone) return [];
    const name = isRenamed ? { name: `r_${index}`, source_names: [field.name] } : {};
    return [{ ...field, ...name, ...(type === undefined ? {} : { type }) }];
  });
}

/** A store takes no lone surrogates. */
function wellFormed<T>(record: T): T {
  return JSON.parse(JSON.stringify(record).replaceAll(/\\ud[89a-f][0-9a-f]{2}/g, '?')) as T;
}

/** What was written. */
interface Written {
  readonly bytes: string;
  readonly changed: unknown;
}

/** A document of a walk. */
export async function written(
  documents: Parameters<typeof encodeWalk>[0],
  format: Format,
  head: DocumentHead,
  options: FormatOptions,
): Promise<Written> {
  const report = new Report();
  const chunks: Uint8Array[] = [];
  for await (const chunk of encodeWalk(documents, format, head, { ...options, report })) chunks.push(chunk);
  return { bytes: Buffer.concat(chunks).toString('latin1'), changed: report.warnings };
}

async function expectSame(source: RegisterSource, format: Format, options: FormatOptions = {}): Promise<void> {
  const head = { definition: source.definition, lastChange: at(9), asOf: null };
  const asRows = await written(source.rowsAhead!({ offset: 0, limit: PAGE_SIZE }), format, head, options);
  expect(asRows).toEqual(await written(pages(source), format, head, options));
}

/** What is asked for: some fields, in any order, and a filter with the values of a record or with one that none has. */
const asking = fc.record({
  fields: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), { nil: undefined }),
  filter: fc.option(fc.constantFrom('document_type', 'facility_id', 'none'), { nil: undefined }),
});

function optionsOf(
  { definition }: RegisterSource,
  records: readonly PublishedRecord[],
  { fields, filter }: typeof asking extends fc.Arbitrary<infer T> ? T : never,
): ExportRegisterOptions {
  const names = allFields(definition).map(({ name }, at) => (at < CORE_FIELDS.length ? name : `data.${name}`));
  const chosen = fields === undefined ? {} : { fields: [...new Set(fields.map((at) => names[at % names.length]!))] };
  if (filter === undefined) return chosen;
  const value =
    filter === 'none' ? null : records.map((record) => record[filter]).find((one) => one !== null && one !== '');
  return { ...chosen, filter: { [filter === 'none' ? 'document_type' : filter]: value ?? 'nothing has it' } };
}

/** What of a page is in the whole document. A workbook's parts are in none. */
const PARTS: Readonly<Record<string, RegExp>> = {
  csv: /(?<=^[^\n]*\n)[^]*/,
  ndjson: /[^]*/,
  xml: /<record [^]*?<\/record>/g,
  rss: /<item>[^]*?<\/item>/g,
  atom: /<entry>[^]*?<\/entry>/g,
};

/** Every format's document, and its pages, are those of the records in memory. */
async function expectSameOfSome(source: RegisterSource, asked: ExportRegisterOptions): Promise<void> {
  const { records, ...rest } = await source.page({ offset: 0, limit: PAGE_SIZE });
  const { definition } = source;
  const memory: RegisterSource = {
    ...{ definition, lastChange: () => source.lastChange!() },
    page: ({ filter }) => ({
      ...rest,
      records: records.filter((record) => matchesFilter(record, filter, definition.fields)),
    }),
  };
  for (const format of formatsFor(Object.values(FORMATS), definition)) {
    const { fields, ...ofAll } = asked;
    const options = fields === undefined || format.takesFields !== true ? ofAll : { ...ofAll, fields };
    const whole = Buffer.concat(await Array.fromAsync(exportRegister(source, format, options)));
    const expected = Buffer.concat(await Array.fromAsync(exportRegister(memory, format, options)));
    expect(whole.toString('latin1'), format.name).toBe(expected.toString('latin1'));
    const part = PARTS[format.name];
    if (part === undefined) continue;
    const url = new URL('https://example.org/export');
    const parts = await Array.fromAsync(
      walkExportPages(source, format, { ...options, url, limit: 3 }),
      ({ body }) => Buffer.from(body).toString('latin1').match(part)?.join('') ?? '',
    );
    expect(parts.join(''), format.name).toBe(whole.toString('latin1').match(part)?.join('') ?? '');
  }
}

/** @param runs how many random registers */
export function byteRowsContract(open: OpenStore, runs: number): void {
  it('for any register, however its definition changed since', async () => {
    await fc.assert(
      fc.asyncProperty(
        registers({ maxRecords: 8, large: false }),
        changes,
        dialects(),
        asking,
        async (sample, how, dialect, asked) => {
          const { records } = sample;
          // Their names are the definition's own tests' matter.
          const fields = sample.definition.fields.map(({ name, type }) => ({ name, type, label: name }));
          const definition = { ...permits(), id: sample.definition.id, fields };
          const { store, dispose } = await open();
          await store.createRegister(definition);
          const stated = records.map((record) => toPublishedRecord(wellFormed(record), true));
          await store.apply(definition.id, stated, { recordedAt: at(1) });
          const withdrawn = stated.slice(0, 1).map(({ id }) => id);
          if (stated.length > 2) await store.withdraw(definition.id, withdrawn, { recordedAt: at(2) });
          const source = await store.source(definition.id);
          await expectSame(source, csv, dialect);
          await expectSame(source, ndjson);
          await expectSame(source, xml);
          await expectSameOfSome(source, optionsOf(source, stated, asked));
          await store.updateRegister({ ...definition, fields: changed(definition.fields, how) }, { recordedAt: at(3) });
          const shown = await store.source(definition.id);
          await expectSame(shown, csv, dialect);
          await expectSame(shown, ndjson);
          await expectSame(shown, xml);
          await expectSameOfSome(shown, optionsOf(shown, stated, asked));
          await dispose();
        },
      ),
      { numRuns: runs },
    );
  });

  it('for hostile texts, records that are long, and more than are read at once', async () => {
    const { store, dispose } = await open();
    await store.createRegister(permits());
    const odd = HOSTILE_TEXTS.map((text, n) => sayOdd(`odd-${n}`, text));
    const many = Array.from({ length: 300 }, (_, n) => say(`k${n}`, { content: `${n} `.repeat(400) }));
    const long = [
      say('long', { content: 'a quote " and a line\n'.repeat(20_000) }),
      say('short/er', { content: 'x'.repeat(16_384) }),
      // More than a few groups of what is read at once.
      ...Array.from({ length: 6 }, (_, n) => say(`longer${n}`, { content: `${n} "\n`.repeat(75_000) })),
    ];
    await store.apply('permits', [...many, ...odd, ...long, say('last')], { recordedAt: at(1) });
    const source = await store.source('permits');
    await expectSame(source, csv);
    await expectSame(source, ndjson);
    await expectSame(source, xml);
    await expectSame(source, csv, { delimiter: ';', quoted: true } as FormatOptions);
    await dispose();
  });

  it.each([csv, ndjson, xml])(
    'is how a whole register is written as $name, unless some fields or records are asked for',
    async (format) => {
      const { store, dispose } = await open();
      await store.createRegister(permits());
      await store.apply(
        'permits',
        Array.from({ length: 150 }, (_, n) => say(`k${n}`)),
        { recordedAt: at(1) },
      );
      const source = await store.source('permits');
      let walks = 0;
      const watched = { ...source, rowsAhead: (query: PageQuery) => (walks++, source.rowsAhead!(query)) };
      const ways: readonly ExportRegisterOptions[] = [
        {},
        { fields: ['title'] },
        { filter: { document_type: 'draft' } },
      ];
      const walked = [];
      for (const options of ways) {
        walks = 0;
        for await (const chunk of exportRegister(watched, format, options)) expect(chunk.length).toBeGreaterThan(0);
        walked.push(walks);
      }
      expect(walked).toEqual([1, 0, 0]);
      await dispose();
    },
  );
}

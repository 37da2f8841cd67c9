// Documents written from a store's bytes are those written from its records, byte for byte, on each database.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encodeWalk } from '../../src/formats/encode.ts';
import type { DocumentHead, Format, FormatOptions } from '../../src/formats/format.ts';
import { Report } from '../../src/formats/report.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { xml } from '../../src/formats/xml/xml.ts';
import type { Field } from '../../src/register/record.ts';
import { FIELD_TYPES } from '../../src/register/definition.ts';
import { type ExportRegisterOptions, exportRegister } from '../../src/export/register.ts';
import { PAGE_SIZE, type PageQuery } from '../../src/register/page.ts';
import { pages, type RegisterSource } from '../../src/register/sources/source.ts';
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

/** @param runs how many random registers */
export function byteRowsContract(open: OpenStore, runs: number): void {
  it('for any register, however its definition changed since', async () => {
    await fc.assert(
      fc.asyncProperty(
        registers({ maxRecords: 8, large: false }),
        changes,
        dialects(),
        async (sample, how, dialect) => {
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
          await store.updateRegister({ ...definition, fields: changed(definition.fields, how) }, { recordedAt: at(3) });
          const shown = await store.source(definition.id);
          await expectSame(shown, csv, dialect);
          await expectSame(shown, ndjson);
          await expectSame(shown, xml);
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

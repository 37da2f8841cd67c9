// Properties of the workbooks of one writer, read by saxes over the unzipped parts, which judges every byte.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Format } from '../../src/formats/format.ts';
import { Report } from '../../src/formats/report.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { allFields } from '../../src/register/fields.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord } from '../contracts/sample-register.ts';
import { type ExpectedCell, expectedMoment, expectedRow } from '../contracts/xlsx-model.ts';
import { hasReadableHost, isUri } from '../contracts/uri.ts';
import { lettersOf, msOf, type ReadCell, readWorkbook } from '../contracts/xlsx-reader.ts';
import { registers, RUNS, texts } from './arbitraries.ts';

/** Registers the tests. */
export function workbookProperties(format: Format): void {
  it('is read back whole by saxes, with every kind, link and count', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ definition, records, pages, head }) => {
        const report = new Report();
        const { sheets, names } = readWorkbook(await encodeAll(format, head, pages, { report }));
        expect(sheets.map(({ name }) => name)).toEqual(['Records', 'About']);
        const [sheet] = sheets;
        expect([...sheet!.rows[0]!.values()].map(({ value }) => value)).toEqual(
          allFields(definition).map(({ name }) => name),
        );
        const expected = records.map((record) => expectedRow(definition, record));
        expect(sheet!.rows.slice(1).map((row) => cellsOf(row, definition.fields.length + 16))).toEqual(
          expected.map(({ cells }) => cells.map(comparable)),
        );
        const links = sheet!.rows.slice(1).map((row) => row.get('K')!.link);
        expect(links.map((link) => link === null)).toEqual(records.map(({ source_url }) => !isLinked(source_url)));
        expect(links.filter((link) => link !== null && !isUri(link))).toEqual([]);
        expect(sheet!.filter).toBe(`A1:${lettersOf(definition.fields.length + 15)}${records.length + 1}`);
        if (format === xlsx) expect(names).toHaveLength(1);
        const count = (of: (row: (typeof expected)[number]) => number): number =>
          expected.reduce((sum, row) => sum + of(row), 0);
        const counted = (code: string): number => report.warnings.find((warning) => warning.code === code)?.count ?? 0;
        // About says when the register last changed.
        const isLastChangeText = head.lastChange !== null && expectedMoment(head.lastChange) === null;
        expect(counted('value_as_text')).toBe(count(({ asText }) => asText) + Number(isLastChangeText));
        expect(counted('link_as_text')).toBe(links.filter((link) => link === null).length);
        // The head's own replacements are counted under the same code.
        const replaced = report.warnings.find(({ code }) => code === 'replaced_characters')?.count ?? 0;
        expect(replaced - count(({ isReplaced }) => Number(isReplaced))).toBeOneOf([0, 1]);
      }),
      { numRuns: RUNS },
    );
  });

  it('says in About what the head says, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ maxRecords: 1, large: false }), async ({ definition, head, pages }) => {
        const { sheets, properties } = readWorkbook(await encodeAll(format, head, pages));
        const rows = sheets[1]!.rows.map((row) => [...row.values()].map(({ value }) => value));
        const facts = new Map(
          rows
            .slice(
              0,
              rows.findIndex((row) => row.length === 0),
            )
            .map(([name, value]) => [name, value]),
        );
        const clean = (text: string | null | undefined): string | undefined =>
          text === null || text === undefined || text === '' ? undefined : safe(text);
        expect(facts.get('Register')).toBe(safe(definition.title));
        expect(facts.get('Description')).toBe(clean(definition.description));
        expect(facts.get('Licence')).toBe(clean(definition.rights));
        expect(facts.get('Obtained from')).toBe(clean(head.links?.self));
        expect(facts.has('View')).toBe(head.asOf !== null);
        expect(facts.has('Last change')).toBe(head.lastChange !== null);
        expect(rows.slice(-allFields(definition).length).map(([name]) => name)).toEqual(
          allFields(definition).map(({ name }) => name),
        );
        expect(properties.modified).toBe(isoSeconds(head.lastChange ?? definition.created_at));
        expect(properties.created).toBe(isoSeconds(definition.created_at));
      }),
      { numRuns: RUNS },
    );
  });

  it('has long texts cut within a cell’s limit and never inside a character', async () => {
    const long = fc.tuple(texts(2), fc.integer({ min: 32_700, max: 32_800 }), texts(2)).map(
      // A pair, a lone surrogate or an escape may lie on the cut.
      ([start, length, end]) => start + '\u{1f600}'.repeat(length / 2) + end,
    );
    await fc.assert(
      fc.asyncProperty(long, async (content) => {
        const record: RegisterRecord = sampleRecord(1, { content });
        const report = new Report();
        const bytes = await encodeAll(format, SAMPLE_HEAD, pagesOfSize([record]), { report });
        const read = String(readWorkbook(bytes).sheets[0]!.rows[1]!.get('F')!.value);
        const { cells, cut } = expectedRow(SAMPLE_DEFINITION, record);
        expect({ kind: 'value', value: read }).toEqual(cells[5]);
        expect(read.length).toBeLessThanOrEqual(32_767);
        expect(report.warnings.find(({ code }) => code === 'cut_text')?.count ?? 0).toBe(cut);
      }),
      { numRuns: RUNS },
    );
  });
}

/** The cells of a row in order, as {@link comparable} shows what was expected. */
function cellsOf(row: ReadonlyMap<string, ReadCell>, columns: number): unknown[] {
  return Array.from({ length: columns }, (_, index) => {
    const cell = row.get(lettersOf(index));
    if (cell === undefined) return null;
    return cell.format === 'General' ? cell.value : { ms: msOf(cell.value as number), format: FORMATS[cell.format] };
  });
}

function comparable(cell: ExpectedCell | null): unknown {
  if (cell === null) return null;
  if (cell.kind === 'value') return cell.value;
  return { ms: cell.ms, format: Object.entries(FORMATS).find(([code]) => cell.format.test(code))![1] };
}

const FORMATS: Readonly<Record<string, string>> = {
  'yyyy\\-mm\\-dd': 'date',
  'yyyy\\-mm\\-dd\\ hh:mm:ss"Z"': 'seconds',
  'yyyy\\-mm\\-dd\\ hh:mm:ss.000"Z"': 'milliseconds',
};

/** Whether a source is written as a link: its target is tested by itself. */
function isLinked(url: string): boolean {
  return url.length <= 2080 && hasReadableHost(url);
}

function safe(text: string): string {
  return text.toWellFormed().replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd');
}

/** Years with other than four digits cannot be said. */
const isoSeconds = (text: string): string | undefined =>
  /^(?!0000)\d{4}-/.test(new Date(text).toISOString()) ? `${new Date(text).toISOString().slice(0, 19)}Z` : undefined;

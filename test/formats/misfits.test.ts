// What an embedder's source should never hold, in every format: a coded error that names it, and nothing lost in silence.
import { describe, expect, it } from 'vitest';
import type { Format, FormatOptions } from '../../src/formats/format.ts';
import { findFormat, FORMAT_NAMES } from '../../src/formats/index.ts';
import { REFERENCE_FORMAT_NAMES, referenceFormat } from '../../src/formats/reference/index.ts';
import { Report } from '../../src/formats/report.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../contracts/sample-register.ts';

const write = (format: Format, changes: object): Promise<Buffer> => {
  const record: RegisterRecord = { ...sampleRecord(1), ...changes };
  return encodeAll(format, SAMPLE_HEAD, pagesOfSize([record]));
};

/** Every writer by its name: the native ones, and those on packages. */
const WRITERS: readonly (readonly [title: string, format: Format])[] = [
  ...FORMAT_NAMES.map((name) => [name, findFormat(name)] as const),
  ...(await Promise.all(
    REFERENCE_FORMAT_NAMES.map(
      async (name) => [`${name} of the reference writer`, await referenceFormat(name)] as const,
    ),
  )),
];

/** Those that write every field: feeds have no place for some. */
const TABLES = WRITERS.filter(([title]) => !/^(?:rss|atom)/.test(title));

const ID = 'permits:2026-0001';

describe.each(WRITERS)('a record in %s', (_title, format) => {
  it.each<[string, object, string]>([
    ['a number for a title', { title: 42 }, 'title'],
    ['null for a title', { title: null }, 'title'],
    ['an undefined title', { title: undefined }, 'title'],
    ['an undefined author', { author: undefined }, 'author'],
    ['an undefined document type', { document_type: undefined }, 'document_type'],
    ['a number for an author', { author: 42 }, 'author'],
    ['a number for a facility', { facility_id: 42 }, 'facility_id'],
    ['a date object for a publication date', { published_at: new Date(0) }, 'published_at'],
    ['an undefined update', { updated_at: undefined }, 'updated_at'],
    ['null for the date of observation', { observed_at: null }, 'observed_at'],
    ['null for a source', { source_url: null }, 'source_url'],
  ])('is refused with %s, by its id and the field', async (_, changes, field) => {
    await expect(write(format, changes)).rejects.toMatchObject({
      code: 'invalid_record',
      message: expect.stringContaining(`record "${ID}": ${field} must be `) as string,
      details: { id: ID, field },
    });
  });

  it.each<[string, unknown, string]>([
    ['no id', undefined, 'nothing'],
    ['null for an id', null, 'null'],
    ['an empty id', '', '""'],
    ['a number for an id', 7, '7'],
  ])('is refused with %s, by its place', async (_, id, shown) => {
    await expect(write(format, { id })).rejects.toMatchObject({
      code: 'invalid_record',
      message: `the record at position 1: id must be text that is not empty, got ${shown}`,
      details: { id: null, field: 'id' },
    });
    await expect(write(format, { id, position: null })).rejects.toThrow(/^a record: id must be /);
  });
});

describe.each(TABLES)('a record in %s', (_title, format) => {
  it.each<[string, object, string]>([
    ['null for its register', { feed_id: null }, 'feed_id'],
    ['null for its key', { key: null }, 'key'],
    ['an empty object for a version', { version: {} }, 'version'],
    ['NaN for a version', { version: NaN }, 'version'],
    ['an undefined version', { version: undefined }, 'version'],
    ['zero for a position', { position: 0 }, 'position'],
    ['an undefined position', { position: undefined }, 'position'],
    ['a big integer of a database driver', { data: { pages: 10n } }, 'data.pages'],
    ['a function', { data: { applicant: () => 'x' } }, 'data.applicant'],
    ['a symbol', { data: { parts: Symbol('x') } }, 'data.parts'],
    ['NaN inside JSON', { data: { parts: [NaN] } }, 'data.parts'],
    ['a map for JSON', { data: { parts: new Map() } }, 'data.parts'],
  ])('is refused with %s, by its id and the field', async (_, changes, field) => {
    await expect(write(format, changes)).rejects.toMatchObject({
      code: 'invalid_record',
      message: expect.stringContaining(`record "${ID}": ${field}`) as string,
      details: { id: ID, field },
    });
  });

  it('is written where a field is called as what every object inherits', async () => {
    const fields = [{ name: 'constructor', label: 'C', type: 'text' as const }];
    const head = { ...SAMPLE_HEAD, definition: { ...SAMPLE_HEAD.definition, fields } };
    const document = await encodeAll(format, head, pagesOfSize([sampleRecord(1, { data: {} })]));
    expect(document.toString()).not.toContain('native code');
  });
});

describe.each(WRITERS.filter(([title]) => !/^(?:csv|ndjson|geojson)/.test(title)))('a head in %s', (_title, format) => {
  it('is refused before anything is written when the register last changed at no date', async () => {
    const unexpected = (): never => expect.unreachable();
    const out = { text: unexpected, escaped: unexpected, bytes: unexpected };
    const head = { ...SAMPLE_HEAD, lastChange: 'yesterday' };
    expect(() => format.open(out, head)).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });
});

describe.each(WRITERS)('the options of %s', (_title, format) => {
  it.each(['delimeter', 'Report', 'constructor'])('have no %s, which is said with what there is', async (option) => {
    const options = { report: new Report(), signal: new AbortController().signal, [option]: ';' };
    await expect(encodeAll(format, SAMPLE_HEAD, [], options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringMatching(
        `^format ${format.name} has no option "${option}"; it has .*report, reusesChunks and signal$`,
      ) as string,
      details: { option },
    });
  });
});

describe('the options of CSV', () => {
  it('are all named where one is wrong', async () => {
    await expect(encodeAll(findFormat('csv'), SAMPLE_HEAD, [], { delimeter: ';' } as FormatOptions)).rejects.toThrow(
      'format csv has no option "delimeter"; it has delimiter, bom, record_delimiter, quoted, formulas, report, reusesChunks and signal',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { exportHandler } from '../../src/export/handler.ts';
import { checkFormats, loadFormat } from '../../src/formats/check-formats.ts';
import { csv } from '../../src/formats/csv.ts';
import type { Format } from '../../src/formats/format.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SnapshotWriter } from '../../src/snapshot/run.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { SAMPLE_DEFINITION } from '../contracts/sample-register.ts';

const WRONG: readonly (readonly [what: string, formats: unknown, message: string])[] = [
  ['an object for the table', { csv }, 'formats must be an array of formats, got {"csv":'],
  ['no format at all', [], 'formats must name at least one format'],
  ['null', [null], 'a format must be an object, got null'],
  ['a name', ['csv'], 'a format must be an object, got "csv"'],
  [
    'a name with a dot',
    [{ ...csv, name: 'tar.gz' }],
    'name must be lower-case letters, digits and -, beginning with a letter, got "tar.gz"',
  ],
  ['a name with a slash', [{ ...csv, name: 'a/b' }], 'name must be'],
  ['no name', [{ ...csv, name: undefined }], 'name must be'],
  [
    'a media type that is none',
    [{ ...csv, mediaType: 'text' }],
    'mediaType must be a media type such as text/csv; charset=utf-8, got "text"',
  ],
  ['a media type of two lines', [{ ...csv, mediaType: 'text/csv; a=b\r\nSet-Cookie: c' }], 'mediaType must be'],
  [
    'an extension that is a path',
    [{ ...csv, extension: '../csv' }],
    'extension must be lower-case letters and digits, without a dot, got "../csv"',
  ],
  ['nothing to open', [{ ...csv, open: undefined }], 'open must be a function, got undefined'],
  [
    'two of one name',
    [...EXPORT_FORMATS, { ...csv, extension: 'tab' }],
    'a format needs a name of its own: there are csv, xlsx, xml, rss, atom, and another csv',
  ],
];

describe('formats from outside', () => {
  it.each(WRONG)('are refused where they are %s', async (_, given, message) => {
    const formats = given as readonly Format[];
    const refused = expect.objectContaining({
      code: 'invalid_option',
      message: expect.stringContaining(message) as string,
    }) as Error;
    expect(() => checkFormats(formats)).toThrow(refused);
    expect(() => exportHandler(fromRecords(SAMPLE_DEFINITION, []), { formats })).toThrow(refused);
    const store = SqliteStore.open(':memory:');
    expect(() => createGazette({ store, formats })).toThrow(refused);
  });

  it.each<[string, readonly (Format | URL)[], string]>([
    ['without feeds', [csv], 'formats must have atom and rss'],
    [
      'with files that end like another format',
      [...EXPORT_FORMATS, { ...csv, name: 'tab' }],
      'format tab: another kind of file',
    ],
    [
      'with files that end like those of the pages',
      [...EXPORT_FORMATS, { ...csv, name: 'geo', extension: 'json' }],
      'format geo: another kind of file',
    ],
    [
      'with files that end like those in work',
      [...EXPORT_FORMATS, { ...csv, name: 'temp', extension: 'tmp' }],
      'format temp: another kind of file',
    ],
    [
      'in a module that is not there',
      [...EXPORT_FORMATS, new URL('file:///nowhere/tsv.ts')],
      'the format module file:///nowhere/tsv.ts cannot be loaded',
    ],
  ])('are refused by a snapshot %s', async (_, formats, message) => {
    const options = { store: SqliteStore.open(':memory:'), out: 'never-made', baseUrl: 'https://example.org', formats };
    await expect(SnapshotWriter.open(options)).rejects.toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    ['that fails', 'throw new Error("no such table")', 'cannot be loaded: no such table'],
    ['that is no program', 'export const format = ;', 'cannot be loaded: '],
    ['without the export', 'export const tsv = {}', 'must export its format as "format", it exports tsv'],
    [
      'of a format that is none',
      'export const format = { name: "tsv" }',
      'mediaType must be a media type such as text/csv; charset=utf-8, got undefined',
    ],
  ])('are refused in a module %s', async (_, code, message) => {
    const module = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
    const refused = { code: 'invalid_option', message: expect.stringContaining(message) as string };
    await expect(loadFormat(module)).rejects.toMatchObject(refused);
  });
});

// What an embedder's source should never hold, in every format: a coded error that names it, and nothing lost in silence.
import { describe, expect, it } from 'vitest';
import { findFormat, FORMAT_NAMES } from '../../src/formats/index.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../contracts/sample-register.ts';

const write = (format: string, changes: object): Promise<Buffer> => {
  const record: RegisterRecord = { ...sampleRecord(1), ...changes };
  return encodeAll(findFormat(format), SAMPLE_HEAD, pagesOfSize([record]));
};

describe.each(FORMAT_NAMES.filter((name) => name !== 'ndjson'))('a record in %s', (format) => {
  it.each([
    ['a number for a title', { title: 42 }],
    ['a date object for a publication date', { published_at: new Date(0) }],
    ['a number for an author', { author: 42 }],
    ['a number for a facility', { facility_id: 42 }],
  ])('is refused with %s', async (_, changes) => {
    await expect(write(format, changes)).rejects.toMatchObject({ code: 'invalid_record' });
  });
});

describe.each(['csv', 'xml', 'xlsx'])('a record in %s', (format) => {
  it('is refused with a big integer of a database driver', async () => {
    await expect(write(format, { data: { pages: 10n } })).rejects.toMatchObject({ code: 'invalid_record' });
  });
});

describe.each(['xml', 'rss', 'atom'])('a record in %s', (format) => {
  it.each([
    ['no id', { id: undefined }],
    ['null for an id', { id: null }],
    ['an undefined title', { title: undefined }],
  ])('is refused with %s', async (_, changes) => {
    await expect(write(format, changes)).rejects.toMatchObject({ code: 'invalid_record' });
  });
});

describe('CSV', () => {
  it('names the record whose value it refuses', async () => {
    await expect(write('csv', { title: 42 })).rejects.toThrow('record "permits:2026-0001": a text field must be text');
  });
});

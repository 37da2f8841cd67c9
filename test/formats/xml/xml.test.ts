import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { DocumentHead } from '../../../src/formats/format.ts';
import { Report } from '../../../src/formats/report.ts';
import { REGISTER_NAMESPACE, xml } from '../../../src/formats/xml/xml.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';
import { childrenOf, parseXml } from '../../contracts/xml-tree.ts';
import { XML_CASES } from './cases.ts';

describeFormat('xml', xml, {
  countRecords: (document) => childrenOf(parseXml(document), `{${REGISTER_NAMESPACE}}record`).length,
  changes: [
    {
      record: sampleRecord(9, { title: 'lone \ud800 surrogate' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
    {
      record: sampleRecord(9, { title: 'U+0000 \u0000, U+000B \u000b', content: 'U+FFFE \ufffe, U+FFFF \uffff' }),
      warnings: [{ code: 'replaced_characters', count: 1, recordId: 'permits:2026-0009' }],
    },
    {
      record: sampleRecord(9, { title: 'allowed: \t\n\r\u007f\u0085\u2028\ufeff\ufffd\u{1fffe}\u{10ffff}' }),
      warnings: [],
    },
  ],
});

describe('the XML writer', () => {
  for (const { name, head, records } of XML_CASES) {
    it(`writes the bytes of fixtures/expected/xml/${name}.xml`, async () => {
      const expected = await readFile(new URL(`../../../fixtures/expected/xml/${name}.xml`, import.meta.url));
      expect((await encodeAll(xml, head, pagesOfSize(records))).toString()).toBe(expected.toString());
    });
  }

  it.each<[title: string, changes: Partial<Record<keyof RegisterRecord, unknown>>, field: string, expected: string]>([
    ['text that is none', { title: 5 }, 'title', 'text'],
    ['a missing text', { feed_id: undefined }, 'feed_id', 'text'],
    ['a content type there is none of', { content_type: 'markdown' }, 'content_type', '"text" or "html"'],
    ['no content type', { content_type: null }, 'content_type', '"text" or "html"'],
    ['a relative source', { source_url: '/permits/1' }, 'source_url', 'an absolute http(s) URL'],
    ['a source that would run', { source_url: 'javascript:alert(1)' }, 'source_url', 'an absolute http(s) URL'],
    ['a source on two lines', { source_url: 'https://a.example/\nb' }, 'source_url', 'an absolute http(s) URL'],
    ['a date there is none of', { published_at: '2026-02-30' }, 'published_at', 'a date'],
    ['a date in words', { observed_at: 'yesterday' }, 'observed_at', 'a date'],
    ['a time without an offset', { updated_at: '2026-05-02T10:00:00' }, 'updated_at', 'a date'],
    ['version 0', { version: 0 }, 'version', 'a whole number from 1'],
    ['a fraction of a position', { position: 1.5 }, 'position', 'a whole number from 1'],
    ['a number as text', { data: { amount: '1.5' } }, 'data.amount', 'a number'],
    ['text as a number', { data: { applicant: 1 } }, 'data.applicant', 'text'],
    ['an object as text', { data: { applicant: { formula: '=1' } } }, 'data.applicant', 'text'],
    ['a fraction as an integer', { data: { pages: 1.5 } }, 'data.pages', 'a whole number'],
    ['an integer beyond exact counting', { data: { pages: 2 ** 53 } }, 'data.pages', 'a whole number'],
    ['an integer in words', { data: { pages: 'ten' } }, 'data.pages', 'a whole number'],
    ['a boolean in words', { data: { appealed: 'yes' } }, 'data.appealed', 'true or false'],
    ['a date-time as a date', { data: { valid_from: '2026-05-02T10:00:00Z' } }, 'data.valid_from', 'a date such as'],
    ['noon as a date-time', { data: { heard_at: '12:00' } }, 'data.heard_at', 'a date'],
    [
      'a mail address as a URL',
      { data: { map_url: 'mailto:a@example.org' } },
      'data.map_url',
      'an absolute http(s) URL',
    ],
  ])('refuses %s, naming the record, the field and what was expected', async (_, changes, field, expected) => {
    const record = { ...sampleRecord(7), ...changes } as RegisterRecord;
    await expect(encodeAll(xml, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
      code: 'invalid_record',
      message: expect.stringContaining(`record "permits:2026-0007": ${field} must be ${expected}`) as string,
      details: { id: 'permits:2026-0007', field, expected: expect.stringContaining(expected) as string },
    });
  });

  it('refuses a last change that is no date: the source broke its promise', async () => {
    const head: DocumentHead = { ...SAMPLE_HEAD, lastChange: 'today' };
    await expect(encodeAll(xml, head, [])).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('reports characters it replaces in the head without naming a record', async () => {
    const report = new Report();
    const head: DocumentHead = { ...SAMPLE_HEAD, asOf: 'a\u0001' };
    await encodeAll(xml, head, [], { report });
    expect(report.warnings).toEqual([{ code: 'replaced_characters', count: 1, recordId: null }]);
  });
});

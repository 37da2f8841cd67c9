// Records an XLSX file cannot carry as they are, and what is then reported; by both writers.
import type { Warning } from '../../../src/formats/report.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { sampleRecord } from '../../contracts/sample-register.ts';

const ID = 'permits:2026-0009';
const once = (code: Warning['code'], count = 1): Warning => ({ code, count, recordId: ID });
const data = (changes: RegisterRecord['data']): RegisterRecord['data'] => ({ ...sampleRecord(9).data, ...changes });

export const XLSX_CHANGES: readonly { readonly record: RegisterRecord; readonly warnings: readonly Warning[] }[] = [
  { record: sampleRecord(9, { title: 'lone \ud800 surrogate' }), warnings: [once('replaced_characters')] },
  {
    record: sampleRecord(9, { title: 'U+0000 \u0000 & U+001F \u001f', content: 'U+FFFE \ufffe, U+FFFF \uffff' }),
    warnings: [once('replaced_characters')],
  },
  {
    record: sampleRecord(9, {
      title: ' \t\n\r<&>"\']]>\u007f\u0085\u2028\ufeff\ufffd\u{1fffe}\u{10ffff} _x0041_x0042_',
    }),
    warnings: [],
  },
  { record: sampleRecord(9, { content: 'x'.repeat(32_767) }), warnings: [] },
  {
    record: sampleRecord(9, { content: 'x'.repeat(32_768), summary: '='.repeat(40_000) }),
    warnings: [once('cut_text', 2)],
  },
  {
    record: sampleRecord(9, {
      published_at: '1900-02-28',
      observed_at: '1900-02-28T23:59:59Z',
      updated_at: '2026-05-02T10:00:00+02:00',
    }),
    warnings: [once('value_as_text', 3)],
  },
  {
    record: sampleRecord(9, {
      published_at: '1900-03-01',
      observed_at: '9999-12-31T23:59:59.999Z',
      updated_at: '2026-05-02T10:00:00.120Z',
    }),
    warnings: [],
  },
  { record: sampleRecord(9, { updated_at: '2026-05-02T10:00:00.12Z' }), warnings: [once('value_as_text')] },
  {
    record: sampleRecord(9, { data: data({ pages: '1000000000000000', amount: NaN }) }),
    warnings: [once('value_as_text', 2)],
  },
  {
    record: sampleRecord(9, { data: data({ pages: -999_999_999_999_999, amount: 3.7e16, applicant: '=1+1' }) }),
    warnings: [],
  },
  {
    record: sampleRecord(9, { data: data({ pages: 9_007_199_254_740_991, amount: -Infinity }) }),
    warnings: [once('value_as_text', 2)],
  },
  {
    record: sampleRecord(9, { source_url: `https://example.org/${'x'.repeat(2061)}` }),
    warnings: [once('link_as_text')],
  },
  { record: sampleRecord(9, { source_url: `https://example.org/${'x'.repeat(2060)}` }), warnings: [] },
  // 2,080 characters, but not once its letters are percent-encoded.
  {
    record: sampleRecord(9, { source_url: `https://example.org/é${'x'.repeat(2059)}` }),
    warnings: [once('link_as_text')],
  },
];

/** Records of few cells, each with a value that is written in a way of its own: `fixtures/expected/xlsx/values.xml`. */
export const XLSX_VALUES: readonly RegisterRecord[] = [
  sampleRecord(6, { title: 'a < b > c & d "e" \'f\'' }),
  sampleRecord(6, { title: ' both ends\t' }),
  sampleRecord(6, { title: 'a\r\nb' }),
  sampleRecord(6, { title: '_x0041_x0042_ _x004_' }),
  sampleRecord(6, { title: ']]>' }),
  sampleRecord(6, { title: 'a\u0000b\ufffec\ud800d\u{1f600}' }),
  sampleRecord(6, { title: '', content: '' }),
  sampleRecord(6, { source_url: "https://example.org/?q='é'&p=_x0041_" }),
  sampleRecord(6, { published_at: '1900-02-28', observed_at: '1900-03-01' }),
  sampleRecord(6, { published_at: '9999-12-31T23:59:59Z', observed_at: '9999-12-31T23:59:59-00:01' }),
  sampleRecord(6, { published_at: '2026-04-17T10:00:00.5+02:00', observed_at: '2026-04-17T10:00:00.0005Z' }),
  sampleRecord(6, { data: { amount: -0, pages: '999999999999999', appealed: true } }),
  sampleRecord(6, { data: { amount: 1e-7, pages: '1000000000000000', appealed: false } }),
  sampleRecord(6, { data: { amount: 1e300, pages: -1e15 } }),
  sampleRecord(6, { data: { amount: 2 ** 53, pages: 0 } }),
  sampleRecord(6, { data: { amount: NaN, applicant: '=1+1' } }),
  sampleRecord(6, { data: { valid_from: '2026-02-28', heard_at: '2026-02-28', parts: { b: 1, a: null } } }),
];

// The table of XML documents: head, records and the file in fixtures/expected/xml/ with the bytes, read by eye. Both
// writers must make them.
import type { DocumentHead } from '../../../src/formats/format.ts';
import type { JsonValue } from '../../../src/register/canonical-json.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';

/** One document of the table. */
export interface XmlCase {
  /** What the document shows, and the name of its file without the ending. */
  readonly name: string;
  readonly head: DocumentHead;
  readonly records: readonly RegisterRecord[];
}

const VALUES = defineRegister({
  id: 'values',
  title: 'Values "quoted" & <marked>\tup',
  created_at: '2026-01-01T00:00:00Z',
  fields: [
    { name: 'text', type: 'text' },
    { name: 'number', type: 'number' },
    { name: 'integer', type: 'integer' },
    { name: 'boolean', type: 'boolean' },
    { name: 'date', type: 'date' },
    { name: 'time', type: 'datetime' },
    { name: 'url', type: 'url' },
    { name: 'json', type: 'json' },
    { name: 'constructor', type: 'json' },
  ],
});

/** A record whose core fields say as little as they may. */
function line(key: string, data: Readonly<Record<string, JsonValue>>): RegisterRecord {
  return {
    ...sampleRecord(6),
    id: `values:${key}`,
    feed_id: 'values',
    key,
    title: 'T',
    source_url: 'https://example.org/',
    observed_at: '2026-04-19',
    version: 1,
    position: null,
    data,
  };
}

/** Every document of the table. */
export const XML_CASES: readonly XmlCase[] = [
  { name: 'empty', head: SAMPLE_HEAD, records: [] },
  {
    name: 'ordinary',
    head: {
      ...SAMPLE_HEAD,
      asOf: 1312,
      filter: { document_type: 'adopted', facility_id: 'FAC-0012' },
      links: {
        self: 'https://example.org/export.xml?limit=3&offset=3',
        next: 'https://example.org/export.xml?limit=3&offset=6',
        schema: 'https://example.org/register.xsd?a&b',
      },
    },
    records: [7, 6, 5].map((position) => sampleRecord(position)),
  },
  {
    name: 'values',
    head: { definition: VALUES, lastChange: null, asOf: 'opaque "view"', filter: { document_type: 'a\r\nb\tc' } },
    records: [
      line('null', { text: null, number: null, integer: null, boolean: null, json: null }),
      line('absent', {}),
      line('undeclared', { text: 'a', other: 'never written' }),
      line('empty', { text: '', json: '' }),
      line('spaces', { text: '  ' }),
      line('markup', { text: '<b>&amp;</b> "quoted" \'single\' ]]> <![CDATA[x]]> --> &lt; &#13;' }),
      line('line-ends', { text: 'CRLF \r\n CR \r LF \n TAB \t NEL \u0085 LS \u2028' }),
      line('replaced', { text: 'NUL \u0000 VT \u000b ESC \u001b FFFE \ufffe FFFF \uffff lone \ud800, \udc00' }),
      line('kept', { text: 'DEL \u007f C1 \u009f BOM \ufeff astral \u{1fffe} 😀 漢字' }),
      line('zero', { number: 0, integer: 0, boolean: false, json: 0 }),
      line('minus-zero', { number: -0, integer: -0 }),
      line('not-finite', { number: NaN }),
      line('infinite', { number: -Infinity }),
      line('exponents', { number: 1e21, json: 1e-7 }),
      line('digits', { number: -0.5, integer: '-123456789012345678901234567890' }),
      line('date', { date: '0001-01-01', time: '2026-04-17', url: 'https://example.org/?a=1&b=<2>' }),
      line('time', { time: '9999-12-31T23:59:59.123456789-14:00' }),
      line('json', { json: { b: [1, 'x\r\n<y>'], a: null } }),
    ],
  },
];

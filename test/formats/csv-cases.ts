// The table of CSV documents: records, dialect and the file in fixtures/expected/csv/ with the bytes, read by eye. Both
// writers must make them.
import type { CsvOptions } from '../../src/formats/csv-dialect.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import type { RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { SAMPLE_DEFINITION, sampleRecord, sampleRecords } from '../contracts/sample-register.ts';

/** One document of the table. */
export interface CsvCase {
  /** What the document shows, and the name of its file without the ending. */
  readonly name: string;
  readonly options?: CsvOptions;
  readonly definition: RegisterDefinition;
  readonly records: readonly RegisterRecord[];
}

/** One text field, so that each line of the document is one value. */
const TEXTS = defineRegister({
  id: 'texts',
  title: 'Texts',
  created_at: '2026-01-01T00:00:00Z',
  fields: [
    { name: 'text', type: 'text' },
    { name: 'number', type: 'number' },
    { name: 'integer', type: 'integer' },
    { name: 'json', type: 'json' },
  ],
});

/** A record whose core fields say as little as they may. */
function line(id: string, data: Readonly<Record<string, JsonValue>>): RegisterRecord {
  return {
    ...sampleRecord(6),
    id: `texts:${id}`,
    feed_id: 'texts',
    key: id,
    title: 'T',
    source_url: 'https://example.org/',
    observed_at: '2026-04-19',
    version: 1,
    position: null,
    data,
  };
}

const lines = (texts: readonly string[]): RegisterRecord[] => texts.map((text, index) => line(String(index), { text }));

const FORMULAS = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠1'],
  ...["'=1", "''-1", "'", "'text", "''", 'a=1', ' =1', '5-1', '=1,"x"'],
];

/** Every document of the table. */
export const CSV_CASES: readonly CsvCase[] = [
  { name: 'empty', definition: SAMPLE_DEFINITION, records: [] },
  { name: 'ordinary', definition: SAMPLE_DEFINITION, records: [5, 6, 7].map((position) => sampleRecord(position)) },
  {
    name: 'quoting',
    definition: TEXTS,
    records: lines([
      ...[
        'plain',
        '',
        ' spaces ',
        'a,b',
        'a"b',
        '"',
        '""',
        'a\r\nb',
        'a\rb',
        'a\nb',
        'a;b',
        'a\tb',
        "it's",
        '漢字 é 😀',
      ],
      ...['\ufeff', '\u2028', `${'long '.repeat(20)}, comma`, `${'long '.repeat(20)}"quotes"`, 'long '.repeat(20)],
      ...[`${'long '.repeat(20)}\rCR`, `${'long '.repeat(20)}\nLF`],
    ]),
  },
  {
    name: 'values',
    definition: TEXTS,
    records: [
      line('null', { text: null, number: null, integer: null, json: null }),
      line('absent', {}),
      line('undeclared', { text: 'a', other: 'never written' }),
      line('zero', { number: 0, integer: 0, json: 0 }),
      line('minus-zero', { number: -0, json: -5 }),
      line('not-finite', { number: NaN }),
      line('infinite', { number: -Infinity }),
      line('exponents', { number: 1e21, json: 1e-7 }),
      line('digits', { number: -0.5, integer: '-123456789012345678901234567890' }),
      line('booleans', { text: 'true', json: true }),
      line('json-text', { json: '=1' }),
      line('json-list', { json: [1, 'a,b', null, { b: 1, a: ['"'] }] }),
      line('surrogates', { text: 'a\ud800b \udc00' }),
    ],
  },
  {
    name: 'formulas-guarded',
    definition: TEXTS,
    records: [...lines(FORMULAS), line('numbers', { number: -5, integer: -5, json: -5, text: '-5' })],
  },
  {
    name: 'formulas-raw',
    options: { formulas: 'raw' },
    definition: TEXTS,
    records: lines(FORMULAS),
  },
  {
    name: 'semicolon-bom-lf-quoted',
    options: { delimiter: ';', bom: true, record_delimiter: '\n', quoted: true },
    definition: SAMPLE_DEFINITION,
    records: sampleRecords(2),
  },
  {
    name: 'tab',
    options: { delimiter: '\t' },
    definition: TEXTS,
    records: lines(['a,b', 'a\tb', '\t=1']),
  },
];

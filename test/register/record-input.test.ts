import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { MAX_CONTENT_BYTES } from '../../src/register/fields.ts';
import { type RecordInput, toRecord } from '../../src/register/record-input.ts';
import type { FieldType, RegisterRecord } from '../../src/register/record.ts';
import { fieldValues, RUNS, texts, times, urls } from '../properties/arbitraries.ts';

const TYPES: readonly FieldType[] = [
  'text',
  'number',
  'decimal',
  'integer',
  'boolean',
  'date',
  'datetime',
  'url',
  'json',
];
const definition = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  fields: TYPES.map((type) => ({ name: `a_${type}`, type })),
});
const MINIMAL: RecordInput = {
  id: '2026-0417',
  title: 'Permit',
  source_url: 'https://example.org/p/0417',
  observed_at: '2026-04-19T08:12:44Z',
};
const NO_DATA = Object.fromEntries(TYPES.map((type) => [`a_${type}`, null]));
const read = (input: unknown): RegisterRecord =>
  toRecord(definition, input as RecordInput, { where: 'line 7', position: 12 });
const readData = (name: string, value: unknown): unknown => read({ ...MINIMAL, data: { [name]: value } }).data[name];

describe('toRecord', () => {
  it('makes a record of the least there may be', () => {
    expect(read(MINIMAL)).toEqual({
      id: 'permits:2026-0417',
      feed_id: 'permits',
      key: '2026-0417',
      title: 'Permit',
      summary: null,
      content: null,
      content_type: 'text',
      author: null,
      document_type: null,
      facility_id: null,
      source_url: 'https://example.org/p/0417',
      published_at: null,
      observed_at: '2026-04-19T08:12:44Z',
      updated_at: null,
      version: 1,
      position: 12,
      data: NO_DATA,
    });
  });

  it('takes an id of the register as it is, and encodes any other key', () => {
    expect(read({ ...MINIMAL, id: 'permits:2026-0417' }).id).toBe('permits:2026-0417');
    expect(read({ ...MINIMAL, id: '22/01' }).id).toBe('permits:22~2F01');
    expect(read({ ...MINIMAL, id: 'other:1' }).id).toBe('permits:other~3A1');
    expect(read({ ...MINIMAL, id: 'permits:a/b' }).id).toBe('permits:permits~3Aa~2Fb');
  });

  it('ignores a position of its own: places are given, not claimed', () => {
    expect(read({ ...MINIMAL, position: 99 }).position).toBe(12);
  });

  it('keeps the precision of every date', () => {
    const dated = read({ ...MINIMAL, published_at: '2026-04-17', updated_at: '2026-05-02T10:00:00.5+02:00' });
    expect(dated.published_at).toBe('2026-04-17');
    expect(dated.updated_at).toBe('2026-05-02T10:00:00.5+02:00');
  });

  it('tells the empty text from none', () => {
    expect(read({ ...MINIMAL, summary: '', author: null })).toMatchObject({ summary: '', author: null });
  });

  it('puts the fields in the order of the definition and leaves out what it does not declare', () => {
    const { data } = read({ ...MINIMAL, data: { extra: 1, a_json: [], a_text: 'x' } });
    expect(Object.entries(data)).toEqual(Object.entries({ ...NO_DATA, a_text: 'x', a_json: [] }));
  });

  it('takes no value that its data only inherits', () => {
    const inheriting = defineRegister({ ...definition, fields: [{ name: 'constructor', type: 'json' }] });
    const { data } = toRecord(inheriting, { ...MINIMAL, data: {} }, { where: 'x', position: null });
    expect(Object.entries(data)).toEqual([['constructor', null]]);
  });

  it('makes the same record of its own record', () => {
    const field = (type: FieldType): fc.Arbitrary<unknown> => fc.option(fieldValues(type));
    const inputs = fc.record(
      {
        id: fc.stringMatching(/^[A-Za-z0-9/ ]{1,20}$/),
        title: texts().filter((text) => text !== ''),
        source_url: urls(),
        observed_at: times(),
        summary: fc.option(texts()),
        content: fc.option(texts()),
        content_type: fc.constantFrom('text', 'html'),
        published_at: fc.option(times()),
        version: fc.integer({ min: 1 }),
        data: fc.record(Object.fromEntries(TYPES.map((type) => [`a_${type}`, field(type)])), { requiredKeys: [] }),
      },
      { requiredKeys: ['id', 'title', 'source_url', 'observed_at'] },
    );
    fc.assert(
      fc.property(inputs, (input) => {
        const record = read(input);
        expect(read(record)).toEqual(record);
      }),
      { numRuns: RUNS },
    );
  });

  it('is detached from the caller’s objects', () => {
    const conditions = [{ text: 'quiet at night' }];
    const record = read({ ...MINIMAL, data: { a_json: conditions } });
    conditions[0]!.text = 'loud';
    expect(record.data.a_json).toEqual([{ text: 'quiet at night' }]);
  });
});

describe('what toRecord refuses', () => {
  const URL_EXPECTED = 'source_url must be an absolute http(s) URL';
  const TIME = 'must be a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z)';
  const KEY = 'id must be the publisher’s key, as text that is not empty';

  it.each<readonly [string, object, string]>([
    ['no id', { id: undefined }, `${KEY}, got nothing`],
    ['an empty id', { id: '' }, `${KEY}, got ""`],
    ['a number for an id', { id: 417 }, `${KEY}, got 417`],
    ['a big integer for an id', { id: 417n }, `${KEY}, got 417`],
    ['an id with a lone surrogate', { id: '\ud800' }, 'id must be Unicode text, got a lone surrogate in "\\ud800"'],
    [
      'an id too long',
      { id: 'x'.repeat(201) },
      `id must be 1..200 characters once encoded, got 201 ("${'x'.repeat(60)}…")`,
    ],
    ['another register’s feed id', { feed_id: 'notices' }, 'feed_id must be "permits" or absent, got "notices"'],
    [
      'another key than the id’s',
      { key: '2026/0417' },
      'key must be "2026-0417", as in the id, or absent, got "2026/0417"',
    ],
    ['a key that is a number', { id: '7', key: 7 }, 'key must be "7", as in the id, or absent, got 7'],
    ['null for a feed id', { feed_id: null }, 'feed_id must be "permits" or absent, got null'],
    ['no title', { title: undefined }, 'title must be text that is not empty, got nothing'],
    ['an empty title', { title: '' }, 'title must be text that is not empty, got ""'],
    ['null for a title', { title: null }, 'title must be text that is not empty, got null'],
    ['an array for a title', { title: [1n] }, 'title must be text that is not empty, got "[object Array]"'],
    ['a number for a summary', { summary: 5 }, 'summary must be text or null, got 5'],
    ['an object for content', { content: { a: 1 } }, 'content must be text or null, got {"a":1}'],
    ['an unknown content type', { content_type: 'markdown' }, 'content_type must be "text" or "html", got "markdown"'],
    ['null for a content type', { content_type: null }, 'content_type must be "text" or "html", got null'],
    ['true for an author', { author: true }, 'author must be text or null, got true'],
    ['a number for a document type', { document_type: 1 }, 'document_type must be text or null, got 1'],
    ['a number for a facility', { facility_id: 12 }, 'facility_id must be text or null, got 12'],
    ['no source', { source_url: undefined }, `${URL_EXPECTED}, got nothing`],
    ['null for a source', { source_url: null }, `${URL_EXPECTED}, got null`],
    ['a relative source', { source_url: '/p/0417' }, `${URL_EXPECTED}, got "/p/0417"`],
    ['a script for a source', { source_url: 'javascript:alert(1)' }, `${URL_EXPECTED}, got "javascript:alert(1)"`],
    ['no observation date', { observed_at: undefined }, `observed_at ${TIME}, got nothing`],
    ['null for an observation date', { observed_at: null }, `observed_at ${TIME}, got null`],
    ['an impossible date', { observed_at: '2026-02-30' }, `observed_at ${TIME}, got "2026-02-30"`],
    ['a date object', { observed_at: new Date(0) }, `observed_at ${TIME}, got "1970-01-01T00:00:00.000Z"`],
    ['an empty publication date', { published_at: '' }, `published_at ${TIME}, got ""`],
    ['a publication date in words', { published_at: 'April 2026' }, `published_at ${TIME}, got "April 2026"`],
    ['a number for an update', { updated_at: 0 }, `updated_at ${TIME}, got 0`],
    ['version 0', { version: 0 }, 'version must be a whole number from 1, got 0'],
    ['half a version', { version: 1.5 }, 'version must be a whole number from 1, got 1.5'],
    ['a version as text', { version: '2' }, 'version must be a whole number from 1, got "2"'],
    ['a version beyond counting', { version: 2 ** 53 }, 'version must be a whole number from 1, got 9007199254740992'],
    ['an array for data', { data: [] }, 'data must be an object, got []'],
    ['a text for data', { data: 'x' }, 'data must be an object, got "x"'],
  ])('%s', (_, change, message) => {
    const field = message.split(' ', 1)[0];
    expect(() => read({ ...MINIMAL, ...change })).toThrow(
      expect.objectContaining({
        code: 'invalid_record',
        message: `line 7: ${message}`,
        details: { where: 'line 7', field },
      }),
    );
  });

  it.each([[null], [undefined], ['text'], [5], [[]]])('%j for a record', (input) => {
    expect(() => read(input)).toThrow(
      expect.objectContaining({
        code: 'invalid_record',
        message: expect.stringMatching(/^line 7: record must be an object, got /) as string,
        details: { where: 'line 7', field: 'record' },
      }),
    );
  });

  it('content of more than 1 MiB of UTF-8, and nothing below it', () => {
    const just = `${'é'.repeat(MAX_CONTENT_BYTES / 2 - 1)}xx`;
    expect(read({ ...MINIMAL, content: just }).content).toHaveLength(just.length);
    expect(() => read({ ...MINIMAL, content: `${just}x` })).toThrow(
      expect.objectContaining({
        code: 'invalid_record',
        message: 'line 7: content must be at most 1048576 bytes of UTF-8, got 1048577',
        details: { where: 'line 7', field: 'content' },
      }),
    );
  });

  const circular: unknown[] = [];
  circular.push(circular);
  const DECIMAL = 'a decimal number such as 12.50, of at most 1000 digits';
  const INTEGER = 'a whole number, as text of digits beyond 9007199254740991';

  it.each<readonly [string, unknown, string]>([
    ['a_text', 5, 'text, got 5'],
    ['a_text', ['x'], 'text, got ["x"]'],
    ['a_number', '5', 'a number, got "5"'],
    ['a_number', 5n, 'a number, got 5'],
    ['a_number', true, 'a number, got true'],
    ['a_decimal', 'much', `${DECIMAL}, got "much"`],
    ['a_decimal', '1,5', `${DECIMAL}, got "1,5"`],
    ['a_decimal', NaN, `${DECIMAL}, got NaN`],
    ['a_decimal', true, `${DECIMAL}, got true`],
    ['a_integer', 1.5, `${INTEGER}, got 1.5`],
    ['a_integer', 2 ** 53, `${INTEGER}, got 9007199254740992`],
    ['a_integer', NaN, `${INTEGER}, got NaN`],
    ['a_integer', '1.0', `${INTEGER}, got "1.0"`],
    ['a_integer', '007', `${INTEGER}, got "007"`],
    ['a_integer', '+7', `${INTEGER}, got "+7"`],
    ['a_integer', '', `${INTEGER}, got ""`],
    ['a_integer', '1e3', `${INTEGER}, got "1e3"`],
    ['a_integer', '5\n', `${INTEGER}, got "5\\n"`],
    ['a_boolean', 1, 'true or false, got 1'],
    ['a_boolean', 'true', 'true or false, got "true"'],
    ['a_date', '2026-04-17T00:00:00Z', 'a date such as 2026-04-17, got "2026-04-17T00:00:00Z"'],
    ['a_date', '2026-02-29', 'a date such as 2026-04-17, got "2026-02-29"'],
    ['a_datetime', 'now', 'a date (2026-04-17) or an RFC 3339 date-time (2026-04-17T08:12:44Z), got "now"'],
    ['a_url', 'www.example.org', 'an absolute http(s) URL, got "www.example.org"'],
    ['a_url', 'https://example.org/{id}', 'an absolute http(s) URL, got "https://example.org/{id}"'],
    ['a_json', NaN, 'a JSON value'],
    ['a_json', [undefined], 'a JSON value'],
    ['a_json', { n: 1n }, 'a JSON value'],
    ['a_json', { when: new Date(0) }, 'a JSON value'],
    ['a_json', () => 1, 'a JSON value'],
    ['a_json', circular, 'a JSON value'],
  ])('in %s: %s', (name, value, message) => {
    expect(() => readData(name, value)).toThrow(
      expect.objectContaining({
        code: 'invalid_record',
        message: `line 7: data.${name} must be ${message}`,
        details: { where: 'line 7', field: `data.${name}` },
      }),
    );
  });
});

describe('the values of fields', () => {
  it.each<readonly [string, unknown, unknown]>([
    ['a_text', '', ''],
    ['a_text', '\ud800\u0000', '\ud800\u0000'],
    ['a_number', -0, -0],
    ['a_number', 1e300, 1e300],
    ['a_number', NaN, NaN],
    ['a_decimal', '12.50', '12.50'],
    ['a_decimal', '12345678901234567.89', '12345678901234567.89'],
    ['a_decimal', 1e21, '1000000000000000000000'],
    ['a_integer', -5, -5],
    ['a_integer', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['a_boolean', false, false],
    ['a_date', '0001-01-01', '0001-01-01'],
    ['a_datetime', '2026-04-17', '2026-04-17'],
    ['a_datetime', '2026-04-17T08:12:44+02:00', '2026-04-17T08:12:44+02:00'],
    ['a_url', 'https://example.org/é', 'https://example.org/é'],
    ['a_json', 'text', 'text'],
    ['a_json', false, false],
    ['a_json', { b: 1, a: [null] }, { a: [null], b: 1 }],
    ['a_json', { kept: 1, left: undefined }, { kept: 1 }],
    ['a_json', null, null],
    ['a_json', undefined, null],
  ])('in %s: %j becomes %j', (name, value, expected) => {
    expect(readData(name, value)).toEqual(expected);
  });

  it.each<readonly [unknown, number | string]>([
    ['42', 42],
    [42n, 42],
    ['-42', -42],
    ['0', 0],
    ['-0', 0],
    [-0, 0],
    [0n, 0],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', '9007199254740992'],
    ['-9007199254740992', '-9007199254740992'],
    [2n ** 64n, '18446744073709551616'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
  ])('a whole number has one form: %s becomes %j', (value, expected) => {
    expect(readData('a_integer', value)).toBe(expected);
  });

  it('an integer keeps its value, whatever its size and the form it came in', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.boolean(), (value, asText) => {
        const kept = readData('a_integer', asText ? String(value) : value) as number | string;
        expect(BigInt(kept)).toBe(value);
        expect(typeof kept).toBe(Number.isSafeInteger(Number(value)) ? 'number' : 'string');
      }),
      { numRuns: RUNS },
    );
  });
});

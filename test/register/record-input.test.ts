import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { MAX_CONTENT_BYTES } from '../../src/register/fields.ts';
import { toRecord } from '../../src/register/record-input.ts';
import type { FieldType } from '../../src/register/record.ts';
import { definition, SAID as MINIMAL, toSampleRecord as read, TYPES } from '../tables/record.ts';
import { fieldValues, RUNS, texts, times, urls } from '../properties/arbitraries.ts';

const NO_DATA = Object.fromEntries(TYPES.map((type) => [`a_${type}`, null]));
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

  it('what no JSON can state, in a field of JSON', () => {
    const circular: unknown[] = [];
    circular.push(circular);
    for (const value of [() => 1, circular]) {
      const message = 'line 7: data.a_json must be a JSON value';
      expect(() => readData('a_json', value)).toThrow(expect.objectContaining({ code: 'invalid_record', message }));
    }
  });
});

describe('the values of fields', () => {
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

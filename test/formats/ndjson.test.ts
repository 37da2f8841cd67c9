import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import type { RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';
import { describeFormat } from '../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../contracts/sample-register.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';

/** The records of a document; throws unless every line is one JSON text and ends in LF. */
function readNdjson(document: Buffer): RegisterRecord[] {
  const lines = document.toString().split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  return lines.map((line) => JSON.parse(line) as RegisterRecord);
}

/** A record as JSON carries it: the declared fields alone, null where they are absent; no -0, no NaN. */
function asJson(definition: RegisterDefinition, record: RegisterRecord): RegisterRecord {
  const data: Record<string, JsonValue> = {};
  for (const { name } of definition.fields) {
    const value = Object.hasOwn(record.data, name) ? record.data[name]! : null;
    data[name] = typeof value !== 'number' ? value : Number.isFinite(value) ? value + 0 : String(value);
  }
  return { ...record, data };
}

describeFormat('ndjson', ndjson, {
  countRecords: (document) => readNdjson(document).length,
  changes: [
    {
      record: sampleRecord(9, { data: { amount: -Infinity } }),
      warnings: [{ code: 'value_as_text', count: 1, recordId: 'permits:2026-0009' }],
    },
    { record: sampleRecord(9, { title: 'lone \ud800 surrogate' }), warnings: [] },
  ],
});

describe('ndjson', () => {
  it('writes the expected bytes', async () => {
    const expected = await readFile(new URL('../../fixtures/expected/ndjson/records.ndjson', import.meta.url));
    const records = [
      sampleRecord(5),
      sampleRecord(6),
      sampleRecord(7, {
        title: 'Line\r\nends, "quotes", \u2028, \u0000, \ud800, 😀',
        position: null,
        data: { amount: NaN, pages: '123456789012345678901234567890', parts: [{ b: 1, a: -0 }], other: 'not declared' },
      }),
    ];
    expect((await encodeAll(ndjson, SAMPLE_HEAD, pagesOfSize(records))).toString()).toBe(expected.toString());
  });

  it('is read back as the same records, lone surrogates and nested values included', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ head, definition, records, pages }) => {
        const read = readNdjson(await encodeAll(ndjson, head, pages));
        expect(read).toEqual(records.map((record) => asJson(definition, record)));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives every line the same members in the same order', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ head, definition, records, pages }) => {
        const members = (await encodeAll(ndjson, head, pages))
          .toString()
          .split('\n')
          .slice(0, -1)
          .map((line) => {
            const { data, ...core } = JSON.parse(line) as RegisterRecord;
            return [...Object.keys(core), ...Object.keys(data)];
          });
        const expected = [...Object.keys(sampleRecord(1)).slice(0, -1), ...definition.fields.map(({ name }) => name)];
        expect(members).toEqual(records.map(() => expected));
      }),
      { numRuns: RUNS },
    );
  });

  it('refuses what is no JSON inside a json field instead of writing null', async () => {
    const record = sampleRecord(9, { data: { parts: { depth: NaN } } });
    await expect(encodeAll(ndjson, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
      code: 'invalid_record',
    });
  });

  it('is for files, not for the HTTP exports', () => {
    expect(EXPORT_FORMATS).not.toContain(ndjson);
    expect(ndjson.mediaType).toBe('application/x-ndjson');
  });
});

// Properties of ingest: how bytes are cut never matters, verdicts are those of JSON.parse, nothing is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonReader } from '../../src/import/readers/json.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { openRecordStream } from '../../src/import/record-stream.ts';
import { labelPaths, toFieldName } from '../../src/import/mapping/field-name.ts';
import { isExactNumber } from '../../src/import/readers/exact-number.ts';
import type { ByteSource } from '../../src/import/readers/byte-source.ts';
import { formatPath, parsePath } from '../../src/import/readers/value-path.ts';
import { allFields, RESERVED_FIELD_NAMES } from '../../src/register/fields.ts';
import { source, valuesOf } from '../import/sources.ts';
import { RUNS, texts } from './arbitraries.ts';

const runs = { numRuns: RUNS };

/** JSON values rich in what parsers stumble over; numbers as JSON.parse gives them back exactly. */
const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    texts(4),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(texts(3), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Cuts bytes anywhere. */
function cut(text: string, cuts: readonly number[]): ByteSource {
  const bytes = new TextEncoder().encode(text);
  const places = [...new Set([0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return {
    name: 'cut.json',
    *open() {
      for (let index = 1; index < places.length; index++) yield bytes.subarray(places[index - 1], places[index]);
    },
  };
}

const cuts = fc.array(fc.nat(), { maxLength: 30 });

/** A value as JSON.parse knows it: numbers whose digits the reader keeps are doubles, which may be infinite. */
function rounded(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (isExactNumber(value)) return Number(value.digits);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, rounded(item)]));
}

describe('reading JSON', () => {
  it('gives the values of a document however its bytes are cut and its white space is', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json, { maxLength: 6 }),
        cuts,
        fc.constantFrom(undefined, 1, '\t', '\r\n'),
        async (values, places, space) => {
          const text = JSON.stringify(values, null, space === '\r\n' ? '\n' : space);
          const expected = JSON.parse(text) as unknown[];
          const found = await valuesOf(jsonReader(cut(text, places)));
          expect(found.map(rounded)).toEqual(expected);
          expect(found).toEqual(await valuesOf(jsonReader(source(text))));
        },
      ),
      runs,
    );
  });

  it('finds the array at any path, whatever lies around it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(texts(3), { minLength: 1, maxLength: 4 }),
        fc.array(json, { maxLength: 3 }),
        json,
        cuts,
        async (path, values, other, places) => {
          const document = path.reduceRight<unknown>(
            (inner, name, depth) => ({ [`other${depth}`]: other, [name]: inner, [`after${depth}`]: other }),
            values,
          );
          const reader = jsonReader(cut(JSON.stringify(document), places), { pick: formatPath(path) });
          expect((await valuesOf(reader)).map(rounded)).toEqual(JSON.parse(JSON.stringify(values)));
        },
      ),
      runs,
    );
  });

  it('accepts and refuses what JSON.parse does, and says where within the text it breaks', async () => {
    const fragments = fc.constantFrom(
      ...'{}[],:"\\0123-+.eEu \n\tétruefalsnx\u0001'.split(''),
      'true',
      'null',
      '"a":',
      '1.5',
      '\\u00e9',
    );
    const broken = fc
      .tuple(fc.array(json, { maxLength: 3 }), fc.nat(), fc.nat({ max: 3 }), fc.array(fragments, { maxLength: 3 }))
      .map(([values, at, removed, inserted]) => {
        const text = JSON.stringify(values);
        const place = at % (text.length + 1);
        return (text.slice(0, place) + inserted.join('') + text.slice(place + removed)).toWellFormed();
      });
    await fc.assert(
      fc.asyncProperty(broken, cuts, async (text, places) => {
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          const error = await valuesOf(jsonReader(cut(text, places))).then(
            () => null,
            (cause: unknown) => cause as { code: string; message: string; details: { byte?: number } },
          );
          expect(error, text).toMatchObject({ code: 'invalid_input' });
          expectStartOfJson(
            Buffer.from(text)
              .subarray(0, error!.details.byte ?? 0)
              .toString(),
          );
          return;
        }
        const found = await valuesOf(jsonReader(cut(text, places))).catch((error: unknown) => error as Error);
        // Valid JSON that is no array, has a name twice or a number no double holds is refused for that reason alone.
        if (found instanceof Error) expect(found.message).toMatch(/not an array of records|twice|beyond the range/);
        else expect(found.map(rounded)).toEqual(rounded(expected));
      }),
      {
        numRuns: RUNS * 5,
        examples: [
          ['[1e0000309]', []],
          ['[-1e400,0.1234567890123456789]', [3]],
        ],
      },
    );
  });
});

describe('reading NDJSON', () => {
  it('gives the values of the lines however the bytes are cut and the lines end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json, { maxLength: 8 }),
        cuts,
        fc.constantFrom('\n', '\r\n', '\n\n', ' \t\r\n'),
        async (values, places, end) => {
          const text = values.map((value) => JSON.stringify(value) + end).join('');
          const found = await valuesOf(ndjsonReader(cut(text, places)));
          expect(found.map(rounded)).toEqual(values.map(rounded));
        },
      ),
      runs,
    );
  });

  it('gives exactly what reading the same values as a JSON document gives', async () => {
    const numbers = fc.oneof(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
      fc.constantFrom(
        '9007199254740991',
        '9007199254740992',
        '-9007199254740993',
        '1e15',
        '1E+22',
        '0.1',
        '-0.0',
        '1e308',
        '5e-324',
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    );
    const line = fc.oneof(
      numbers,
      fc.array(numbers, { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc
        .tuple(texts(3), numbers, json)
        .map(([name, number, value]) => `{${JSON.stringify(name)}:${number},"other ":${JSON.stringify(value)}}`),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
        expect(await valuesOf(ndjsonReader(source(lines.join('\n'))))).toEqual(
          await valuesOf(jsonReader(source(`[${lines.join(',')}]`))),
        );
      }),
      runs,
    );
  });
});

describe('a register without a definition', () => {
  it('loses no property and no value of its records', async () => {
    // Core fields have rules of their own.
    const own = texts(3).filter((name) => !RESERVED_FIELD_NAMES.has(name));
    const nfc = (name: string): string => name.normalize('NFC');
    // The two Unicode forms of a name are one name.
    // Members of objects that all records have are columns: test/import/rows/nested-records.test.ts.
    const isFlat = (more: object): boolean =>
      Object.values(more).every((value) => typeof value !== 'object' || value === null || Array.isArray(value));
    const isClear = (names: readonly string[]): boolean => new Set(names.map(nfc)).size === names.length;
    const record = fc
      .dictionary(own, json, { maxKeys: 6 })
      .filter((more) => isClear(Object.keys(more)) && isFlat(more));
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 6 }), async (records) => {
        const complete = records.map((more, index) => ({
          ...more,
          id: `r${index}`,
          title: 'T',
          source_url: 'https://example.org/',
          data: null,
        }));
        const stream = await openRecordStream(jsonReader(source(JSON.stringify(complete))), {
          observedAt: '2026-01-01',
        });
        const found = (await Array.fromAsync(stream.pages())).flatMap((page) => page.records);
        const names = allFields(stream.definition).map(({ name }) => name);
        expect(new Set(names).size).toBe(names.length);
        found.forEach(({ data }, index) => {
          const values = stream.definition.fields.map(({ name, type, label }) => ({ value: data[name], type, label }));
          for (const [name, value] of Object.entries(records[index]!)) {
            if (value === null) continue;
            const candidates = values.filter(({ label }) =>
              labelPaths(label).some(([property]) => nfc(property!) === nfc(name)),
            );
            expect(
              // An empty text is no number.
              candidates.some(({ value: kept, type }) => isKept(value, kept, type) || (value === '' && kept === null)),
              name,
            ).toBe(true);
          }
        });
      }),
      // Integers beyond 2^53 in a column of numbers: doubles give them back, so they are shown as numbers. Of the second
      // a double gives the digits back, but is another number.
      {
        ...runs,
        examples: [[[{ a: 5e-324 }, { a: 2 ** 53 }, {}]], [[{ a: -5e-324 }, { a: 70_205_769_392_975_050 }, {}]]],
      },
    );
  });

  it('names fields as a definition requires, from any property', () => {
    fc.assert(
      fc.property(texts(8), (name) => {
        expect(toFieldName([name], { [name]: 1 })).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      }),
      runs,
    );
  });
});

/** Fails where JSON.parse finds a fault inside a text, and not only that it ends too early. */
function expectStartOfJson(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec((error as Error).message);
    if (position !== null) expect(Number(position[1]), `${JSON.stringify(text)}: ${String(error)}`).toBe(text.length);
  }
}

/** Whether a field holds a value: as it is, or as the JSON text of a scalar in a text field. */
function isKept(value: unknown, kept: unknown, type: string): boolean {
  // A column is of numbers only where doubles hold all of them, so no number needs to be a text of its digits.
  if (type === 'number') return kept === value;
  const exact = withDigits(value);
  return type === 'text' ? kept === String(exact) : JSON.stringify(sorted(kept)) === JSON.stringify(sorted(exact));
}

/** Integers that no double holds exactly are kept as text of their digits. */
function withDigits(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, item: unknown) =>
    typeof item === 'number' && !Number.isSafeInteger(item) && /^-?\d+$/.test(String(item)) ? String(item) : item,
  ) as unknown;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => [name, sorted(item)]);
}

describe('a path', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(texts(3), { minLength: 1, maxLength: 4 }), (path) => {
        expect(parsePath(formatPath(path))).toEqual(path);
      }),
      runs,
    );
  });
});

describe('finding the fields', () => {
  it('comes to the same end however the bytes arrive', async () => {
    const lines = Array.from({ length: 1600 }, (_, index) =>
      JSON.stringify({ id: `r${index}`, title: 'T', source_url: 'https://example.org/', n: index < 1050 ? 1 : 1.5 }),
    );
    const text = `${lines.join('\n')}\n`;
    for (const size of [text.length, 65_536, 2000, 313]) {
      const places = Array.from({ length: Math.floor(text.length / size) }, (_, index) => index * size);
      const stream = openRecordStream(ndjsonReader(cut(text, places)), { observedAt: '2026-01-01' });
      const walk = (async () => {
        for await (const page of (await stream).pages()) expect(page.records.length).toBeGreaterThan(0);
      })();
      await expect(walk, `pieces of ${size}`).rejects.toThrow('found from the first 1000 records');
    }
  });
});

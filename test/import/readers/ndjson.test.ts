import { describe, expect, it } from 'vitest';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import { MAX_VALUE_LENGTH, MAX_VALUES } from '../../../src/import/readers/raw-record.ts';
import { readAll, source, valuesOf, WatchedSource } from '../sources.ts';

async function refusal(text: string | Uint8Array, size?: number): Promise<string> {
  try {
    await readAll(ndjsonReader(source(text, size, 'file.ndjson')));
  } catch (error) {
    expect(error).toMatchObject({ name: 'GazetteError', code: 'invalid_input' });
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('the records of an NDJSON file', () => {
  it.each<[string, string, unknown[]]>([
    ['are its lines', '{"a":1}\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
    ['need no line end behind the last', '{"a":1}\n{"b":2}', [{ a: 1 }, { b: 2 }]],
    ['may have CRLF between them', '{"a":1}\r\n{"b":2}\r\n', [{ a: 1 }, { b: 2 }]],
    ['may have blank lines between them', '\n{"a":1}\n \t\r\n\n{"b":2}\n\n', [{ a: 1 }, { b: 2 }]],
    ['may be none', '', []],
    ['are read behind a byte-order mark', '\uFEFF{"a":1}', [{ a: 1 }]],
    ['keep U+2028, which ends no line', '{"a":"\u2028"}\n', [{ a: '\u2028' }]],
    [
      'keep every digit of an integer',
      '{"a":12345678901234567890,"b":"12345678901234567890"}\n',
      [{ a: 12345678901234567890n, b: '12345678901234567890' }],
    ],
    [
      'keep integers at the start of an array',
      '[9007199254740993,[-9007199254740993]]',
      [[9007199254740993n, [-9007199254740993n]]],
    ],
    ['keep zeros and large numbers', '[0,-0,0.0,1e15,123456789012345.5]', [[0, -0, 0, 1e15, 123456789012345.5]]],
    ['may have names in strings', '{"a":"\\"b\\":1,\\"b\\":2"}', [{ a: '"b":1,"b":2' }]],
    ['may have space before the colons', '{"a" : 1, "b"\t: 2}', [{ a: 1, b: 2 }]],
  ])('%s', async (_title, text, expected) => {
    for (const size of [Infinity, 3, 1]) {
      expect(await valuesOf(ndjsonReader(source(text, size))), `pieces of ${size}`).toEqual(expected);
    }
  });

  it('stand at their line, blank ones counted', async () => {
    const reader = ndjsonReader(source('\n1\n\n2\n'));
    expect((await readAll(reader)).map(({ at }) => reader.where(at))).toEqual(['line 2', 'line 4']);
  });
});

describe('a line is refused', () => {
  it.each([
    ['a list', (items: string) => `[${items}]`],
    ['an object', (items: string) => `{"a":{"list":[${items}]},"text":"[{,"}`],
  ])('that has more values than are read in %s, and is read with as many', async (_, wrap) => {
    const beside = wrap('') === '[]' ? 1 : 4;
    const most = MAX_VALUES - beside;
    const values = (count: number): string => wrap(Array.from({ length: count }, () => '1').join(','));
    const reader = ndjsonReader(source(`${values(most)}\n[]`));
    expect((await readAll(reader)).map(({ at }) => at)).toEqual([1, 2]);
    expect(await refusal(`[]\n${values(most + 1)}`)).toBe(
      'file.ndjson: line 2 has more than 50000 values in its lists and objects, the most that are read',
    );
  });

  it.each<[string, string, string]>([
    [
      'that is no JSON, with its position',
      '{"a":"é"}\n\n{"b":tru}\n',
      'line 3, column 6 (byte 17): not valid JSON, expected a value',
    ],
    ['that is truncated', '{"a":1}\n{"b":', 'line 2, column 6 (byte 13): not valid JSON, expected a value'],
    ['that holds two values', '{"a":1} {"b":2}', 'line 1, column 9 (byte 8): not valid JSON, unexpected characters'],
    [
      'that is the first of a document over several',
      '{\n"a":1}',
      'line 1, column 2 (byte 1): not valid JSON, expected an object key',
    ],
    [
      'with a name twice in one object',
      '{"a":1}\n{"b":{"c":1,"d":2,"c":3}}',
      'line 2 has the name "c" twice in one object, and only one of the values could be kept',
    ],
    [
      'with a number of thousands of digits',
      `{"a":0.${'9'.repeat(1001)}}`,
      'line 1 has a number of more than 1000 digits',
    ],
    [
      'nested too deep',
      `{"a":1}\n${'['.repeat(50_000)}${']'.repeat(50_000)}`,
      'line 2 is nested deeper than 256 levels',
    ],
    [
      'of objects nested too deep',
      `${'{"a":'.repeat(257)}1${'}'.repeat(257)}`,
      'line 1 is nested deeper than 256 levels',
    ],
  ])('%s', async (_title, text, expected) => {
    expect(await refusal(text)).toBe(`file.ndjson: ${expected}`);
    expect(await refusal(text, 5), 'in small pieces').toBe(`file.ndjson: ${expected}`);
  });

  it('that is no UTF-8, naming the line', async () => {
    const bytes = Buffer.concat([Buffer.from('"é"\n"'), Buffer.from([0xff, 0x22])]);
    const told =
      'file.ndjson: line 2 has bytes that are no text; if the file has another encoding, say which with --encoding';
    expect(await refusal(bytes)).toBe(told);
    expect(await refusal(bytes, 1), 'in small pieces').toBe(told);
  });

  it('that never ends, having read little more than the limit', async () => {
    const piece = 'x'.repeat(65_536);
    const endless = new WatchedSource(
      (function* () {
        yield '{"a":1}\n"';
        for (;;) yield piece;
      })(),
    );
    await expect(readAll(ndjsonReader(endless))).rejects.toMatchObject({
      code: 'invalid_input',
      message: `watched.json: line 2 is longer than ${MAX_VALUE_LENGTH} characters, the most that is read`,
    });
    expect(endless.taken).toBeLessThan(MAX_VALUE_LENGTH / piece.length + 4);
    expect(endless.closed).toBe(1);
  });
});

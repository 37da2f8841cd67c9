import { describe, expect, it } from 'vitest';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { MAX_VALUE_LENGTH } from '../../../src/import/readers/raw-record.ts';
import { readAll, source, valuesOf, WatchedSource } from '../sources.ts';

/** Reads a document and answers the message of the error it must end in. */
async function refusal(text: string | Uint8Array, pick?: string, size?: number): Promise<string> {
  try {
    await readAll(jsonReader(source(text, size), pick === undefined ? {} : { pick }));
  } catch (error) {
    expect(error).toMatchObject({ name: 'GazetteError', code: 'invalid_input' });
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('the records of a JSON document', () => {
  it.each<[string, string, string | undefined, unknown[]]>([
    [
      'are the elements of a top-level array',
      '[{"a":1},{"b":[2,{"c":null}]}]',
      undefined,
      [{ a: 1 }, { b: [2, { c: null }] }],
    ],
    ['are found by name', '{"n":1,"items":[{"a":true}],"m":[{"a":2}]}', 'items', [{ a: true }]],
    [
      'are found at any depth',
      '{"x":{"items":[0]},"result":{"items":[{"a":1}],"more":{}}}',
      'result.items',
      [{ a: 1 }],
    ],
    ['are found through arrays', '[{"items":[1]},{"items":[2,3]}]', '1.items', [2, 3]],
    ['are found by a JSON Pointer', '{"a.b":{"c/d":[1]}}', '/a.b/c~1d', [1]],
    ['may be none', '{"items":[]}', 'items', []],
    ['may be no objects: that is for others to judge', '[1,"a",null,[],true]', undefined, [1, 'a', null, [], true]],
    ['are read behind a byte-order mark', '\uFEFF[{"a":1}]', undefined, [{ a: 1 }]],
    [
      'keep escapes, controls and surrogates',
      '["\\u0000\\ud83d\\ude00\\ud800\\/\\n"]',
      undefined,
      ['\u0000\u{1f600}\ud800/\n'],
    ],
    [
      'keep every digit of an integer',
      '[9007199254740991,9007199254740993,-12345678901234567890]',
      undefined,
      [9007199254740991, 9007199254740993n, -12345678901234567890n],
    ],
    ['keep fractions and exponents', '[1.5,1e3,-0.25E-2]', undefined, [1.5, 1000, -0.0025]],
  ])('%s', async (_title, text, pick, expected) => {
    expect(await valuesOf(jsonReader(source(text), pick === undefined ? {} : { pick }))).toEqual(expected);
  });

  it('may have a member called __proto__, which is a name like any other', async () => {
    const [value] = await valuesOf(jsonReader(source('[{"__proto__":{"a":1}}]')));
    expect(Object.entries(value as object)).toEqual([['__proto__', { a: 1 }]]);
    expect((value as { a?: unknown }).a).toBeUndefined();
  });

  it('stand at an index that is put into words with the path', async () => {
    const reader = jsonReader(source('{"a":{"b":[1,2]}}'), { pick: 'a.b' });
    expect((await readAll(reader)).map(({ at }) => reader.where(at))).toEqual(['a.b[0]', 'a.b[1]']);
    expect(jsonReader(source('[]')).where(7)).toBe('[7]');
  });
});

describe('a document that is no JSON is refused', () => {
  it.each<[string, string, string]>([
    [
      'with the position of a missing comma',
      '[{"a":1 "b":2}]',
      'line 1, column 9 (byte 8): not valid JSON, expected a comma or a closing bracket',
    ],
    [
      'with the line, also behind many records',
      `[${'{"a":"ü"},\n'.repeat(9)}{"a":tru}]`,
      'line 10, column 6 (byte 114): not valid JSON, expected a value',
    ],
    ['with bytes, not characters', '["äöü",]', "line 1, column 8 (byte 10): not valid JSON, unexpected token ']'"],
    [
      'with the position of a bad escape',
      '[{"a":1,"b":"x\\y"}]',
      'line 1, column 15 (byte 14): not valid JSON, expected a valid escape, and no raw control character, in a string',
    ],
    [
      'with the place where a truncated record should go on',
      '[{"a":1},{"a":',
      'line 1, column 15 (byte 14): the document ends too early in [1], expected a value',
    ],
    [
      'with the place where a truncated array should go on',
      '[{"a":1},{"a":2}',
      'line 1, column 17 (byte 16): the document ends too early after [1], expected a comma or a closing bracket',
    ],
    [
      'when a string never ends',
      '[{"a":"b',
      'line 1, column 9 (byte 8): the document ends too early in [0], expected a string value',
    ],
    [
      'when more follows the document',
      '[]\n[]',
      'line 2, column 1 (byte 3): expected the end of the document; a file of one JSON value per line is read as ndjson',
    ],
    ['when it is empty', '', 'is empty; expected a JSON document'],
    ['when it is white space', ' \r\n\t', 'is empty; expected a JSON document'],
    [
      'when a number has a leading zero',
      '[01]',
      'line 1, column 3 (byte 2): not valid JSON, expected a comma or a closing bracket',
    ],
  ])('%s', async (_title, text, expected) => {
    expect(await refusal(text)).toBe(`file.json: ${expected}`);
    expect(await refusal(text, undefined, 1), 'byte by byte').toBe(`file.json: ${expected}`);
  });

  it('with an exact position far behind the first pieces of the file, in one line or many', async () => {
    for (const separator of [',', ',\n']) {
      const good = Array.from({ length: 30_000 }, (_, index) => `{"id":${index},"text":"} é"}`).join(separator);
      const text = `{"items":[${good}${separator}{"id":x}]}`;
      const at = text.lastIndexOf('x');
      const line = text.slice(0, at).split('\n').length;
      const column = at - text.lastIndexOf('\n', at);
      expect(await refusal(text, 'items')).toContain(
        `line ${line}, column ${column} (byte ${Buffer.byteLength(text.slice(0, at))}): not valid JSON, expected a value`,
      );
    }
  });

  it('naming the place where UTF-8 breaks', async () => {
    const bytes = Buffer.concat([Buffer.from('["é",'), Buffer.from([0xc3, 0x28]), Buffer.from(']')]);
    const told =
      'file.json: line 1, column 6 (byte 6): not valid JSON, expected a value; the file has bytes that are no text; if the file has another encoding, say which with --encoding';
    expect(await refusal(bytes)).toBe(told);
    expect(await refusal(bytes, undefined, 1)).toBe(told);
    const inside = Buffer.concat([Buffer.from('[{"a":"é"},{"a":"üö'), Buffer.from([0xe2, 0x82]), Buffer.from('"}]')]);
    expect(await refusal(inside)).toContain('[1] has bytes that are no text');
  });
});

describe('a document that cannot be kept whole is refused', () => {
  it.each<[string, string, string]>([
    [
      'for a name that comes twice in one object',
      '[{"a":1},{"b":{"c":1,"c":2}}]',
      '[1] has the name "c" twice in one object, and only one of the values could be kept',
    ],
    [
      'for __proto__ twice',
      '[{"__proto__":1,"__proto__":2}]',
      '[0] has the name "__proto__" twice in one object, and only one of the values could be kept',
    ],
    ['for a fraction of thousands of digits', `[0.${'9'.repeat(1001)}]`, '[0] has a number of more than 1000 digits'],
    ['for a number of thousands of digits', `[${'9'.repeat(1001)}]`, '[0] has a number of more than 1000 digits'],
    ['for a deeply nested record', `[${'['.repeat(50_000)}`, '[0] is nested deeper than 256 levels'],
    ['for deep nesting before the records', `{"a":${'['.repeat(50_000)}`, 'is nested deeper than 256 levels'],
  ])('%s', async (_title, text, expected) => {
    expect(await refusal(text, text.startsWith('{') ? 'items' : undefined)).toBe(`file.json: ${expected}`);
  });

  it('for a record at the limit of depth only beyond it', async () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(await readAll(jsonReader(source(nested(256))))).toHaveLength(1);
    expect(await refusal(nested(257))).toContain('nested deeper than 256');
  });

  it.each([
    ['a string', '[{"a":"', 'x', '[0] is longer'],
    ['a record of many members', '[[', `"${'x'.repeat(1000)}",`, '[0] is longer'],
    ['a record of many small members', '[[', '"abc",', '[0] has more than 50000 values'],
    ['a value beside the records', '{"other":"', 'x', 'a value is longer'],
    ['a number', '{"other":', '1', 'a value is longer'],
    ['white space', '[', ' ', '[0] is longer'],
  ])('for %s without end, having read little more than the limit', async (_title, start, filler, expected) => {
    const piece = filler.repeat(Math.floor(65_536 / filler.length));
    const endless = new WatchedSource(
      (function* () {
        yield start;
        for (;;) yield piece;
      })(),
    );
    await expect(readAll(jsonReader(endless, start.startsWith('{') ? { pick: 'items' } : {}))).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(expected) as unknown,
    });
    expect(endless.taken).toBeLessThan(MAX_VALUE_LENGTH / piece.length + 4);
    expect(endless.closed).toBe(1);
  });
});

describe('a path that leads to no array is refused', () => {
  it.each<[string, string, string | undefined, string]>([
    [
      'naming what is there instead',
      '{"count":1,"items":[]}',
      'itms',
      'has nothing at "itms"; found there: "count", "items"',
    ],
    [
      'naming what is there at the last step that was',
      '{"result":{"rows":[]},"x":1}',
      'result.items',
      'has nothing at "result.items"; found there: "rows"',
    ],
    ['for an object', '{"items":{"a":[]}}', 'items', 'has an object at "items"; expected the array of the records'],
    ['for a scalar', '{"items":"a"}', 'items', 'has a single value at "items"; expected the array of the records'],
    ['when it is there twice', '{"items":[],"items":[]}', 'items', 'has "items" twice'],
    [
      'when it is needed, giving an example',
      '{"n":1,"result":{"items":[{}]}}',
      undefined,
      'is an object, not an array of records; say where the array is with --pick, for example --pick result.items',
    ],
    [
      'when it is needed and there is no array',
      '{"n":{}}',
      undefined,
      'is an object, not an array of records; say where the array is with --pick PATH',
    ],
    [
      'when the document is a scalar',
      '"a"',
      undefined,
      'is a single value, not an array of records; say where the array is with --pick PATH',
    ],
  ])('%s', async (_title, text, pick, expected) => {
    expect(await refusal(text, pick)).toBe(`file.json: ${expected}`);
  });

  it('and one that is no path at once', () => {
    for (const pick of ['a..b', '.a', '']) {
      expect(() => jsonReader(source('[]'), { pick })).toThrow(/pick must be a path such as result.items/);
    }
  });
});

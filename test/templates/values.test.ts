// How a page writes values that are lists or objects.
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { valueOf } from '../../src/templates/parts/values.ts';
import { wordingIn } from '../../src/templates/wording.ts';
import { find } from '../pages/documents.ts';

function shown(value: JsonValue, bytes = 1000): string {
  return find(valueOf(wordingIn('en'), { type: 'json' }, value, { language: null, bytes }).toString(), 'code')[0]!.text;
}

describe('a value of several parts', () => {
  it.each<[JsonValue, string]>([
    [[{ n: 1, on: ['a', 'b'] }, null], '[\n  {"n":1,"on":["a","b"]},\n  null\n]'],
    [{ 'a"': '<b>', c: [[[]]] }, '{\n  "a\\"": "<b>",\n  "c": [[[]]]\n}'],
    [[{ one: 1 }], '[{"one":1}]'],
    [{ one: [1, 2] }, '{"one":[1,2]}'],
    [[], '[]'],
    [{}, '{}'],
  ])('is JSON with a part a line: %j', (value, text) => {
    expect(shown(value)).toBe(text);
    expect(JSON.parse(shown(value))).toEqual(value);
  });

  it('takes no more than its room', () => {
    expect(
      Buffer.byteLength(
        shown(
          Array.from({ length: 1000 }, (_, at) => at),
          100,
        ),
      ),
    ).toBeLessThan(110);
  });
});

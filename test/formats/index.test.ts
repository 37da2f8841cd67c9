import { describe, expect, it } from 'vitest';
import { EXPORT_FORMATS, findFormat, FORMAT_NAMES, FORMATS } from '../../src/formats/index.ts';

describe('the table of formats', () => {
  it('names every format under its own name, once', () => {
    expect(Object.keys(FORMATS)).toEqual(Object.values(FORMATS).map(({ name }) => name));
    expect(FORMAT_NAMES).toEqual(Object.keys(FORMATS));
  });

  it('serves over HTTP the formats the specification names (4.2), and no other', () => {
    expect(EXPORT_FORMATS.map(({ name }) => name).sort()).toEqual(['atom', 'csv', 'rss', 'xlsx', 'xml']);
    expect(EXPORT_FORMATS.map(({ name, extension }) => name === extension)).not.toContain(false);
  });

  it.each(FORMAT_NAMES)('finds %s', (name) => {
    expect(findFormat(name)).toBe(FORMATS[name]);
  });

  it.each(['', 'CSV', 'json', 'constructor', '__proto__', 'toString', 'csv '])(
    'refuses %j with the names there are',
    (name) => {
      expect(() => findFormat(name)).toThrow(
        expect.objectContaining({
          code: 'unknown_format',
          message: `format must be one of ${FORMAT_NAMES.join(', ')}, got ${JSON.stringify(name)}`,
        }),
      );
    },
  );
});

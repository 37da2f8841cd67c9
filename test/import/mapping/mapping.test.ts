import { describe, expect, it } from 'vitest';
import { parseMapping, resolveTargets } from '../../../src/import/mapping/mapping.ts';

describe('a mapping', () => {
  it('holds rules separated by commas, in one expression or several', () => {
    const targets = (...expressions: string[]): string[] => parseMapping(expressions).map(({ target }) => target);
    expect(targets('id=cveID,title=vulnerabilityName')).toEqual(['id', 'title']);
    expect(targets('id=cveID', ' title = name , data.cvss_v3=score')).toEqual(['id', 'title', 'data.cvss_v3']);
  });
});

describe('the targets of a mapping', () => {
  const definition = { fields: [{ name: 'area', label: 'Area', type: 'number' as const }] };
  const targets = (expression: string, given: typeof definition | null, keeps = false): string[] =>
    resolveTargets(parseMapping([expression]), given, keeps).map(({ target }) => target);

  it('are core fields, and the definition’s own by their names alone', () => {
    expect(targets('title=Name,area=Größe', definition)).toEqual(['title', 'data.area']);
    expect(targets('data.area=Größe', definition)).toEqual(['data.area']);
  });

  it('may be other names only behind data, where they are kept or yet to be found', () => {
    expect(targets('data.colour=Farbe', null)).toEqual(['data.colour']);
    expect(targets('data.colour=Farbe', definition, true)).toEqual(['data.colour']);
  });

  it.each<[string, string, typeof definition | null, string]>([
    ['a wrong name', 'titel=Name', null, '"titel" is not a field, the nearest is title; expected id, title'],
    [
      'a wrong name for a declared field',
      'aera=Größe',
      definition,
      '"aera" is not a field, the nearest is area; expected id, ',
    ],
    ['a field that is not declared', 'data.colour=Farbe', definition, '"data.colour" is not a field; expected id, '],
    ['one field under both its names', 'area=a,data.area=b', definition, 'data.area is mapped twice'],
  ])('are refused with %s', (_title, expression, given, message) => {
    expect(() => targets(expression, given)).toThrow(
      expect.objectContaining({
        code: 'invalid_mapping',
        message: expect.stringContaining(`the mapping is not valid: ${message}`) as unknown,
      }),
    );
  });
});

// What a Table Schema and a Data Package say of a CSV: the types of its columns, and how it is written.
import { describe, expect, it } from 'vitest';
import { describedFile } from '../../src/import/from-file/table-schema.ts';

const OF = { where: 'datapackage.json', isNamed: false };

/** What is read of a field, as the type of its column. */
const TYPES: readonly (readonly [field: object, type: string | undefined])[] = [
  [{}, 'text'],
  [{ type: 'string', format: 'email' }, 'text'],
  [{ type: 'string', format: 'uri' }, undefined],
  [{ type: 'string', rdfType: 'http://www.w3.org/2001/XMLSchema#anyURI' }, 'url'],
  [{ type: 'string', rdfType: 'http://www.w3.org/2001/XMLSchema#dateTime' }, 'datetime'],
  [{ type: 'string', rdfType: 'https://schema.org/Person' }, 'text'],
  [{ type: 'number' }, 'decimal'],
  [{ type: 'number', rdfType: 'http://www.w3.org/2001/XMLSchema#double' }, 'number'],
  [{ type: 'number', bareNumber: false }, 'text'],
  [{ type: 'integer' }, 'integer'],
  [{ type: 'year' }, 'integer'],
  [{ type: 'boolean' }, 'boolean'],
  [{ type: 'boolean', trueValues: ['yes'], falseValues: ['no'] }, 'text'],
  [{ type: 'date' }, 'date'],
  [{ type: 'date', format: 'any' }, undefined],
  [{ type: 'date', format: '%d.%m.%Y' }, 'date'],
  [{ type: 'date', format: '%j/%Y' }, 'text'],
  [{ type: 'datetime', format: 'default' }, 'datetime'],
  [{ type: 'time' }, 'text'],
  [{ type: 'object' }, 'json'],
  [{ type: 'array' }, 'json'],
  [{ type: 'any' }, undefined],
  [{ type: 'any', rdfType: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON' }, 'json'],
  [{ type: 'something new' }, undefined],
];

describe('a description of a CSV', () => {
  it.each(TYPES)('%j makes a column of type %s', (field, type) => {
    const { types } = describedFile({ fields: [{ name: 'a', ...field }] }, 'a.csv', OF)!;
    expect(types.get('a')).toBe(type);
  });

  it('says how the file is written', () => {
    const fields = [
      { name: 'on', type: 'date', format: '%d.%m.%Y' },
      { name: 'at', type: 'datetime', format: '%d.%m.%Y %H:%M' },
      { name: 'us', type: 'date', format: '%m/%d/%Y' },
      { name: 'cost', type: 'number', decimalChar: ',', groupChar: '.' },
    ];
    const schema = { fields, missingValues: ['', '-', { value: 'unknown', label: 'nobody knows' }] };
    const resource = {
      path: 'data/a.csv',
      encoding: 'iso-8859-1',
      dialect: { delimiter: ';', headerRows: [3] },
      schema,
    };
    const { reading, types } = describedFile({ resources: [{ path: 'b.csv' }, resource] }, 'a.csv', OF)!;
    expect(reading).toEqual({
      ...{ delimiter: ';', encoding: 'iso-8859-1', headerRow: 3, decimalComma: true, dateFormat: 'DD.MM.YYYY' },
      missing: ['-', 'unknown'],
    });
    // A file has one form of dates.
    expect([...types.values()]).toEqual(['date', 'datetime', 'text', 'decimal']);
  });

  it('calls columns without a header by their letters, and says of texts that they are guarded', () => {
    const schema = { fields: [{ name: 'x', type: 'integer' }, { name: 'y' }] };
    const resource = { path: ['a.csv'], formulas: 'guarded', dialect: { header: false }, schema };
    const { reading, types } = describedFile({ resources: [resource] }, 'a.csv', OF)!;
    expect(reading).toEqual({ header: false, formulas: 'guarded', missing: [] });
    expect([...types]).toEqual([
      ['A', 'integer'],
      ['B', 'text'],
    ]);
  });

  it('is of the file that it names, or of the one that somebody names', () => {
    const one = { path: 'https://example.org/data/a.csv', schema: { fields: [{ name: 'a' }] } };
    const described = (resources: readonly object[], isNamed: boolean): boolean =>
      describedFile({ resources }, 'other.csv', { ...OF, isNamed }) !== null;
    expect([described([one], false), described([one], true), described([one, one], true)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    [[], 'must be a Table Schema or a Data Package'],
    [{}, 'must have fields, each with a name'],
    [{ fields: [{ type: 'string' }] }, 'must have fields, each with a name'],
    [{ resources: [{ path: 'a.csv', schema: 'schema.json' }] }, 'has its schema elsewhere: give --schema schema.json'],
  ])('%j is refused', (value, message) => {
    expect(() => describedFile(value, 'a.csv', OF)).toThrow(message);
  });
});

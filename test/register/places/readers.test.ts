// Where records are, by fields of certain names.
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/register/canonical-json.ts';
import { pointReader } from '../../../src/register/places/readers.ts';
import type { Field, FieldType } from '../../../src/register/record.ts';

const fieldsOf = (types: Readonly<Record<string, FieldType>>): Field[] =>
  Object.entries(types).map(([name, type]) => ({ name, label: name, type }));

const BERN = { latitude: 46.948, longitude: 7.447 };

describe('the place of a record', () => {
  it.each<[Readonly<Record<string, FieldType>>, Readonly<Record<string, JsonValue>>, typeof BERN | null]>([
    [{ latitude: 'number', longitude: 'number' }, { ...BERN }, BERN],
    [{ lat: 'decimal', lng: 'decimal' }, { lat: '46.948', lng: '7.4470' }, BERN],
    [
      { lat: 'number', lon: 'integer' },
      { lat: -90, lon: 180 },
      { latitude: -90, longitude: 180 },
    ],
    [{ lat: 'number', lon: 'number' }, { lat: 90.1, lon: 0 }, null],
    [{ lat: 'number', lon: 'number' }, { lat: 0, lon: -180.5 }, null],
    [{ lat: 'number', lon: 'number' }, { lat: NaN, lon: 0 }, null],
    [{ lat: 'number', lon: 'number' }, { lat: true, lon: ' ' }, null],
    [{ lat: 'number', lon: 'number' }, { lat: 46 }, null],
    [{ geometry: 'json' }, { geometry: { type: 'Point', coordinates: [7.447, 46.948, 540] } }, BERN],
    [{ geometry: 'json' }, { geometry: { type: 'Point', coordinates: ['7.447', '46.948'] } }, BERN],
    [{ geometry: 'json' }, { geometry: { type: 'MultiPoint', coordinates: [7.447, 46.948] } }, null],
    [{ geometry: 'json' }, { geometry: { type: 'Point', coordinates: [] } }, null],
    [{ geometry: 'json' }, { geometry: null }, null],
    [{ geometry: 'json' }, {}, null],
  ])('by the fields %j in %j is %j', (types, data, place) => {
    expect(pointReader(fieldsOf(types))!({ data })).toEqual(place);
  });

  it.each<Readonly<Record<string, FieldType>>>([
    {},
    { latitude: 'number' },
    { latitude: 'text', longitude: 'text' },
    { geometry: 'text' },
    { the_lat: 'number', the_lon: 'number' },
  ])('is nowhere in a register with the fields %j', (types) => {
    expect(pointReader(fieldsOf(types))).toBeNull();
  });
});

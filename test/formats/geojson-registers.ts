// Arbitrary registers whose records say where they are, or do not, or say what is no place; and what becomes of them.
import fc from 'fast-check';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import type { Field } from '../../src/register/record.ts';
import { jsonValues, registers, type RegisterSample } from '../properties/arbitraries.ts';

/** A register, and the geometry that is expected of each record. */
export interface PlacedSample extends RegisterSample {
  readonly geometries: readonly JsonValue[];
}

/** A value of a field, and what it is of a geometry. */
interface Placed {
  readonly value: JsonValue;
  readonly geometry: JsonValue;
}

/** What JSON carries: it has no -0. */
const asJson = <T extends JsonValue>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const east = fc.oneof(fc.double({ min: -180, max: 180, noNaN: true }), fc.constantFrom(-180, 0, 7.447, 180));
const north = fc.oneof(fc.double({ min: -90, max: 90, noNaN: true }), fc.constantFrom(-90, 0, 46.948, 90));
const position: fc.Arbitrary<number[]> = fc
  .tuple(east, north, fc.option(fc.integer({ min: -400, max: 9000 })))
  .map(([longitude, latitude, height]) => [longitude, latitude, ...(height === null ? [] : [height])]);
const line = fc.array(position, { minLength: 2, maxLength: 5 });
const ring = fc.array(position, { minLength: 3, maxLength: 5 }).map((corners) => [...corners, corners[0]!]);
const polygon = fc.array(ring, { minLength: 1, maxLength: 2 });
const several = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { minLength: 1, maxLength: 2 });

const simple = fc
  .oneof(
    ...(
      [
        ['Point', position],
        ['MultiPoint', several(position)],
        ['LineString', line],
        ['MultiLineString', several(line)],
        ['Polygon', polygon],
        ['MultiPolygon', several(polygon)],
      ] as const
    ).map(([type, coordinates]) =>
      (coordinates as fc.Arbitrary<JsonValue>).map((value) => ({ type, coordinates: value })),
    ),
  )
  .map(asJson);
const geometry: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 5, arbitrary: simple },
  { weight: 1, arbitrary: several(simple).map((geometries) => ({ type: 'GeometryCollection', geometries })) },
  { weight: 1, arbitrary: simple.map((value) => ({ ...value, bbox: [-180, -90, 180, 90], named: 'somehow' })) },
);

/** Texts of digits where a double does not hold them. */
const digits: Placed = {
  value: {
    type: 'LineString',
    coordinates: [
      ['7.12345678901234567890', 46.5],
      [8, '46.00000000000000000001'],
    ],
  },
  geometry: {
    type: 'LineString',
    coordinates: [
      [Number('7.12345678901234567890'), 46.5],
      [8, 46],
    ],
  },
};
const POINT = [7, 46];
const NONE: readonly JsonValue[] = [
  { type: 'Point', coordinates: [180.5, 0] },
  { type: 'Point', coordinates: [2600000, 1200000] },
  { type: 'Point', coordinates: [7] },
  { type: 'Point', coordinates: [7, null] },
  { type: 'Point', coordinates: ['east', 'north'] },
  { type: 'Point', coordinates: POINT, bbox: [7, 46] },
  { type: 'Point', coordinates: POINT, properties: {} },
  { type: 'LineString', coordinates: [POINT] },
  { type: 'LineString', coordinates: POINT },
  { type: 'Polygon', coordinates: [[POINT, [8, 46], [8, 47], [7, 47]]] },
  { type: 'Polygon', coordinates: [[POINT, [8, 46], POINT]] },
  { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: POINT }, null] },
  { type: 'GeometryCollection' },
  { type: 'Feature', geometry: { type: 'Point', coordinates: POINT }, properties: {} },
];

const inField: fc.Arbitrary<Placed> = fc.oneof(
  { weight: 6, arbitrary: geometry.map((value) => ({ value, geometry: value })) },
  { weight: 2, arbitrary: fc.constantFrom(...NONE).map((value) => ({ value, geometry: null })) },
  { weight: 1, arbitrary: jsonValues().map((value) => ({ value, geometry: null })) },
  { weight: 1, arbitrary: fc.constantFrom(digits, { value: null, geometry: null }) },
);

const pointOf = (latitude: number, longitude: number): JsonValue =>
  asJson({ type: 'Point', coordinates: [longitude, latitude] });

/** Numbers, or texts of them, and the point that they are. */
const inNumbers: fc.Arbitrary<{ readonly values: readonly [JsonValue, JsonValue]; readonly geometry: JsonValue }> =
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(north, east).map((values) => ({ values, geometry: pointOf(...values) })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom<readonly [JsonValue, JsonValue]>([90.5, 0], [0, -181], [NaN, 7], [46, Infinity], [null, 7])
        .map((values) => ({ values, geometry: null })),
    },
  );

const LATITUDE: Field = { name: 'latitude', label: 'Latitude', type: 'number' };
const LONGITUDE: Field = { name: 'lon', label: 'Longitude', type: 'number' };
const GEOMETRY: Field = { name: 'geometry', label: 'Geometry', type: 'json' };

/** How many different places records have. */
const PLACES = 8;

/** Registers with numbers, with geometries, or with both, where the geometry goes before the point. */
export function placedRegisters(): fc.Arbitrary<PlacedSample> {
  const places = fc.array(fc.tuple(inNumbers, inField), { minLength: PLACES, maxLength: PLACES });
  const fields = fc.constantFrom([LATITUDE, LONGITUDE], [GEOMETRY], [GEOMETRY, LATITUDE, LONGITUDE]);
  return fc.tuple(registers(), fields, places).map(([sample, own, all]) => {
    const definition = { ...sample.definition, fields: [...sample.definition.fields, ...own] };
    const placeOf = (at: number): (typeof all)[number] => all[at % PLACES]!;
    const records = sample.records.map((record, at) => {
      const [{ values }, { value }] = placeOf(at);
      const numbers = own.includes(LATITUDE) ? { latitude: values[0], lon: values[1] } : {};
      const data = { ...record.data, ...numbers, ...(own.includes(GEOMETRY) ? { geometry: value } : {}) };
      return { ...record, data };
    });
    let at = 0;
    const pages = sample.pages.map((page) => ({ ...page, records: records.slice(at, (at += page.records.length)) }));
    const geometries = records.map((_, index) => {
      const [numbers, field] = placeOf(index);
      const stated = own.includes(GEOMETRY) ? field.geometry : null;
      return stated ?? (own.includes(LATITUDE) ? numbers.geometry : null);
    });
    return { ...sample, definition, head: { ...sample.head, definition }, records, pages, geometries };
  });
}

/** The properties that are expected of a record, by its line of NDJSON. */
export function propertiesOf(line: string, geometry: JsonValue): Readonly<Record<string, JsonValue>> {
  const { data, ...core } = JSON.parse(line) as { readonly data: Readonly<Record<string, JsonValue>> };
  const { geometry: stated = null, ...own } = data;
  const isWhole = stated === null || JSON.stringify(sorted(stated)) === JSON.stringify(sorted(geometry));
  return { ...core, ...own, ...(isWhole ? {} : { geometry: stated }) };
}

/** The same with its members in an order of their own. */
function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sorted);
  const members = Object.entries(value).map(([name, item]) => [name, sorted(item)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

// Where a record is: two fields of numbers, or a point in a field `geometry` of type json. The names alone say so; no
// definition declares a place.
import type { JsonValue } from '../canonical-json.ts';
import { decimalOf } from '../decimal.ts';
import { type Field, isNumberType, type RegisterRecord } from '../record.ts';
import { type Geometry, geometryOf } from './geometry.ts';

/** A place, in degrees (WGS 84). */
export interface Point {
  readonly latitude: number;
  readonly longitude: number;
}

/** Reads the place of a record; null: it has none. */
export type ReadPoint = (record: Pick<RegisterRecord, 'data'>) => Point | null;

/** How the records of a register say where they are: two numbers, or a point in GeoJSON (RFC 7946). Null: they do not. */
export function pointReader(fields: readonly Field[]): ReadPoint | null {
  const named = (names: RegExp): Field | undefined =>
    fields.find(({ name, type }) => isNumberType(type) && names.test(name));
  const [latitude, longitude] = [named(/^lat(?:itude)?$/), named(/^(?:lon|lng|longitude)$/)];
  if (latitude !== undefined && longitude !== undefined) {
    return ({ data }) => pointAt(data[latitude.name], data[longitude.name]);
  }
  if (!fields.some(isGeometryField)) return null;
  return ({ data }) => {
    const { type, coordinates } = geometryOf(data.geometry) ?? {};
    if (type !== 'Point') return null;
    const [east, north] = coordinates as readonly number[];
    return { latitude: north!, longitude: east! };
  };
}

/** Reads the geometry of a record; null: it has none. */
export type ReadGeometry = (record: Pick<RegisterRecord, 'data'>) => Geometry | null;

/** The same as geometries of any kind: that of the field, or else the point. */
export function geometryReader(fields: readonly Field[]): ReadGeometry | null {
  const readPoint = pointReader(fields);
  if (readPoint === null) return null;
  const hasGeometry = fields.some(isGeometryField);
  return (record) => {
    const geometry = hasGeometry ? geometryOf(record.data.geometry) : null;
    if (geometry !== null) return geometry;
    const point = readPoint(record);
    return point === null ? null : { type: 'Point', coordinates: [point.longitude, point.latitude] };
  };
}

/** Whether a field has geometries. */
export function isGeometryField({ name, type }: Pick<Field, 'name' | 'type'>): boolean {
  return name === 'geometry' && type === 'json';
}

/** Numbers that a double does not hold are texts of their digits. */
function pointAt(latitude: JsonValue | undefined, longitude: JsonValue | undefined): Point | null {
  const [north, east] = [latitude, longitude].map((value) => Number(decimalOf(value) ?? NaN));
  return Math.abs(north!) <= 90 && Math.abs(east!) <= 180 ? { latitude: north!, longitude: east! } : null;
}

// Where a record is: two fields of numbers, or a point in a field `geometry` of type json. The names alone say so; no
// definition declares a place.
import type { JsonValue } from '../canonical-json.ts';
import { decimalOf } from '../decimal.ts';
import { type Field, isNumberType, type RegisterRecord } from '../record.ts';

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
  return ({ data: { geometry = null } }) => {
    if (geometry === null || typeof geometry !== 'object' || !('coordinates' in geometry)) return null;
    const { type, coordinates } = geometry;
    return type === 'Point' && Array.isArray(coordinates)
      ? pointAt(coordinates[1] as JsonValue, coordinates[0] as JsonValue)
      : null;
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

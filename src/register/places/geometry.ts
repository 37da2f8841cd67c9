// Geometries of GeoJSON (RFC 7946 3.1), in degrees (WGS 84): which value is one.
import { isObject } from '../../checks.ts';
import type { JsonValue } from '../canonical-json.ts';
import { decimalOf } from '../decimal.ts';

/** A geometry, with the members that RFC 7946 does not know. */
export type Geometry = Readonly<Record<string, JsonValue>>;

type Check = (value: JsonValue | undefined) => boolean;

/** A value as a geometry, with numbers for texts of digits among its coordinates; null if it is none on this earth. */
export function geometryOf(value: JsonValue | undefined): Geometry | null {
  if (!isObject(value) || !isBox(value.bbox) || NOT_OF_GEOMETRIES.some((name) => name in value)) return null;
  if (value.type === 'GeometryCollection') {
    if (!Array.isArray(value.geometries)) return null;
    const geometries = (value.geometries as readonly JsonValue[]).map(geometryOf);
    return geometries.every((geometry) => geometry !== null) ? { ...value, geometries } : null;
  }
  const coordinates = inNumbers(value.coordinates ?? null);
  return CHECKS.get(value.type)?.(coordinates) === true ? { ...value, coordinates } : null;
}

/** RFC 7946 7.1: what makes a feature, or features. */
const NOT_OF_GEOMETRIES = ['geometry', 'properties', 'features'];

function inNumbers(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(inNumbers);
  return typeof value === 'string' ? Number(decimalOf(value) ?? NaN) : value;
}

const listOf =
  (check: Check, least = 0): Check =>
  (value) =>
    Array.isArray(value) && value.length >= least && value.every(check);

/** RFC 7946 5: none, or the two corners. */
const isBox: Check = (value) =>
  value === undefined || (listOf(Number.isFinite)(value) && [4, 6].includes((value as JsonValue[]).length));

/** RFC 7946 3.1.1: the longitude first. */
const isPosition: Check = (value) => {
  if (!listOf(Number.isFinite, 2)(value)) return false;
  const [east, north] = value as readonly number[];
  return Math.abs(east!) <= 180 && Math.abs(north!) <= 90;
};

const isLine = listOf(isPosition, 2);

/** RFC 7946 3.1.6: it ends where it begins. Which way it turns round is not to be refused. */
const isRing: Check = (value) => {
  if (!listOf(isPosition, 4)(value)) return false;
  const ring = value as readonly (readonly number[])[];
  return String(ring[0]) === String(ring.at(-1));
};

const isPolygon = listOf(isRing);

/** What the coordinates of each type are. */
const CHECKS: ReadonlyMap<JsonValue | undefined, Check> = new Map([
  ['Point', isPosition],
  ['MultiPoint', listOf(isPosition)],
  ['LineString', isLine],
  ['MultiLineString', listOf(isLine)],
  ['Polygon', isPolygon],
  ['MultiPolygon', listOf(isPolygon)],
]);

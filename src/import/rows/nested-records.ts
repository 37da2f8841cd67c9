// Objects inside of records, whose members are columns like all others: the `properties` of GeoJSON, and each object that
// all of a file's first records have. A geometry of GeoJSON (RFC 7946) stays whole; a point is two numbers besides.
import { isExactNumber } from '../readers/exact-number.ts';
import { isRawObject, type RawObject, type RawValue } from '../readers/raw-record.ts';
import type { ValuePath } from '../readers/value-path.ts';

/** In how many levels of objects members become columns. */
export const MAX_LEVELS = 3;

/** The maximum number of different members of an object: one with more has ids or languages as names. */
const MAX_MEMBERS = 64;

/** RFC 7946 1.4. */
const GEOMETRIES = new Set(
  'Point MultiPoint LineString MultiLineString Polygon MultiPolygon GeometryCollection'.split(' '),
);

/** How many names of an object's members are kept in memory. */
const MAX_COLUMNS = 10_000;

/** What the rules and fields of an import take as it is. */
export interface WholeProperties {
  /** Whether a rule or a field takes an object itself. */
  isWhole(name: string): boolean;
  /** Whether a rule takes a member of an object. */
  isTaken(path: ValuePath): boolean;
}

/** An object whose members become columns; the record itself. */
interface Level {
  readonly path: ValuePath;
  /** The objects in it of which the same is true. */
  readonly inner: Map<string, Level>;
  /** The columns of its members; null for one that a rule takes. */
  readonly columns: Map<string, string | null>;
}

/** Makes flat records of nested ones. */
export class NestedRecords {
  readonly #whole: WholeProperties;
  readonly #isGeographic: boolean;
  readonly #record: Level;
  readonly #geometry: Level = { path: ['geometry'], inner: new Map(), columns: new Map() };
  /** The names of columns, each of one member. */
  readonly #given = new Set<string>();

  /** @param sample the file's first records */
  constructor(sample: readonly RawValue[], whole: WholeProperties) {
    const records = sample.filter(isRawObject);
    this.#whole = whole;
    this.#isGeographic = records.some(({ geometry }) => isGeometry(geometry));
    this.#record = this.#levelOf(records, []);
  }

  /**
   * The record with the members of its objects beside its other properties. A member whose name is that of another property
   * is named by its path: `properties.state`.
   */
  flat(record: RawObject): RawObject {
    if (this.#record.inner.size === 0 && !this.#isGeographic) return record;
    const flat: Record<string, RawValue> = {};
    for (const [name, value] of Object.entries(record)) {
      const level = levelIn(this.#record, name, value);
      if (level !== null) this.#addMembers(value, level, record, flat);
      else if (name !== 'type' || !isFeature(record)) define(flat, name, value);
      if (name === 'geometry') this.#addPoint(value, record, flat);
    }
    return flat;
  }

  #addMembers(object: RawValue, level: Level, record: RawObject, flat: Record<string, RawValue>): void {
    if (!isRawObject(object)) return;
    for (const [name, value] of Object.entries(object)) {
      const inner = levelIn(level, name, value);
      if (inner !== null) this.#addMembers(value, inner, record, flat);
      else this.#addMember(level, name, value, record, flat);
    }
  }

  #addPoint(geometry: RawValue, record: RawObject, flat: Record<string, RawValue>): void {
    const point = pointOf(geometry);
    if (point === null) return;
    this.#addMember(this.#geometry, 'latitude', point.latitude, record, flat);
    this.#addMember(this.#geometry, 'longitude', point.longitude, record, flat);
  }

  #addMember(level: Level, name: string, value: RawValue, record: RawObject, flat: Record<string, RawValue>): void {
    let column = level.columns.get(name);
    if (column === undefined) {
      column = this.#columnOf(level, name, record);
      if (level.columns.size < MAX_COLUMNS) level.columns.set(name, column);
    }
    if (column === null) return;
    // A later record may have a property of that name.
    while (Object.hasOwn(record, column) || Object.hasOwn(flat, column)) {
      column = column === name ? [...level.path, name].join('.') : `${column}'`;
    }
    define(flat, column, value);
  }

  #columnOf({ path }: Level, name: string, record: RawObject): string | null {
    const inner = [...path, name];
    if (this.#whole.isTaken(inner)) return null;
    const column = Object.hasOwn(record, name) || this.#given.has(name) ? inner.join('.') : name;
    this.#given.add(column);
    return column;
  }

  #levelOf(objects: readonly RawObject[], path: ValuePath): Level {
    const inner = new Map<string, Level>();
    if (path.length < MAX_LEVELS) {
      for (const name of Object.keys(objects[0] ?? {})) {
        const values = objects.map((object) => (Object.hasOwn(object, name) ? object[name] : undefined));
        const isWhole = path.length === 0 && (name === 'data' || this.#whole.isWhole(name));
        const isOfFeatures = path.length === 0 && name === 'properties' && objects.some(isFeature);
        if (isWhole || !(isOfFeatures || isRecord(values))) continue;
        inner.set(name, this.#levelOf(values.filter(isRawObject), [...path, name]));
      }
    }
    return { path, inner, columns: new Map() };
  }
}

/** Whether all of these are an object with its own few names, not one with ids or languages for names. */
function isRecord(values: readonly (RawValue | undefined)[]): boolean {
  const objects = values.filter(isRawObject);
  const isEverywhere = values.every((value) => value === null || isRawObject(value));
  const members = new Set(objects.flatMap((value) => Object.keys(value)));
  return isEverywhere && members.size > 0 && members.size <= MAX_MEMBERS && !objects.some(isGeometry);
}

function levelIn(level: Level, name: string, value: RawValue): Level | null {
  return value === null || isRawObject(value) ? (level.inner.get(name) ?? null) : null;
}

/** A record without what the format of GeoJSON says in every feature. */
export function withoutFormat(record: RawValue): RawValue {
  if (!isRawObject(record) || !isFeature(record)) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'type'));
}

function isFeature({ type, properties, geometry }: RawObject): boolean {
  return type === 'Feature' && properties !== undefined && geometry !== undefined;
}

/** Whether a value is a geometry of GeoJSON. */
export function isGeometry(value: RawValue | undefined): value is RawObject {
  return value !== undefined && isRawObject(value) && GEOMETRIES.has(value.type as string);
}

/** Where a point is; null for any other value. The digits that a double does not hold are in the geometry. */
function pointOf(value: RawValue): { readonly latitude: number; readonly longitude: number } | null {
  if (!isGeometry(value) || value.type !== 'Point' || !Array.isArray(value.coordinates)) return null;
  const [longitude, latitude] = (value.coordinates as readonly RawValue[]).map((item) =>
    isExactNumber(item) ? Number(item.digits) : item,
  );
  return typeof longitude === 'number' && typeof latitude === 'number' ? { latitude, longitude } : null;
}

function define(object: Record<string, RawValue>, name: string, value: RawValue): void {
  // An assignment would set the prototype where the name is `__proto__`.
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

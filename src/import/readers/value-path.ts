// Paths into JSON values, as `--pick` and `--map` write them: `result.items`, `links.0.href`, or a JSON Pointer
// (RFC 6901) such as `/meta/org.name` where a name has dots of its own.
import { isRawObject, type RawObject, type RawValue } from './raw-record.ts';

/** The names on the path, outermost first; a name of digits is also an array's index. */
export type ValuePath = readonly string[];

/**
 * The path of an expression; null when it has an empty step, which in dotted form is always a typing error.
 *
 * @example parsePath('meta.org') // ['meta', 'org']
 */
export function parsePath(expression: string): ValuePath | null {
  if (expression.startsWith('/')) {
    // RFC 6901 4: ~1 first, then ~0, so that ~01 is ~1.
    return expression
      .slice(1)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  const steps = expression.split('.');
  return steps.includes('') ? null : steps;
}

/** A place in a record as people write it: a path, or the name of a column that has dots of its own (`Tel. privat`). */
export interface Place {
  /** The path to the value. */
  readonly path: ValuePath;
  /** The whole as one name, which comes before the path; null where the path is that name, or a JSON Pointer. */
  readonly column: string | null;
}

/** The place of an expression. One that is no path (`Nr.`) is the name of a column. */
export function parsePlace(expression: string): Place {
  const path = parsePath(expression);
  if (path === null) return { path: [expression], column: null };
  return { path, column: path.length > 1 && !expression.startsWith('/') ? expression : null };
}

/** The value at a place; undefined if there is none. A column may have spaces around its name, which nobody sees. */
export function placeAt(value: RawValue, { path, column }: Place): RawValue | undefined {
  const whole = column === null ? undefined : valueAt(value, [column]);
  const found = whole === undefined ? valueAt(value, path) : whole;
  if (found !== undefined || !isRawObject(value)) return found;
  const name = column ?? (path.length === 1 ? path[0]! : null);
  const padded = name === null ? undefined : Object.keys(value).find((key) => isPadded(key, name));
  return padded === undefined ? undefined : value[padded];
}

/** Whether a property's name is this one with spaces around it. */
function isPadded(property: string, name: string): boolean {
  return property.length > name.length && property.trim() === name;
}

/** The place as it was written. */
export function placeName({ path, column }: Place): string {
  return column ?? (path.length === 1 ? path[0]! : formatPath(path));
}

/** The inverse of {@link parsePath}: dotted if that is unambiguous, otherwise a JSON Pointer. */
export function formatPath(path: ValuePath): string {
  const dotted =
    path.length > 0 && path.every((step) => step !== '' && !step.includes('.')) && !path[0]!.startsWith('/');
  return dotted ? path.join('.') : path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a path; undefined if there is none. Only own members count. */
export function valueAt(value: RawValue, path: ValuePath): RawValue | undefined {
  let current: RawValue | undefined = value;
  for (const step of path) {
    if (Array.isArray(current)) current = isIndex(step) ? (current as readonly RawValue[])[Number(step)] : undefined;
    else if (isRawObject(current)) current = memberOf(current, step);
    else return undefined;
  }
  return current;
}

function memberOf(object: RawObject, name: string): RawValue | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  // The same letters can be written in two ways: ü, or u and two dots (Unicode normalization form C or D).
  if (!/[^\u0000-\u007f]/.test(name)) return undefined;
  const composed = name.normalize();
  const other = Object.keys(object).find((key) => key.normalize() === composed);
  return other === undefined ? undefined : object[other];
}

/** Whether a step can be an array's index (RFC 6901 4: no leading zeros). */
function isIndex(step: string): boolean {
  return /^(?:0|[1-9]\d{0,14})$/.test(step);
}

/** The paths of properties in composed form (Unicode NFC), one for each, created once. */
export class ComposedPaths {
  readonly #within: ValuePath;
  readonly #paths = new Map<string, ValuePath>();

  /** @param within the path of the object that has the properties */
  constructor(within: ValuePath) {
    this.#within = within;
  }

  /** The path of a property, as it is written where the object has both forms. */
  to(object: RawObject, name: string): ValuePath {
    let path = this.#paths.get(name);
    if (path === undefined) {
      path = [...this.#within, name.normalize()];
      // An unlimited number of names (ids used as names) must not fill the memory.
      if (this.#paths.size < 10_000) this.#paths.set(name, path);
    }
    const composed = path.at(-1)!;
    return composed !== name && Object.hasOwn(object, composed) ? [...this.#within, name] : path;
  }
}

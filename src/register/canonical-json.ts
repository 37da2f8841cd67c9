// Canonical JSON (RFC 8785, JCS): one text for each value. Hashes, validators and `json` fields in tables use it.
import { GazetteError } from '../errors.ts';

/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/**
 * The canonical text of a JSON value: no white space, members sorted by UTF-16 code units (RFC 8785 3.2.3), numbers and
 * strings as ECMAScript writes them (3.2.2). A lone surrogate, which RFC 8785 leaves no form for, keeps its `\udXXX`
 * escape. Members that are undefined are left out.
 *
 * @throws GazetteError `invalid_record` for what JSON cannot carry: NaN and infinities (RFC 8785 3.2.2.3), undefined in
 *   an array, big integers, functions, dates, maps and other instances of classes. Written as something else they
 *   would be lost in silence.
 * @example canonicalJson({ b: 1, a: [true, null] }) // '{"a":[true,null],"b":1}'
 */
export function canonicalJson(value: JsonValue): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'number':
      // The text of -0 is 0, as in JSON.stringify.
      if (Number.isFinite(value)) return String(value);
      break;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return canonicalArray(value as readonly JsonValue[]);
      if (isPlain(value)) return canonicalObject(value as Readonly<Record<string, JsonValue | undefined>>);
      break;
    default:
  }
  throw new GazetteError('invalid_record', `a JSON value is expected, got ${kindOf(value)}`);
}

function canonicalArray(items: readonly JsonValue[]): string {
  let text = '[';
  // By index: iteration would not distinguish a hole from undefined.
  for (let i = 0; i < items.length; i++) text += (i === 0 ? '' : ',') + canonicalJson(items[i]!);
  return `${text}]`;
}

function canonicalObject(members: Readonly<Record<string, JsonValue | undefined>>): string {
  let text = '{';
  // Array.prototype.sort compares UTF-16 code units, as RFC 8785 3.2.3 asks.
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text.length === 1 ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
}

/** Whether an object is a plain object, also when it comes from another realm. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What a value is, for messages about one that JSON cannot carry. */
export function kindOf(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return `an instance of ${String((value as { constructor?: { name?: unknown } }).constructor?.name)}`;
}

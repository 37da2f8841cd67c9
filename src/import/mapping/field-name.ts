// Names and labels for the fields of a register without a definition, derived from the publisher's property names, and the
// properties that a label stands for.
import { columnLetters } from '../../formats/xlsx/cell-xml.ts';
import { inAscii } from '../../nearest.ts';
import { FIELD_NAMES } from '../../register/definition.ts';
import { RESERVED_FIELD_NAMES } from '../../register/fields.ts';
import type { RawObject } from '../readers/raw-record.ts';
import { type ValuePath, valueAt } from '../readers/value-path.ts';

/** The longest name of a field. */
const MAX_LENGTH = FIELD_NAMES.maxLength;

/**
 * A publisher's name as a field's name, `[a-z][a-z0-9_]{0,63}`, which is never a core field's: `knownRansomwareCampaignUse`
 * becomes `known_ransomware_campaign_use`, `Größe (m²)` `groesse_m2`, `Version` `version_2`. Different names may give the
 * same result.
 *
 * @returns null for a name without a letter or digit of ASCII, as in other scripts
 */
export function asciiName(name: string): string | null {
  const apart = name
    .normalize()
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2');
  const words = inAscii(apart)
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  if (words === '') return null;
  const named = /^[a-z]/.test(words) ? words : `field_${words}`;
  return freeName(named.slice(0, MAX_LENGTH).replace(/_+$/, ''), (taken) => RESERVED_FIELD_NAMES.has(taken));
}

/** The name for a property of a record: that of {@link asciiName}, or else the letters of its column: `column_c`. */
export function toFieldName(path: ValuePath, record: RawObject): string {
  const property = path.at(-1)!;
  const named = asciiName(property);
  if (named !== null) return named;
  const names = Object.keys(valueAt(record, path.slice(0, -1)) ?? {});
  const place = names.findIndex((name) => name === property || name.normalize() === property);
  return `column_${columnLetters(place).toLowerCase()}`;
}

/** Assigns names that no other field has: the second `area` becomes `area_2`. */
export class FieldNames {
  readonly #given: Set<string>;

  /** @param given names that are already taken */
  constructor(given: Iterable<string> = []) {
    this.#given = new Set(given);
  }

  /** The name for a property: the same for the same sequence of properties. */
  take(path: ValuePath, record: RawObject): string {
    const name = freeName(toFieldName(path, record), (taken) => this.#given.has(taken));
    this.#given.add(name);
    return name;
  }
}

/** The name `base`, or with a number after it the first one that is not taken. */
export function freeName(base: string, isTaken: (name: string) => boolean): string {
  let name = base;
  for (let number = 2; isTaken(name); number++) {
    const suffix = `_${number}`;
    name = base.slice(0, MAX_LENGTH - suffix.length) + suffix;
  }
  return name;
}

/** The paths of a property with this name. */
export function pathsTo(name: string): readonly ValuePath[] {
  return [[name], ['data', name]];
}

/** What follows the label of the second property of a name: whether it is inside `data`, or in the record itself. */
const INSIDE = ' (data)';
const OUTSIDE = ' (record)';

/**
 * The label of a field that was found in a property: the publisher's name, in quotes if it is blank or looks like what
 * this function makes. The second of two properties, in the record and inside its `data`, has a label of its own.
 */
export function labelOf(path: ValuePath, isTaken: (label: string) => boolean): string {
  const property = path.at(-1)!;
  const label = isPlain(property) ? property : JSON.stringify(property);
  return isTaken(label) ? label + (path.length > 1 ? INSIDE : OUTSIDE) : label;
}

/** The inverse of {@link labelOf}: the paths of the property from which a label was made, the likeliest first. */
export function labelPaths(label: string): readonly ValuePath[] {
  const paths = pathsTo(unquoted(label) ?? label);
  const second = secondPath(label);
  return second === null ? paths : [second, ...paths];
}

/** The path of the second property of a name; null for any other label. */
export function secondPath(label: string): ValuePath | null {
  const end = [INSIDE, OUTSIDE].find((each) => label.endsWith(each));
  if (end === undefined) return null;
  const first = label.slice(0, -end.length);
  const property = unquoted(first) ?? first;
  return end === INSIDE ? ['data', property] : [property];
}

function isPlain(property: string): boolean {
  return property.trim() !== '' && unquoted(property) === null && secondPath(property) === null;
}

/** The property that a label has in quotes; null for any other label. */
function unquoted(label: string): string | null {
  if (label.length < 2 || !label.startsWith('"') || !label.endsWith('"')) return null;
  try {
    const property = JSON.parse(label) as string;
    return isPlain(property) ? null : property;
  } catch {
    return null;
  }
}

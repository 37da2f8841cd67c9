// Names for the fields of a register without a definition, derived from the publisher's property names.
import { withPlainLetters } from '../../nearest.ts';
import { FIELD_NAMES } from '../../register/definition.ts';
import { RESERVED_FIELD_NAMES } from '../../register/fields.ts';

/** The longest name of a field. */
const MAX_LENGTH = FIELD_NAMES.maxLength;

/**
 * A publisher's name as a field's name, `[a-z][a-z0-9_]{0,63}`: `knownRansomwareCampaignUse` becomes
 * `known_ransomware_campaign_use`, `CVSS-Score (v3)` `cvss_score_v3`. Different names may give the same result.
 */
export function toFieldName(name: string): string {
  // Letters with diacritics become plain letters; other characters become a separator below.
  const words = withPlainLetters(name)
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const named = /^[a-z]/.test(words) ? words : words === '' ? 'field' : `field_${words}`;
  return named.slice(0, MAX_LENGTH).replace(/_+$/, '');
}

/** Assigns names that no other field and no core field has: the second `title` becomes `title_2`. */
export class FieldNames {
  readonly #given: Set<string>;

  /** @param given names that are already taken */
  constructor(given: Iterable<string> = []) {
    this.#given = new Set([...RESERVED_FIELD_NAMES, ...given]);
  }

  /** The name for a publisher's property: the same for the same sequence of properties. */
  take(property: string): string {
    const name = freeName(toFieldName(property), (taken) => this.#given.has(taken));
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

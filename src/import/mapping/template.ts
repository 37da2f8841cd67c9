// Templates of `--map`: text with `{path}` in it, `{+path}` for a value that is put in as it is (the reserved expansion
// of RFC 6570), `{path|text}` with a text for records without the value, or with an empty text. Nothing else of RFC 6570.
import { type GazetteError, quote } from '../../errors.ts';
import { type Place, parsePlace, placeAt, placeName } from '../readers/value-path.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { RawObject, RawValue } from '../readers/raw-record.ts';

/** A place in a template. */
export interface TemplateSlot {
  /** Where the value stands in a record. */
  readonly place: Place;
  /** Whether characters that have a meaning in URLs stay as they are: `2026/0417` keeps its slash. */
  readonly keepsReserved: boolean;
  /** The text where a record has no value; null: such a record is refused. */
  readonly fallback: string | null;
}

/** A template, ready to be filled. */
export interface Template {
  /** Literal texts and slots, alternating; a literal text comes first and last. */
  readonly parts: readonly (string | TemplateSlot)[];
  /** Whether the template is a URL, in which values are percent-encoded. */
  readonly isUrl: boolean;
}

/** Whether a source is a template: it has a brace, or begins like a URL. */
export function isTemplate(written: string): boolean {
  return isUrlText(written) || /[{}]/.test(written);
}

/** @param refuse makes the error for a brace without its partner */
export function parseTemplate(written: string, refuse: (reason: string) => Error): Template {
  const parts: (string | TemplateSlot)[] = [];
  let literal = '';
  // `{{`, `}}`, `{path}`, a lone brace, or text without braces.
  for (const [token, slot] of written.matchAll(/\{\{|\}\}|\{([^{}]+)\}|[{}]|[^{}]+/g)) {
    if (slot !== undefined) {
      parts.push(literal, parseSlot(slot));
      literal = '';
    } else if (token === '{' || token === '}') {
      throw refuse(`unpaired ${token} in ${quote(written)}; a brace itself is written twice`);
    } else {
      literal += token === '{{' || token === '}}' ? token.charAt(0) : token;
    }
  }
  parts.push(literal);
  return { parts, isUrl: isUrlText(written) };
}

function isUrlText(written: string): boolean {
  return /^https?:\/\//i.test(written);
}

function parseSlot(written: string): TemplateSlot {
  const [, plus, path = '', fallback] = /^\s*(\+?)([^|]*)(?:\|(.*))?$/s.exec(written)!;
  return { place: parsePlace(path.trim()), keepsReserved: plus === '+', fallback: fallback ?? null };
}

/**
 * The text of a template for one record.
 *
 * @param refuse makes the error for a record without a value that the template needs
 */
export function fillTemplate(template: Template, value: RawValue, refuse: (reason: string) => GazetteError): string {
  let text = '';
  for (const part of template.parts) text += typeof part === 'string' ? part : fillSlot(part, template, value, refuse);
  return text;
}

function fillSlot(
  { place, keepsReserved, fallback }: TemplateSlot,
  { isUrl }: Template,
  value: RawValue,
  refuse: (reason: string) => GazetteError,
): string {
  let item = placeAt(value, place);
  const isMissing = item === undefined || item === null || (typeof item === 'string' && item.trim() === '');
  if (isMissing && fallback !== null) item = fallback;
  if (item === undefined || item === null || (typeof item === 'object' && !isExactNumber(item))) {
    throw refuse(`needs ${quote(placeName(place))}, which ${stateOf(item)}`);
  }
  const written = String(item);
  if (!isUrl) return written;
  if (!written.isWellFormed()) throw refuse(`needs ${quote(placeName(place))}, which is no Unicode text`);
  return keepsReserved ? encodeReserved(written) : encodeURIComponent(written);
}

/** RFC 6570 3.2.3: reserved and unreserved characters and percent-encoded triplets stay, everything else is encoded. */
function encodeReserved(text: string): string {
  return text.replace(/%[0-9a-f]{2}|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+|%/gi, (part) => {
    return part.length === 3 && part.startsWith('%') ? part : encodeURIComponent(part);
  });
}

function stateOf(value: RawObject | readonly RawValue[] | null | undefined): string {
  if (value === undefined) return 'is absent';
  if (value === null) return 'is null';
  return Array.isArray(value) ? 'is an array' : 'is an object';
}

// The forms of columns: what a value alone must be, whatever the other rows say.
import { isObject, isWhole } from '../../../checks.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { defineRegister, type DefinitionInput } from '../../../register/definition.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import { isDateTime } from '../../../register/time.ts';
import type { Finding } from '../../contract/inspection.ts';
import type { SqlValue } from '../../rows/columns.ts';

/** What a column must be. Integers are read as text: a driver refuses those that a double does not hold. */
export interface Form {
  /** In the words of a message. */
  readonly expected: string;
  readonly isInteger?: boolean;
  readonly fits: (value: SqlValue) => boolean;
}

/** Any text. */
export const TEXT: Form = { expected: 'a text', fits: (value) => typeof value === 'string' };

/** An RFC 3339 date-time. */
export const TIME: Form = {
  expected: 'an RFC 3339 date-time',
  fits: (value) => typeof value === 'string' && isDateTime(value),
};

/** Any bytes, at least so many. */
export function bytes(min: number, max: number = Number.MAX_SAFE_INTEGER): Form {
  return {
    expected: min === max ? `${min} bytes` : `at least ${min} bytes`,
    fits: (value) => value instanceof Uint8Array && value.length >= min && value.length <= max,
  };
}

/** A whole number. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): Form {
  return {
    expected: max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min} on` : `a whole number ${min}..${max}`,
    isInteger: true,
    fits: (value) => value !== null && isWhole(Number(value), min, max),
  };
}

/** 0 or 1. */
export const FLAG: Form = whole(0, 1);

/** A text of this pattern. */
export function matching(pattern: RegExp, expected: string): Form {
  return { expected, fits: (value) => typeof value === 'string' && pattern.test(value) };
}

/** One of these texts. */
export function oneOf(texts: readonly string[]): Form {
  return {
    expected: `one of ${texts.join(', ')}`,
    fits: (value) => typeof value === 'string' && texts.includes(value),
  };
}

/** A JSON array of texts, as it would be written. */
export const TEXT_LIST: Form = {
  expected: 'a JSON array of texts',
  fits: (value) => {
    const list = jsonIn(value);
    return Array.isArray(list) && list.every((item) => typeof item === 'string') && JSON.stringify(list) === value;
  },
};

/** A JSON object whose values are texts, as it would be written. */
export const TEXT_OBJECT: Form = {
  expected: 'a JSON object of texts and lists of texts',
  fits: (value) => {
    const object = jsonIn(value);
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
    const isText = (item: unknown): boolean => typeof item === 'string';
    const fits = Object.values(object).every((item) => isText(item) || (Array.isArray(item) && item.every(isText)));
    return fits && JSON.stringify(object) === value;
  },
};

/** A JSON text. */
export const JSON_TEXT: Form = { expected: 'a JSON text', fits: (value) => jsonIn(value) !== undefined };

/** Such a value, or null. */
export function orNull(form: Form): Form {
  return { ...form, expected: `${form.expected}, or null`, fits: (value) => value === null || form.fits(value) };
}

/** The value of a JSON text; undefined where it is none. */
export function jsonIn(text: SqlValue): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The object of a JSON text; undefined where it is none. */
export function objectIn(text: SqlValue): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text);
  return isObject(value) ? value : undefined;
}

/** A stored definition; undefined where it is none: the rules of registers say what is wrong with it. */
export function definitionIn(text: SqlValue): RegisterDefinition | undefined {
  const stored = objectIn(text);
  try {
    return stored === undefined ? undefined : defineRegister(stored as unknown as DefinitionInput);
  } catch (error) {
    if (!(error instanceof GazetteError)) throw error;
    return undefined;
  }
}

/** A value in a message: the beginning of a text, and nothing of bytes. */
export function shown(value: SqlValue): string {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return typeof value === 'string' ? quote(value) : String(value);
}

/** The row that a finding is about. */
export type Place = Pick<Finding, 'table' | 'row'> & Partial<Finding>;

/** A finding about a row. */
export function findingAt(place: Place, problem: string): Finding {
  return { feedId: null, recordId: null, version: null, ...place, problem };
}

/** The words of a finding about a column. @param got left out where the value must not be shown */
export function mustBe(column: string, expected: string, got?: SqlValue): string {
  return `${column} must be ${expected}${got === undefined ? '' : `, got ${shown(got)}`}`;
}

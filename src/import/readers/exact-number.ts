// Numbers of JSON text that a double does not give back, kept as the digits of the file: `12345678901234567.89`, `1e400`.
// A class of its own tells them apart from strings of digits.
import { counted } from '../../register/counted.ts';
import { isHeldByDouble, isWrittenOutDouble } from '../../register/decimal.ts';
import { quote } from '../../errors.ts';
import type { ReaderNote } from './reader-note.ts';

/** A number that a double would change. Integers beyond ±9007199254740991 are bigints instead. */
export interface ExactNumber {
  /** The number as the file writes it (RFC 8259 6). */
  readonly digits: string;
  /** The digits: what a template writes. */
  toString(): string;
  /** The digits as a string: readers of JSON would round a number. */
  toJSON(): string;
}

class Digits implements ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): string {
    return this.digits;
  }
}

/** A number of these digits. */
export function exactNumber(digits: string): ExactNumber {
  return new Digits(digits);
}

/** Whether a value is a number kept as its digits. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return value instanceof Digits;
}

/**
 * The value inside of a list or an object: the double that the digits were written of, which then says all of them;
 * otherwise the digits, as text.
 */
export function insideJson({ digits }: ExactNumber): number | string {
  return isWrittenOutDouble(digits) ? Number(digits) : digits;
}

const INTEGER = /^-?\d+$/;

/** Whether a number of a JSON text is read as something other than a double. */
export function needsExactness(source: string): boolean {
  // All numbers of at most 15 digits have a double each, except near the ends of the range.
  if (source.length <= 15 && !source.includes('e') && !source.includes('E')) return false;
  return INTEGER.test(source) ? !Number.isSafeInteger(Number(source)) : !isHeldByDouble(source);
}

/** The value of a number of a JSON text for which {@link needsExactness} holds. */
export function exactly(source: string): bigint | ExactNumber {
  return INTEGER.test(source) ? BigInt(source) : exactNumber(source);
}

/** The maximum number of names that are counted each for itself. */
const MAX_NAMED = 10;

/** Counts the exact numbers of a file by the name of their property. */
export class ExactNumberCount {
  readonly #counts = new Map<string, number>();
  #total = 0;
  #first = '';

  /** Counts a number. @param place where it is, in words: `line 7` */
  add(name: string, digits: string, place: string): void {
    if (this.#total++ === 0) this.#first = `${quote(digits)} in ${place}`;
    const counted = this.#counts.has(name) || this.#counts.size < MAX_NAMED ? name : '';
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
  }

  /** What has been counted so far, for the notes of a reader. */
  notes(): readonly ReaderNote[] {
    if (this.#total === 0) return [];
    const named = [...this.#counts].map(([name, count]) => `${name === '' ? 'others' : quote(name)} (${count})`);
    const numbers = this.#total === 1 ? '1 number is' : `${counted(this.#total, 'number')} are`;
    const message =
      `${numbers} kept as text of digits, because a double does not hold ${this.#total === 1 ? 'it' : 'them'}: ` +
      `${named.join(', ')}; the first is ${this.#first}`;
    return [{ code: 'exact_numbers', message }];
  }
}

// Keys of records whose file identifies none (`--key row`): made of the row itself, as the reader gives it, before any rule,
// type or form of dates. So neither a mapping, a definition, nor the order of rows or columns changes a key; another name of
// a column, or another column, changes them all.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../register/canonical-json.ts';
import { hmac } from '../../stores/rows/commitment.ts';
import { IdSet } from '../../register/sources/id-set.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import type { RawObject, RawValue } from '../readers/raw-record.ts';
import { keptValue } from '../mapping/kept-values.ts';
import { bareName } from './ignored-columns.ts';

/** The length of a key, in hexadecimal digits. */
const KEY_DIGITS = 24;

/** The keys of a file's rows, one after the other. */
export class RowKeys {
  readonly #secret: Uint8Array | null;
  readonly #rows = new IdSet();
  /** How often a row has come that came again. */
  readonly #counts = new Map<string, number>();

  /** @param secret 32 random bytes of the register; null: whoever sees a key can try out which row has it */
  constructor(secret: Uint8Array | null) {
    this.#secret = secret;
  }

  /** The key of the next row: where it is equal to an earlier one of the file, with `-2`, `-3`, … at its end. */
  next(row: RawObject): string {
    const text = rowText(row);
    const digest =
      this.#secret === null
        ? hash('sha256', text, 'hex')
        : Buffer.from(hmac(this.#secret, text), 'latin1').toString('hex');
    const key = digest.slice(0, KEY_DIGITS);
    if (this.#rows.add(key, 0) === null) return key;
    const count = (this.#counts.get(key) ?? 1) + 1;
    this.#counts.set(key, count);
    return `${key}-${count}`;
  }
}

/**
 * The canonical JSON (RFC 8785) of a row: its names trimmed and in composed form (Unicode NFC), every value as its text,
 * without what is empty.
 *
 * @example rowText({ ' b': 5, a: 'x', c: '' }) // '{"a":"x","b":"5"}'
 */
export function rowText(row: RawObject): string {
  const texts = new Map<string, string>();
  for (const [property, value] of Object.entries(row)) {
    const name = bareName(property);
    const text = textOf(value);
    // Two properties whose names differ in what nobody sees keep their names.
    if (text !== '') texts.set(texts.has(name) ? property : name, text);
  }
  return canonicalJson(Object.fromEntries(texts));
}

function textOf(value: RawValue): string {
  if (value === null) return '';
  return typeof value === 'object' && !isExactNumber(value) ? canonicalJson(keptValue(value)) : String(value);
}

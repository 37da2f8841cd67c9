// CSV from the bytes of a store's cells. What needs more than quotes, the guard and a plain number is written from the
// value, by the same code as for a record; a record that is not stored as its UTF-8 is left to the caller.
import type { JsonValue } from '../register/canonical-json.ts';
import { shownValue } from '../register/declared-values.ts';
import { recordKey } from '../register/identity.ts';
import { CORE_FIELDS } from '../register/fields.ts';
import type { Field, RegisterDefinition } from '../register/record.ts';
import { BYTE_CELLS, type ByteRows, CELL_END, KEY_CELL, NULL_CELL, ODD_CELL } from '../register/sources/byte-rows.ts';
import { type JsonMembers, membersOf } from './json-members.ts';
import type { Output } from './format.ts';
import { isGuarded, mayBeGuarded } from './formula-guard.ts';

/** What a byte means within a cell: bits that are joined over all its bytes. */
const NEEDS_QUOTES = 1;
const QUOTE_SIGN = 2;
const ENDS = 4;
const TILDE = 8;
const ESCAPES = 16;

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const BACKSLASH = 0x5c;
const TILDE_SIGN = 0x7e;

/** The first byte of `null`. */
const NULL_BEGINS = 0x6e;

/** The most bytes that an output copies. */
const PIECE = 65_536;

/** More bytes than a record's separators, quotes and guards take besides what is doubled. */
const RECORD_ROOM = 256;

/** The same for an own field. */
const FIELD_ROOM = 16;

/** The dialect, in the names of its options. */
export interface RowDialect {
  readonly delimiter: string;
  readonly record_delimiter: string;
  readonly quoted: boolean;
  readonly formulas: 'guard' | 'raw';
}

/** The cells of values that are not written as they stand, as the sink writes them. */
export interface CellTexts {
  text(text: string): string;
  own(field: Field, value: JsonValue): string;
}

/** The own values are the last cell. */
const DATA_AT = BYTE_CELLS.length - 1;
const IS_NULLABLE: readonly boolean[] = BYTE_CELLS.map(
  (name, cell) => cell === KEY_CELL || CORE_FIELDS.some((field) => field.name === name && field.nullable),
);

/** Writes records from their cells. */
export class CsvRows {
  readonly #feedId: string;
  readonly #fields: readonly Field[];
  readonly #members: JsonMembers;
  readonly #cells: CellTexts;
  readonly #quoted: boolean;
  readonly #guarded: boolean;
  readonly #delimiter: number;
  readonly #recordEnd: Buffer;
  readonly #feedCell: Buffer;
  readonly #classes = new Uint8Array(256);
  #target: Buffer<ArrayBuffer> = Buffer.alloc(0);
  /** Where the next byte is written. */
  #at = 0;

  constructor(definition: RegisterDefinition, dialect: RowDialect, cells: CellTexts) {
    this.#feedId = definition.id;
    this.#fields = definition.fields;
    this.#members = membersOf(definition.fields);
    this.#cells = cells;
    this.#quoted = dialect.quoted;
    this.#guarded = dialect.formulas === 'guard';
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#recordEnd = Buffer.from(dialect.record_delimiter);
    this.#feedCell = Buffer.from(cells.text(definition.id));
    const classes = this.#classes;
    for (const sign of [this.#delimiter, 0x0d, 0x0a]) classes[sign] = NEEDS_QUOTES;
    classes[QUOTE] = NEEDS_QUOTES | QUOTE_SIGN;
    classes[CELL_END] = ENDS;
    classes[TILDE_SIGN]! |= TILDE;
    classes[BACKSLASH]! |= ESCAPES;
  }

  /**
   * Writes records from a byte on. @returns where it stopped: at the end of the bytes, or at a record that has to be written
   * from its values
   */
  write(out: Output, { bytes, count }: ByteRows, from: number): number {
    const most =
      3 * (bytes.length - from) + count * (RECORD_ROOM + this.#feedCell.length + FIELD_ROOM * this.#fields.length);
    // As Buffer.allocUnsafe would, but never from the pool that others write to.
    if (this.#target.length < most) this.#target = Buffer.allocUnsafeSlow(most * 2);
    this.#at = 0;
    let start = from;
    while (start < bytes.length) {
      const before = this.#at;
      const end = this.#record(bytes, start);
      if (end < 0) {
        this.#at = before;
        break;
      }
      start = end;
    }
    // Larger pieces would be given away.
    for (let piece = 0; piece < this.#at; piece += PIECE) {
      out.bytes(this.#target.subarray(piece, Math.min(this.#at, piece + PIECE)));
    }
    return start;
  }

  /** @returns where the record ends, or -1 where it has to be written from its values */
  #record(bytes: Uint8Array, start: number): number {
    const target = this.#target;
    let at = start;
    let idEnd = 0;
    let seen = 0;
    for (let cell = 0; cell < DATA_AT; cell++) {
      if (cell === 1) {
        target[this.#at++] = this.#delimiter;
        target.set(this.#feedCell, this.#at);
        this.#at += this.#feedCell.length;
      }
      if (cell > 0) target[this.#at++] = this.#delimiter;
      const first = bytes[at];
      if (first === NULL_CELL) {
        if (!IS_NULLABLE[cell]!) return -1;
        if (cell === KEY_CELL && !this.#key(bytes, start, idEnd, seen)) return -1;
        at += 2;
        continue;
      }
      if (first === ODD_CELL) return -1;
      const begun = this.#at;
      const classes = this.#classes;
      let to = begun;
      seen = 0;
      for (;;) {
        const byte = bytes[at++]!;
        const kind = classes[byte]!;
        if (kind !== 0) {
          if (kind === ENDS) break;
          seen |= kind;
        }
        target[to++] = byte;
      }
      this.#at = to;
      if (cell === 0) idEnd = at - 1;
      if ((seen & NEEDS_QUOTES) !== 0 || to === begun || this.#quoted || mayBeGuarded(target[begun]!))
        this.#finish(begun, seen);
    }
    return this.#own(bytes, at);
  }

  /** The key of a record whose id has it. @returns false where the record has to be written from its values */
  #key(bytes: Uint8Array, start: number, end: number, seen: number): boolean {
    if ((seen & TILDE) !== 0) {
      const key = recordKey(textOf(bytes, start, end));
      // It is reported.
      if (key.includes('\0')) return false;
      this.#text(this.#cells.text(key));
      return true;
    }
    const begun = this.#at;
    let keySeen = 0;
    for (let at = start + this.#feedId.length + 1; at < end; at++) {
      keySeen |= this.#classes[bytes[at]!]!;
      this.#target[this.#at++] = bytes[at]!;
    }
    this.#finish(begun, keySeen);
    return true;
  }

  /** Quotes and guards the text that was written from `begun` on, as far as it needs them. */
  #finish(begun: number, seen: number): void {
    const target = this.#target;
    const end = this.#at;
    if (end === begun) {
      target[this.#at++] = QUOTE;
      target[this.#at++] = QUOTE;
      return;
    }
    const guard = this.#guarded && isGuarded(target, begun, end) ? 1 : 0;
    // The guard may be the delimiter.
    const isSplit = guard === 1 && this.#delimiter === APOSTROPHE;
    const quotes = this.#quoted || isSplit || (seen & NEEDS_QUOTES) !== 0 ? 1 : 0;
    const shift = guard + quotes;
    if (shift === 0) return;
    let doubled = 0;
    if ((seen & QUOTE_SIGN) !== 0) for (let at = begun; at < end; at++) if (target[at] === QUOTE) doubled++;
    let to = end + shift + doubled;
    this.#at = to + quotes;
    if (quotes === 1) target[to] = QUOTE;
    let from = end;
    // From the end, so that no byte is overwritten before it was moved.
    while (to > from + shift) {
      const byte = target[--from]!;
      target[--to] = byte;
      if (byte === QUOTE) target[--to] = QUOTE;
    }
    target.copyWithin(begun + shift, begun, from);
    if (guard === 1) target[begun + quotes] = APOSTROPHE;
    if (quotes === 1) target[begun] = QUOTE;
  }

  /** The cells of the own fields, from the JSON text at `start`. @returns where the record ends, or -1 */
  #own(bytes: Uint8Array, start: number): number {
    const members = this.#members;
    const end = members.find(bytes, start);
    if (end < 0) return -1;
    const target = this.#target;
    for (let index = 0; index < this.#fields.length; index++) {
      target[this.#at++] = this.#delimiter;
      const from = members.starts[index]!;
      const field = this.#fields[index]!;
      if (from < 0 || bytes[from] === NULL_BEGINS) {
        if (field.source_names !== undefined) return -1;
        continue;
      }
      const to = members.ends[index]!;
      if (!this.#plain(bytes, field, from, to) && !this.#value(bytes, field, from, to)) return -1;
    }
    target.set(this.#recordEnd, this.#at);
    this.#at += this.#recordEnd.length;
    return end + 1;
  }

  /** Writes a value that is shown as it stands. @returns whether it did */
  #plain(bytes: Uint8Array, { type }: Field, from: number, to: number): boolean {
    const target = this.#target;
    const begun = this.#at;
    if (type === 'text') {
      if (bytes[from] !== QUOTE) return false;
      const classes = this.#classes;
      let seen = 0;
      let at = begun;
      for (let index = from + 1; index < to - 1; index++) {
        const byte = bytes[index]!;
        seen |= classes[byte]!;
        target[at++] = byte;
      }
      if ((seen & ESCAPES) !== 0) return false;
      this.#at = at;
      if ((seen & NEEDS_QUOTES) !== 0 || at === begun || this.#quoted || mayBeGuarded(target[begun]!))
        this.#finish(begun, seen);
      return true;
    }
    const isPlain =
      type === 'boolean'
        ? bytes[from] === 0x74 || bytes[from] === 0x66
        : type === 'number'
          ? isDigit(bytes[from]!)
          : type === 'integer'
            ? isShortCount(bytes, from, to)
            : false;
    if (!isPlain || this.#quoted) return false;
    let at = begun;
    for (let index = from; index < to; index++) target[at++] = bytes[index]!;
    this.#at = at;
    return true;
  }

  /** Writes the cell of any other value. @returns false where the record has to be written from its values */
  #value(bytes: Uint8Array, field: Field, from: number, to: number): boolean {
    const json = textOf(bytes, from, to);
    // A NUL, which is reported, or a lone surrogate.
    if (json.includes('\\u')) return false;
    const shown = shownValue(field, JSON.parse(json) as JsonValue);
    const cell = this.#cells.own(field, shown);
    // Of a number as its digits: few records have one with so many.
    if (cell.length > 2 * json.length + FIELD_ROOM / 2) return false;
    this.#text(cell);
    return true;
  }

  #text(text: string): void {
    this.#at += this.#target.write(text, this.#at);
  }
}

function textOf({ buffer, byteOffset }: Uint8Array, from: number, to: number): string {
  return Buffer.from(buffer, byteOffset + from, to - from).toString();
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Whether all are digits, few enough for a double. */
function isShortCount(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from > 15) return false;
  for (let at = from; at < to; at++) if (!isDigit(bytes[at]!)) return false;
  return true;
}

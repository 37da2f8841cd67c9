// CSV from the bytes of a store's cells. What needs more than quotes, the guard and a plain number is written from the
// value, by the same code as for a record.
import type { JsonValue } from '../../register/canonical-json.ts';
import { recordKey } from '../../register/identity.ts';
import type { Field, RegisterDefinition } from '../../register/record.ts';
import { CELL_END, DATA_CELL, IS_NULLABLE, KEY_CELL, NULL_CELL, ODD_CELL } from '../../register/sources/byte-rows.ts';
import type { CsvDialect } from '../csv-dialect.ts';
import { isGuarded, mayBeGuarded } from '../formula-guard.ts';
import { BACKSLASH, QUOTE, RowWriter, shownIn, textOf, TILDE } from './row-writer.ts';

/** What a byte means within a cell: bits that are joined over all its bytes. */
const NEEDS_QUOTES = 1;
const QUOTE_SIGN = 2;
const ENDS = 4;
const ENCODES = 8;
const ESCAPES = 16;

const APOSTROPHE = 0x27;

/** More bytes than a record's separators, quotes and guards take besides what is doubled. */
const RECORD_ROOM = 256;

/** The cells of values that are not written as they stand, as the sink writes them. */
export interface CellTexts {
  text(text: string): string;
  own(field: Field, value: JsonValue): string;
}

/** Writes records from their cells. */
export class CsvRows extends RowWriter {
  readonly #cells: CellTexts;
  readonly #quoted: boolean;
  readonly #guarded: boolean;
  readonly #delimiter: number;
  readonly #recordEnd: Buffer;
  readonly #feedCell: Buffer;
  readonly #classes = new Uint8Array(256);

  constructor(definition: RegisterDefinition, dialect: CsvDialect, cells: CellTexts) {
    const feedCell = Buffer.from(dialect.delimiter + cells.text(definition.id));
    // A quote is doubled, and the key may stand in the id again.
    super(definition, 3, RECORD_ROOM + feedCell.length);
    this.#cells = cells;
    this.#quoted = dialect.quoted;
    this.#guarded = dialect.formulas === 'guard';
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#recordEnd = Buffer.from(dialect.record_delimiter);
    this.#feedCell = feedCell;
    const classes = this.#classes;
    for (const sign of [this.#delimiter, 0x0d, 0x0a]) classes[sign] = NEEDS_QUOTES;
    classes[QUOTE] = NEEDS_QUOTES | QUOTE_SIGN;
    classes[CELL_END] = ENDS;
    classes[TILDE]! |= ENCODES;
    classes[BACKSLASH]! |= ESCAPES;
  }

  protected record(bytes: Uint8Array, start: number): number {
    const { target } = this;
    const { gap, none } = this.layout;
    const classes = this.#classes;
    let at = start;
    let idEnd = 0;
    let seen = 0;
    for (let cell = 0; cell < DATA_CELL; cell++) {
      if (cell === 1) this.put(this.#feedCell);
      if (cell > 0) target[this.at++] = this.#delimiter;
      const first = bytes[at];
      if (first === NULL_CELL) {
        if (!IS_NULLABLE[cell]!) return -1;
        if (cell === KEY_CELL && !this.#key(bytes, start, idEnd, seen)) return -1;
        at += none;
        continue;
      }
      if (first === ODD_CELL) return -1;
      const begun = this.at;
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
      this.at = to;
      if (cell === 0) idEnd = at - 1;
      at += gap;
      if ((seen & NEEDS_QUOTES) !== 0 || this.at === begun || this.#quoted || mayBeGuarded(target[begun]!))
        this.#finish(begun, seen);
    }
    const end = this.own(bytes, at);
    this.put(this.#recordEnd);
    return end;
  }

  protected value(bytes: Uint8Array, index: number, from: number, to: number): boolean {
    const field = this.definition.fields[index]!;
    this.none();
    if (field.type === 'text' && bytes[from] === QUOTE) {
      if (this.#copied(bytes, from + 1, to - 1)) return true;
    } else if (!this.#quoted && this.plain(bytes, field.type, from, to)) return true;
    const json = textOf(bytes, from, to);
    // A NUL, which is reported, or a lone surrogate.
    return !json.includes('\\u') && this.made(this.#cells.own(field, shownIn(json, field)), json);
  }

  protected none(): void {
    this.target[this.at++] = this.#delimiter;
  }

  /** The key of a record whose id has it. @returns false where the record has to be written from its values */
  #key(bytes: Uint8Array, start: number, end: number, seen: number): boolean {
    if ((seen & ENCODES) === 0) return this.#copied(bytes, start + this.definition.id.length + 1, end);
    const key = recordKey(textOf(bytes, start, end));
    // It is reported.
    if (key.includes('\0')) return false;
    this.text(this.#cells.text(key));
    return true;
  }

  /** Writes a text. @returns false where it has escapes of JSON */
  #copied(bytes: Uint8Array, from: number, to: number): boolean {
    const begun = this.at;
    const { target } = this;
    let at = begun;
    let seen = 0;
    for (let index = from; index < to; index++) {
      const byte = bytes[index]!;
      seen |= this.#classes[byte]!;
      target[at++] = byte;
    }
    if ((seen & ESCAPES) !== 0) return false;
    this.at = at;
    if ((seen & NEEDS_QUOTES) !== 0 || this.at === begun || this.#quoted || mayBeGuarded(target[begun]!))
      this.#finish(begun, seen);
    return true;
  }

  /** Quotes and guards the text that was written from `begun` on, as far as it needs them. */
  #finish(begun: number, seen: number): void {
    const { target } = this;
    const end = this.at;
    if (end === begun) {
      target[this.at++] = QUOTE;
      target[this.at++] = QUOTE;
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
    this.at = to + quotes;
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
}

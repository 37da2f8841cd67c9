// NDJSON from the bytes of a store's cells. Texts are escaped by JSON.stringify() where they need it; own values are JSON
// already, as JSON.stringify() wrote them.
import { canonicalJson } from '../../register/canonical-json.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { recordKey } from '../../register/identity.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import {
  BYTE_CELLS,
  CELL_END,
  DATA_CELL,
  IS_NULLABLE,
  IS_NUMBER,
  KEY_CELL,
  NULL_CELL,
  ODD_CELL,
} from '../../register/sources/byte-rows.ts';
import { BACKSLASH, QUOTE, RowWriter, shownIn, textOf, TILDE } from './row-writer.ts';

const NULL = Buffer.from('null');
const END = Buffer.from('}}\n');

/** More bytes than the names of a record's members and a null for each take. */
const RECORD_ROOM = 512;

/** Writes records from their cells. */
export class NdjsonRows extends RowWriter {
  /** What stands before the value of each cell, and of each own field. */
  readonly #cells: readonly Buffer[];
  readonly #own: readonly Buffer[];

  constructor(definition: RegisterDefinition) {
    const names = definition.fields.map(({ name }, index) => `${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
    const namesLength = names.reduce((sum, name) => sum + name.length, 0);
    // A control character takes six bytes.
    super(definition, 6, RECORD_ROOM + namesLength);
    let start = '{';
    this.#cells = [...CORE_FIELDS.map(({ name }) => name), 'data'].flatMap((name) => {
      const member = `${start}"${name}":`;
      start = ',';
      if (BYTE_CELLS.includes(name)) return [Buffer.from(name === 'data' ? `${member}{` : member)];
      start = `${member}${JSON.stringify(definition.id)},`;
      return [];
    });
    this.#own = names.map((name) => Buffer.from(name));
  }

  protected record(bytes: Uint8Array, start: number): number {
    const { target } = this;
    const { gap, none } = this.layout;
    let at = start;
    let idEnd = 0;
    let isEncoded = false;
    for (let cell = 0; cell < DATA_CELL; cell++) {
      this.put(this.#cells[cell]!);
      const first = bytes[at];
      if (first === ODD_CELL || (first === NULL_CELL && !IS_NULLABLE[cell]!)) return -1;
      if (first === NULL_CELL) {
        at += none;
        if (cell !== KEY_CELL) this.put(NULL);
        else if (isEncoded) this.text(JSON.stringify(recordKey(textOf(bytes, start, idEnd))));
        else this.#quoted(bytes, start + this.definition.id.length + 1, idEnd);
        continue;
      }
      const isText = !IS_NUMBER[cell]!;
      const begun = this.at;
      const from = at;
      let to = begun;
      let isEscaped = false;
      if (isText) target[to++] = QUOTE;
      for (;;) {
        const byte = bytes[at++]!;
        if (byte === CELL_END) break;
        if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) isEscaped = true;
        else if (byte === TILDE) isEncoded = true;
        target[to++] = byte;
      }
      if (cell === 0) idEnd = at - 1;
      if (isText) target[to++] = QUOTE;
      this.at = to;
      if (isEscaped) {
        this.at = begun;
        this.text(JSON.stringify(textOf(bytes, from, at - 1)));
      }
      at += gap;
    }
    this.put(this.#cells[DATA_CELL]!);
    const end = this.own(bytes, at);
    this.put(END);
    return end;
  }

  protected value(bytes: Uint8Array, index: number, from: number, to: number): boolean {
    const field = this.definition.fields[index]!;
    this.put(this.#own[index]!);
    if (field.type === 'text' && bytes[from] === QUOTE) {
      for (let at = from; at < to; at++) this.target[this.at++] = bytes[at]!;
      return true;
    }
    if (this.plain(bytes, field.type, from, to)) return true;
    const json = textOf(bytes, from, to);
    const value = shownIn(json, field);
    return this.made(typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value), json);
  }

  protected none(index: number): void {
    this.put(this.#own[index]!);
    this.put(NULL);
  }

  /** Writes a text that needs no escape. */
  #quoted(bytes: Uint8Array, from: number, to: number): void {
    this.target[this.at++] = QUOTE;
    for (let index = from; index < to; index++) this.target[this.at++] = bytes[index]!;
    this.target[this.at++] = QUOTE;
  }
}

// What writers from the bytes of a store's cells have in common: their memory, and values that are written as they stand.
import type { JsonValue } from '../../register/canonical-json.ts';
import { shownValue } from '../../register/declared-values.ts';
import type { Field, FieldType, RegisterDefinition } from '../../register/record.ts';
import { type ByteRows, type CellLayout, JOINED_CELLS } from '../../register/sources/byte-rows.ts';
import { type JsonMembers, membersOf } from './json-members.ts';
import type { Output } from '../format.ts';

/** The most bytes that an output copies. */
const PIECE = 65_536;

/** What an own field takes besides its value, and a value more than its JSON text. */
const FIELD_ROOM = 16;

/** The first byte of `null`. */
const NULL_BEGINS = 0x6e;

/** Bytes of texts and of JSON. */
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const TILDE = 0x7e;

/** Writes records from their cells into memory of its own. */
export abstract class RowWriter {
  /** Where it writes, and where the next byte goes. */
  protected target: Buffer<ArrayBuffer> = Buffer.alloc(0);
  protected at = 0;
  /** How the cells that it reads follow each other. */
  protected layout: CellLayout = JOINED_CELLS;
  protected readonly definition: RegisterDefinition;
  readonly #members: JsonMembers;
  readonly #growth: number;
  readonly #room: number;

  /**
   * @param growth how many bytes one byte of a cell may become
   * @param room how many a record takes besides, without the {@link FIELD_ROOM} of each own field
   */
  constructor(definition: RegisterDefinition, growth: number, room: number) {
    this.definition = definition;
    this.#members = membersOf(definition.fields);
    this.#growth = growth;
    this.#room = room + FIELD_ROOM * definition.fields.length;
  }

  /**
   * Writes records from a byte on.
   *
   * @returns where it stopped: at the end of the bytes, or at a record that has to be written from its values
   */
  write(out: Output, { bytes, count, layout }: ByteRows, from: number): number {
    this.layout = layout;
    const most = this.#growth * (bytes.length - from) + count * this.#room;
    // As Buffer.allocUnsafe would, but never from the pool that others write to.
    if (this.target.length < most) this.target = Buffer.allocUnsafeSlow(most * 2);
    this.at = 0;
    let start = from;
    while (start < bytes.length) {
      const before = this.at;
      const end = this.record(bytes, start);
      if (end < 0) {
        this.at = before;
        break;
      }
      start = end;
    }
    // Larger pieces would be given away.
    for (let piece = 0; piece < this.at; piece += PIECE) {
      out.bytes(this.target.subarray(piece, Math.min(this.at, piece + PIECE)));
    }
    return start;
  }

  /** Writes one record. @returns where it ends, or -1 where it has to be written from its values */
  protected abstract record(bytes: Uint8Array, start: number): number;

  /**
   * Writes the value of a field, by its index, that stands from a byte to another one.
   *
   * @returns false where the record has to be written from its values
   */
  protected abstract value(bytes: Uint8Array, index: number, from: number, to: number): boolean;

  /** Writes what stands for a field without a value. */
  protected abstract none(index: number): void;

  /** Writes the own values, from the JSON text at `start`. @returns where the record ends, or -1 */
  protected own(bytes: Uint8Array, start: number): number {
    const { starts, ends } = this.#members;
    const { fields } = this.definition;
    const end = this.#members.find(bytes, start);
    if (end < 0) return -1;
    for (let index = 0; index < fields.length; index++) {
      const from = starts[index]!;
      if (from < 0 || bytes[from] === NULL_BEGINS) {
        // It may stand under another name.
        if (fields[index]!.source_names !== undefined) return -1;
        this.none(index);
      } else if (!this.value(bytes, index, from, ends[index]!)) return -1;
    }
    return end + 1 + this.layout.recordGap;
  }

  /** Copies bytes. */
  protected put(bytes: Uint8Array): void {
    let index = 0;
    // They are few: a call would take longer than the loop.
    while (index < bytes.length) this.target[this.at++] = bytes[index++]!;
  }

  protected text(text: string): void {
    this.at += this.target.write(text, this.at);
  }

  /** Writes a number or a boolean that is shown as it stands. @returns whether it did */
  protected plain(bytes: Uint8Array, type: FieldType, from: number, to: number): boolean {
    if (!isPlain(bytes, type, from, to)) return false;
    for (let index = from; index < to; index++) this.target[this.at++] = bytes[index]!;
    return true;
  }

  /** Writes a text that was made of JSON. @returns false where the record has to be written from its values */
  protected made(text: string, json: string): boolean {
    // A number as its digits: few records have one with so many.
    if (text.length > 2 * json.length + FIELD_ROOM / 2) return false;
    this.text(text);
    return true;
  }
}

/** What a field shows of a value that stands there as JSON. */
export function shownIn(json: string, field: Field): JsonValue {
  return shownValue(field, JSON.parse(json) as JsonValue);
}

/** The text in some bytes. */
export function textOf({ buffer, byteOffset }: Uint8Array, from: number, to: number): string {
  return Buffer.from(buffer, byteOffset + from, to - from).toString();
}

function isPlain(bytes: Uint8Array, type: FieldType, from: number, to: number): boolean {
  switch (type) {
    case 'boolean':
      return bytes[from] === 0x74 || bytes[from] === 0x66;
    case 'number':
      return isDigit(bytes[from]!);
    case 'integer':
      return isShortCount(bytes, from, to);
    default:
      return false;
  }
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

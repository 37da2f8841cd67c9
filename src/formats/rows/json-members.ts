// Where the own values of a record stand in their JSON text, without parsing it.
import type { Field } from '../../register/record.ts';
import { CELL_END } from '../../register/sources/byte-rows.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** The members of an object, by the fields that they are values of. */
export interface JsonMembers {
  /** Where the value of each field begins; -1: the object has none. */
  readonly starts: Int32Array;
  /** Where it ends. */
  readonly ends: Int32Array;
  /** Finds the members of the object that begins at a byte and is a cell. @returns where the cell ends, or -1 */
  find(bytes: Uint8Array, start: number): number;
}

/** For the fields of a register. */
export function membersOf(fields: readonly Field[]): JsonMembers {
  const names = fields.map(({ name }) => Buffer.from(JSON.stringify(name)));
  const byName = new Map(names.map((name, index) => [name.toString('latin1'), index]));
  const starts = new Int32Array(fields.length);
  const ends = new Int32Array(fields.length);
  return {
    starts,
    ends,
    find(bytes, start) {
      starts.fill(-1);
      if (bytes[start] !== OPEN) return -1;
      let at = start + 1;
      let expected = 0;
      while (bytes[at] !== CLOSE) {
        const nameEnd = stringEnd(bytes, at);
        // Nearly always the fields stand in their order.
        let field = expected < names.length && isSame(bytes, at, nameEnd, names[expected]!) ? expected : -1;
        if (field < 0) {
          const name = Buffer.from(bytes.buffer, bytes.byteOffset + at, nameEnd - at).toString('latin1');
          field = byName.get(name) ?? -1;
        }
        if (bytes[nameEnd] !== COLON) return -1;
        const from = nameEnd + 1;
        at = valueEnd(bytes, from);
        if (field >= 0) {
          starts[field] = from;
          ends[field] = at;
          expected = field + 1;
        }
        if (bytes[at] === COMMA) at++;
        else if (bytes[at] !== CLOSE) return -1;
      }
      return bytes[at + 1] === CELL_END ? at + 1 : -1;
    },
  };
}

function isSame(bytes: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  if (to - from !== name.length) return false;
  for (let at = 0; at < name.length; at++) if (bytes[from + at] !== name[at]) return false;
  return true;
}

/** Where the string that begins at a quotation mark ends, after its last one. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === QUOTE || byte === CELL_END || byte === undefined) return at + 1;
    at += byte === BACKSLASH ? 2 : 1;
  }
}

/** Where the value that begins at a byte ends. */
function valueEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  let at = start;
  if (first !== OPEN && first !== OPEN_LIST) {
    while (bytes[at] !== COMMA && bytes[at] !== CLOSE && bytes[at] !== CELL_END && at < bytes.length) at++;
    return at;
  }
  for (let depth = 0; at < bytes.length;) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = stringEnd(bytes, at);
      continue;
    }
    at++;
    if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) break;
  }
  return at;
}

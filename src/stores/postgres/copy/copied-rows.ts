// Rows in PostgreSQL's binary format of COPY (https://www.postgresql.org/docs/current/sql-copy.html, File Formats), read from
// their bytes when somebody asks for them. The types are int4, int8 and text, which
// the columns of records have.
import type { Rows } from '../../rows/register-source.ts';
import type { SqlRow, SqlValue } from '../../rows/columns.ts';

/** What a column of a copied query has: whole numbers, of which a double holds every one that a store makes, or text. */
export type CopiedType = 'integer' | 'text';

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');

/** The signature, 32 bits of flags, and the length of an extension, which is skipped. */
const HEADER_LENGTH = SIGNATURE.length + 8;

/** The number of columns in place of which the end stands. */
const END = -1;

/** The length of a column, which stands before it. */
const LENGTH_BYTES = 4;

/** The rows of one answer as {@link CopiedRows.marked} leaves them. */
export interface MarkedRows {
  readonly bytes: Uint8Array;
  /** Where the first column of each row begins. */
  readonly starts: readonly number[];
  /** What lies between the last mark of a row and the first column of the next one. */
  readonly rowGap: number;
}

/** The rows of one answer. */
export class CopiedRows implements Rows {
  readonly #bytes: Buffer<ArrayBuffer>;
  readonly #view: DataView;
  readonly #types: readonly CopiedType[];
  /** Where each row's first column begins. */
  readonly #starts: readonly number[];

  /**
   * @param bytes the whole answer
   * @param types of the columns
   * @throws TypeError if it is not whole, or has other columns
   */
  constructor(bytes: Buffer<ArrayBuffer>, types: readonly CopiedType[]) {
    this.#bytes = bytes;
    // Its methods take less time than those of a Buffer, which check more.
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#types = types;
    this.#starts = startsIn(bytes, this.#view, types.length);
  }

  /** Where they lie. */
  get memory(): ArrayBuffer {
    return this.#bytes.buffer;
  }

  get length(): number {
    return this.#starts.length;
  }

  at(index: number): SqlRow | undefined {
    const start = this.#starts.at(index);
    if (start === undefined) return undefined;
    const row: SqlValue[] = [];
    let at = start;
    for (const type of this.#types) {
      const length = this.#view.getInt32(at);
      const begin = at + LENGTH_BYTES;
      at = begin + Math.max(length, 0);
      if (length < 0) row.push(null);
      // UTF-8, which Node looks up if it is named.
      else row.push(type === 'text' ? this.#bytes.toString(undefined, begin, at) : this.#integer(begin, length));
    }
    return row;
  }

  /**
   * The rows as bytes in which the first columns, which are texts, end with a byte in place of the next column's length: so
   * nothing is moved. The other columns need the same space in all rows. Nothing else can be read afterwards.
   *
   * @param columns how many there are; another column follows
   * @param end the byte behind a text; three others follow it
   * @param none the byte in place of a column without a value; the same
   */
  marked(columns: number, end: number, none: number): MarkedRows {
    const bytes = this.#bytes;
    const view = this.#view;
    let at = 0;
    for (const start of this.#starts) {
      at = start;
      let length = view.getInt32(at);
      for (let column = 0; column < columns; column++) {
        at += LENGTH_BYTES + Math.max(length, 0);
        const mark = length < 0 ? none : end;
        length = view.getInt32(at);
        bytes[at] = mark;
      }
    }
    const starts = this.#starts.map((start) => start + LENGTH_BYTES);
    return { bytes, starts, rowGap: bytes.length + LENGTH_BYTES - at - 1 };
  }

  #integer(at: number, length: number): number {
    const view = this.#view;
    if (length === 4) return view.getInt32(at);
    return view.getInt32(at) * 2 ** 32 + view.getUint32(at + 4);
  }
}

/** Where each row begins, behind the number of its columns. */
function startsIn(bytes: Buffer, view: DataView, columns: number): number[] {
  const isCopy = bytes.length >= HEADER_LENGTH && bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);
  if (!isCopy) throw new TypeError('what was copied does not begin as the binary format of COPY does');
  const starts: number[] = [];
  let at = HEADER_LENGTH + view.getUint32(HEADER_LENGTH - 4);
  try {
    for (;;) {
      const count = view.getInt16(at);
      at += 2;
      if (count === END && at === bytes.length) return starts;
      if (count !== columns) throw new TypeError(`what was copied has ${count} columns, not ${columns}`);
      starts.push(at);
      for (let column = 0; column < count; column++) at += LENGTH_BYTES + Math.max(view.getInt32(at), 0);
    }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new TypeError('what was copied ends in the middle of a row', { cause });
  }
}

// Records as the bytes of a store's cells, for writers that need no value of them as a string: reading and writing a
// record then makes no JavaScript object.
import { CORE_FIELDS } from '../fields.ts';
import type { Page } from '../page.ts';
import type { RegisterRecord } from '../record.ts';

/** Ends each cell. This byte and the next do not occur in UTF-8. */
export const CELL_END = 0xff;

/** The only byte of a cell that has no value. */
export const NULL_CELL = 0xfe;

/** The first byte of a text that is not stored as its UTF-8: such a record is taken from {@link ByteRows.recordAt}. */
export const ODD_CELL = 0x01;

/**
 * The cells of a record: its core fields in the order of the table, without the register's id, and the own values of its
 * statement as JSON text, as the publisher gave them. A null `key` stands for the one in the id.
 */
export const BYTE_CELLS: readonly string[] = [
  ...CORE_FIELDS.flatMap(({ name }) => (name === 'feed_id' ? [] : [name])),
  'data',
];

/** Where the key is among them, and the own values; the id is the first. */
export const KEY_CELL: number = BYTE_CELLS.indexOf('key');
export const DATA_CELL: number = BYTE_CELLS.indexOf('data');

/** By cell: whether it may have no value, and whether it is a number. */
export const IS_NULLABLE: readonly boolean[] = BYTE_CELLS.map(
  (name, cell) => cell === KEY_CELL || CORE_FIELDS.some((field) => field.name === name && field.nullable),
);
export const IS_NUMBER: readonly boolean[] = BYTE_CELLS.map((name) =>
  CORE_FIELDS.some((field) => field.name === name && field.type === 'integer'),
);

/** How cells follow each other, in bytes. */
export interface CellLayout {
  /** What follows each {@link CELL_END} and has no meaning. */
  readonly gap: number;
  /** A cell without a value, with its end. */
  readonly none: number;
  /** What follows the end of a record and has no meaning. */
  readonly recordGap: number;
}

/** Cells of which nothing is between. */
export const JOINED_CELLS: CellLayout = { gap: 0, none: 2, recordGap: 0 };

/** Consecutive records, newest first. */
export interface ByteRows extends Pick<Page, 'nextOffset' | 'asOf'> {
  /**
   * Each record's {@link BYTE_CELLS}, each ended by {@link CELL_END}. A record that begins with {@link ODD_CELL} is known to
   * {@link recordAt} alone.
   */
  readonly bytes: Uint8Array;
  readonly layout: CellLayout;
  /** How many records. */
  readonly count: number;
  /** The record that begins at a byte, and where it ends; null where it was withdrawn since. */
  recordAt(start: number): { readonly record: RegisterRecord | null; readonly end: number };
}

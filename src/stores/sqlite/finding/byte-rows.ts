// Records of a SqliteStore as bytes: one value for many records, so that no value of a cell is made.
import { offsetAfter } from '../../../register/page.ts';
import { type ByteRows, CELL_END, JOINED_CELLS, ODD_CELL } from '../../../register/sources/byte-rows.ts';
import { byteColumns, LONG_COLUMNS, recordIn } from '../../logic/finding/byte-rows.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import type { PageRange } from '../../rows/register.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

/** How many records are read at once. */
const AT_ONCE = 128;

/** The texts of a record of which these are longer, in bytes, are read by themselves. */
const LONG_RECORD = 16_384;

const CELLS = byteColumns(`(slot & ${SLOT_SPAN - 1})`, (column) => `ifnull(${column}, x'FE')`).join(', ');

/** SQLite knows the length of a long text without reading it. */
const LENGTH = LONG_COLUMNS.map((name) => `ifnull(octet_length(${name}), 0)`).join(' + ');

/** The prepared statements. */
export class SqliteByteRows {
  readonly #rows: SqliteStatement;
  readonly #record: SqliteStatement;

  constructor(connection: SqliteConnection) {
    const long = `concat_ws(x'FF', CAST(x'01' AS TEXT), slot, '')`;
    const cells = `CASE WHEN ${LENGTH} < ${LONG_RECORD} THEN concat_ws(x'FF', ${CELLS}, '') ELSE ${long} END`;
    this.#rows = connection.prepare(
      `SELECT CAST(group_concat(cells, '') AS BLOB), count(*), min(slot) FROM (SELECT ${cells} AS cells, slot
        FROM records WHERE slot BETWEEN ? AND ? ORDER BY slot DESC LIMIT ${AT_ONCE})`,
    );
    this.#record = connection.prepare(`SELECT ${PAGE_COLUMNS.join(', ')} FROM records WHERE slot = ?`);
  }

  /** The next records of a range. */
  read(shown: ShownAs, number: number, { asOf, from }: PageRange): ByteRows {
    const [found, count, least] = this.#rows.get(slotOf(number, 1), slotOf(number, from))!;
    const cells = { bytes: (found ?? new Uint8Array(0)) as Uint8Array, layout: JOINED_CELLS };
    return {
      ...cells,
      count: count as number,
      nextOffset: (count as number) < AT_ONCE ? null : offsetAfter(asOf, (least as number) % SLOT_SPAN),
      asOf,
      recordAt: (start) =>
        cells.bytes[start] === ODD_CELL ? this.#long(shown, cells.bytes, start) : recordIn(shown, cells, start),
    };
  }

  /** A record of which only the slot was read. It may be withdrawn by now. */
  #long(shown: ShownAs, bytes: Uint8Array, start: number): ReturnType<ByteRows['recordAt']> {
    const end = bytes.indexOf(CELL_END, start + 2);
    const row = this.#record.get(Number(Buffer.from(bytes.subarray(start + 2, end)).toString()));
    return { record: row === undefined ? null : recordOf(shown, row), end: end + 1 };
  }
}

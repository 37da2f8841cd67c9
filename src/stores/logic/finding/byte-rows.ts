// Records as the bytes of their cells: the part of a query that makes them, and the record in them, for writers that need
// one from its values.
import {
  BYTE_CELLS,
  type ByteRows,
  CELL_END,
  IS_NULLABLE,
  IS_NUMBER,
  NULL_CELL,
} from '../../../register/sources/byte-rows.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, type SqlValue } from '../../rows/columns.ts';

/** The columns whose texts may be long. */
export const LONG_COLUMNS: readonly string[] = ['summary', 'content', 'data'];

/**
 * The columns of {@link BYTE_CELLS}.
 *
 * @param position the expression for a record's position
 * @param ifNull the expression for a nullable column that gives {@link NULL_CELL} where it is null
 */
export function byteColumns(position: string, ifNull: (column: string) => string): readonly string[] {
  return BYTE_CELLS.map((name, cell) => {
    if (name === 'position') return position;
    return IS_NULLABLE[cell]! ? ifNull(name) : name;
  });
}

/** Where the position is among them. */
export const POSITION_CELL: number = BYTE_CELLS.indexOf('position');

/** Where a row of {@link PAGE_COLUMNS} has each cell; its slot is taken for the position. */
const ROW_AT: readonly number[] = BYTE_CELLS.map((name) => PAGE_COLUMNS.indexOf(name === 'position' ? 'slot' : name));

/** {@link ByteRows.recordAt} in these bytes. */
export function recordIn(
  shown: ShownAs,
  { bytes, layout }: Pick<ByteRows, 'bytes' | 'layout'>,
  start: number,
): ReturnType<ByteRows['recordAt']> {
  const cells = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const row: SqlValue[] = [];
  let from = start;
  for (const [index, at] of ROW_AT.entries()) {
    if (cells[from] === NULL_CELL) {
      row[at] = null;
      from += layout.none;
      continue;
    }
    const to = cells.indexOf(CELL_END, from);
    const text = cells.toString('utf8', from, to);
    row[at] = IS_NUMBER[index]! ? Number(text) : text;
    from = to + 1 + layout.gap;
  }
  return { record: recordOf(shown, row), end: from - layout.gap + layout.recordGap };
}

// Records of a PostgresStore as bytes: those of the server's answer, in which lengths become the ends of cells.
import { offsetAfter } from '../../../register/page.ts';
import { BYTE_CELLS, type ByteRows, CELL_END, NULL_CELL } from '../../../register/sources/byte-rows.ts';
import { POSITION_CELL, recordIn } from '../../logic/finding/byte-rows.ts';
import type { ShownAs } from '../../rows/columns.ts';
import type { CopiedRows } from '../copy/copied-rows.ts';

/** How many records are handed on at once: a reader who goes away is noticed after them. */
const AT_ONCE = 128;

/** What separates two texts in the bytes: a length, of which the first byte is taken. */
const SEPARATOR = 4;

/**
 * The next records of a view, at least one group of them.
 *
 * @param rows of the {@link BYTE_CELLS} and another column; they can be read no more
 * @param isEmpty whether the only row is of no record
 */
export function byteRowsIn(shown: ShownAs, rows: CopiedRows, asOf: number, isEmpty: boolean): ByteRows[] {
  const count = isEmpty ? 0 : rows.length;
  const ends = Array.from({ length: Math.max(1, Math.ceil(count / AT_ONCE)) }, (_, index) => {
    return Math.min((index + 1) * AT_ONCE, count);
  });
  const positions = ends.map((end) => (end === 0 ? 0 : Number(rows.at(end - 1)![POSITION_CELL])));
  const { bytes, starts, rowGap } = rows.marked(BYTE_CELLS.length, CELL_END, NULL_CELL);
  const layout = { gap: SEPARATOR - 1, none: SEPARATOR, recordGap: rowGap };
  return ends.map((end, index) => {
    const start = index * AT_ONCE;
    const cells = { bytes: bytes.subarray(starts[start], starts[end]), layout };
    const position = positions[index]!;
    return {
      ...cells,
      count: end - start,
      // Nothing is older than the first position.
      nextOffset: position > 1 ? offsetAfter(asOf, position) : null,
      asOf,
      recordAt: (at) => recordIn(shown, cells, at),
    };
  });
}

// Records as a table: the names of columns once, and of each record a row of values. What follows from the id, what is the same in
// all rows and what no row has is left out of them.
import { z } from 'zod';
import { isObject } from '../../checks.ts';
import { escapeInvisible } from '../../invisible.ts';
import { fit } from '../budget.ts';
import type { JsonObject } from '../protocol.ts';
import { text } from './schemas.ts';
import { recordUrl } from './sight.ts';

/** A table, as a member of an answer's structured form. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** The members that all rows have alike, where there are several rows. */
  readonly in_all_rows?: JsonObject;
}

/** `format`. */
export const FORMAT_ARGUMENT: z.ZodDefault<z.ZodEnum<{ readonly table: 'table'; readonly records: 'records' }>> = z
  .enum(['table', 'records'], { error: 'must be table or records' })
  .default('table')
  .meta({ description: 'table: columns once and rows; records: objects.' });

/** The members of an answer that has a table. */
export const TABLE_SHAPE: Readonly<Record<keyof Table | 'history_url' | 'full_url', z.ZodType>> = {
  columns: z.array(z.string()).optional().meta({ description: 'Of rows; what no row has is left out.' }),
  rows: z.array(z.array(z.unknown())).optional(),
  in_all_rows: z.record(z.string(), z.unknown()).optional().meta({ description: 'What all rows have alike.' }),
  history_url: text('Where the versions of each are, over REST.').optional(),
  full_url: text('Where those that are shortened are whole, over REST.').optional(),
};

/** The same, which the schema of read_register describes. */
export const BRIEF_TABLE_SHAPE: Readonly<Record<Exclude<keyof typeof TABLE_SHAPE, 'history_url'>, z.ZodType>> = {
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(z.unknown())).optional(),
  in_all_rows: z.looseObject({}).optional(),
  full_url: z.string().optional(),
};

/** The members that follow from the id: an answer says once how. */
const FROM_ID: ReadonlySet<string> = new Set(['history_url', 'full_url']);

/** A table of records. */
export function tableOf(records: readonly JsonObject[]): Table {
  const flat = records.map(cellsOf);
  const isFilled = (name: string): boolean => flat.some((cells) => (cells[name] ?? null) !== null);
  const isRepeated = (name: string): boolean => {
    const [first, ...others] = flat.map((cells) => JSON.stringify(cells[name]));
    return name !== 'id' && others.length > 0 && others.every((other) => other === first);
  };
  const filled = columnsOf(flat).filter(isFilled);
  const repeated = filled.filter(isRepeated);
  const columns = filled.filter((name) => !repeated.includes(name));
  const [first = {}] = flat;
  return {
    columns,
    rows: flat.map((cells) => rowOf(cells, columns)),
    ...(repeated.length > 0 && { in_all_rows: Object.fromEntries(repeated.map((name) => [name, first[name]])) }),
  };
}

/** As many of the records, from the first, as fit as a table; the room and the errors are those of {@link fit}. */
export function fitTable(
  records: readonly JsonObject[],
  room: number,
  fullUrl: (record: JsonObject) => string,
): readonly JsonObject[] {
  let shown = fit(records, room, fullUrl, { cost: rowCost });
  // A record costs more where the others have cells that it has not.
  while (shown.length > 1 && tableCost(tableOf(shown)) > room) shown = shown.slice(0, -1);
  return shown;
}

/** As many rows of a table, from the first, as fit into the room. */
export function fitRows(
  columns: readonly string[],
  rows: readonly (readonly unknown[])[],
  room: number,
): readonly (readonly unknown[])[] {
  let [fits, below] = [0, rows.length + 1];
  while (below - fits > 1) {
    const count = Math.floor((fits + below) / 2);
    if (tableCost({ columns, rows: rows.slice(0, count) }) <= room) fits = count;
    else below = count;
  }
  return rows.slice(0, fits);
}

function tableCost(table: Table): number {
  return Buffer.byteLength(JSON.stringify(table)) + Buffer.byteLength(JSON.stringify(textOf({ ...table })));
}

function rowCost(record: JsonObject): number {
  const row = Object.values(cellsOf(record)).filter((value) => value !== null);
  const text = JSON.stringify(escapeInvisible(textOfRow(row)));
  return Buffer.byteLength(JSON.stringify(row)) + Buffer.byteLength(text);
}

/** How the addresses that {@link tableOf} leaves out are made of an id. */
export function templatesOf(records: readonly JsonObject[], api: string): JsonObject {
  const has = (name: string): boolean => records.some((record) => name in record);
  const url = recordUrl(api, '{id}');
  return { ...(has('history_url') && { history_url: `${url}/history` }), ...(has('full_url') && { full_url: url }) };
}

/** An answer with a table as a text: everything else as JSON in the first line, then the columns and the rows, with tabs between. */
export function textOf({ columns, rows, ...rest }: JsonObject & Table): string {
  const lines = [JSON.stringify(rest), columns.join('\t'), ...rows.map(textOfRow)];
  return escapeInvisible(lines.join('\n'));
}

/** Whether an answer has a table. */
export function hasTable(answer: JsonObject): answer is JsonObject & Table {
  return Array.isArray(answer.columns) && Array.isArray(answer.rows) && answer.rows.every(Array.isArray);
}

/** The members of a record by the names of columns: of `data`, each own field. */
function cellsOf(record: JsonObject): JsonObject {
  const cells = Object.entries(record).flatMap(([name, value]) =>
    name === 'data' && isObject(value)
      ? Object.entries(value).map(([own, one]) => [`data.${own}`, one] as const)
      : FROM_ID.has(name)
        ? []
        : [[name, value] as const],
  );
  return Object.fromEntries(cells);
}

function columnsOf(flat: readonly JsonObject[]): readonly string[] {
  return [...new Set(flat.flatMap((cells) => Object.keys(cells)))];
}

function rowOf(cells: JsonObject, columns: readonly string[]): readonly unknown[] {
  return columns.map((name) => cells[name] ?? null);
}

function textOfRow(row: readonly unknown[]): string {
  return row.map(textOfCell).join('\t');
}

/** What a text that would be read as another value, as several cells or as nothing begins, ends or is like. */
const QUOTED = /^$|^[\s"[{]|\s$|\p{Cc}|[\u2028\u2029]|^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/u;

/** A cell: nothing for null, a text as it is where it can be told from JSON, and JSON otherwise: no title forges a row. */
function textOfCell(value: unknown): string {
  if (value === null) return '';
  if (typeof value === 'string' && !QUOTED.test(value) && escapeInvisible(value) === value) return value;
  return JSON.stringify(value);
}

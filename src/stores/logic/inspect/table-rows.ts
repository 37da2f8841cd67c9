// Reads a table in the order of its key and checks every row against the rules of its table.
import type { Finding } from '../../contract/inspection.ts';
import type { SqlRow } from '../../rows/columns.ts';
import { type Dialect, Fragment, fragment, type Shape, shape } from '../../rows/sql.ts';
import type { Rule, Sql, SqlParameter, Statement } from '../rule.ts';
import { findingAt, mustBe } from './forms.ts';
import { formsOf, isInteger, readable, type TableRules } from './table-rules.ts';

/** A row as it was read. */
const ROW: Shape<SqlRow> = shape([], (row) => row);

/** How many rows are read at once. */
const ROWS = 500;

/** A part of a table. */
export interface TablePart {
  readonly findings: readonly Finding[];
  /** The key of the last row; null after the last part. */
  readonly last: SqlRow | null;
}

/** The rules of a table as a rule of the store that checks some of its rows, those after a key. */
export function tablePart(rules: TableRules): (sql: Sql, after: SqlRow | null) => Rule<TablePart> {
  const columns = new Fragment((dialect) => columnsOf(rules, dialect));
  const { key: keys } = rules.table.options;
  const from = fragment`${rules.table} t`;
  // Columns of the table: PostgreSQL would take a bare name for the text that is selected, and order by its digits.
  const key = keys.map((name) => `t.${name}`).join(', ');
  const end = ` ORDER BY ${key} LIMIT ${ROWS}`;
  const first = textsOf('SELECT ', ' FROM ', end);
  const next = textsOf('SELECT ', ' FROM ', ` WHERE (${key}) > (`, ...keys.slice(1).map(() => ', '), `)${end}`);
  return function* checkRows(sql, after) {
    const found =
      after === null
        ? yield* rowsOf(sql, first, columns, from)
        : yield* rowsOf(sql, next, columns, from, ...(after as readonly SqlParameter[]));
    const last = found.length < ROWS ? null : found.at(-1)!.slice(0, keys.length);
    return { findings: found.flatMap((row) => findingsIn(rules, row)), last };
  };
}

/** The rows of a statement that was put together here; rules write theirs as templates. */
function rowsOf(
  on: Sql,
  texts: TemplateStringsArray,
  ...parts: readonly (SqlParameter | Fragment)[]
): ReturnType<Statement<SqlRow[]>> {
  return on.all(ROW)(texts, ...parts);
}

function textsOf(...texts: string[]): TemplateStringsArray {
  return Object.assign(texts, { raw: texts });
}

/** The key, the columns, the ids of register and record, and whether each condition holds. */
function columnsOf(rules: TableRules, dialect: Dialect): string {
  const { table, register, record, conditions } = rules;
  const forms = formsOf(table).map(([name]) => name);
  const values = [...table.options.key, ...forms].map((name) => readable(table, name, 't'));
  const ofRegister = `SELECT g.id FROM ${dialect.table('registers')} g WHERE g.number = ${register?.in(dialect)}`;
  const holds = conditions.map((condition) => `CASE WHEN ${condition.holds.in(dialect)} THEN 1 ELSE 0 END`);
  const feedId = register === undefined ? 'NULL' : `(${ofRegister})`;
  return [...values, feedId, record?.in(dialect) ?? 'NULL', ...holds].join(', ');
}

function findingsIn({ table, conditions }: TableRules, row: SqlRow): Finding[] {
  const { key } = table.options;
  const place = { table: table.name, row: key.map((column, at) => `${column} ${String(row[at])}`).join(', ') };
  const values = row.slice(key.length);
  const forms = formsOf(table);
  const [feedId, recordId] = values.slice(forms.length) as (string | null)[];
  const problemOf = (column: string, expected: string): string => {
    const value = values[forms.findIndex(([name]) => name === column)] ?? null;
    const isNumber = isInteger(table.columns[column]!) && value !== null;
    return mustBe(column, expected, isNumber ? BigInt(value as string) : value);
  };
  const problems = forms.flatMap(([name, { fits, expected }], at) =>
    fits!(values[at]!) ? [] : [problemOf(name, expected)],
  );
  for (const [at, { column, expected }] of conditions.entries()) {
    if (Number(values[forms.length + 2 + at]) !== 1) problems.push(problemOf(column, expected));
  }
  return problems.map((problem) => findingAt({ ...place, feedId: feedId!, recordId: recordId! }, problem));
}

// Reads a table in the order of its key and checks every row against the rules of its table.
import type { Finding } from '../../contract/inspection.ts';
import type { SqlRow } from '../../rows/columns.ts';
import { type Dialect, Fragment, type Shape, shape } from '../../rows/sql.ts';
import type { Rule, Sql, SqlParameter, Statement } from '../rule.ts';
import { findingAt, mustBe } from './forms.ts';
import type { TableRules } from './table-rules.ts';

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
  const from = new Fragment((dialect) => `${dialect.table(rules.name)} t`);
  // Columns of the table: PostgreSQL would take a bare name for the text that is selected, and order by its digits.
  const key = rules.key.map((name) => `t.${name}`).join(', ');
  const end = ` ORDER BY ${key} LIMIT ${ROWS}`;
  const first = textsOf('SELECT ', ' FROM ', end);
  const next = textsOf('SELECT ', ' FROM ', ` WHERE (${key}) > (`, ...rules.key.slice(1).map(() => ', '), `)${end}`);
  return function* checkRows(sql, after) {
    const found =
      after === null
        ? yield* rowsOf(sql, first, columns, from)
        : yield* rowsOf(sql, next, columns, from, ...(after as readonly SqlParameter[]));
    const last = found.length < ROWS ? null : found.at(-1)!.slice(0, rules.key.length);
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

/** A column of the table `t` as a driver can read it, whatever is in it. */
function readable(name: string, { columns }: TableRules): string {
  return columns[name]!.isInteger === true ? `CAST(t.${name} AS text)` : `t.${name}`;
}

/** The key, the columns, the ids of register and record, and whether each condition holds. */
function columnsOf(rules: TableRules, dialect: Dialect): string {
  const values = [...rules.key, ...Object.keys(rules.columns)].map((name) => readable(name, rules));
  const { register, record, conditions } = rules;
  const ofRegister = `SELECT g.id FROM ${dialect.table('registers')} g WHERE g.number = ${register?.in(dialect)}`;
  const holds = conditions.map((condition) => `CASE WHEN ${condition.holds.in(dialect)} THEN 1 ELSE 0 END`);
  const feedId = register === undefined ? 'NULL' : `(${ofRegister})`;
  return [...values, feedId, record?.in(dialect) ?? 'NULL', ...holds].join(', ');
}

function findingsIn({ name, key, columns, conditions }: TableRules, row: SqlRow): Finding[] {
  const place = { table: name, row: key.map((column, at) => `${column} ${String(row[at])}`).join(', ') };
  const values = row.slice(key.length);
  const names = Object.keys(columns);
  const [feedId, recordId] = values.slice(names.length) as (string | null)[];
  const problemOf = (column: string, expected: string): string => {
    const value = values[names.indexOf(column)] ?? null;
    const isNumber = columns[column]!.isInteger === true && value !== null;
    return mustBe(column, expected, isNumber ? BigInt(value as string) : value);
  };
  const problems = names.flatMap((column, at) => {
    const { fits, expected } = columns[column]!;
    return fits(values[at]!) ? [] : [problemOf(column, expected)];
  });
  for (const [at, { column, expected }] of conditions.entries()) {
    if (Number(values[names.length + 2 + at]) !== 1) problems.push(problemOf(column, expected));
  }
  return problems.map((problem) => findingAt({ ...place, feedId: feedId!, recordId: recordId! }, problem));
}

// How the rules of a table are written: conditions on other columns and tables, beside the form of every column.
import { Fragment, fragment, table } from '../../rows/sql.ts';
import type { Column, Table } from '../../rows/table.ts';

/** A condition on a row `t`, which the database checks. */
export interface Condition {
  readonly column: string;
  readonly holds: Fragment;
  /** What the column must be, in the words of a message. */
  readonly expected: string;
}

/** What rows are of. */
export interface RowPlaces {
  /** The number of the register of a row, if it is of one. */
  readonly register?: Fragment;
  /** The id of the record of a row, if it is of one. */
  readonly record?: Fragment;
}

/** The rules of a table. */
export interface TableRules extends RowPlaces {
  readonly table: Table;
  readonly conditions: readonly Condition[];
}

const ACCOUNTS = table('accounts');
const REGISTERS = table('registers');

/** A condition. It does not hold where it is null. */
export function condition(column: string, expected: string, holds: Fragment): Condition {
  return { column, expected, holds };
}

/** The account exists. */
export const OF_ACCOUNT: Condition = condition(
  'account_id',
  'the id of an account',
  fragment`EXISTS (SELECT 1 FROM ${ACCOUNTS} a WHERE a.id = t.account_id)`,
);

/** The register has this change. Rows of removed registers remain in some tables. */
export function upToChange(column: 'change' | 'first_change' | 'last_change'): Condition {
  const holds = new Fragment((dialect) => {
    return `NOT EXISTS (SELECT 1 FROM ${REGISTERS.in(dialect)} g WHERE g.number = t.register AND g.change < t.${column})`;
  });
  return condition(column, 'at most the latest change of the register', holds);
}

/** The register exists. */
export const OF_REGISTER: Condition = condition(
  'register',
  'the number of a register',
  fragment`EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.register)`,
);

/** A column as a driver can read it, whatever is in it. */
export function readable({ columns }: Table, name: string, alias: string): string {
  return isInteger(columns[name]!) ? `CAST(${alias}.${name} AS text)` : `${alias}.${name}`;
}

/** Whether a column contains integers. */
export function isInteger({ type }: Column): boolean {
  return type !== 'text' && type !== 'bytes';
}

/** The columns that have a form of their own. */
export function formsOf({ columns }: Table): readonly (readonly [name: string, column: Column])[] {
  return Object.entries(columns).filter(([, { fits }]) => fits !== null);
}

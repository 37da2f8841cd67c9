// How the rules of a table are written: a form for every column, and conditions on other columns and tables.
import { Fragment, fragment, table } from '../../rows/sql.ts';
import type { Form } from './forms.ts';

/** A condition on a row `t`, which the database checks. */
export interface Condition {
  readonly column: string;
  readonly holds: Fragment;
  /** What the column must be, in the words of a message. */
  readonly expected: string;
}

/** The rules of a table. */
export interface TableRules {
  readonly name: string;
  /** The columns of its primary key, in their order. */
  readonly key: readonly string[];
  /** The form of every column. */
  readonly columns: Readonly<Record<string, Form>>;
  readonly conditions: readonly Condition[];
  /** The number of the register of a row, if it is of one. */
  readonly register?: Fragment;
  /** The id of the record of a row, if it is of one. */
  readonly record?: Fragment;
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
export function upToChange(column: 'change' | 'last_change'): Condition {
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

// What a plugin keeps in a store: tables of its own, and rules that run inside the transactions of the others.
import type { Finding } from '../../contract/inspection.ts';
import type { Fragment } from '../../rows/sql.ts';
import type { Table } from '../../rows/table.ts';
import type { Condition } from '../inspect/table-rules.ts';
import type { Engine, PluginRules, Rule, Sql } from '../rule.ts';

/** The store that a plugin is opened in. */
export interface OpenedStore {
  readonly engine: Engine;
  /** What of the database is to be rewritten once something is erased. */
  readonly parts: readonly string[];
  /** Whether it was not closed. */
  readonly isOpen: () => boolean;
}

/** A register, as an inspection finds it. */
export interface InspectedRegister {
  readonly number: number;
  readonly id: string;
}

/**
 * A plugin of a store. A store remembers those that it was opened with, and its registers are written only with all of them
 * (joined.ts).
 *
 * @typeParam Own what it is for those who have it
 */
export interface StorePlugin<Own = unknown> extends PluginRules {
  /** The number of its first schema. Until the first release, a change of one of its tables raises it. */
  readonly schema: number;
  /**
   * Its tables. What they have of a register stands in rows with a column `register`, its number, or `slot`, that of a record:
   * they go with it.
   */
  readonly tables: readonly Table[];
  /** Whether what they have of a register outlives it. Default false. */
  readonly isLasting?: true;
  /** Statements that follow those which make its tables. Default: none. */
  readonly begun?: readonly Fragment[];
  /**
   * Makes a part of what it needs of the registers of a store that it joins. Default: it needs nothing.
   *
   * @returns whether there may be more to make
   */
  readonly join?: (sql: Sql) => Rule<boolean>;
  /** What rows must be, by their tables: its own and those of the store. */
  readonly conditions: Readonly<Record<string, readonly Condition[]>>;
  /** Checks what no condition says, of a register, or of the whole store: null. @param pause is awaited between two reads */
  readonly inspect?: (
    engine: Engine,
    register: InspectedRegister | null,
    pause: () => Promise<void>,
  ) => AsyncGenerator<readonly Finding[], void, undefined>;
  readonly open: (store: OpenedStore) => Own;
}

// A register as stores list it, and the registers of a store in pages, for services that have thousands of them.
import type { RegisterDefinition } from '../../register/record.ts';
import type { Order } from '../../register/sources/order.ts';

/** The maximum number of registers in one result of {@link CatalogueStore.page}. */
export const REGISTERS_PAGE_SIZE = 100;

/** The current state of a register. */
export interface RegisterEntry {
  /** The definition of the register. */
  readonly definition: RegisterDefinition;
  /**
   * The number of the definition, from 1: every change of it raises the number by one. Definitions are counted apart from
   * records: a new one takes no change number and makes no version of a record.
   */
  readonly definitionVersion: number;
  /** Which end of the publisher's files is the newest; null until an import has detected it. */
  readonly order: Order | null;
  /** The highest position, which is the number of records ever added. */
  readonly top: number;
  /** The number of the latest change; 0 before the first. */
  readonly change: number;
  /** The name of the log that the change numbers belong to, the first 8 hexadecimal digits of its UUID. */
  readonly log: string;
  /** The number of live records: `total` in lists. A counter, never a scan. */
  readonly total: number;
  /** When the register's records or its definition last changed, RFC 3339; null if they never did. */
  readonly lastChange: string | null;
  /**
   * The date for conditional requests, in seconds since 1970; null before the first change, unless another register with
   * this id was removed: then it is later than that one's. Every commit to the records or
   * the definition raises it by one second or more. It is therefore unique to a state of the register, and an import of
   * many batches may move it ahead of the clock.
   */
  readonly lastModified: number | null;
}

/** Which registers to list. */
export interface RegistersRange {
  /** How many registers to pass over, in the order of their ids. */
  readonly offset: number;
  /** The maximum number of registers, 1 to 100. */
  readonly limit: number;
  /**
   * Only registers that changed since: an RFC 3339 date (its midnight UTC) or date-time. It is compared with
   * {@link RegisterEntry.lastModified}, in whole seconds, which may run ahead: a register that changed since is never left
   * out, and one that changed shortly before may come.
   */
  readonly updatedSince?: string;
  /** Only registers whose ids begin so. */
  readonly startsWith?: string;
  /**
   * By {@link RegisterEntry.lastModified}, the latest first, instead of by id; those that never changed by id, at the end.
   * The database sorts all.
   */
  readonly latestFirst?: true;
}

/** Some registers. */
export interface RegistersPage {
  /** By their ids. One whose definition is damaged is left out. */
  readonly registers: readonly RegisterEntry[];
  /** Where the next page begins; null after the last register. */
  readonly nextOffset: number | null;
}

/** What registers there are. */
export interface CatalogueStore {
  /**
   * Some registers, by id: it costs what the page costs, however many registers there are.
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..100, a negative offset, or a
   *   time that is none.
   */
  page(range: RegistersRange): Promise<RegistersPage>;

  /**
   * All registers, by id, at most 100 at a time: for work that needs each of them, in the memory of
   * one page. One that is made or removed meanwhile may be there or not; every other is there once.
   *
   * @param which.withPrices only registers whose definition names prices; an open one sells nothing all the same
   */
  walk(which?: { readonly withPrices?: true }): AsyncIterable<readonly RegisterEntry[]>;

  /** How many registers there are. */
  count(): Promise<number>;
}

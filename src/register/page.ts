// Pages and their arithmetic. `offset` counts register positions from the top of a frozen view; `as_of` is that view:
// the highest position when the walk began. A page contains the next `limit` live records downwards that match the
// filter.
import type { RegisterRecord } from './record.ts';
import { isDateTime } from './time.ts';

/** The maximum number of records per page, everywhere (specification 4.2.1). */
export const PAGE_SIZE = 100;

/** The most records that one request examines, everywhere. */
export const EXAMINED_RECORDS = 20_000;

/**
 * A frozen view. For gazette's own stores a position, or a moment: a date-time, for which the register is read as it was then.
 * Any value for an embedder's source.
 */
export type AsOf = number | string;

/** Whether a view is a moment: in addresses `at`, not `as_of`. */
export function isMoment(asOf: AsOf | null | undefined): asOf is string {
  return typeof asOf === 'string' && isDateTime(asOf);
}

/**
 * The values that records must have, by the names of the filters: `{ document_type: 'adopted' }`. All filters must match;
 * of several values of one filter, any. Lists have no more meaning than their values: neither order nor repetition counts.
 */
export type Filter = Readonly<Record<string, string | readonly string[]>>;

/** A filter in its one form: known names in the order of the table, values in order and each once. */
export type CanonicalFilter = Readonly<Record<string, readonly string[]>>;

/** A request for a page. */
export interface PageQuery {
  /** Positions below the top of the view, from 0. */
  readonly offset: number;
  /** 1 to 100 records. */
  readonly limit: number;
  /** Absent: the view is the current state of the register. */
  readonly asOf?: AsOf;
  /** Which records; absent: all. */
  readonly filter?: Filter;
  /** Which members or columns are shown, as `fields` names them. For those who write records: sources give whole ones. */
  readonly fields?: readonly string[];
  /**
   * The preview of a record: the filter looks at what it shows, and the records of the page come whole. For sources that
   * say so ({@link RegisterSource.findsPreviews}), with words among the filter, and no keys.
   */
  readonly preview?: (record: RegisterRecord) => RegisterRecord;
  /** Tells the source that the page is no longer needed. */
  readonly signal?: AbortSignal;
}

/** One page, newest first. It may be empty while later pages exist; only `nextOffset: null` ends a walk. */
export interface Page {
  /** The records of the page, newest first. */
  readonly records: readonly RegisterRecord[];
  /** The offset of the next page; null: this is the last. */
  readonly nextOffset: number | null;
  /** The view of the page, for the next request; null when the source has none. */
  readonly asOf: AsOf | null;
}

/** How many records match a filter. */
export interface Matched {
  /** How many match, at least. */
  readonly matched: number;
  /** Whether there may be more: to count them all would take more than one request may. */
  readonly isAtLeast: boolean;
}

/** The position from which a page is read downwards. */
export function startPosition(asOf: number, offset: number): number {
  return asOf - offset;
}

/** The offset that continues after the record at `position`, in the view `asOf`. */
export function offsetAfter(asOf: number, position: number): number {
  return asOf - position + 1;
}

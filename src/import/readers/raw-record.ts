// The interface between readers of publishers' files and everything behind them: raw values in batches, each with its
// place in the file. Only whole batches cross asynchronous interfaces, never single records.
import { isObject } from '../../checks.ts';
import type { GazetteError } from '../../errors.ts';
import { type ExactNumber, isExactNumber } from './exact-number.ts';
import type { ReaderNote } from './reader-note.ts';

/**
 * A value as it is in a file. Like JSON's, but no digit is lost: an integer beyond ±9007199254740991 is a bigint, and any
 * other number that a double does not give back is an {@link ExactNumber}.
 */
export type RawValue = string | number | bigint | ExactNumber | boolean | null | readonly RawValue[] | RawObject;

/** An object as it is in a file, members in the file's order. */
export interface RawObject {
  readonly [name: string]: RawValue;
}

/** One record as it is in a file, unchecked: it may not even be an object. */
export interface RawRecord {
  /** The raw record; normally an object. */
  readonly value: RawValue;
  /** Its place in the file: a line from 1, or an index from 0. {@link RecordReader.where} describes it. */
  readonly at: number;
  /** Why it cannot be read, if the reader was asked to continue; `value` is then the raw content, or null. */
  readonly fault?: GazetteError;
}

/** Options of every reader. */
export interface RecordReaderOptions {
  /** Passes an unreadable record on with its `fault`, if the next one can be found; absent or false: throws. */
  readonly keepsFaults?: boolean;
}

/** The records that one piece of a file completed. Never empty. */
export interface RawBatch {
  /** The records, in the order of the file. */
  readonly records: readonly RawRecord[];
  /** How much of the file had been read when the last of them was complete, in bytes. */
  readonly bytes: number;
}

/** Reads one publisher's file in one pass, in constant memory. */
export interface RecordReader {
  /** The name of the file in messages. */
  readonly name: string;
  /** Whether a number, a boolean or JSON may be text, to be converted to the field's type; absent: it may not. */
  readonly textValues?: boolean;
  /** What it has found by itself so far: complete when all is read, also if reading failed. Absent: nothing. */
  notes?(): readonly ReaderNote[];
  /**
   * The names of a table's columns in their order, known once it is being read: an object has those that are whole numbers first
   * (ECMA-262 10.1.11.1). Absent: the order of the records' members.
   */
  columns?(): readonly string[];
  /** Describes a place: `line 7`, `vulnerabilities[3]`. */
  where(at: number): string;
  /**
   * The file's records from its start. Ending the iteration early closes the file.
   *
   * @throws GazetteError `invalid_input` naming the file, the position and what was expected; `aborted`.
   */
  batches(signal?: AbortSignal): AsyncGenerator<RawBatch, void, undefined>;
}

/** Whether a raw value is an object: neither null, nor an array, nor a number. */
export function isRawObject(value: RawValue | undefined): value is RawObject {
  return isObject(value) && !isExactNumber(value);
}

/**
 * Items in the order of the columns of a table, those without one first and those of columns that no header names last.
 *
 * @param nameOf the column of an item
 */
export function inColumnOrder<T>(
  items: readonly T[],
  { columns }: Pick<RecordReader, 'columns'>,
  nameOf: (item: T) => string | undefined,
): readonly T[] {
  const places = new Map(columns?.().map((name, at) => [name, at] as const));
  const placeOf = (name: string | undefined): number => (name === undefined ? -1 : (places.get(name) ?? places.size));
  return places.size === 0 ? items : items.toSorted((a, b) => placeOf(nameOf(a)) - placeOf(nameOf(b)));
}

/**
 * The maximum text of one record, or of one value outside the records, in UTF-16 units: 16 Mi. That is sixteen times
 * the limit of `content`; without a limit a file could fill the reader's memory.
 */
export const MAX_VALUE_LENGTH = 16_777_216;

/**
 * The maximum number of values in one record, including those inside lists and objects. The smallest values take two
 * characters of text and twenty times that in memory: their number fills a memory long before the length of their text
 * does.
 */
export const MAX_VALUES = 50_000;

/** The maximum depth of nested containers. Because of it, code that walks values may recurse. */
export const MAX_DEPTH = 256;

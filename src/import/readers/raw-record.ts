// The seam between readers of publishers' files and everything behind them: raw values in batches, each with its place
// in the file. Whole batches cross asynchronous seams, never single records.
import type { GazetteError } from '../../errors.ts';

/**
 * A value as a file holds it. Like JSON's, but an integer beyond ±9007199254740991 is a bigint, so that no digit is lost.
 */
export type RawValue = string | number | bigint | boolean | null | readonly RawValue[] | RawObject;

/** An object as a file holds it, members in the file's order. */
export interface RawObject {
  readonly [name: string]: RawValue;
}

/** One record as a file holds it, unchecked: it may not even be an object. */
export interface RawRecord {
  /** The record as the file has it; normally an object. */
  readonly value: RawValue;
  /** Its place in the file: a line from 1, or an index from 0. {@link RecordReader.where} puts it into words. */
  readonly at: number;
  /** Why it cannot be read, from a reader that was asked to go on; `value` is then what stands there. */
  readonly fault?: GazetteError;
}

/** What a reader does about a record that cannot be read where the next one can still be found. */
export interface FaultOptions {
  /** Hands it on with its `fault`; absent or false: throws. */
  readonly keepsFaults?: boolean;
}

/** The records that came with one piece of a file. Never empty. */
export interface RawBatch {
  /** The records, in the order of the file. */
  readonly records: readonly RawRecord[];
  /** How much of the file had been read when the last of them was complete, in bytes. */
  readonly bytes: number;
}

/** Reads one publisher's file in one pass, with memory that does not grow with it. */
export interface RecordReader {
  /** The file as messages call it. */
  readonly name: string;
  /** Whether a number, a boolean or JSON may come as text, to be read as the field's type says; absent: it may not. */
  readonly textValues?: boolean;
  /** A place in words: `line 7`, `vulnerabilities[3]`. */
  where(at: number): string;
  /**
   * The file's records from its start. Ending the iteration early closes the file.
   *
   * @throws GazetteError `invalid_input` naming the file, the position and what was expected; `aborted`.
   */
  batches(signal?: AbortSignal): AsyncGenerator<RawBatch, void, undefined>;
}

/** Whether a raw value is an object, neither null nor an array. */
export function isRawObject(value: RawValue | undefined): value is RawObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The most text one record, or one value outside the records, may have, in UTF-16 units: 16 Mi. Sixteen times what
 * `content` may hold; beyond it a file could fill the memory of whoever reads it.
 */
export const MAX_VALUE_LENGTH = 16_777_216;

/**
 * The most values one record may have, those inside lists and objects among them. The smallest take two characters of
 * text and, read, twenty times that: their number fills a memory long before the length of their text does.
 */
export const MAX_VALUES = 50_000;

/** The most containers that may be open inside each other. Everything that walks values may then recurse. */
export const MAX_DEPTH = 256;

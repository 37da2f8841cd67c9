// What a store gives for pages of filters that the index of terms answers: the register, its index, its records.
import type { RegisterRecord } from '../../../register/record.ts';
import type { ShownAs } from '../../rows/columns.ts';
import type { FirstAsked, FoundSet, Look, SegmentsAsked } from './segments.ts';
import type { TermState } from './term-state.ts';

/** A register, and how far its index is. */
export interface FoundHead {
  readonly index: TermState;
  readonly top: number;
  /** Another number when any record has changed. */
  readonly change: number;
}

type Answer<T> = T | Promise<T>;

/** What the index has of segments. */
export interface Looked {
  readonly head: FoundHead;
  /** The segments, highest first. */
  readonly segments: readonly number[];
  readonly found: readonly FoundSet[];
}

/** How a store reads a register for pages of filters. Each answer is of one state of the store; null: the register is gone. */
export interface FoundReads {
  /** How many segments are read first. The highest has few records where the register, or a range, ends in it. */
  readonly firstSegments: number;
  head(): Answer<FoundHead | null>;
  /** What the index has of these segments. */
  look(segments: FirstAsked | SegmentsAsked | readonly number[], look: Look): Answer<Looked | null>;
  /** The live records of these slots, newest first, and the register's number of changes. */
  records(
    slots: readonly number[],
  ): Answer<{ readonly change: number | null; readonly records: readonly RegisterRecord[] }>;
  /** The live records of the slots from `highest` down to `lowest`, newest first. */
  below(highest: number, lowest: number, limit: number): Answer<readonly RegisterRecord[]>;
}

/** What a page is found in. */
export interface Searched {
  readonly shown: ShownAs;
  readonly number: number;
  readonly reads: FoundReads;
}

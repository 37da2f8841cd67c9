// What one benchmark run leaves behind: the JSON in bench/results and the source of tables and charts.
import type { GoalResult, Timing } from './harness.ts';
import type { Machine } from './machine.ts';

/** A table with its figures. */
export interface TableResult {
  /** Unique within a run: the table's id, and its size where it has several. */
  readonly id: string;
  readonly title: string;
  /** Records in a document. */
  readonly records: number;
  readonly columns: number;
  /** Whether each document is a page of a register. */
  readonly pages: boolean;
  readonly timings: readonly Timing[];
  /** Names of those that were not measured: left out by the command line, or unable to hold so many records. */
  readonly left: readonly string[];
  readonly goals: readonly GoalResult[];
}

/** Peak memory of one export, each size in a process of its own. */
export interface MemoryResult {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly MemoryRow[];
}

/** One format at two sizes. Memory in MiB. */
export interface MemoryRow {
  readonly name: string;
  readonly small: MemoryPeak;
  readonly large: MemoryPeak;
  /** How much higher the peak of resident memory is at the large size. */
  readonly growthMiB: number;
  readonly limitMiB: number;
  readonly met: boolean;
}

/** The peaks of one size. */
export interface MemoryPeak {
  readonly records: number;
  /** Written by each run; null where nobody counts. */
  readonly bytes: number | null;
  /** Highest resident set, as the operating system says, median of the runs. */
  readonly residentMiB: number;
  /** Highest of the sampled heaps with external buffers, median of the runs; null where nobody looks. */
  readonly heapMiB: number | null;
  readonly runs: number;
}

/** What holds or does not, without a rival. */
export interface CheckResult {
  readonly id: string;
  readonly title: string;
  /** Each says what was wanted and what was seen. */
  readonly checks: readonly { readonly label: string; readonly met: boolean }[];
}

/** A whole run. */
export interface RunResult {
  readonly suite: string;
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly gazette: string;
  /** The commit it was measured at, with \`-dirty\` where files differ from it; \`unknown\` outside a clone. */
  readonly commit: string;
  readonly rounds: number;
  readonly full: boolean;
  readonly tables: readonly TableResult[];
  readonly memory: readonly MemoryResult[];
  readonly checks: readonly CheckResult[];
}

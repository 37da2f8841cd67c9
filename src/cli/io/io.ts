// Where a run of the program reads and writes. `process` is one: gazette.ts runs with it. A test gives another one, and runs
// the command line without a process of its own.
import type { Readable, Writable } from 'node:stream';

/** What a run of the program reads from and writes to. Each stream is touched only by a command that needs it. */
export interface Io {
  readonly stdin: Readable & StreamFacts;
  /** For data. */
  readonly stdout: Writable & StreamFacts;
  /** For messages. */
  readonly stderr: Writable & StreamFacts;
  /** The variables of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is known of a stream besides its data. */
interface StreamFacts {
  readonly isTTY?: boolean;
  /** The width of a terminal, in characters. */
  readonly columns?: number;
  /** The number of the open file; absent for a stream that is not a file of this process. */
  readonly fd?: number;
}

/** The number of a file that cannot be open: to look at it fails. */
export const NO_FILE = -1;

// The progress of a long job: records, rate and time left on one line of a terminal, redrawn in place. Silent
// elsewhere.
import { counted } from '../../register/counted.ts';

/** The terminal for a progress line, usually `process.stderr`. */
export interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** What is known of a job at one moment. */
export interface JobState {
  readonly records: number;
  readonly bytesRead: number;
  /** The total number of records; absent or null if it is unknown. */
  readonly of?: number | null;
}

/** The time between two drawings, in milliseconds. */
const INTERVAL_MS = 200;

/** Returns to the start of the line and clears it (ECMA-48 EL). */
const CLEAR_LINE = '\r\u001b[K';

/** A progress line. */
export class Progress {
  readonly #terminal: Terminal;
  readonly #totalBytes: number | null;
  readonly #now: () => number;
  readonly #activity: string;
  readonly #unit: string;
  readonly #startMs: number;
  #drawnMs: number;
  #drawn = false;

  /**
   * @param totalBytes of the input; null if it is unknown, and then the time left is unknown too.
   * @param now a clock in milliseconds
   * @param activity the name of the work, in one word
   * @param unit what is counted, one of them
   */
  constructor(
    terminal: Terminal,
    totalBytes: number | null,
    now: () => number = () => performance.now(),
    activity = '',
    unit = 'record',
  ) {
    this.#terminal = terminal;
    this.#totalBytes = totalBytes;
    this.#now = now;
    this.#activity = activity === '' ? '' : `${activity}: `;
    this.#unit = unit;
    this.#startMs = now();
    this.#drawnMs = this.#startMs;
  }

  /** Draws the line if the output is a terminal and it is time to. */
  update(state: JobState): void {
    if (this.#terminal.isTTY !== true) return;
    const now = this.#now();
    if (now - this.#drawnMs < INTERVAL_MS) return;
    this.#drawnMs = now;
    this.#drawn = true;
    this.#terminal.write(CLEAR_LINE + this.#line(state, (now - this.#startMs) / 1000));
  }

  /** Draws a text in place of the line, at once: why it does not move. */
  say(words: string): void {
    if (this.#terminal.isTTY !== true) return;
    this.#drawn = true;
    this.#terminal.write(CLEAR_LINE + this.#activity + words);
  }

  /** Removes the line. */
  clear(): void {
    if (this.#drawn) this.#terminal.write(CLEAR_LINE);
    this.#drawn = false;
  }

  #line(state: JobState, seconds: number): string {
    const parts = [counted(state.records, this.#unit), `${format(state.records / seconds)}/s`];
    const share = this.#share(state);
    if (share !== null) {
      parts.push(`${Math.floor(share * 100)} %`, `${duration((seconds / share) * (1 - share))} left`);
    }
    return this.#activity + parts.join(', ');
  }

  /** The completed part, above 0 and at most 1; null if it is unknown. */
  #share({ records, bytesRead, of }: JobState): number | null {
    const [done, all] = typeof of === 'number' ? [records, of] : [bytesRead, this.#totalBytes ?? 0];
    return done > 0 && all > 0 ? Math.min(1, done / all) : null;
  }
}

function format(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

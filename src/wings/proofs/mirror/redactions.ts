// The redactions that a log has signed. Whoever answers a version may say that it was erased, and its entry is right without what it
// said: only a redaction of its record that is signed after it shows that this is true. Entries are read ahead for them, since a
// redaction may come a million changes behind what it erased; what was proved need not be held back till then.
import { TILE_WIDTH } from '../tlog/tiles.ts';
import { type LogHead, readBundle, type WatchedLog } from './head.ts';
import { entriesIn } from './log.ts';
import type { ProvedChange } from './version.ts';

/** Those after the changes that are asked for, which are asked for in their order. */
export class SignedRedactions {
  readonly #log: WatchedLog;
  /** The change of the last one that was read of each position. */
  readonly #last = new Map<number, number>();
  /** Up to which change entries were read, or need not be. */
  #read = 0;

  constructor(log: WatchedLog) {
    this.#log = log;
  }

  /** Whether one follows a version. */
  async follows({ position, change }: ProvedChange, head: LogHead): Promise<boolean> {
    const isThere = (): boolean => (this.#last.get(position) ?? 0) > change;
    this.#read = Math.max(this.#read, change);
    while (!isThere() && this.#read < head.size) {
      const index = Math.floor(this.#read / TILE_WIDTH);
      const entries = entriesIn(this.#log, await readBundle(this.#log, head, index), index);
      for (const [at, { position: one, cause }] of entries.entries())
        if (cause === 'redacted') this.#last.set(one, index * TILE_WIDTH + at + 1);
      this.#read = index * TILE_WIDTH + entries.length;
    }
    return isThere();
  }
}

// A record of a JSON document that cannot be taken: its tokens are read until it ends, and nothing is built of them.
import type { Token } from 'stream-json/core/parser.js';
import type { GazetteError } from '../../errors.ts';
import type { OpenContainer } from './json-position.ts';

/** The deepest nesting of a record that is skipped: its open containers are held in memory. */
const MAX_SKIPPED_DEPTH = 100_000;

/** Follows a record to its end. */
export class SkippedRecord {
  /** Why it cannot be taken. */
  readonly fault: GazetteError;
  /** The kinds of its open containers, outermost first. */
  readonly open: OpenContainer[];

  constructor(fault: GazetteError, open: OpenContainer[]) {
    this.fault = fault;
    this.open = open;
  }

  /** Takes the next token; true when the record ends. @throws GazetteError its fault, when it is nested too deep to skip. */
  take(token: Token): boolean {
    if (token.name === 'startArray' || token.name === 'startObject') {
      if (this.open.length === MAX_SKIPPED_DEPTH) throw this.fault;
      this.open.push(token.name === 'startArray' ? 'array' : 'object');
    } else if (token.name === 'endArray' || token.name === 'endObject') this.open.pop();
    return this.open.length === 0;
  }
}

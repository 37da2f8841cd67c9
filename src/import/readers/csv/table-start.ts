// The beginning of a CSV file: skips the lines above a header whose line is known, and otherwise collects a sample in
// which the delimiter and the header are found. What is found depends on the text alone, not on its pieces.
import { GazetteError, quote } from '../../../errors.ts';
import type { OnNote } from '../reader-note.ts';
import type { TableReaderOptions } from '../table/row-header.ts';
import type { TextReaderOptions } from '../text/read-text.ts';
import { checkHeader, HEADER_SAMPLE_ROWS } from '../table/title-rows.ts';
import { type Dialect, findDialect, type RowForm } from './dialect.ts';

/** How the caller says that a file is written. */
export interface CsvReaderOptions extends TableReaderOptions, TextReaderOptions {
  /** The delimiter between fields: one character, neither a quote nor a line break. Default: found. */
  readonly delimiter?: string;
}

/** @throws GazetteError `invalid_option`. */
export function checkTableStart(options: CsvReaderOptions): void {
  const { delimiter } = options;
  if (delimiter !== undefined && !/^[^"\r\n\ufeff]$/u.test(delimiter)) {
    throw new GazetteError('invalid_option', `delimiter must be one character, got ${quote(delimiter)}`, {
      details: { option: 'delimiter' },
    });
  }
  checkHeader(options);
}

/** The most text that is looked at, in UTF-16 units. */
const SAMPLE_LENGTH = 262_144;

/** A file whose dialect is known. */
export interface StartedTable extends RowForm {
  /** The line in which the text begins, from 1. */
  readonly line: number;
  /** The text from the header on, as far as it has come. */
  readonly text: string;
}

/** Takes the text of a file until its dialect is known. */
export class TableStart {
  readonly #name: string;
  readonly #options: CsvReaderOptions;
  readonly #onNote: OnNote;
  #text = '';
  #toSkip: number;
  #ended = false;

  constructor(name: string, options: CsvReaderOptions, onNote: OnNote) {
    this.#name = name;
    this.#options = options;
    this.#onNote = onNote;
    this.#toSkip = (options.headerRow ?? 1) - 1;
  }

  /** The table, when enough of it is there. */
  push(text: string): StartedTable | null {
    this.#text += text;
    this.#skip();
    if (this.#toSkip > 0) return null;
    const sample = this.#sampleLength();
    if (sample === null) return null;
    const { start, linesBefore, ...form } = this.#dialect(this.#text.slice(0, sample), sample);
    return {
      ...form,
      line: (this.#options.headerRow ?? 1) + linesBefore,
      text: this.#text.slice(start),
    };
  }

  /** @throws GazetteError `invalid_input` when the file ends before the line of the header. */
  end(): StartedTable {
    this.#ended = true;
    const started = this.push('');
    if (started !== null) return started;
    const lines = (this.#options.headerRow ?? 1) - this.#toSkip;
    throw new GazetteError(
      'invalid_input',
      `${this.#name}: has ${lines === 1 ? 'one line' : `${lines} lines`}, and the header should be in line ${String(this.#options.headerRow)}`,
      { details: { input: this.#name } },
    );
  }

  #dialect(sample: string, length: number): Dialect {
    const { delimiter, header, headerRow } = this.#options;
    const isWhole = this.#ended && length === this.#text.length;
    const said = header === false ? 'none' : headerRow === undefined ? null : 'first';
    const given = { ...(delimiter === undefined ? {} : { delimiter }), header: said } as const;
    return findDialect(sample, isWhole, given, this.#onNote);
  }

  #skip(): void {
    while (this.#toSkip > 0) {
      const end = this.#lineEnd(0);
      if (end === null) {
        // What belongs to a skipped line need not be kept; a CR may be half of a line's end.
        if (!this.#text.endsWith('\r')) this.#text = '';
        return;
      }
      this.#text = this.#text.slice(end);
      this.#toSkip--;
    }
  }

  #sampleLength(): number | null {
    let length = 0;
    for (let lines = 0; lines < HEADER_SAMPLE_ROWS; lines++) {
      const end = this.#lineEnd(length);
      if (end === null) break;
      if (lines === HEADER_SAMPLE_ROWS - 1) return Math.min(end, SAMPLE_LENGTH);
      length = end;
    }
    if (this.#text.length >= SAMPLE_LENGTH) return SAMPLE_LENGTH;
    return this.#ended ? this.#text.length : null;
  }

  /** Where the next line begins; null if that is not known yet. */
  #lineEnd(from: number): number | null {
    const found = /\r\n|[\r\n]/g;
    found.lastIndex = from;
    const match = found.exec(this.#text);
    if (match === null) return null;
    const isHalf = match[0] === '\r' && found.lastIndex === this.#text.length && !this.#ended;
    return isHalf ? null : found.lastIndex;
  }
}

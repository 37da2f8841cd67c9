// NDJSON: one JSON value per line (RFC 8259 texts, separated by LF or CRLF). Blank lines are skipped. JSON.parse does
// the work; the few lines that it would silently misread (a duplicate name, a number of more digits than a double holds)
// are parsed again exactly.
import { GazetteError } from '../../errors.ts';
import type { ByteSource } from './byte-source.ts';
import { ExactNumberCount, needsExactness } from './exact-number.ts';
import { after, findFault, formatPosition } from './json-position.ts';
import { parseExactly } from './json-value.ts';
import {
  MAX_DEPTH,
  MAX_VALUE_LENGTH,
  MAX_VALUES,
  type RawRecord,
  type RawValue,
  type RecordReader,
} from './raw-record.ts';
import type { ReaderNote } from './reader-note.ts';
import { checkTextOptions, readText, type TextReaderOptions } from './text/read-text.ts';
import { BROKEN_REASON, type TextPiece } from './text/text-piece.ts';

/**
 * Reads the records of an NDJSON file; `at` counts lines from 1.
 *
 * @throws GazetteError `invalid_option` for an unknown encoding; from `batches()`: `invalid_input` for a line that is not JSON (with line, column and byte),
 *   longer than 16 MiB, nested deeper than 256, with more than 50,000
 *   values, or with a name twice in one object.
 */
export function ndjsonReader(source: ByteSource, options: TextReaderOptions = {}): RecordReader {
  checkTextOptions(options);
  const notes: ReaderNote[] = [];
  const exact = new ExactNumberCount();
  return {
    notes: () => [...notes, ...exact.notes()],
    name: source.name,
    where: (at) => `line ${at}`,
    async *batches(signal) {
      const lines = new Lines(source.name, options.keepsFaults ?? false, exact);
      let bytes = 0;
      for await (const piece of readText(source, 'ndjson', options, (note) => notes.push(note), signal)) {
        const records = lines.push(piece);
        bytes = piece.end;
        if (records.length > 0) yield { records, bytes };
      }
      const records = lines.end();
      if (records.length > 0) yield { records, bytes };
    },
  };
}

/** Splits text into lines and reads each. */
class Lines {
  readonly #name: string;
  readonly #keepsFaults: boolean;
  readonly #exact: ExactNumberCount;
  #line = 1;
  /** The incomplete line. */
  #rest = '';
  /** The byte offset of `#rest` in the file; null where the file is not UTF-8. */
  #restStart: number | null = 0;

  constructor(name: string, keepsFaults: boolean, exact: ExactNumberCount) {
    this.#name = name;
    this.#keepsFaults = keepsFaults;
    this.#exact = exact;
  }

  push({ text, start, end }: TextPiece): RawRecord[] {
    const records: RawRecord[] = [];
    let from = 0;
    for (let lf = text.indexOf('\n'); lf >= 0; lf = text.indexOf('\n', from)) {
      const line = from === 0 ? this.#rest + text.slice(0, lf) : text.slice(from, lf);
      const lineFrom = from;
      this.#read(line, records, () =>
        lineFrom === 0 && this.#rest !== '' ? this.#restStart : after(start, text.slice(0, lineFrom)),
      );
      from = lf + 1;
      if (lineFrom === 0) this.#rest = '';
    }
    if (this.#rest === '') {
      this.#rest = text.slice(from);
      this.#restStart = start === null ? null : end - Buffer.byteLength(this.#rest);
    } else {
      this.#rest += text;
    }
    if (this.#rest.length > MAX_VALUE_LENGTH) {
      throw this.#refuse(`is longer than ${MAX_VALUE_LENGTH} characters, the most that is read`);
    }
    return records;
  }

  end(): RawRecord[] {
    const records: RawRecord[] = [];
    this.#read(this.#rest, records, () => this.#restStart);
    return records;
  }

  #read(line: string, records: RawRecord[], startOf: () => number | null): void {
    // RFC 8259 2: space, tab, LF and CR are the only white space.
    if (/[^ \t\r]/.test(line)) records.push(this.#readLine(line, startOf));
    this.#line++;
  }

  #readLine(line: string, startOf: () => number | null): RawRecord {
    try {
      return { value: this.#parse(line, startOf), at: this.#line };
    } catch (fault) {
      if (!this.#keepsFaults || !(fault instanceof GazetteError)) throw fault;
      return { value: line, at: this.#line, fault };
    }
  }

  #parse(line: string, startOf: () => number | null): RawValue {
    let value: RawValue;
    try {
      if (!line.isWellFormed()) throw this.#refuse(BROKEN_REASON);
      // If there may be too many values, they are counted during parsing, which JSON.parse cannot do.
      if (mayHaveMany(line)) return this.#parseExactly(line);
      value = JSON.parse(line) as RawValue;
    } catch (cause) {
      if (cause instanceof GazetteError) throw cause;
      throw this.#fault(line, startOf(), cause);
    }
    const census = { members: 0, hasExtreme: false };
    if (!count(value, 0, census)) throw this.#refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    // With a duplicate name there are fewer members than `":` in the text. A text with `":` in a string or a space
    // before a colon is parsed twice without need.
    if (census.members === countNames(line) && !hasInexact(line, census.hasExtreme)) return value;
    return this.#parseExactly(line);
  }

  #parseExactly(line: string): RawValue {
    return parseExactly(
      line,
      (reason) => this.#refuse(reason),
      (name, digits) => {
        this.#exact.add(name, digits, `line ${this.#line}`);
      },
    );
  }

  #refuse(reason: string): GazetteError {
    return new GazetteError('invalid_input', `${this.#name}: line ${this.#line} ${reason}`, {
      details: { input: this.#name, line: this.#line },
    });
  }

  #fault(line: string, start: number | null, cause: unknown): GazetteError {
    const fault = findFault(line, null, true);
    const index = fault?.index ?? 0;
    const position = {
      line: this.#line,
      column: index + 1,
      byte: after(start, line.slice(0, index)),
    };
    return new GazetteError(
      'invalid_input',
      `${this.#name}: ${formatPosition(position)}: not valid JSON, ${fault?.expected ?? 'expected one value on the line'}`,
      { cause, details: { input: this.#name, ...position } },
    );
  }
}

/** Text with fewer digits in a row has no number that a double changes, except near the ends of the range. */
const MANY_DIGITS = 16;

/**
 * Whether a text has {@link MANY_DIGITS} digits or points in a row. It looks at one character of as many: a regular
 * expression takes as long as JSON.parse.
 */
function hasManyDigits(text: string): boolean {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isNumeral(text.charCodeAt(at))) continue;
    let first = at;
    while (first > 0 && isNumeral(text.charCodeAt(first - 1))) first--;
    let end = at + 1;
    while (end < text.length && isNumeral(text.charCodeAt(end))) end++;
    if (end - first >= MANY_DIGITS) return true;
  }
  return false;
}

/** A digit or a point. */
function isNumeral(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2e;
}

/** A long exponent, which leads to the ends of the range. */
const LONG_EXPONENT = /\d[eE][+-]?\d{3}/;

/** Numbers that a double may change; those that only look like numbers, inside strings, cost time alone. */
const CANDIDATES = /(?<=^|[[:,\s])-?(?:[\d.]{16,}(?:[eE][+-]?\d+)?|[\d.]+[eE][+-]?\d{3,})(?=$|[\],}\s])/g;

/** Whether a line may have a number that a double changes. @param hasExtreme whether one is near the ends of the range */
function hasInexact(line: string, hasExtreme: boolean): boolean {
  if (!hasManyDigits(line) && !(hasExtreme && LONG_EXPONENT.test(line))) return false;
  for (const [source] of line.matchAll(CANDIDATES)) if (needsExactness(source)) return true;
  return false;
}

/** Counts of what a value contains. */
interface Census {
  /** The members of all objects. */
  members: number;
  /** Whether a number is 0, or near the ends of the range of a double: it may have been rounded to it. */
  hasExtreme: boolean;
}

/** From here on, and below its inverse, a number may have lost digits however few they were. */
const EXTREME = 1e290;

/** Counts what a value contains; false when it is nested too deep. */
function count(value: RawValue, depth: number, census: Census): boolean {
  if (typeof value === 'number') {
    const size = Math.abs(value);
    census.hasExtreme ||= size < 1 / EXTREME || size > EXTREME;
    return true;
  }
  if (typeof value !== 'object' || value === null) return true;
  if (depth === MAX_DEPTH) return false;
  const isArray = Array.isArray(value);
  const items: readonly RawValue[] = isArray ? (value as readonly RawValue[]) : Object.values(value);
  if (!isArray) census.members += items.length;
  for (const item of items) if (!count(item, depth + 1, census)) return false;
  return true;
}

/** The character before every value but the first. */
const BEFORE_VALUES = [',', '[', '{'] as const;

/** Whether a line may contain more values than allowed; characters inside texts are counted too. */
function mayHaveMany(line: string): boolean {
  if (line.length <= MAX_VALUES) return false;
  let values = 1;
  for (const mark of BEFORE_VALUES) {
    for (let at = line.indexOf(mark); at >= 0 && values <= MAX_VALUES; at = line.indexOf(mark, at + 1)) values++;
  }
  return values > MAX_VALUES;
}

function countNames(line: string): number {
  let count = 0;
  for (let at = line.indexOf('":'); at >= 0; at = line.indexOf('":', at + 2)) count++;
  return count;
}

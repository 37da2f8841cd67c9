// The tokens of a JSON document: follows the path to the array of the records, and builds one record after the other.
import type { Token } from 'stream-json/core/parser.js';
import { GazetteError, quote } from '../../errors.ts';
import type { ExactNumberCount } from './exact-number.ts';
import { formatPosition, type OpenContainer, PositionLog } from './json-position.ts';
import { SkippedRecord } from './json-skip.ts';
import { Tokenizer, ValueBuilder } from './json-value.ts';
import { MAX_DEPTH, MAX_VALUE_LENGTH, type RawRecord, type RawValue } from './raw-record.ts';
import { BROKEN_REASON } from './text/text-piece.ts';
import { formatPath, type ValuePath } from './value-path.ts';

/** A container outside the records. */
interface Frame {
  readonly kind: OpenContainer;
  /** Whether the path to the records leads into it. */
  readonly onPath: boolean;
  key: string;
  index: number;
}

/** What a document is read with. */
export interface DocumentParts {
  readonly name: string;
  readonly pick: ValuePath;
  readonly where: (at: number) => string;
  readonly exact: ExactNumberCount;
  readonly keepsFaults: boolean;
  /** The byte in the file with which the text begins; null where bytes are not counted. */
  readonly byte: number | null;
}

/** A document whose text comes in pieces. */
export class JsonDocument {
  readonly #name: string;
  readonly #pick: ValuePath;
  readonly #where: (at: number) => string;
  readonly #keepsFaults: boolean;
  readonly #tokenizer = new Tokenizer();
  readonly #builder: ValueBuilder;
  readonly #log: PositionLog;
  readonly #frames: Frame[] = [];
  /**
   * Sibling names of the one that the path expects, at the deepest level it reached: for the message if it is missing.
   */
  #seen: { depth: number; readonly names: string[] } = { depth: 0, names: [] };
  #inRecords = false;
  /** The record that is being skipped. */
  #skipped: SkippedRecord | null = null;
  #found = false;
  #isBlank = true;
  /** Whether any text so far had bytes that are no text. */
  #hasBroken = false;
  #next = 0;
  #textSinceToken = 0;
  #textOfRecord = 0;

  constructor({ name, pick, where, exact, keepsFaults, byte }: DocumentParts) {
    this.#keepsFaults = keepsFaults;
    this.#name = name;
    this.#pick = pick;
    this.#where = where;
    this.#log = new PositionLog(byte);
    this.#builder = new ValueBuilder(
      (reason) => this.#refuse(`${where(this.#next)} ${reason}`),
      (property, digits) => {
        exact.add(property, digits, where(this.#next));
      },
    );
  }

  /** The records that the text completes. */
  push(text: string): RawRecord[] {
    const records: RawRecord[] = [];
    this.#hasBroken ||= !text.isWellFormed();
    // If a `}` that is read alone produces the end of an object, it was not inside a string: from there on the state of
    // the grammar is known.
    const brace = text.lastIndexOf('}');
    if (brace >= 0) {
      this.#read(text.slice(0, brace), records);
      if (this.#read('}', records)?.name === 'endObject') this.#log.mark(this.#openContainers());
    }
    this.#read(text.slice(brace + 1), records);
    this.#checkLength(text.length);
    return records;
  }

  /** Ends the document. */
  end(): void {
    if (this.#isBlank) throw this.#refuse('is empty; expected a JSON document');
    let tokens: readonly Token[];
    try {
      tokens = this.#tokenizer.end();
    } catch (error) {
      throw this.#fault(error, true);
    }
    // Only now a number at the top level is known to be complete.
    for (const token of tokens) this.#take(token, []);
    if (this.#frames.length > 0) throw this.#fault(undefined, true);
    if (this.#found) return;
    if (this.#pick.length === 0) throw this.#notAnArray('an object');
    const names = this.#seen.names.map((name) => quote(name)).join(', ');
    throw this.#refuse(
      `has nothing at ${quote(formatPath(this.#pick))}${names === '' ? '' : `; found there: ${names}`}`,
    );
  }

  #read(text: string, records: RawRecord[]): Token | undefined {
    if (text === '') return undefined;
    this.#log.keep(text);
    this.#isBlank &&= !/[^ \t\r\n]/.test(text);
    let tokens: readonly Token[];
    try {
      tokens = this.#tokenizer.push(text);
    } catch (error) {
      throw this.#fault(error, false);
    }
    if (tokens.length > 0) this.#textSinceToken = 0;
    for (const token of tokens) this.#take(token, records);
    return tokens.at(-1);
  }

  #take(token: Token, records: RawRecord[]): void {
    if (!this.#inRecords) {
      this.#takeOutside(token);
    } else if (this.#skipped !== null) {
      if (this.#skipped.take(token)) this.#endSkipped(this.#skipped, records);
    } else if (token.name === 'endArray' && this.#builder.depth === 0) {
      this.#inRecords = false;
      this.#close();
    } else if (this.#keepsFaults) {
      this.#takeOrSkip(token, records);
    } else {
      this.#takeInside(token, records);
    }
  }

  #takeInside(token: Token, records: RawRecord[]): void {
    if (this.#builder.take(token)) {
      records.push(this.#record(this.#builder.value, this.#next++));
      this.#textOfRecord = 0;
    } else if (this.#frames.length + this.#builder.depth > MAX_DEPTH) {
      throw this.#refuse(`${this.#where(this.#next)} is nested deeper than ${MAX_DEPTH} levels`);
    }
  }

  #record(value: RawValue, at: number): RawRecord {
    if (!this.#hasBroken || isWellFormed(value)) return { value, at };
    const fault = this.#refuse(`${this.#where(at)} ${BROKEN_REASON}`);
    if (!this.#keepsFaults) throw fault;
    return { value, at, fault };
  }

  #takeOrSkip(token: Token, records: RawRecord[]): void {
    const { depth } = this.#builder;
    try {
      this.#takeInside(token, records);
    } catch (fault) {
      if (!(fault instanceof GazetteError)) throw fault;
      // Whether the builder has taken the token depends on what it refused.
      const skipped = new SkippedRecord(fault, this.#builder.open.slice(0, depth));
      this.#skip(skipped);
      if (skipped.take(token)) this.#endSkipped(skipped, records);
    }
  }

  #skip(skipped: SkippedRecord): void {
    this.#skipped = skipped;
    this.#builder.reset();
    this.#textOfRecord = 0;
  }

  #endSkipped({ fault }: SkippedRecord, records: RawRecord[]): void {
    records.push({ value: null, at: this.#next++, fault });
    this.#skipped = null;
  }

  #takeOutside(token: Token): void {
    switch (token.name) {
      case 'keyValue':
        this.#see(token.value);
        return;
      case 'startObject':
      case 'startArray':
        this.#open(token.name === 'startArray' ? 'array' : 'object');
        return;
      case 'endObject':
      case 'endArray':
        this.#close();
        return;
      default:
        if (this.#leadsHere() && this.#frames.length === this.#pick.length) throw this.#notAnArray('a single value');
        this.#endValue();
    }
  }

  #open(kind: OpenContainer): void {
    const onPath = this.#leadsHere();
    if (onPath && this.#frames.length === this.#pick.length) {
      if (this.#found) throw this.#refuse(`has ${quote(formatPath(this.#pick))} twice`);
      if (kind === 'array') {
        this.#found = true;
        this.#inRecords = true;
      } else if (this.#pick.length > 0) throw this.#notAnArray('an object');
    } else if (this.#pick.length === 0 && kind === 'array' && this.#frames.every((frame) => frame.kind === 'object')) {
      throw this.#notAnArray('an object', formatPath(this.#frames.map((frame) => frame.key)));
    }
    this.#frames.push({ kind, onPath, key: '', index: 0 });
    if (this.#frames.length > MAX_DEPTH) throw this.#refuse(`is nested deeper than ${MAX_DEPTH} levels`);
  }

  #close(): void {
    this.#frames.pop();
    this.#endValue();
  }

  #endValue(): void {
    const frame = this.#frames.at(-1);
    if (frame !== undefined) frame.index++;
  }

  /** Whether the value that begins now is on the path to the records, or at its end. */
  #leadsHere(): boolean {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return true;
    const step = frame.kind === 'array' ? String(frame.index) : frame.key;
    return frame.onPath && this.#pick[this.#frames.length - 1] === step;
  }

  #see(key: string): void {
    const frame = this.#frames.at(-1)!;
    frame.key = key;
    if (!frame.onPath) return;
    if (this.#frames.length > this.#seen.depth) this.#seen = { depth: this.#frames.length, names: [] };
    if (this.#frames.length === this.#seen.depth && this.#seen.names.length < 10) this.#seen.names.push(key);
  }

  #openContainers(): OpenContainer[] {
    return [...this.#frames.map((frame) => frame.kind), ...(this.#skipped ?? this.#builder).open];
  }

  /** An endless value, or a record of endlessly many values, would fill the memory. */
  #checkLength(length: number): void {
    this.#textSinceToken += length;
    if (this.#builder.depth > 0) this.#textOfRecord += length;
    if (this.#textSinceToken <= MAX_VALUE_LENGTH && this.#textOfRecord <= MAX_VALUE_LENGTH) return;
    const what = this.#inRecords ? this.#where(this.#next) : 'a value';
    const fault = this.#refuse(`${what} is longer than ${MAX_VALUE_LENGTH} characters, the most that is read`);
    // A single text of this length fills the tokenizer, which cannot skip it.
    if (!this.#keepsFaults || this.#textSinceToken > MAX_VALUE_LENGTH) throw fault;
    this.#skip(new SkippedRecord(fault, this.#builder.open));
  }

  #notAnArray(found: string, example?: string): GazetteError {
    if (this.#pick.length > 0) {
      return this.#refuse(`has ${found} at ${quote(formatPath(this.#pick))}; expected the array of the records`);
    }
    return this.#refuse(
      `is ${found}, not an array of records; say where the array is with --pick${example === undefined ? ' PATH' : `, for example --pick ${example}`}`,
    );
  }

  #refuse(reason: string): GazetteError {
    return new GazetteError('invalid_input', `${this.#name}: ${reason}`, { details: { input: this.#name } });
  }

  /** The fault in the text since the last mark. The tokens of a piece that fails are lost, and so is the index. */
  #fault(cause: unknown, ended: boolean): GazetteError {
    const { position, expected, isAtEnd } = this.#log.locate(ended);
    let fault = `not valid JSON, ${expected ?? 'from about here on'}`;
    if (expected === 'unexpected characters') {
      fault = 'expected the end of the document; a file of one JSON value per line is read as ndjson';
    } else if (isAtEnd) {
      fault = `the document ends too early${this.#place()}, ${expected ?? 'expected more'}`;
    }
    if (this.#hasBroken) fault += `; the file ${BROKEN_REASON}`;
    return new GazetteError('invalid_input', `${this.#name}: ${formatPosition(position)}: ${fault}`, {
      ...(cause === undefined ? {} : { cause }),
      details: { input: this.#name, ...position },
    });
  }

  #place(): string {
    if (!this.#inRecords) return '';
    if (this.#builder.depth > 0 || this.#skipped !== null) return ` in ${this.#where(this.#next)}`;
    return this.#next === 0 ? '' : ` after ${this.#where(this.#next - 1)}`;
  }
}

/** Whether all texts of a value are Unicode. */
function isWellFormed(value: RawValue): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, item]) => name.isWellFormed() && isWellFormed(item as RawValue));
}

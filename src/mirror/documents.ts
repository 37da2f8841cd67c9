// Documents of a register as they come: which of their bytes are whole records, and which positions these have. Nothing is kept
// but the beginning of a record whose end is still to come.
import { isUtf8 } from 'node:buffer';
import { isObject } from '../checks.ts';
import { where } from '../client/requester.ts';
import { GazetteError, quote } from '../errors.ts';

/** What came whole of a document. */
export interface WholeRecords {
  /** How many of its bytes that is. */
  readonly length: number;
  /** What the file has before the first record; empty after it came. */
  readonly head: Uint8Array;
  /** The records, as the file has them. */
  readonly text: Uint8Array;
  /** Their positions, from the highest down. */
  readonly positions: readonly number[];
}

/** Reads documents of one format. */
export interface RecordReader {
  /** The line with the column names; null before it came, and in formats that name each value. */
  readonly columns: string | null;
  /** What a document has after its last record; null: it has not begun. */
  readonly end: string | null;
  /**
   * @param bytes what came and was not whole, and then what is new
   * @param seen how many of them were given before
   * @throws GazetteError `invalid_answer`
   */
  read(bytes: Buffer, seen: number): WholeRecords;
}

/** The longest record that is waited for: nothing that a page could have. */
const MAX_RECORD_BYTES = 64 * 1024 * 1024;

const NOTHING: Buffer = Buffer.alloc(0);

/** One document, which comes in pieces. */
export class ComingDocument {
  readonly #url: URL;
  readonly #reader: RecordReader;
  #rest: Buffer = NOTHING;

  /** @param url of the document, for messages */
  constructor(url: URL, reader: RecordReader) {
    this.#url = url;
    this.#reader = reader;
  }

  /** What is whole by now, and its bytes as they came. @throws GazetteError `invalid_answer` */
  take(piece: Uint8Array): WholeRecords & { readonly bytes: Buffer } {
    const seen = this.#rest.length;
    const all = Buffer.concat([this.#rest, piece]);
    const records = this.#reader.read(all, seen);
    this.#rest = all.subarray(records.length);
    if (this.#rest.length > MAX_RECORD_BYTES) throw invalid(this.#url, `records of at most ${MAX_RECORD_BYTES} bytes`);
    const bytes = all.subarray(0, records.length);
    if (!isUtf8(bytes)) throw invalid(this.#url, 'UTF-8');
    return { ...records, bytes };
  }

  /** Whether it came to its end. */
  get isWhole(): boolean {
    const { end } = this.#reader;
    return end !== null && this.#rest.equals(Buffer.from(end));
  }

  /** @throws GazetteError `invalid_answer` unless it is whole */
  end(): void {
    if (!this.isWhole) throw invalid(this.#url, 'a document that comes to its end');
  }
}

/** Where the bytes of a CSV are: before or within a field, after a quote that may end it, or within the end of a row. */
const [FIELD, PLAIN, QUOTED, QUOTE, ROW] = [0, 1, 2, 3, 4];
const [LF, CR, QUOTATION, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];

function isPlain(byte: number): boolean {
  return byte !== COMMA && byte !== CR && byte !== QUOTATION && byte !== LF;
}

/** CSV as RFC 4180 has it: rows that end with CRLF, the last one too, so that a row without it was cut off. */
export class CsvReader implements RecordReader {
  columns: string | null = null;
  readonly #url: URL;
  #place = FIELD;
  /** How many fields the row has before this one, and how many each row has; 0: the header is still to come. */
  #field = 0;
  #width = 0;
  /** The field with the position; -1: the header has not named it yet. */
  #position = -1;
  /** What this field says, if it is one of the header, or the position; and what the last position was. */
  #text = '';
  #found = '';

  /** @param columns of a document that is read from a later row on */
  constructor(url: URL, columns: string | null) {
    this.#url = url;
    if (columns !== null) this.read(Buffer.from(columns), 0);
  }

  get end(): string | null {
    return this.#width === 0 ? null : '';
  }

  read(bytes: Buffer, seen: number): WholeRecords {
    const positions: number[] = [];
    const hadHead = this.#width > 0;
    let [length, afterHead] = [0, 0];
    for (let at = seen; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (this.#place === QUOTED) {
        // A quoted text is long as a rule, and nothing in it counts but its end.
        const quote = bytes.indexOf(QUOTATION, at);
        const end = quote === -1 ? bytes.length : quote;
        this.#keep(bytes, at, end);
        if (quote !== -1) this.#place = QUOTE;
        at = end;
      } else if (this.#place === ROW) {
        if (byte !== LF) throw this.#invalid();
        this.#place = FIELD;
        length = at + 1;
        if (this.#width > 0) positions.push(this.#endRow());
        else {
          this.#endHead(bytes.toString('utf8', 0, length));
          afterHead = length;
        }
      } else if (byte === COMMA || byte === CR) {
        this.#endField();
        this.#place = byte === CR ? ROW : FIELD;
      } else if (byte === QUOTATION && this.#place !== PLAIN) {
        // RFC 4180 2.7: one inside of a quoted field is doubled.
        if (this.#place === QUOTE) this.#text += '"';
        this.#place = QUOTED;
      } else {
        if (this.#place === QUOTE || byte === QUOTATION || byte === LF) throw this.#invalid();
        this.#place = PLAIN;
        const from = at;
        while (at + 1 < bytes.length && isPlain(bytes[at + 1]!)) at++;
        this.#keep(bytes, from, at + 1);
      }
    }
    const head = hadHead ? NOTHING : bytes.subarray(0, afterHead);
    return { length, head, text: bytes.subarray(head.length, length), positions };
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    if (this.#width === 0 || this.#field === this.#position) this.#text += bytes.toString('latin1', from, to);
  }

  #endField(): void {
    if (this.#width === 0 && this.#text === 'position') this.#position = this.#field;
    if (this.#field === this.#position) this.#found = this.#text;
    this.#text = '';
    this.#field++;
  }

  #endHead(columns: string): void {
    if (this.#position === -1) throw invalid(this.#url, 'a header with the column "position"');
    this.columns = columns;
    this.#width = this.#field;
    this.#field = 0;
  }

  /** @returns the position of its record */
  #endRow(): number {
    if (this.#field !== this.#width) throw this.#invalid();
    this.#field = 0;
    return positionOf(this.#found, this.#url);
  }

  #invalid(): GazetteError {
    return invalid(this.#url, 'whole rows of CSV');
  }
}

/** How much of a document is searched for its root. */
const MAX_ROOT_BYTES = 1024 * 1024;

/** The end of a document of gazette’s vocabulary. */
export const XML_END = '</register>\n';

/** Gazette’s vocabulary. */
export class XmlReader implements RecordReader {
  readonly columns = null;
  readonly #url: URL;
  #hasRoot: boolean;

  /** @param hasRoot whether the document is read from a later record on */
  constructor(url: URL, hasRoot: boolean) {
    this.#url = url;
    this.#hasRoot = hasRoot;
  }

  get end(): string | null {
    return this.#hasRoot ? XML_END : null;
  }

  read(bytes: Buffer): WholeRecords {
    let [head, from] = [NOTHING, 0];
    if (!this.#hasRoot) {
      const root = /^<\?xml [^>]*\?>\n<register [^>]*>\n/.exec(bytes.toString('latin1', 0, MAX_ROOT_BYTES))?.[0];
      if (root === undefined) return { length: 0, head: NOTHING, text: NOTHING, positions: [] };
      this.#hasRoot = true;
      from = root.length;
      // The whole has neither the address of a page nor of a next one.
      head = Buffer.from(bytes.toString('utf8', 0, from).replace(/ (?:self|next)="[^"]*"/g, ''));
    }
    // Every `<` in texts is escaped: a match is really the end of a record, or the start of one.
    const last = bytes.lastIndexOf('</record>\n');
    const length = last < from ? from : last + '</record>\n'.length;
    const text = bytes.subarray(from, length);
    const starts = text.toString('latin1').matchAll(/^<record id="[^"]*" position="(\d+)"/gm);
    return { length, head, text, positions: Array.from(starts, ([, position]) => positionOf(position, this.#url)) };
  }
}

/** NDJSON. */
export class NdjsonReader implements RecordReader {
  readonly columns = null;
  readonly end = '';
  readonly #url: URL;
  readonly #kept: ((record: object) => object) | null;

  /** @param kept what the file has of a record. Null: what came */
  constructor(url: URL, kept: ((record: object) => object) | null) {
    this.#url = url;
    this.#kept = kept;
  }

  read(bytes: Buffer, seen: number): WholeRecords {
    const last = bytes.subarray(seen).lastIndexOf(LF);
    const length = last === -1 ? 0 : seen + last + 1;
    const records =
      length === 0
        ? []
        : bytes
            .toString('utf8', 0, length - 1)
            .split('\n')
            .map(this.#record);
    const kept = this.#kept;
    const text =
      kept === null
        ? bytes.subarray(0, length)
        : Buffer.from(records.map((record) => `${lineOf(kept(record), this.#url)}\n`).join(''));
    const positions = records.map(({ position }) => positionOf(position, this.#url));
    return { length, head: NOTHING, text, positions };
  }

  readonly #record = (line: string): Readonly<Record<string, unknown>> => {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch (cause) {
      throw invalid(this.#url, 'a record on each line', cause);
    }
    if (isObject(record)) return record;
    throw invalid(this.#url, 'a record on each line');
  };
}

/** A record as a line, without its end. @throws GazetteError `invalid_answer` */
export function lineOf(record: object, url: URL): string {
  try {
    return JSON.stringify(record);
  } catch (cause) {
    throw invalid(url, 'records that are not nested deeper than can be written', cause);
  }
}

/** @throws GazetteError `invalid_answer` */
export function positionOf(value: unknown, url: URL): number {
  const position = Number(value);
  if (Number.isSafeInteger(position) && position >= 1) return position;
  throw invalid(url, `positions from 1, not ${quote(value)}`);
}

/** What was answered is not what it has to be. */
export function invalid(url: URL, expected: string, cause?: unknown): GazetteError {
  return new GazetteError('invalid_answer', `${where(url)} must answer ${expected}`, { cause });
}

// A publisher's file as it is named and described: opened only when it is read, closed when reading ends, and read by the reader
// of its format.
import { createReadStream, statSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { GazetteError, quote } from '../../errors.ts';
import type { ByteSource } from '../readers/byte-source.ts';
import { contentReader } from '../readers/file/content-reader.ts';
import { csvReader } from '../readers/csv.ts';
import { jsonReader } from '../readers/json.ts';
import { ndjsonReader } from '../readers/ndjson.ts';
import type { FileFormat } from '../readers/file/file-kind.ts';
import type { RecordReaderOptions, RecordReader } from '../readers/raw-record.ts';
import { xlsxReader } from '../readers/xlsx/index.ts';
import type { ReadingOptions } from './file-options.ts';

/** A file or standard input, and the number of bytes read. */
export interface Input extends ByteSource {
  /** The total size in bytes; null if it is not known before the end, as in a pipe. */
  readonly size: number | null;
  /** The number of bytes read so far. */
  readonly bytesRead: number;
  /** Calls `listener` with all bytes as they are read. */
  watch(listener: (bytes: Uint8Array) => void): void;
}

/** The input formats, by the names on the command line. */
export const INPUT_FORMATS: readonly FileFormat[] = ['json', 'ndjson', 'csv', 'xlsx'];

/** How an input is read. */
export interface ReaderOptions extends RecordReaderOptions, ReadingOptions {
  readonly inputFormat?: string | undefined;
}

/** The option that names the format of the file: of `import`, and of `export -`. */
type FormatFlag = '--format' | '--input-format';

/** The file of this path, which is refused (`invalid_input`) if it is written to while it is read. @param name what messages call it. Default: its path @param maxUnpacked as in {@link ByteSource} */
export function openFile(path: string, name: string = path, maxUnpacked?: number): Input {
  const size = sizeOf(() => statSync(path));
  return new StreamInput(name, size, () => createReadStream(path), { maxUnpacked, path });
}

/** A stream as an input. @param size in bytes; null if it is not known */
export function toInput(name: string, size: number | null, open: () => Readable): Input {
  return new StreamInput(name, size, open);
}

/**
 * The reader for an input: of the named format, else that of the file's name, else the one that its content shows.
 *
 * @param option the command's option that names the format; where it is `--format`, the guard's is `--formulas`
 * @throws GazetteError `usage` for an unknown format, or an option that does not apply to the format; `invalid_option`.
 *   If only the content shows the format, from the reader's `batches()`.
 */
export function openReader(input: Input, options: ReaderOptions, option: FormatFlag = '--input-format'): RecordReader {
  const format = chosenFormat(input.name, options.inputFormat, option);
  if (format === null) return contentReader(input, (found, source) => createReader(source, found, options, option));
  return createReader(input, format, options, option);
}

function createReader(
  input: ByteSource,
  format: FileFormat,
  options: ReaderOptions,
  formatFlag: FormatFlag,
): RecordReader {
  const { pick, keepsFaults = false } = options;
  checkOptions(format, options, formatFlag);
  const { inputFormulas: formulas = 'raw' } = options;
  const { delimiter = isTsv(input.name) ? '\t' : undefined, encoding, headerRow } = options;
  const text = encoding === undefined ? {} : { encoding };
  const header = {
    ...(headerRow === undefined ? {} : { headerRow }),
    ...(options.header === false ? { header: false as const } : {}),
  };
  switch (format) {
    case 'json':
      return jsonReader(input, { ...text, ...(pick === undefined ? {} : { pick }), keepsFaults });
    case 'xlsx':
      return xlsxReader(input, { ...header, formulas, ...(pick === undefined ? {} : { sheet: pick }), keepsFaults });
    case 'ndjson':
      return ndjsonReader(input, { ...text, keepsFaults });
    case 'csv':
      return csvReader(input, {
        ...text,
        ...header,
        formulas,
        ...(delimiter === undefined ? {} : { delimiter }),
        keepsFaults,
      });
  }
}

/** The format that the option says, else that of the file's name; null if none does. @throws GazetteError `usage` */
export function chosenFormat(name: string, said: string | undefined, option: string): FileFormat | null {
  const format = said ?? formatOfName(name);
  if (format === null || isInputFormat(format)) return format;
  throw new GazetteError('usage', `${option} must be one of ${INPUT_FORMATS.join(', ')}, got ${quote(format)}`);
}

/** Whether a name says that tabs separate the fields. */
export function isTsv(name: string): boolean {
  return /\.tsv(?:\.gz|\.zst)?$/i.test(name);
}

function isInputFormat(name: string): name is FileFormat {
  return INPUT_FORMATS.some((format) => format === name);
}

/** The formats that an option applies to, in the words of its message. */
const APPLIES: readonly {
  readonly name: 'pick' | 'delimiter' | 'encoding' | 'header' | 'headerRow' | 'inputFormulas';
  readonly formats: readonly FileFormat[];
  readonly words: string;
}[] = [
  { name: 'pick', formats: ['json', 'xlsx'], words: 'JSON documents and workbooks' },
  { name: 'delimiter', formats: ['csv'], words: 'CSV' },
  { name: 'encoding', formats: ['json', 'ndjson', 'csv'], words: 'text' },
  { name: 'header', formats: ['csv', 'xlsx'], words: 'CSV and workbooks' },
  { name: 'headerRow', formats: ['csv', 'xlsx'], words: 'CSV and workbooks' },
  { name: 'inputFormulas', formats: ['csv', 'xlsx'], words: 'CSV and workbooks' },
];

function checkOptions(format: FileFormat, options: ReaderOptions, formatFlag: FormatFlag): void {
  for (const { name, formats, words } of APPLIES) {
    const isSaid = name === 'header' ? options.header === false : options[name] !== undefined;
    if (!isSaid || formats.includes(format)) continue;
    const why = name === 'pick' ? `in ${format} every line is a record` : `the input is read as ${format}`;
    const flag =
      name === 'inputFormulas' && formatFlag === '--format'
        ? '--formulas'
        : name === 'header'
          ? '--no-header'
          : `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    throw new GazetteError('usage', `${flag} applies to ${words}; ${why}`);
  }
}

/** The format that a file's name says, with or without the ending of a compressed file; null if it says none. */
function formatOfName(name: string): FileFormat | null {
  const ending = /\.([a-z]+)(?:\.gz|\.zst)?$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  if (ending === 'ndjson' || ending === 'jsonl') return 'ndjson';
  if (ending === 'csv' || ending === 'tsv') return 'csv';
  if (ending === 'geojson') return 'json';
  return ending === 'xlsx' || ending === 'json' ? ending : null;
}

class StreamInput implements Input {
  readonly name: string;
  readonly size: number | null;
  readonly maxUnpacked: number | undefined;
  readonly #open: () => Readable;
  /** Of a file. */
  readonly #path: string | undefined;
  readonly #listeners: ((bytes: Uint8Array) => void)[] = [];
  #bytesRead = 0;

  constructor(
    name: string,
    size: number | null,
    open: () => Readable,
    { maxUnpacked, path }: { readonly maxUnpacked?: number | undefined; readonly path?: string } = {},
  ) {
    this.name = name;
    this.size = size;
    this.maxUnpacked = maxUnpacked;
    this.#open = open;
    this.#path = path;
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  watch(listener: (bytes: Uint8Array) => void): void {
    this.#listeners.push(listener);
  }

  async *open(signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const before = fileAt(this.#path);
    const stream = this.#open();
    const stop = (): void => {
      stream.destroy();
    };
    signal?.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        this.#bytesRead += chunk.length;
        for (const listener of this.#listeners) listener(chunk);
        yield chunk;
      }
      if (wasWritten(before, fileAt(this.#path)))
        throw new GazetteError(
          'invalid_input',
          `${this.name} was written to while it was read: import it again once it is whole`,
        );
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }
}

/** Null: there is no regular file, or it cannot be accessed, which is reported when it is opened. */
function fileAt(path: string | undefined): Stats | null {
  try {
    const stats = path === undefined ? null : statSync(path);
    return stats?.isFile() === true ? stats : null;
  } catch {
    return null;
  }
}

/** Whether a file was written to. One that took its place says nothing: what was opened stays as it was. */
function wasWritten(before: Stats | null, after: Stats | null): boolean {
  if (before === null || after?.ino !== before.ino) return false;
  return after.size !== before.size || after.mtimeMs !== before.mtimeMs;
}

/** The size of a regular file. A file that cannot be accessed is reported when it is opened. */
export function sizeOf(stat: () => Stats): number | null {
  try {
    const stats = stat();
    return stats.isFile() ? stats.size : null;
  } catch {
    return null;
  }
}

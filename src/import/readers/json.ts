// Reads a JSON document of any size (RFC 8259) in one pass: the records are the elements of one array in it, and only
// one of them is in memory at a time. Everything around the array is checked and discarded.
import { GazetteError, quote } from '../../errors.ts';
import type { ByteSource } from './byte-source.ts';
import { ExactNumberCount } from './exact-number.ts';
import { givenReader } from './given-records.ts';
import { JsonDocument } from './json-document.ts';
import type { RecordReader } from './raw-record.ts';
import type { ReaderNote } from './reader-note.ts';
import { checkTextOptions, readText, type TextReaderOptions } from './text/read-text.ts';
import { formatPath, parsePath } from './value-path.ts';

/** Options for finding the records. */
export interface JsonReaderOptions extends TextReaderOptions {
  /** The path of their array, `vulnerabilities` or `result.items`; without it the document itself is the array. */
  readonly pick?: string;
}

/**
 * Reads the records of a JSON document, or records that a program has as objects: any iterable of them, async or not, such as a
 * generator, a cursor or a stream, which is read once, in constant memory. Their places are `record 3`, from 0, and their values
 * those of JSON, or big integers: a date, or another instance of a class, is refused.
 *
 * @throws GazetteError `invalid_option` for a malformed `pick` or an unknown encoding, either beside `records`, and `records` that are not iterable; from `batches()` also `invalid_input` for text that
 *   is no JSON (with line, column and byte), truncated, nested deeper than MAX_DEPTH, with a value or record
 *   over
 *   MAX_VALUE_LENGTH or with more than MAX_VALUES values, with a name twice in one record, or without an array
 *   at
 *   the path.
 * @example jsonReader({ name: 'permits of the office', records: statement.iterate() })
 * @example jsonReader({ name: 'kev.json', open: () => createReadStream('kev.json') }, { pick: 'vulnerabilities' })
 */
export function jsonReader(
  source: ByteSource | { readonly name: string; readonly records: Iterable<object> | AsyncIterable<object> },
  options: JsonReaderOptions = {},
): RecordReader {
  if ('records' in source) return givenReader(source, options);
  const pick = options.pick === undefined ? [] : parsePath(options.pick);
  if (pick === null) {
    throw new GazetteError('invalid_option', `pick must be a path such as result.items, got ${quote(options.pick)}`, {
      details: { option: 'pick' },
    });
  }
  checkTextOptions(options);
  const notes: ReaderNote[] = [];
  const exact = new ExactNumberCount();
  const label = formatPath(pick);
  const where = (at: number): string => `${label}[${at}]`;
  const parts = { name: source.name, pick, where, exact, keepsFaults: options.keepsFaults ?? false };
  return {
    name: source.name,
    where,
    notes: () => [...notes, ...exact.notes()],
    async *batches(signal) {
      let document: JsonDocument | undefined;
      for await (const piece of readText(source, 'json', options, (note) => notes.push(note), signal)) {
        document ??= new JsonDocument({ ...parts, byte: piece.start });
        const records = document.push(piece.text);
        if (records.length > 0) yield { records, bytes: piece.end };
      }
      (document ?? new JsonDocument({ ...parts, byte: 0 })).end();
    },
  };
}

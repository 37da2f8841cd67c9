/**
 * The public entry `gazette/import`: reads publishers' files as streams of records, and imports them into a store of
 * `gazette/stores`. It is separate from the main entry, so that a program that only exports loads no parser.
 *
 * @module
 */
export type { ImportOptions, ImportProgress, ImportResult, RefusedRecord } from './import-options.ts';
export type { FindingActions, ImportFinding } from './proposals/finding-codes.ts';
export { findFields, type FindOptions } from './fields/find-fields.ts';
export type { FoundField } from './mapping/columns.ts';
export { guessImport } from './guess/guess-import.ts';
export type { GuessOptions, ImportGuess } from './guess/import-guess.ts';
export { importRecords } from './importer.ts';
export type { FieldExample, FieldReport, ImportReport, ReportedFinding } from './proposals/report.ts';
export type { ByteSource } from './readers/byte-source.ts';
export { type ExactNumber, isExactNumber } from './readers/exact-number.ts';
export { csvReader } from './readers/csv.ts';
export type { CsvReaderOptions } from './readers/csv/table-start.ts';
export type { TableReaderOptions } from './readers/table/row-header.ts';
export type { TextReaderOptions } from './readers/text/read-text.ts';
export type { FileFormat } from './readers/file/file-kind.ts';
export { jsonReader, type JsonReaderOptions } from './readers/json.ts';
export { parseMapping, type MappingRule } from './mapping/mapping.ts';
export { ndjsonReader } from './readers/ndjson.ts';
export type {
  RawBatch,
  RawObject,
  RawRecord,
  RawValue,
  RecordReaderOptions,
  RecordReader,
} from './readers/raw-record.ts';
export type { ReaderNote } from './readers/reader-note.ts';
export type { TextFormOptions } from './mapping/text-forms.ts';
export type { IngestNotes } from './mapping/record-map.ts';
export type { RecordStreamOptions } from './opened-records.ts';
export { openRecordStream, type RecordStream } from './record-stream.ts';
export { xlsxReader, type XlsxReaderOptions } from './readers/xlsx/index.ts';

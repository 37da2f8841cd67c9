// The public entry `gazette/import`: publishers' files as streams of records, and into a store of `gazette/stores`. Apart
// from the main entry, so that a program that only exports loads no parser.
export {
  type ImportOptions,
  type ImportProgress,
  importRecords,
  type ImportResult,
  type RefusedRecord,
} from './importer.ts';
export { type ByteSource } from './readers/byte-source.ts';
export { csvReader, type CsvReaderOptions } from './readers/csv.ts';
export { jsonReader, type JsonReaderOptions } from './readers/json.ts';
export { parseMapping, type MappingRule, type MappingSource } from './mapping/mapping.ts';
export { ndjsonReader } from './readers/ndjson.ts';
export {
  MAX_DEPTH,
  MAX_VALUE_LENGTH,
  type RawBatch,
  type RawObject,
  type RawRecord,
  type RawValue,
  type RecordReader,
} from './readers/raw-record.ts';
export { type IngestNotes, type RecordStreamOptions } from './opened-records.ts';
export { openRecordStream, type RecordStream } from './record-stream.ts';
export { type ValuePath } from './readers/value-path.ts';
export { xlsxReader, type XlsxReaderOptions } from './readers/xlsx/index.ts';

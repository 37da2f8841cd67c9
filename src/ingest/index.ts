// The public entry `gazette/ingest`: publishers' files as registers. Apart from the main entry, so that whoever only
// exports loads no parser.
export { type ByteSource } from './byte-source.ts';
export { csvReader, type CsvOptions } from './csv.ts';
export { jsonReader, type JsonOptions } from './json.ts';
export { parseMapping, type MappingRule, type MappingSource } from './mapping.ts';
export { ndjsonReader } from './ndjson.ts';
export {
  MAX_DEPTH,
  MAX_VALUE_LENGTH,
  type RawBatch,
  type RawObject,
  type RawRecord,
  type RawValue,
  type RecordReader,
} from './raw.ts';
export { type IngestNotes, type RecordStreamOptions } from './opened-records.ts';
export { openRecordStream, type RecordStream } from './record-stream.ts';
export { type ValuePath } from './value-path.ts';
export { xlsxReader, type XlsxOptions } from './xlsx.ts';

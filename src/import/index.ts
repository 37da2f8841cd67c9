/**
 * The public entry `gazette/import`: reads publishers' files as streams of records, and imports them into a store of
 * `gazette/stores`. It is separate from the main entry, so that a program that only exports loads no parser.
 *
 * @module
 */
export type {
  ImportFinding,
  ImportOptions,
  ImportOrigin,
  ImportProgress,
  ImportResult,
  RefusedRecord,
} from './import-options.ts';
export { findFields, type FindOptions } from './fields/find-fields.ts';
export type { FoundField } from './fields/field-finder.ts';
export { type GuessedColumn, guessImport, type GuessOptions, type ImportGuess } from './guess/guess-import.ts';
export { importRecords } from './importer.ts';
export { type ByteSource } from './readers/byte-source.ts';
export { type ExactNumber, isExactNumber } from './readers/exact-number.ts';
export { csvReader, type CsvReaderOptions } from './readers/csv.ts';
export { jsonReader, type JsonReaderOptions } from './readers/json.ts';
export { parseMapping, type MappingRule, type MappingSource } from './mapping/mapping.ts';
export { ndjsonReader, type NdjsonReaderOptions } from './readers/ndjson.ts';
export {
  MAX_DEPTH,
  MAX_VALUE_LENGTH,
  MAX_VALUES,
  type RawBatch,
  type RawObject,
  type RawRecord,
  type RawValue,
  type RecordReader,
} from './readers/raw-record.ts';
export type { TextFormOptions } from './mapping/text-forms.ts';
export { type IngestNotes, type RecordStreamOptions } from './opened-records.ts';
export { openRecordStream, type RecordStream } from './record-stream.ts';
export { type ValuePath } from './readers/value-path.ts';
export { xlsxReader, type XlsxReaderOptions } from './readers/xlsx/index.ts';

// Types used in the signatures above.
export { type ErrorCode, type ErrorDetails, GazetteError, isGazetteError } from '../errors.ts';
export type { JsonValue } from '../register/canonical-json.ts';
export type { DefinitionInput } from '../register/definition.ts';
export type { Direction, Order } from '../register/sources/order.ts';
export type { AsOf, Page, PageQuery } from '../register/page.ts';
export type { Filter } from '../register/finding/filter.ts';
export type {
  Field,
  FieldType,
  RecordVersion,
  Prices,
  RegisterDefinition,
  ChainPrice,
  RegisterRecord,
  VersionCause,
} from '../register/record.ts';
export type { Facet, FacetValue } from '../register/finding/facets.ts';
export type { RegisterSource, RegisterStream } from '../register/sources/source.ts';
export type { ImportCounts, ImportEnd, ImportEntry, ImportLog, NewImport } from '../stores/contract/imports.ts';
export type { Lease, LeaseHolder, LeaseStore, NewLease, UnderLease } from '../stores/contract/leases.ts';
export type { PendingPurge, PurgeStore, RedactOptions } from '../stores/contract/purges.ts';
export type { CatalogueStore, RegistersPage, RegistersRange, RegistersWalk } from '../stores/contract/catalogue.ts';
export type { CountedField, ValueCount, ValueStore } from '../stores/contract/values.ts';
export type { WaitOptions } from '../stores/lease/hold-register.ts';
export type {
  Batch,
  PreparedParts,
  PreparedRecord,
  PublishedRecord,
  RecordComparison,
} from '../stores/contract/prepared-record.ts';
export type {
  ApplyOptions,
  BatchResult,
  ChangesOptions,
  ChangesPage,
  HistoryRange,
  RegisterEntry,
  RegisterStore,
  SourceOptions,
  StoredRecord,
  WithdrawResult,
  WriteOptions,
} from '../stores/contract/registers.ts';
export type { KnowledgeFigures, ReplicaFigures } from '../stores/contract/nodes/figures.ts';
export type { Template, TemplateSlot } from './mapping/template.ts';
export type { Place } from './readers/value-path.ts';
export type { CellOptions } from './readers/row-header.ts';
export type { TableStartOptions } from './readers/csv/table-start.ts';
export type { FaultOptions } from './readers/raw-record.ts';
export type { ReaderNote, ReaderNoteCode } from './readers/reader-note.ts';
export type { TextOptions } from './readers/text/read-text.ts';
export type { FileFormat } from './readers/file/file-kind.ts';

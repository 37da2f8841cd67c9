// The public entry `gazette/import`: a publisher's file, opened by a reader of `gazette/ingest`, into a store of
// `gazette/stores`.
export {
  type ImportOptions,
  type ImportProgress,
  importRecords,
  type ImportResult,
  type RefusedRecord,
} from './importer.ts';

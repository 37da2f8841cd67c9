/**
 * `gazette/client`: for consumers of a service, on any runtime with a web-standard `fetch`.
 *
 * @module
 */
export { changes, type ChangesOptions } from './changes.ts';
export { exportPages, type ExportPagesOptions, type FetchedPage } from './export-pages.ts';
export { feeds, type FeedsOptions, type ListedFeed } from './feeds.ts';
export { history, type HistoryOptions } from './history.ts';
export { type ChosenRecord, type ChosenRecordsOptions, records, type RecordsOptions } from './records.ts';
export type { PageOptions } from './address.ts';
export {
  type CachedAnswer,
  type ClientCache,
  type ClientOptions,
  DEFAULT_ATTEMPTS,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_MAX_WAIT_MS,
  DEFAULT_TIMEOUT_MS,
} from './client-options.ts';

// Types in the signatures above.
export type { JsonValue } from '../register/canonical-json.ts';
export type { Filter } from '../register/finding/filter.ts';
export type {
  ChainPrice,
  Field,
  FieldType,
  Prices,
  RecordVersion,
  RegisterDefinition,
  RegisterRecord,
  VersionCause,
} from '../register/record.ts';

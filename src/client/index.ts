// `gazette/client`: the consumer's side, for any runtime with a web-standard `fetch`.
export { exportPages, type ExportPagesOptions, type FetchedPage } from './export-pages.ts';
export { history, type HistoryOptions } from './history.ts';
export { records, type RecordsOptions } from './records.ts';
export type { PageOptions } from './address.ts';
export {
  type CachedAnswer,
  type ClientCache,
  type ClientOptions,
  DEFAULT_ATTEMPTS,
  DEFAULT_MAX_WAIT_MS,
  DEFAULT_TIMEOUT_MS,
} from './client-options.ts';

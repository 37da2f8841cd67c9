/**
 * `gazette/client`: for consumers of a service, on any runtime with a web-standard `fetch`.
 *
 * @module
 */
export { changes, type ChangesOptions } from './changes.ts';
export { exportPages, type FetchedPage } from './export-pages.ts';
export { feeds, type FeedsOptions, type ListedFeed } from './feeds.ts';
export { figures, type FiguresOptions, type RegisterFigures } from './figures.ts';
export { follow, type FollowOptions } from './follow.ts';
export { history, type HistoryOptions } from './history.ts';
export { type ChosenRecord, records, type RecordsOptions } from './records.ts';
export type { RecordOf } from './typed-record.ts';
export { wholeRegister, type WholeRegister, type WholeRegisterOptions } from './whole-register.ts';
export type { Figure } from '../register/finding/figures.ts';
export type { StreamMessage } from '../register/record.ts';
export type { PageOptions } from './address.ts';
export type { CachedAnswer, ClientCache, ClientOptions } from './client-options.ts';

/**
 * The public entry `gazette/mirror`: copies of other services' registers.
 *
 * @module
 */
export { type ErrorCode, type ErrorDetails, GazetteError, isGazetteError } from '../errors.ts';
export type { ClientOptions } from '../client/client-options.ts';
export type { PullResult } from './copy.ts';
export type { JoinedFormat } from './joiners.ts';
export { pullRegister, type PullOptions, type PullProgress } from './pull.ts';

// Types used in the signatures above.
export type { CachedAnswer, ClientCache } from '../client/client-options.ts';

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
export { type Proved, provedChanges, type ProvedChangesOptions } from './proved/changes.ts';
export type { ProvedChange } from './proved/version.ts';

// Types used in the signatures above.
export type { Cosignature } from './proved/cosigners.ts';
export type { Listing } from './proved/listed-head.ts';
export type { JsonValue } from '../register/canonical-json.ts';
export type { VersionCause } from '../register/record.ts';
export type { CachedAnswer, ClientCache } from '../client/client-options.ts';

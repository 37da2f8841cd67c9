/**
 * The public entry `gazette/mirror`: copies of other services' registers.
 *
 * @module
 */
export type { PullResult } from './copy.ts';
export { pullRegister, type PullOptions, type PullProgress } from './pull.ts';
export { type Proved, provedChanges, type ProvedChangesOptions } from './proved/changes.ts';
export type { ProvedChange } from './proved/version.ts';
export type { JoinedFormat } from './joiners.ts';
export type { Cosignature } from './proved/cosigners.ts';
export type { Listing } from './proved/listed-head.ts';

/**
 * The public entry `gazette/mirror`: copies of other services' registers.
 *
 * @module
 */
export type { PullResult } from './copy.ts';
export { pullRegister, type PullOptions, type PullProgress } from './pull.ts';
export { type Proved, provedChanges, type ProvedChangesOptions } from '../wings/proofs/mirror/changes.ts';
export type { ProvedChange } from '../wings/proofs/mirror/version.ts';
export type { JoinedFormat } from './joiners.ts';
export type { Cosignature } from '../wings/proofs/mirror/cosigners.ts';
export type { Listing } from '../wings/proofs/mirror/listed-head.ts';

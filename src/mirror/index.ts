/**
 * The public entry `gazette/mirror`: copies of other services' registers.
 *
 * @module
 */
export type { PullResult } from './copy.ts';
export { pullRegister, type PullOptions, type PullProgress } from './pull.ts';
export { type Proved, provedChanges, type ProvedChangesOptions } from '../wings/proofs/mirror/changes.ts';
export type { ProvedChange } from '../wings/proofs/mirror/version.ts';
export { mirrorRegister, type MirrorOptions, type MirrorProgress } from './mirror.ts';
export type { JoinedFormat } from './joiners.ts';
export type { Cosignature, Listing } from './prover.ts';

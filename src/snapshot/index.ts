/**
 * The public entry `gazette/snapshot`: writes registers of a store of `gazette/stores` as a folder of files that any
 * static host can serve, and verifies such a folder.
 *
 * @module
 */
export {
  type SnapshotOptions,
  type SnapshotProgress,
  type SnapshotResult,
  SnapshotWriter,
  writeSnapshot,
} from './run.ts';
export type { SnapshotBucket } from './bucket/requests.ts';
export type { RegisterSnapshot } from './unchanged.ts';
export { type Finding, type Verification, verifySnapshot } from './verify.ts';
export type { SnapshotStore } from './wing.ts';

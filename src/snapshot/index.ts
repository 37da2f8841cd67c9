// The public entry `gazette/snapshot`: registers of a store of `gazette/stores` as a folder of files that any static host
// can serve, and the proof that such a folder is whole.
export {
  type SnapshotOptions,
  type SnapshotProgress,
  type SnapshotResult,
  SnapshotWriter,
  writeSnapshot,
} from './run.ts';
export { type RegisterSnapshot } from './register.ts';
export { type Finding, type Verification, verifySnapshot } from './verify.ts';

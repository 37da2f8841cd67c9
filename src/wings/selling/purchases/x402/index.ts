/**
 * The entry `gazette/x402`: payments on chain by x402 version 2. It needs the package `@x402/core`, an optional peer.
 *
 * @module
 */
export type { ChainOptions, X402Options } from './options.ts';
export { createX402 } from './provider.ts';
export { Reconciler, type ReconcilerOptions, type ReconcilerReport } from './reconciler.ts';
export { Receipts } from '../receipts.ts';

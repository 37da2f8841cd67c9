/**
 * The entry `gazette/x402`: payments on chain by x402 version 2. It needs the package `@x402/core`, an optional peer.
 *
 * @module
 */
import type { PaymentProvider } from '../../../../views/selling.ts';
import type { X402Options } from './options.ts';
import { openX402 } from './provider.ts';

export type { ChainOptions, X402Options } from './options.ts';
export { Reconciler, type ReconcilerOptions, type ReconcilerReport } from './reconciler.ts';
export { Receipts } from '../receipts.ts';

/**
 * Sets up payments by x402.
 *
 * @throws GazetteError `missing_peer` where `@x402/core` is not installed; `invalid_option`
 */
export function createX402(options: X402Options): Promise<PaymentProvider> {
  return openX402(options);
}

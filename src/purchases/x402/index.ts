// The entry `gazette/x402`: payments on chain by x402 version 2. It needs the package `@x402/core`, an optional peer.
export { type ChainOptions, X402, type X402Options } from './options.ts';
export { type X402Authorization } from './presented.ts';
export { createX402, X402Provider } from './provider.ts';
export { type PaymentRequiredObject } from './payment-required.ts';
export { Reconciler, type ReconcilerOptions, type ReconcilerReport } from './reconciler.ts';
export { type RpcOptions } from './json-rpc.ts';
export { type Citation, type ReceiptClaims, type ReceiptJwk, Receipts } from '../receipts.ts';

// The entry `gazette/x402`: payments on chain by x402 version 2. It needs the package `@x402/core`, an optional peer.
export { type ChainOptions, X402, type X402Options } from './options.ts';
export { type X402Authorization } from './presented.ts';
export { createX402, X402Provider } from './provider.ts';
export { type PaymentRequiredObject } from './payment-required.ts';
export { Reconciler, type ReconcilerOptions, type ReconcilerReport } from './reconciler.ts';
export { type RpcOptions } from './json-rpc.ts';
export { type ReceiptClaims, Receipts } from '../receipts.ts';

// Types in the signatures above.
export type { JsonValue } from '../../register/canonical-json.ts';
export type { Money, Tokens } from '../../money.ts';
export type * from '../../stores/contract/ledger.ts';
export type {
  Authorization,
  Offer,
  OfferedResource,
  PaymentProvider,
  PurchaseRequest,
  Settlement,
  BuyerProof,
} from '../provider.ts';
export type { Payment, SignedAuthorization } from './payment.ts';
export type { Chain, ChainBlock, ChainFinding, ChainTerms } from './chain.ts';
export type { ChainPrice } from '../../register/record.ts';
export type { OwnedRange, OwnedRecord } from '../../register/sources/preview-source.ts';
export { type ErrorCode, type ErrorDetails, GazetteError } from '../../errors.ts';

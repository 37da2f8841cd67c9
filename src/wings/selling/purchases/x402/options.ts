// What payments by x402 are set up with.
import type { FacilitatorClient } from '@x402/core/http';
import type { ServiceStore } from '../../../../stores/contract/accounts.ts';
import type { Payer } from '../../stores/contract/ledger.ts';
import type { Receipts } from '../receipts.ts';

/** The name of payments by x402 among the providers, and in the ledger. */
export const X402 = 'x402';

/** The payer of payments on chain. @param network by CAIP-2, such as `eip155:8453` */
export function x402Payer(network: string, address: string): Payer {
  return `x402:${network}:${address}`.toLowerCase();
}

/** A chain that is paid on. */
export interface ChainOptions {
  /** The address of a node. It may contain a secret, and no message shows more of it than its host. */
  readonly url: string;
  /** How long one question may take, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  /**
   * How many blocks must follow a payment, or the end of an authorization, before the reconciler acts on it. Default 12.
   * A settlement that the facilitator and the chain both show is charged at once, and looked at once more at that depth.
   */
  readonly confirmations?: number;
  /** How many blocks are asked for at once, which nodes limit. Default 500. */
  readonly logRange?: number;
}

/** How records are sold for payments on chain. */
export interface X402Options {
  /** The address of the facilitator, or a client of it (`FacilitatorClient` of `@x402/core`). */
  readonly facilitator: string | FacilitatorClient;
  /** A node for every network of the prices: a facilitator has nothing to ask afterwards. */
  readonly chains: readonly ChainOptions[];
  /** The service's store. */
  readonly store: Pick<ServiceStore, 'part'>;
  /** {@link Receipts.fromHex} of `GAZETTE_RECEIPT_KEY`. */
  readonly receipts: Receipts;
  /** How long a request waits for a payment that is under way, in milliseconds. Then it is answered 202. Default 15,000. */
  readonly waitMs?: number;
  /** How often it looks, in milliseconds. Default 250. */
  readonly pollMs?: number;
  /** The time, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

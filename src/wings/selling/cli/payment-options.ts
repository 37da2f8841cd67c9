// How payments on chain are taken and read.
import { list, type Options, settings, text, whole } from '../../../cli/command.ts';

/** More blocks than any chain takes to be final. */
const MAX_CONFIRMATIONS = 10_000;

/** Where chains are read. */
export interface ChainReadingOptions {
  /** `NETWORK=URL` each. */
  readonly x402Rpc: readonly string[];
  readonly x402Confirmations: number;
}

/** Where chains are read. */
export const CHAIN_OPTIONS: Options<ChainReadingOptions> = settings({
  x402Rpc: list(
    '<network=url>',
    'a node of a chain that is paid on, such as eip155:8453=https://node.example.org',
    'none',
  ),
  x402Confirmations: whole(
    'how many blocks must follow a payment before the reconciler acts on it',
    0,
    MAX_CONFIRMATIONS,
    12,
  ),
});

/** Who takes payments. */
export interface PaymentOptions extends ChainReadingOptions {
  /** Absent: no payments on chain. */
  readonly x402Facilitator?: string;
}

/** A service that takes payments on chain. */
export const PAYMENT_OPTIONS: Options<PaymentOptions> = {
  ...settings({
    x402Facilitator: text(
      '<url>',
      'sell records for payments on chain (x402) through this facilitator; needs @x402/core, --x402-rpc, --base-url and GAZETTE_RECEIPT_KEY',
    ),
  }),
  ...CHAIN_OPTIONS,
};

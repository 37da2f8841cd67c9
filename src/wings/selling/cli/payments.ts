// Payments on chain for `gazette serve` and `gazette reconcile`: who takes them, and the reconciler in the background.
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, quote } from '../../../errors.ts';
import { RECEIPT_KEY_VARIABLE, Receipts } from '../purchases/receipts.ts';
import {
  type ChainOptions,
  createX402,
  Reconciler,
  type ReconcilerReport,
  type X402Options,
} from '../purchases/x402/index.ts';
import { chainsOf as nodesOf } from '../purchases/x402/provider.ts';
import type { PaymentProvider } from '../../../views/selling.ts';
import type { ServiceStore } from '../../../stores/contract/accounts.ts';
import type { ChainReadingOptions, PaymentOptions } from './payment-options.ts';
import { say } from '../../../cli/io/say.ts';
import type { Io } from '../../../cli/io/io.ts';

/** How often a running service looks at payments that nobody knows the end of, in milliseconds. */
const RECONCILE_EVERY_MS = 15_000;

/** The chains of the options. @throws GazetteError `usage` */
export function chainsOf({ x402Rpc, x402Confirmations }: ChainReadingOptions): readonly ChainOptions[] {
  return x402Rpc.map((text) => {
    const [, network, url] = /^(eip155:[1-9]\d*)=(https?:\/\/.+)$/.exec(text) ?? [];
    if (network === undefined || url === undefined || !URL.canParse(url)) {
      // The address may contain a secret.
      const [, named] = /^([\w:.-]{1,80})=/.exec(text) ?? [];
      const shown = named === undefined ? 'an address without its network' : `${quote(named)} and an address`;
      throw new GazetteError(
        'usage',
        `--x402-rpc must be a network and the address of a node, such as eip155:8453=https://node.example.org, got ${shown}`,
      );
    }
    return { network, url, confirmations: x402Confirmations };
  });
}

/** What makes and checks receipts: `GAZETTE_RECEIPT_KEY`; null where it is not set. @throws GazetteError `invalid_receipt_key` */
function receiptsOf({ env }: Io): Receipts | null {
  const key = env[RECEIPT_KEY_VARIABLE] ?? '';
  return key === '' ? null : Receipts.fromHex(key);
}

/**
 * What payments on chain are set up with; null for none.
 *
 * @throws GazetteError `usage`, `invalid_receipt_key`
 */
export function paymentSettings(
  options: PaymentOptions & { readonly baseUrl?: string },
  io: Io,
): (Pick<X402Options, 'chains' | 'receipts'> & { readonly facilitator: string }) | null {
  const { x402Facilitator: facilitator } = options;
  const chains = chainsOf(options);
  const receipts = receiptsOf(io);
  if (facilitator === undefined) return null;
  if (chains.length === 0) {
    throw new GazetteError(
      'usage',
      '--x402-facilitator needs --x402-rpc: what was paid is read on the chain, and a facilitator has nothing to ask afterwards',
    );
  }
  if (options.baseUrl === undefined) {
    throw new GazetteError(
      'usage',
      '--x402-facilitator needs --base-url: wallets sign in to the address of the service, which no request may choose',
    );
  }
  if (!URL.canParse(facilitator) || !/^https?:$/.test(new URL(facilitator).protocol)) {
    throw new GazetteError('usage', '--x402-facilitator must be an http or https URL');
  }
  return { facilitator, chains, receipts: receipts ?? Receipts.fromHex(undefined) };
}

/**
 * Payments on chain, as the options say; null for none.
 *
 * @throws GazetteError `usage` where a node or the public address is missing, or a node serves another chain; `invalid_receipt_key`, `missing_peer`
 */
export async function paymentsOf(
  options: PaymentOptions & { readonly baseUrl?: string },
  io: Io,
  store: ServiceStore,
): Promise<PaymentProvider | null> {
  const settings = paymentSettings(options, io);
  if (settings === null) return null;
  const provider = await createX402({ ...settings, store });
  for (const chain of nodesOf(settings.chains).values()) {
    // A node that is away now may be back for the first payment.
    const isRight = await chain.isRight().catch((error: unknown) => {
      say(io, `payments: ${reasonOf(error)}`);
      return true;
    });
    if (!isRight) throw new GazetteError('usage', `--x402-rpc: the node for ${chain.network} serves another chain`);
  }
  return provider;
}

/** Looks once at all payments that nobody knows the end of. */
export async function reconcile(
  io: Io,
  store: ServiceStore,
  chains: readonly ChainOptions[],
  signal: AbortSignal,
): Promise<ReconcilerReport> {
  return reconcilerOf(io, store, chains, signal).run();
}

/** Reconciling that goes on beside other work. */
export interface Reconciling {
  /** Ends it, after the payment in work. */
  stop(): Promise<void>;
}

/** Looks at such payments from now on, until it is stopped. */
export function keepReconciling(io: Io, store: ServiceStore, chains: readonly ChainOptions[]): Reconciling {
  const stopping = new AbortController();
  const { signal } = stopping;
  const reconciler = reconcilerOf(io, store, chains, signal);
  const ended = (async (): Promise<void> => {
    while (!signal.aborted) {
      await reconciler.run().catch((error: unknown) => {
        say(io, `payments: ${reasonOf(error)}`);
      });
      await sleep(RECONCILE_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function reconcilerOf(io: Io, store: ServiceStore, chains: readonly ChainOptions[], signal: AbortSignal): Reconciler {
  return new Reconciler({
    ...{ store, chains, signal },
    onError(error, { number }) {
      say(io, `payments: the payment of entry ${number} stays open: ${reasonOf(error)}`);
    },
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// Ends payments that nobody knows the end of, by what the chain shows at the configured depth: what was paid is charged and
// granted, what can never be paid is released. Charges that are younger than that depth are looked at once more: where their
// transfer has vanished, they end in the same ways, or are reversed. A pass may run anywhere, any number of times: the ledger
// takes each end once.
import type { ServiceStore } from '../../../../stores/contract/accounts.ts';
import type { Hold, LedgerStore } from '../../stores/contract/ledger.ts';
import type { Chain, ChainBlock } from './chain.ts';
import { referenceOf } from './payment-terms.ts';
import { type ChainOptions, X402 } from './options.ts';
import { type End, PaymentSearch } from './payment-search.ts';
import { chainsOf } from './provider.ts';
import { SELLING } from '../../stores/plugin.ts';

const DEFAULT_CONFIRMATIONS = 12;

/** How many payments are read from the store at once. */
const HOLDS_AT_ONCE = 100;

/** What the reconciler works with. */
export interface ReconcilerOptions {
  /** The store with the open payments. */
  readonly store: Pick<ServiceStore, 'part'>;
  /** The chains that are read. */
  readonly chains: readonly ChainOptions[];
  /** What happened to one payment that could not be looked at, by its number in the ledger. It stays open, and the pass goes on. */
  readonly onError?: (error: unknown, payment: { readonly number: number }) => void;
  /** Ends the pass after the payment it is at. */
  readonly signal?: AbortSignal;
}

/** What one pass did, counted in payments. */
export interface ReconcilerReport {
  /** Had not ended when it began, charges that may vanish included. */
  readonly open: number;
  /** Found paid: charged and granted, if they were not before. */
  readonly settled: number;
  /** Can never be paid: released. */
  readonly released: number;
  /** Were charged, and have vanished for good: reversed. */
  readonly reversed: number;
  /** Could not be looked at. */
  readonly failed: number;
}

/** Looks at payments that have not ended, again and again where it is asked to. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #ledger: LedgerStore;
  readonly #chains: ReadonlyMap<string, Chain>;
  /** How far the chain was searched for a payment, by the number of its entry. */
  readonly #searches = new Map<number, PaymentSearch>();

  /** @throws GazetteError `invalid_option` */
  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#ledger = options.store.part(SELLING);
    this.#chains = chainsOf(options.chains);
  }

  /** Looks once at every payment that has not ended. */
  async run(): Promise<ReconcilerReport> {
    const { onError, signal } = this.#options;
    const report = { open: 0, settled: 0, released: 0, reversed: 0, failed: 0 };
    const heads = new Map<string, ChainBlock | null>();
    const unended = new Set<number>();
    let above = 0;
    for (;;) {
      const holds = await this.#ledger.openHolds({ above, limit: HOLDS_AT_ONCE });
      for (const hold of holds) {
        if (signal?.aborted === true) return report;
        if (hold.provider !== X402) continue;
        report.open += 1;
        unended.add(hold.number);
        try {
          const end = await this.#endOf(hold, heads);
          if (end !== null) report[await this.#carryOut(hold, end)] += 1;
        } catch (error) {
          report.failed += 1;
          onError?.(error, hold);
        }
      }
      const last = holds.at(-1);
      if (last === undefined || holds.length < HOLDS_AT_ONCE) break;
      above = last.number;
    }
    // Others may have ended the rest.
    for (const number of this.#searches.keys()) if (!unended.has(number)) this.#searches.delete(number);
    return report;
  }

  async #carryOut(hold: Hold, end: End): Promise<'settled' | 'released' | 'reversed'> {
    this.#searches.delete(hold.number);
    if ('paid' in end) {
      await this.#ledger.settleHold(hold, { reference: referenceOf(hold, end.paid), reason: 'found on the chain' });
      return 'settled';
    }
    const { state } = await this.#ledger.releaseHold(hold, { reason: end.never });
    return state === 'released' || state === 'reversed' ? state : 'settled';
  }

  /** How a payment has ended at the configured depth; null: not yet, or not known yet. */
  async #endOf(hold: Hold, heads: Map<string, ChainBlock | null>): Promise<End | null> {
    const chain = this.#chains.get(hold.network);
    const options = this.#options.chains.find(({ network }) => network === hold.network);
    if (chain === undefined || options === undefined) throw new Error(`no node of ${hold.network} is configured`);
    const safe = await this.#safeBlock(chain, options, heads);
    if (safe === null) return null;
    const search = this.#searches.get(hold.number) ?? new PaymentSearch(hold, chain, options);
    this.#searches.set(hold.number, search);
    return search.endAt(safe, hold.state === 'charged');
  }

  /** The newest block that is deep enough, asked for once in a pass. */
  async #safeBlock(
    chain: Chain,
    options: ChainOptions,
    heads: Map<string, ChainBlock | null>,
  ): Promise<ChainBlock | null> {
    const known = heads.get(chain.network);
    if (known !== undefined) return known;
    const head = await chain.block('latest');
    const number = (head?.number ?? -1) - (options.confirmations ?? DEFAULT_CONFIRMATIONS);
    const safe = number < 0 ? null : await chain.block(number);
    heads.set(chain.network, safe);
    return safe;
  }
}

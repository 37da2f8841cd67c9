// Ends payments that nobody knows the end of, by what the chain shows at the configured depth: what was paid is charged and
// granted, what can never be paid is released. A pass may run anywhere, any number of times: the ledger takes each end once.
import { isGazetteError } from '../../errors.ts';
import type { Hold, LedgerStore } from '../../stores/contract/ledger.ts';
import type { Chain, ChainBlock } from './chain.ts';
import { termsOf } from './held.ts';
import { type ChainOptions, X402 } from './options.ts';
import { chainsOf } from './provider.ts';

const DEFAULT_CONFIRMATIONS = 12;
const DEFAULT_LOG_RANGE = 500;

/** How many ranges of blocks one pass asks for, for one payment. The next pass goes on. */
const MAX_RANGES = 100;

/** How many payments are read from the store at once. */
const HOLDS_AT_ONCE = 100;

/**
 * How long after an authorization's end the state of the chain counts without a log that explains it, in seconds. Nodes may
 * index logs later than they execute blocks.
 */
const LOGS_LATE_SECONDS = 86_400;

/** What the reconciler works with. */
export interface ReconcilerOptions {
  /** The ledger with the open payments. */
  readonly ledger: LedgerStore;
  /** The chains that are read. */
  readonly chains: readonly ChainOptions[];
  /** What happened to one payment that could not be looked at. It stays open, and the pass goes on. */
  readonly onError?: (error: unknown, hold: Hold) => void;
  /** Ends the pass after the payment it is at. */
  readonly signal?: AbortSignal;
}

/** What one pass did, counted in payments. */
export interface ReconcilerReport {
  /** Open when it began. */
  readonly open: number;
  /** Found paid: charged and granted. */
  readonly settled: number;
  /** Can never be paid: released. */
  readonly released: number;
  /** Could not be looked at. */
  readonly failed: number;
}

type End = { readonly paid: string } | { readonly never: string };

/** Looks at open payments, again and again where it is asked to. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #chains: ReadonlyMap<string, Chain>;
  /** Up to which block the chain was searched for a payment, by the number of its entry. */
  readonly #searched = new Map<number, number>();

  /** @throws GazetteError `invalid_option` */
  constructor(options: ReconcilerOptions) {
    this.#options = options;
    this.#chains = chainsOf(options.chains);
  }

  /** Looks once at every payment that is open. */
  async run(): Promise<ReconcilerReport> {
    const { ledger, onError, signal } = this.#options;
    const report = { open: 0, settled: 0, released: 0, failed: 0 };
    const heads = new Map<string, ChainBlock | null>();
    let above = 0;
    for (;;) {
      const holds = await ledger.openHolds({ above, limit: HOLDS_AT_ONCE });
      for (const hold of holds) {
        if (signal?.aborted === true) return report;
        if (hold.provider !== X402) continue;
        report.open += 1;
        try {
          const end = await this.#endOf(hold, heads);
          if (end !== null) report[await this.#carryOut(hold, end)] += 1;
        } catch (error) {
          report.failed += 1;
          onError?.(error, hold);
        }
      }
      const last = holds.at(-1);
      if (last === undefined || holds.length < HOLDS_AT_ONCE) return report;
      above = last.number;
    }
  }

  async #carryOut(hold: Hold, end: End): Promise<'settled' | 'released'> {
    const { ledger } = this.#options;
    this.#searched.delete(hold.number);
    if ('never' in end) {
      await ledger.releaseHold(hold, { reason: end.never });
      return 'released';
    }
    try {
      await ledger.settleHold(hold, { reference: end.paid, reason: 'found on the chain' });
      return 'settled';
    } catch (error) {
      // One transfer pays once: it was another payment's, made in the same transaction.
      if (!isGazetteError(error, 'idempotency_mismatch')) throw error;
      await ledger.releaseHold(hold, { reason: 'authorization_spent' });
      return 'released';
    }
  }

  /** How a payment has ended at the configured depth; null: not yet, or not known yet. */
  async #endOf(hold: Hold, heads: Map<string, ChainBlock | null>): Promise<End | null> {
    const chain = this.#chains.get(hold.network);
    const options = this.#options.chains.find(({ network }) => network === hold.network);
    if (chain === undefined || options === undefined) throw new Error(`no node of ${hold.network} is configured`);
    const safe = await this.#safeBlock(chain, options, heads);
    const { terms, fromBlock, validBefore } = termsOf(hold);
    if (safe === null || safe.number < fromBlock) return null;

    let from = this.#searched.get(hold.number) ?? fromBlock;
    for (let ranges = 0; from <= safe.number; ranges += 1) {
      if (ranges === MAX_RANGES) return null;
      const to = Math.min(safe.number, from + (options.logRange ?? DEFAULT_LOG_RANGE) - 1);
      const found = await chain.find(terms, from, to);
      if (found.kind === 'paid') return { paid: `${hold.network}/${found.transaction}/${found.logIndex}` };
      if (found.kind !== 'nothing') return { never: `authorization_${found.kind}` };
      from = to + 1;
      this.#searched.set(hold.number, from);
      // No later block can have it.
      if (to < safe.number && ((await chain.block(to))?.timestamp ?? 0) > validBefore) break;
    }
    if (safe.timestamp <= validBefore) return null;
    if (!(await chain.isUsed(terms, safe.number))) return { never: 'authorization_expired' };
    // Used, and no block since says for what: it was used before it came here, or the node's logs are late. Then the next pass
    // reads all of them again.
    this.#searched.delete(hold.number);
    return safe.timestamp > validBefore + LOGS_LATE_SECONDS ? { never: 'authorization_used_before' } : null;
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

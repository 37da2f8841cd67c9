// Looks for the end of one payment in the blocks of a chain, pass by pass: in those since its check, and, for a nonce that was
// used without a log there, in those of the day before. Used, and nobody knows for what, is no end: it is looked at again.
import type { Hold } from '../../stores/contract/ledger.ts';
import type { Chain, ChainBlock } from './chain.ts';
import { type PaymentTerms, termsOf } from './payment-terms.ts';
import type { ChainOptions } from './options.ts';

const DEFAULT_LOG_RANGE = 500;

/** How many ranges of blocks one pass asks for. The next pass goes on. */
const MAX_RANGES = 100;

/** How long a node may take to index the logs of blocks that it has executed, in seconds. */
const LOGS_LATE_SECONDS = 3600;

/** How far before its check a payment is looked for, in seconds. */
const LOOK_BACK_SECONDS = 86_400;

/** After how long everything is looked at again where nothing explains a used nonce, in seconds. */
const REST_SECONDS = 3600;

/** How a payment has ended: by a transaction that pays it, or for a reason for which it never will be paid. */
export type End = { readonly paid: string } | { readonly never: string };

/** What a range of blocks says: an end, that the nonce was used for something else, or nothing. */
type Found = End | 'spent' | null;

/** The search for one payment. */
export class PaymentSearch {
  readonly #hold: PaymentTerms;
  readonly #chain: Chain;
  readonly #range: number;
  /** Blocks below it, from the first that may have the payment on, have nothing. */
  #next: number;
  /** Blocks from it on, up to the first that may have the payment, have nothing. */
  #above: number;
  /** The time of a block, in seconds since 1970, until which nothing is asked. */
  #restsUntil = 0;
  #rangesLeft = MAX_RANGES;

  /** @throws GazetteError `invalid_payment` for a hold that was not written by the provider of x402 */
  constructor(hold: Hold, chain: Chain, { logRange = DEFAULT_LOG_RANGE }: Pick<ChainOptions, 'logRange'>) {
    this.#hold = termsOf(hold);
    this.#chain = chain;
    this.#range = logRange;
    this.#next = this.#hold.fromBlock;
    this.#above = this.#hold.fromBlock;
  }

  /**
   * How the payment has ended; null: not yet, or not known yet.
   *
   * @param safe the newest block that is deep enough
   * @param isCharged whether it was charged by what was seen at a lesser depth
   * @throws GazetteError `payment_unavailable`
   */
  async endAt(safe: ChainBlock, isCharged: boolean): Promise<End | null> {
    const { terms, fromBlock, validBefore } = this.#hold;
    if (safe.number < fromBlock || safe.timestamp < this.#restsUntil) return null;
    this.#rangesLeft = MAX_RANGES;
    const found = await this.#findSince(safe.number);
    if (found !== null) return this.#endBy(found, safe, isCharged);
    if (this.#rangesLeft === 0 || safe.timestamp <= validBefore) return null;
    if (!(await this.#chain.isUsed(terms, safe.number))) return { never: 'authorization_expired' };
    if (safe.timestamp <= validBefore + LOGS_LATE_SECONDS) {
      this.#next = fromBlock;
      return null;
    }
    const earlier = await this.#findBefore(safe.number);
    return earlier === null && this.#rangesLeft === 0 ? null : this.#endBy(earlier, safe, isCharged);
  }

  /** What was found as an end. Nothing, or another transfer than the one asked for, is none: then everything is read again. */
  #endBy(found: Found, { timestamp }: ChainBlock, isCharged: boolean): End | null {
    // What was charged was paid once, and now is not: the payer used the nonce again, once the chain had lost the transfer.
    if (found === 'spent' && isCharged) return { never: 'authorization_spent' };
    if (found !== null && found !== 'spent') return found;
    this.#restsUntil = timestamp + REST_SECONDS;
    this.#next = this.#above = this.#hold.fromBlock;
    return null;
  }

  /** In the blocks since the check, up to the end of the authorization. */
  async #findSince(last: number): Promise<Found> {
    while (this.#next <= last && this.#rangesLeft > 0) {
      const to = Math.min(last, this.#next + this.#range - 1);
      const found = await this.#findIn(this.#next, to);
      if (found !== null) return found;
      this.#next = to + 1;
      // No later block can have it.
      if (to < last && (await this.#timeOf(to)) > this.#hold.validBefore) return null;
    }
    return null;
  }

  /** In the blocks of the day before the check, the newest first. */
  async #findBefore(last: number): Promise<Found> {
    const oldest = (await this.#timeOf(Math.min(this.#hold.checkedAt, last))) - LOOK_BACK_SECONDS;
    while (this.#above > 0 && this.#rangesLeft > 0 && (await this.#timeOf(this.#above - 1)) >= oldest) {
      const from = Math.max(0, this.#above - this.#range);
      const found = await this.#findIn(from, this.#above - 1);
      if (found !== null) return found;
      this.#above = from;
    }
    return null;
  }

  async #findIn(from: number, to: number): Promise<Found> {
    this.#rangesLeft -= 1;
    const found = await this.#chain.find(this.#hold.terms, from, to);
    if (found.kind === 'paid') return { paid: found.transaction };
    if (found.kind === 'canceled') return { never: 'authorization_canceled' };
    return found.kind === 'spent' ? 'spent' : null;
  }

  async #timeOf(block: number): Promise<number> {
    return (await this.#chain.block(block))?.timestamp ?? 0;
  }
}

// What an operator and an account's owner see of the ledger, and what an operator enters in it.
import { GazetteError } from '../../../errors.ts';
import { guardFormula } from '../../../formats/formula-guard.ts';
import type { Entered, LedgerEntry, LedgerStore, NewCredit, Payer } from '../stores/contract/ledger.ts';

/** An entry as programs get it: schemas/ledger.schema.json. */
export interface EntryAnswer {
  readonly number: number;
  readonly kind: LedgerEntry['kind'];
  readonly at: string;
  readonly payer: string;
  /** In the smallest unit of the currency: an account's money as a number, tokens on chain as digits. */
  readonly amount: number | string;
  readonly currency: string;
  readonly record_id: string | null;
  readonly content_version: number | null;
  readonly provider: string;
  readonly reference: string | null;
  readonly key: string | null;
  readonly idempotency_key: string | null;
  readonly reason: string | null;
  readonly reverses: number | null;
}

/** The columns of the CSV, in their order. */
const COLUMNS = [
  ...(['number', 'kind', 'at', 'payer', 'amount', 'currency', 'record_id', 'content_version', 'provider'] as const),
  ...(['reference', 'key', 'idempotency_key', 'reason', 'reverses'] as const),
] satisfies readonly (keyof EntryAnswer)[];

/** How many entries are read at once. */
const PAGE = 1000;

/** A page of the ledger. */
export interface EntryPage {
  /** How many at most, 1..1000. */
  readonly limit: number;
  /** Only entries with smaller numbers. Default: from the newest. */
  readonly before?: number | undefined;
}

/** The ledger of a store, for its operator and the owners of accounts. */
export class Ledger {
  readonly #ledger: LedgerStore;

  constructor(ledger: LedgerStore) {
    this.#ledger = ledger;
  }

  /**
   * Gives an account credit; once for each reference.
   *
   * @throws GazetteError `unknown_account`, `invalid_option`, `idempotency_mismatch`
   */
  credit(credit: NewCredit): Promise<Entered> {
    return this.#ledger.grantCredit(credit);
  }

  /**
   * Takes a charge of an account back, and with it what was bought.
   *
   * @throws GazetteError `unknown_entry` when the account has no such charge; `invalid_option`
   */
  async refund(payer: Payer, charge: number, reason: string): Promise<Entered> {
    const [entry] = await this.#ledger.entries({ payer, below: charge + 1, limit: 1 });
    if (entry?.number === charge) return this.#ledger.refund(charge, { reason });
    throw new GazetteError('unknown_entry', `${payer} has no charge ${charge} in the ledger`, {
      details: { payer, entry: charge },
    });
  }

  /**
   * Takes the charges of accounts back for records that an import withdrew, or that went when it was taken back, and that are not live.
   *
   * @param told called for each of them with its refund, and with null for one that was paid on chain, where it must be returned
   */
  async refundImport(
    number: number,
    reason: string,
    told: (charge: LedgerEntry, refund: LedgerEntry | null) => void,
  ): Promise<void> {
    for (let above = 0; ;) {
      const charges = await this.#ledger.chargesOfWithdrawn(number, { above, limit: PAGE });
      for (const charge of charges) {
        const isMoney = typeof charge.price.amount === 'number';
        told(charge, isMoney ? (await this.#ledger.refund(charge.number, { reason })).entry : null);
        above = charge.number;
      }
      if (charges.length < PAGE) return;
    }
  }

  /** Some entries of a payer, newest first. */
  page(payer: Payer, { limit, before }: EntryPage): Promise<readonly LedgerEntry[]> {
    return this.#ledger.entries({ payer, limit, ...(before === undefined ? {} : { below: before }) });
  }

  /** All entries in parts, newest first. @param payer of one payer; null: of all */
  async *entries(payer: Payer | null): AsyncGenerator<readonly LedgerEntry[]> {
    let below = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const part = await this.#ledger.entries({ ...(payer === null ? {} : { payer }), below, limit: PAGE });
      if (part.length > 0) yield part;
      if (part.length < PAGE) return;
      below = part.at(-1)!.number;
    }
  }
}

/** An entry's answer. */
export function toEntryAnswer(entry: LedgerEntry): EntryAnswer {
  const { number, kind, at, payer, price, item, provider, reference, keyId, idempotencyKey, reason, reverses } = entry;
  return {
    ...{ number, kind, at, payer, amount: price.amount, currency: price.currency },
    ...{ record_id: item?.recordId ?? null, content_version: item?.contentVersion ?? null },
    ...{ provider, reference, key: keyId, idempotency_key: idempotencyKey, reason, reverses },
  };
}

/** The header of a CSV of entries, with its line end. */
export function ledgerCsvHeader(): string {
  return `${COLUMNS.join(',')}\r\n`;
}

/** Lines of CSV (RFC 4180), one for each entry. Spreadsheets run none of its texts as formulas. */
export function toLedgerCsv(entries: readonly LedgerEntry[]): string {
  return entries
    .map(toEntryAnswer)
    .map((entry) => `${COLUMNS.map((name) => cellOf(entry[name])).join(',')}\r\n`)
    .join('');
}

function cellOf(value: string | number | null): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = guardFormula(value);
  // RFC 4180 2.7: a quote inside a quoted field is doubled.
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

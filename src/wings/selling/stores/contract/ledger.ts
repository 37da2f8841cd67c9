// What a store keeps of purchases: an append-only ledger, who owns what, and payments that are under way ("holds").
// Amounts are in the smallest unit of their currency: whole numbers of accounts' money, digits of tokens on chain.
import type { JsonValue } from '../../../../register/canonical-json.ts';
import type { Money, Tokens } from '../../../../money.ts';
import type { ChainPrice } from '../../../../register/record.ts';
import type { OwnedRange, OwnedRecord } from '../../../../register/sources/preview-source.ts';

/**
 * What is paid: money of an account, such as 200 `EUR`, or tokens on chain, such as `"1000000"` of
 * `eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913`.
 */
export type Price = Money | Tokens;

/** Who pays: the id of an account, or `x402:<network>:<address>` in lower case. */
export type Payer = string;

/** What is bought: a record in one content version, {@link LedgerStore.items}. */
export interface Item {
  /** The register. */
  readonly feedId: string;
  /** The id of the record. */
  readonly recordId: string;
  /**
   * The version in which the publisher last changed the record, when it first said what it says: a content that returns keeps it. A
   * correction of extraction, a withdrawal and an unchanged return do not change it: who bought it sees them too.
   */
  readonly contentVersion: number;
}

/** An item at a price. */
export interface PricedItem extends Item {
  /** What it costs an account. */
  readonly price: Money;
  /** What it costs on chain, as its register's definition says. Absent: it is not sold there. A store keeps none of it. */
  readonly onChain?: readonly ChainPrice[];
}

/** An item that is paid for on chain. */
export interface HeldItem extends Item {
  /** What is paid for it. */
  readonly price: Tokens;
}

/** What an entry of the ledger records. */
export type LedgerKind = 'credit' | 'hold' | 'charge' | 'release' | 'refund' | 'reversed';

/** An entry of the ledger. Entries are never changed or deleted, not even with their account. */
export interface LedgerEntry {
  /** Rises with every entry, from 1. */
  readonly number: number;
  /** What it records. */
  readonly kind: LedgerKind;
  /** RFC 3339, by the database's clock. */
  readonly at: string;
  /** Whose entry it is. */
  readonly payer: Payer;
  /** How much, always above 0: the kind says in which direction it counts. */
  readonly price: Price;
  /** What it is about; null in a credit. */
  readonly item: Item | null;
  /** Who moved the money: `operator`, `prepaid`, or the name of a payment provider such as `x402`. */
  readonly provider: string;
  /** What the provider calls the payment; unique for the provider and the kind. Null: nothing. */
  readonly reference: string | null;
  /** The key that was used. Null: none. */
  readonly keyId: string | null;
  /** What the client chose, so that a retry does not buy twice; unique for the payer. Null: nothing. */
  readonly idempotencyKey: string | null;
  /** Why, in words or as a code: of a release, a refund, a reversal, a credit. Null: nothing is said. */
  readonly reason: string | null;
  /** The entry that this one ends or reverses: of a charge or a release its hold, of a refund or a reversal its charge. */
  readonly reverses: number | null;
}

/** Credit for an account. */
export interface NewCredit {
  /** The account that gets it. */
  readonly accountId: string;
  /** How much it gets. */
  readonly price: Money;
  /** Such as the number of an invoice: the same credit is never given twice under it. Null: nothing. */
  readonly reference: string | null;
  /** Why; null: nothing is said. */
  readonly reason: string | null;
}

/** What became of a credit or a refund. */
export interface Entered {
  /** The entry. */
  readonly entry: LedgerEntry;
  /** False: it was entered before, and nothing was done now. */
  readonly isNew: boolean;
}

/** A purchase from an account's credit. */
export interface NewPurchase {
  /** The account that pays. */
  readonly accountId: string;
  /** The key that is used, which its budget bounds. Null: the owner signed in. */
  readonly keyId: string | null;
  /** What is bought, at the price that its register names at that moment. */
  readonly item: Item;
  /** What it may cost: it is bought for no more, and in no other currency. Null: what the key's own bound allows. */
  readonly expected: Money | null;
  /** 1..255 characters that the client chose; null: none. */
  readonly idempotencyKey: string | null;
}

/** Access that was bought. */
export interface Purchase {
  /** Who has it. */
  readonly payer: Payer;
  /** What was bought. */
  readonly item: Item;
  /** The entry that charged it. */
  readonly charge: LedgerEntry;
  /** False: the payer owned it already, or repeated a request; nothing was charged now. */
  readonly isNew: boolean;
}

/** What a payer owns of a record. */
export interface OwnedItem extends Item {
  /** Whether it is what the record shows now, or what was corrected to it: then the payer sees the record whole. */
  readonly isCurrent: boolean;
}

/** A payment on chain, as its signature identifies it. All in lower case. */
export interface PaymentKey {
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  /** The address of the asset. */
  readonly asset: string;
  /** Who pays. */
  readonly from: string;
  /** What tells its authorization from all others of the payer. */
  readonly nonce: string;
}

/** A payment to begin. */
export interface NewHold extends PaymentKey {
  /** Who settles it, such as `x402`. */
  readonly provider: string;
  /** Who gets the item. */
  readonly payer: Payer;
  /** What is bought, and for how much. */
  readonly item: HeldItem;
  /** What the client signed, whole. */
  readonly payload: JsonValue;
  /** What it was asked for. */
  readonly requirements: JsonValue;
  /** The client's `payment-identifier` or idempotency key, as a digest in hex; null: none. */
  readonly identifier: string | null;
}

/**
 * `open`: the payment is under way, or nobody knows yet. `charged`: charged, but it may still vanish. `settled`: charged for good.
 * `released`: it was not charged and will never be paid. `reversed`: the same after it was charged.
 */
export type HoldState = 'open' | 'charged' | 'settled' | 'released' | 'reversed';

/** A payment. Its nonce belongs to its item permanently. */
export interface Hold extends NewHold {
  /** The number of its entry in the ledger. */
  readonly number: number;
  /** What became of it. */
  readonly state: HoldState;
  /** When it began, RFC 3339. */
  readonly openedAt: string;
  /** When it was settled, released or reversed; null: it has not ended. */
  readonly endedAt: string | null;
}

/** What becomes of a payment that somebody wants to begin. */
export type HoldResult =
  /** It begins now: settle it. */
  | { readonly kind: 'opened'; readonly hold: Hold }
  /** The same authorization was presented before, for the same item: `hold` says what became of it. */
  | { readonly kind: 'known'; readonly hold: Hold }
  /** The authorization is bound to another item: refuse it. */
  | { readonly kind: 'bound'; readonly hold: Hold }
  /** Another payment of the payer for the item is under way: wait for it, and let this one expire unsettled. */
  | { readonly kind: 'waiting'; readonly hold: Hold }
  /** The payer owns the item already: nothing is to be paid. */
  | { readonly kind: 'owned'; readonly purchase: Purchase };

/** Which entries of the ledger: newest first. */
export interface LedgerRange {
  /** Of one payer; absent: of all. */
  readonly payer?: Payer;
  /** Entries with smaller numbers only; absent: from the newest. */
  readonly below?: number;
  /** 1..1000. */
  readonly limit: number;
}

/** Purchases, and the ledger of what was paid. */
export interface LedgerStore {
  /**
   * The items of at most 1000 records: their content versions as they are now.
   * @returns by record id; records that are not live are absent
   */
  items(recordIds: readonly string[]): Promise<ReadonlyMap<string, Item>>;

  /**
   * What a payer owns of records: of each, every content version, oldest first. Refunded items are not owned. An item
   * is good only for as long as its register may show the record: ask for the record's state first.
   * @param recordIds at most 1000
   */
  owned(payer: Payer, recordIds: readonly string[]): Promise<readonly OwnedItem[]>;

  /** The records that a payer owns as they are now, newest first. @throws GazetteError `invalid_option` */
  ownedWithin(payer: Payer, range: OwnedRange): Promise<readonly OwnedRecord[]>;

  /** The charges of what is owned of records that an import, or its undo, withdrew, and that are not live: by their numbers. */
  chargesOfWithdrawn(number: number, range: Parameters<LedgerStore['openHolds']>[0]): Promise<readonly LedgerEntry[]>;

  /** The purchase of an item, or null. `isNew` is false. */
  purchase(payer: Payer, item: Pick<Item, 'recordId' | 'contentVersion'>): Promise<Purchase | null>;

  /**
   * Gives an account credit. The first credit decides on its currency.
   * @returns the entry of before when the same credit was given under the same reference
   * @throws GazetteError `unknown_account`; `invalid_option` for an amount or another currency than the account's;
   *   `idempotency_mismatch` when the reference belongs to another credit
   */
  grantCredit(credit: NewCredit): Promise<Entered>;

  /**
   * Buys an item from an account's credit, in one transaction. Who owns the item, or repeats a request with the same
   * idempotency key, gets the purchase of before free.
   *
   * @throws GazetteError, and charges nothing: `insufficient_credit`, `budget_exhausted`, `day_budget_exhausted`;
   *   `price_changed` when it costs more than `expected` or the key's `maxPrice`, or nothing is sold any more: `details` has
   *   its price;
   *   `item_changed` when the record is not live, or has another content version by now; `idempotency_mismatch` when the
   *   idempotency key was used for another record; `unknown_account`, `account_suspended`; `unknown_key` for a key that
   *   is not the account's or was revoked; `invalid_option`
   */
  buy(purchase: NewPurchase): Promise<Purchase>;

  /**
   * Begins a payment that is settled elsewhere. Of many that begin one for the same payer and item at once, one gets
   * `opened`.
   * @throws GazetteError `item_changed` as in {@link buy}; `invalid_option`
   */
  openHold(hold: NewHold): Promise<HoldResult>;

  /** The payment with this key, or null. */
  hold(key: PaymentKey): Promise<Hold | null>;

  /** Whether the record that a payment was begun for is live. False once another register has its id. */
  isHeldRecordLive(key: PaymentKey): Promise<boolean>;

  /** Payments that have not ended (`open`, `charged`), oldest first. @param range.above numbers above this one only; default 0 */
  openHolds(range: { readonly above?: number; readonly limit: number }): Promise<readonly Hold[]>;

  /** The newest payment that came with this identifier for a record, or null. */
  holdByIdentifier(identifier: string, recordId: string): Promise<Hold | null>;

  /**
   * Turns an open payment into a charge, and grants its item, in one transaction. It does so even if the record has
   * changed or gone meanwhile: the money was taken. A payment that was charged before is not charged again.
   *
   * @param settled.reference what the provider calls the settled payment, unique for the provider, such as network,
   *   transaction and payment
   * @param settled.mayVanish whether the payment may still vanish: then it does not end, but is `charged` until it is settled
   *   without this, or released. Default false
   * @returns `isNew` false when it was charged before
   * @throws GazetteError `unknown_hold`; `hold_ended` for one that was released or reversed
   */
  settleHold(
    key: PaymentKey,
    settled: { reference: string; reason?: string | null; mayVanish?: boolean },
  ): Promise<Purchase>;

  /**
   * Ends a payment that will never be paid. One that was charged is reversed: its item is owned no longer. Where its charge was
   * refunded, nothing is left to reverse, and it is settled. Releasing twice changes nothing.
   *
   * @throws GazetteError `unknown_hold`; `hold_ended` for one that was settled
   */
  releaseHold(key: PaymentKey, options: { readonly reason: string }): Promise<Hold>;

  /**
   * Takes a charge back: the money counts as returned, and the item is owned no longer. Refunding twice changes nothing.
   * Money that was paid on chain must be returned there by the one who received it.
   *
   * @throws GazetteError `unknown_entry` when there is no such charge
   */
  refund(charge: number, options: { reason: string; reference?: string | null }): Promise<Entered>;

  /** Whether anything was ever bought, or is being bought: a purchase stays, whatever becomes of prices. */
  hasSold(): Promise<boolean>;

  /** Entries, newest first. @throws GazetteError `invalid_option` for the limit */
  entries(range: LedgerRange): Promise<readonly LedgerEntry[]>;
}

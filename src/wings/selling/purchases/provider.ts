// The interface between the surfaces, which sell records, and those who move money. A provider neither reads requests nor
// writes answers: a surface (HTTP, MCP) gives it what came with the request and carries out what it returns.
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { GazetteError } from '../../../errors.ts';
import type { Money } from '../../../money.ts';
import type { PaymentProvider } from '../../../views/selling.ts';
import type { Item, Payer, Price, PricedItem, Purchase } from '../stores/contract/ledger.ts';

/** A way to pay for an item. */
export interface Offer {
  /** The provider's name. */
  readonly provider: string;
  /** What it costs this way: nothing is converted between currencies. */
  readonly price: Price;
  /** What a client needs to pay so, as its protocol writes it (a member of `accepts` in x402). Null: nothing more. */
  readonly terms: JsonValue;
}

/** What a request for an item brings along. */
export interface PurchaseRequest {
  /** The URL of what is bought, as its client knows it. */
  readonly resource: string;
  /** The account whose key was used, or whose owner signed in; null: nobody. */
  readonly account: { readonly id: string; readonly keyId: string | null } | null;
  /** Whether the client asked to buy, or its key pays for what it reads: prepaid credit is used for nothing else. */
  readonly mayCharge: boolean;
  /** What it may cost to charge credit: no more, and in no other currency. Null: what the key's own bound allows. */
  readonly expected: Money | null;
  /** The payment that came along: text of `PAYMENT-SIGNATURE`, or the object in `_meta["x402/payment"]`. Null: none. */
  readonly payment: JsonValue;
  /** `Idempotency-Key`, or the tool's parameter; null: none. */
  readonly idempotencyKey: string | null;
}

/** A payment that a provider has checked and can settle. Providers add what they need. */
export interface Authorization {
  /** The provider's name. */
  readonly provider: string;
  /** Who pays. */
  readonly payer: Payer;
  /** What for. */
  readonly item: Item;
}

/** What became of a payment. */
export type Settlement =
  /** Charged and granted, now or before. */
  | {
      readonly state: 'settled';
      readonly purchase: Purchase;
      /** What the provider's protocol answers (`PAYMENT-RESPONSE`, `_meta["x402/payment-response"]`). Null: nothing. */
      readonly response: JsonValue;
    }
  /** Nobody knows yet: 202 with `Retry-After`, and no new offer. */
  | { readonly state: 'pending'; readonly retryAfterSeconds: number; readonly response: JsonValue }
  /** Not charged, and never will be through this payment: 402 with the reason. */
  | { readonly state: 'failed'; readonly error: GazetteError; readonly response: JsonValue };

/** What is offered, as a client knows it. */
export interface OfferedResource {
  /** The URL that is paid for. */
  readonly url: string;
  /** What it is, for people. */
  readonly description?: string;
  /** The media type of its answer. */
  readonly mimeType?: string;
}

/** What a request shows to have its answer again. */
export interface BuyerProof {
  /** A receipt, sent as a key is. Null: none. */
  readonly receipt: string | null;
  /** The text of `SIGN-IN-WITH-X`. Null: none. */
  readonly signIn: string | null;
  /** The URL of what was bought. */
  readonly resource: string;
}

/** A surface asks each provider in turn to authorize; the first that returns an authorization settles it. */
export interface Provider extends PaymentProvider {
  /** The ways in which it can be paid for an item; none when it cannot. */
  offers(item: PricedItem): readonly Offer[];

  /**
   * Checks the payment that a request brings along.
   *
   * @returns null when the request brings no payment of this kind
   * @throws GazetteError with the reason (402) for a payment that is not valid; 400 for one that is malformed
   */
  authorize(request: PurchaseRequest, item: PricedItem): Promise<Authorization | null>;

  /**
   * The answer of the provider's protocol to a request that brought no payment that does: the object of `PAYMENT-REQUIRED`
   * and of an agent's result. Null: the item is not sold this way. Absent: the protocol has none.
   *
   * @param error why, in words that a model can act on
   */
  paymentRequired?(
    item: PricedItem,
    resource: OfferedResource,
    error: string,
  ): Readonly<Record<string, JsonValue>> | null;

  /**
   * How who bought a record shows it, where its register sells nothing any more. Absent, or null: there is nothing to ask for.
   *
   * @param error why the request was refused, in words that a model can act on
   */
  challenge?(resource: OfferedResource, error: string): Readonly<Record<string, JsonValue>> | null;

  /**
   * What was bought before, for a client that shows more than the chain shows. Null: nothing was, or nothing is shown.
   *
   * @throws GazetteError with the reason for what is shown and does not do
   */
  recall?(shown: BuyerProof, recordId: string): Promise<Purchase | null>;

  /**
   * A payment for a record that was begun while it was sold, presented once more: it is charged at the price of then. Null: none
   * was begun with what the request brings along.
   *
   * @throws GazetteError as {@link authorize} does
   */
  resume?(request: PurchaseRequest, recordId: string): Promise<Authorization | null>;

  /** Charges and grants, once, however often it is called for the same authorization. */
  settle(authorization: Authorization): Promise<Settlement>;
}

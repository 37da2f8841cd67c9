// The payment of a request for a record that is sold: what came along is given to the seller, and who paid nothing is told what
// is offered (HTTP 402, x402 v2).
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { keyOf } from '../../../access/access.ts';
import { idempotencyKeyOf } from '../../../access/idempotency-key.ts';
import { problemKind } from '../../../problem.ts';
import type { PurchaseRequest, Settlement } from '../purchases/provider.ts';
import type { Seller } from '../purchases/seller.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import { moneyText, priceOf } from '../../../money.ts';
import type { Item, PricedItem } from '../stores/contract/ledger.ts';
import { buyUrl } from '../../../views/offers.ts';
import type { RegisterView } from '../../../views/registers.ts';
import type { HttpResponse } from '../../../web/representation.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import { jsonBody } from '../../../http/service-context.ts';

/** An item at its register's price; without one where that sells nothing any more. */
export function offeredAs(item: Item, { entry: { definition } }: RegisterView): Item | PricedItem {
  const price = priceOf(definition);
  return price === null ? item : { ...item, price, onChain: definition.prices?.x402 ?? [] };
}

/** Whether a request may cost something, and what. */
interface PayingBy extends Pick<PurchaseRequest, 'expected'> {
  readonly isCharging: boolean;
  readonly paysByReading: boolean;
}

/**
 * What became of the payment that came with a request. Where nothing is sold any more, a payment that was begun before is still
 * carried out.
 *
 * @param by.isCharging whether this request may cost anything
 * @param by.paysByReading whether it may be charged to credit
 * @param by.expected what it may cost so; null: what the key's own bound allows
 * @throws GazetteError with the offers where nothing was paid; where nothing is sold any more, `credentials_required` or
 *   `insufficient_scope`
 */
export async function paidFor(
  seller: Seller,
  context: RequestContext,
  item: Item | PricedItem,
  { isCharging, paysByReading, expected }: PayingBy,
): Promise<Paid> {
  if (!('price' in item)) {
    const settlement = isCharging
      ? await seller.resume(requestFor(context, item, { mayCharge: false, expected }), item.recordId)
      : null;
    if (settlement !== null) return answered(context, settlement, (error) => error);
    throw notSold(seller, context, item);
  }
  const settlement = isCharging ? await paid(seller, context, item, { mayCharge: paysByReading, expected }) : null;
  if (settlement === null) throw refused(seller, context, item, unpaid(item, context));
  return settlement;
}

/** The refusal where nothing is sold any more. Who bought the record on chain is told how to show it. */
function notSold(seller: Seller, context: RequestContext, item: Item): GazetteError {
  const message = 'the register sells no single records any more: the record needs paid access until a date';
  if (keyOf(context.access) !== null) return new GazetteError('insufficient_scope', message);
  const challenge = seller.challenge(item, buyUrl(context.api, item.recordId), message);
  if (challenge !== null) context.headers = { ...context.headers, 'payment-required': base64(challenge) };
  return new GazetteError('credentials_required', `${message}, and its key: send Authorization: Bearer <API_KEY>`);
}

/** A payment that did not fail. */
export type Paid = Exclude<Settlement, { readonly state: 'failed' }>;

/**
 * What became of a payment, if there was one; `PAYMENT-RESPONSE` is set.
 *
 * @throws GazetteError with the reason where it does not do
 */
async function paid(
  seller: Seller,
  context: RequestContext,
  item: PricedItem,
  by: Pick<PurchaseRequest, 'mayCharge' | 'expected'>,
): Promise<Paid | null> {
  let settlement: Settlement | null;
  try {
    settlement = await seller.buy(requestFor(context, item, by), item);
  } catch (error) {
    if (isGazetteError(error, 'price_changed')) throw otherwisePriced(context, item, error);
    throw isUnpaid(error) ? refused(seller, context, item, error) : error;
  }
  return settlement && answered(context, settlement, (error) => refused(seller, context, item, error));
}

/** What a request brings along to pay for an item. */
function requestFor(
  { request, access, api }: RequestContext,
  { recordId }: Item,
  by: Pick<PurchaseRequest, 'mayCharge' | 'expected'>,
): PurchaseRequest {
  const key = keyOf(access);
  return {
    resource: buyUrl(api, recordId),
    account: key === null ? null : { id: key.accountId, keyId: key.id },
    ...by,
    payment: request.headers.get('payment-signature'),
    idempotencyKey: idempotencyKeyOf(request),
  };
}

/** Sets `PAYMENT-RESPONSE`. @throws GazetteError for a payment that failed; `offered` adds offers where no response says more */
function answered(
  context: RequestContext,
  settlement: Settlement,
  offered: (error: GazetteError) => GazetteError,
): Paid {
  const { response } = settlement;
  if (response !== null) context.headers = { ...context.headers, 'payment-response': base64(response) };
  if (settlement.state !== 'failed') return settlement;
  throw response === null ? offered(settlement.error) : settlement.error;
}

/** Whether an error is answered with 402. */
function isUnpaid(error: unknown): error is GazetteError {
  return error instanceof GazetteError && problemKind(error.code).status === 402;
}

/** The error, with the offers beside it: `PAYMENT-REQUIRED` in the header, and the price in the problem. */
function refused(seller: Seller, context: RequestContext, item: PricedItem, error: GazetteError): GazetteError {
  const url = buyUrl(context.api, item.recordId);
  const required = seller.paymentRequired(item, url, error.message);
  if (required !== null) context.headers = { ...context.headers, 'payment-required': base64(required) };
  const details = { ...error.details, ...item.price, buyUrl: url };
  return new GazetteError(error.code, error.message, { cause: error.cause, details });
}

/** The error with the price as it is now, and where it is paid. */
function otherwisePriced({ api }: RequestContext, { recordId }: Item, error: GazetteError): GazetteError {
  const details = { ...error.details, buyUrl: buyUrl(api, recordId) };
  return new GazetteError(error.code, error.message, { cause: error.cause, details });
}

/** The refusal of who sent no payment. */
function unpaid(item: PricedItem, { access }: RequestContext): GazetteError {
  const how =
    keyOf(access) === null
      ? 'send a key that was made to spend, or pay with PAYMENT-SIGNATURE'
      : `buy it with POST {"expected_price": "${moneyText(item.price)}"} to …/purchase, or with a key that was made to spend`;
  return new GazetteError('payment_required', `the record costs ${moneyText(item.price)}: ${how}`);
}

/** The answer while nobody knows whether a payment went through: 202, and nothing to sign again. */
export function pendingAnswer(context: RequestContext, retryAfterSeconds: number): HttpResponse {
  const { headers, body } = jsonBody({ state: 'pending', retry_after: retryAfterSeconds });
  const own = { 'retry-after': String(retryAfterSeconds), 'cache-control': 'no-store' };
  return { status: 202, headers: { ...context.headers, ...headers, ...own }, body };
}

/** A value of JSON as a header field has it. */
function base64(value: object | JsonValue): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

// Records that are bought by agents: what a tool shows of prices and of what is left, and a record that costs something,
// with credit or over x402 (its transport for MCP: the payment comes in `_meta`, and so does the receipt).
import { z } from 'zod';
import type { Buyer } from '../../../access/access.ts';
import { type ErrorCode, GazetteError, quote } from '../../../errors.ts';
import { problemKind } from '../../../problem.ts';
import { type Money, moneyText, priceIn, priceOf } from '../../../money.ts';
import type { PricedItem, Purchase } from '../stores/contract/ledger.ts';
import type { RegisterEntry } from '../../../stores/contract/registers.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import { toJsonSchema } from '../../../register/schemas/json-schema.ts';
import { contentOf } from '../../../views/bought-content.ts';
import { buyUrl, isSelling, leftOf } from '../../../views/offers.ts';
import type { RegisterView } from '../../../views/registers.ts';
import { checkIdempotencyKey } from '../../../access/idempotency-key.ts';
import type { JsonObject } from '../../../mcp/protocol.ts';
import { withoutBounds } from '../../../mcp/tools/schemas.ts';
import type { ToolCall, ToolServices } from '../../../mcp/tools/tool.ts';

/** Where a payment comes, and where its receipt goes (x402 v2, transport for MCP). */
export const PAYMENT_META = 'x402/payment';
const RECEIPT_META = 'x402/payment-response';

/** The detail of an error that has the answer of x402, as JSON. */
export const REQUIRED_DETAIL = 'paymentRequired';

/** The detail of an error that has the page where the owner of the account sees what is left. */
export const CREDIT_DETAIL = 'creditUrl';

/** The errors of an account, or a key, that has too little left. */
const TOO_LITTLE: readonly ErrorCode[] = ['insufficient_credit', 'budget_exhausted', 'day_budget_exhausted'];

/** The argument by which a purchase is told from its repetition. */
export const PURCHASE_ID: z.ZodOptional<z.ZodString> = z.string({ error: 'must be given as a text' }).optional().meta({
  description: 'Random, the same when you retry: it costs once.',
});

/** The argument that asks to buy, and says for how much at most. */
export const EXPECTED_PRICE: z.ZodOptional<z.ZodString> = z
  .string({ error: 'must be given as a text' })
  .optional()
  .meta({
    description: 'The price that you saw, such as 2.00 EUR: buys it.',
  });

/** What a call says of buying. */
export interface PurchaseArguments {
  /** The argument {@link PURCHASE_ID}. */
  readonly purchaseId?: string | undefined;
  /** The argument {@link EXPECTED_PRICE}. */
  readonly expectedPrice?: string | undefined;
}

/** A price in an answer. Its members are named in a text: every model reads all schemas before it asks anything. */
export const PRICE: z.ZodType = brief('What a preview costs: amount (in the smallest unit), currency.');

/** What is left in an answer. */
export const LEFT: z.ZodType = brief('What you can still spend.');

/** What was bought in an answer. */
export const PURCHASE: z.ZodType = brief('charged (false: you had it before), price, content_version.');

/** An object of whose members its description tells. */
function brief(description: string): z.ZodType {
  return z.unknown().meta({ type: 'object', description }).optional();
}

/** Whether any of these registers sells records: otherwise no tool says anything of it. */
export function sells(entries: readonly RegisterEntry[]): boolean {
  return isSelling(entries.map(({ definition }) => definition));
}

/** The schema of a tool's results with more members, of it or of its records. */
export function withMembers(schema: JsonObject, members: Readonly<Record<string, z.ZodType>>): JsonObject {
  const { properties } = schema as { readonly properties: JsonObject };
  const own = Object.entries(members).map(([name, member]) => [name, withoutBounds(toJsonSchema(member))] as const);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(own) } };
}

/** The schema of a tool's results with more members of each item of a list. @param list the name of the list */
export function withItemMembers(
  schema: JsonObject,
  list: string,
  members: Readonly<Record<string, z.ZodType>>,
): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const items = withMembers(properties[list]!.items as JsonObject, members);
  return { ...schema, properties: { ...properties, [list]: { ...properties[list], items } } };
}

/** What x402 asks for, as clients know it; everything else is its own. */
const PAYMENT_REQUIRED: JsonObject = {
  type: 'object',
  properties: { x402Version: { const: 2 }, accepts: { type: 'array' } },
  required: ['x402Version', 'accepts'],
};

/** The schema of the results of a tool that can cost something: clients validate error results too. */
export function orPaymentRequired(schema: JsonObject): JsonObject {
  return { type: 'object', anyOf: [schema, PAYMENT_REQUIRED] };
}

/** `PREVIEW`: the member of a record that is to be bought. */
export const PREVIEW: z.ZodType = z.literal(true).optional();

/** What is beside records: what a preview costs, and what is left; nothing where nothing is sold. */
export function pricesFor(view: Pick<RegisterView, 'entry'>, { access }: ToolCall): JsonObject {
  const price = priceOf(view.entry.definition);
  if (price === null || access.tier === 'pro') return {};
  const left = leftOf(access.buyer);
  return { price, ...(left === null ? {} : { left }) };
}

/**
 * Buys a record that the caller may not read yet.
 *
 * @returns the record, and what is said of the purchase in the answer; null where nothing is sold
 * @throws GazetteError `expected_price_required`, `price_changed`; `payment_required` and others of 402, with the answer of x402 where it can be paid for so
 */
export async function buyRecord(
  { seller, registers }: ToolServices,
  view: RegisterView,
  id: string,
  { purchaseId, expectedPrice }: PurchaseArguments,
  call: ToolCall,
): Promise<{ readonly record: RegisterRecord; readonly bought: JsonObject } | null> {
  const price = priceOf(view.entry.definition);
  if (price === null || seller === undefined) return null;
  const { buyer } = call.access;
  const url = buyUrl(call.api, id);
  const expected = expectedPrice === undefined ? null : agreedPrice(expectedPrice);
  const left = leftOf(buyer);
  const isEnough = left === null || left.amount >= price.amount;
  const item = { ...(await seller.item(id)), price, onChain: view.entry.definition.prices?.x402 ?? [] };
  const refuse = (error: GazetteError): GazetteError => {
    const message = `${error.message}${remedy(buyer, item, call)}`;
    const required = seller.paymentRequired(item, url, message);
    const page = buyer === undefined ? undefined : call.creditUrl?.(buyer.account.id);
    const details =
      required !== null
        ? { [REQUIRED_DETAIL]: JSON.stringify(required) }
        : page !== undefined && (TOO_LITTLE.includes(error.code) || !isEnough)
          ? { [CREDIT_DETAIL]: page }
          : {};
    return new GazetteError(error.code, message, { cause: error, details });
  };
  const unpaid = (code: 'payment_required' | 'expected_price_required' = 'payment_required'): GazetteError =>
    refuse(new GazetteError(code, `${id} costs ${moneyText(price)}`));
  if (call.isResource === true) throw unpaid();
  const asksToBuy = buyer !== undefined && (buyer.paysByReading || purchaseId !== undefined);
  if (asksToBuy && expected === null && call.payment === undefined) throw unpaid('expected_price_required');
  let settlement;
  try {
    settlement = await seller.buy(
      {
        resource: url,
        account: buyer === undefined ? null : { id: buyer.account.id, keyId: buyer.key?.id ?? null },
        mayCharge: buyer !== undefined && expected !== null,
        expected,
        payment: call.payment ?? null,
        idempotencyKey: purchaseId === undefined ? null : checkIdempotencyKey(purchaseId, 'purchase_id'),
      },
      item,
    );
  } catch (error) {
    throw error instanceof GazetteError && problemKind(error.code).status === 402 ? refuse(error) : error;
  }
  if (settlement === null) throw unpaid();
  if (settlement.response !== null) call.onMeta?.({ [RECEIPT_META]: settlement.response });
  if (settlement.state === 'failed') throw refuse(settlement.error);
  if (settlement.state === 'pending') {
    const seconds = settlement.retryAfterSeconds;
    throw new GazetteError(
      'payment_pending',
      `the payment is not settled yet: call again in ${seconds} seconds, and pay nothing more`,
    );
  }
  const { contentVersion } = settlement.purchase.item;
  if (contentVersion !== item.contentVersion) {
    throw new GazetteError(
      'item_changed',
      `that payment bought content version ${contentVersion} of ${id}, which has changed since: ${url} still gives it for the same payment, and this tool the record as it is now for another one`,
    );
  }
  const record = await contentOf(registers, seller, settlement.purchase.item, item);
  return { record, bought: said(settlement.purchase, call) };
}

/** @throws GazetteError `invalid_parameter` for a text that is no price */
function agreedPrice(text: string): Money {
  const price = priceIn(text);
  if (price !== null) return price;
  const message = `expected_price must be a price such as 2.00 EUR, got ${quote(text)}`;
  throw new GazetteError('invalid_parameter', message, { details: { parameter: 'expected_price' } });
}

/** What is said of a record that the caller bought before, and asks to buy again; nothing where nothing is asked for. */
export async function boughtBefore(
  { seller }: ToolServices,
  id: string,
  { purchaseId, expectedPrice }: PurchaseArguments,
  call: ToolCall,
): Promise<JsonObject> {
  const payer = call.access.buyer?.account.id;
  if ((purchaseId ?? expectedPrice) === undefined || payer === undefined || seller === undefined) return {};
  const purchase = await seller.boughtBy(payer, id);
  return purchase === null ? {} : said(purchase, call);
}

/** What an answer says of a purchase, and of what is left after it. */
function said(purchase: Purchase, { access }: ToolCall): JsonObject {
  const { item, charge, isNew } = purchase;
  const { amount, currency } = charge.price;
  const before = leftOf(access.buyer);
  // Tokens are not the account's.
  const spent = isNew && typeof amount === 'number' ? amount : 0;
  return {
    purchase: { charged: isNew, price: { amount, currency }, content_version: item.contentVersion },
    ...(before === null ? {} : { left: { ...before, amount: Math.max(0, before.amount - spent) } }),
  };
}

/** What a model can do where something is to be paid. */
function remedy(buyer: Buyer | undefined, { recordId, price }: PricedItem, call: ToolCall): string {
  const left = leftOf(buyer);
  const preview = `Its preview is free: read_register with its key, or ${call.api}/records/${recordId}.`;
  if (buyer === undefined || left === null) {
    return `. Send a key with credit as Authorization: Bearer <API_KEY>, or pay with ${PAYMENT_META}. ${preview}`;
  }
  const have = `You can spend ${moneyText(left)}`;
  if (left.amount >= price.amount) {
    return `. ${have}: call again with expected_price "${moneyText(price)}" and a purchase_id to buy it. ${preview}`;
  }
  const where =
    call.topUpUrl === undefined
      ? 'the owner of the account can add credit'
      : `the owner of the account can add credit at ${call.topUpUrl}`;
  return `. ${have}, which is too little: ${where}. What was bought stays free to read. ${preview}`;
}

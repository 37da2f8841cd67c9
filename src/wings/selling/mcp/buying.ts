// Records that are bought by agents: a record that costs something, with credit or over x402 (its transport for MCP: the payment comes in `_meta`, and so does the receipt).
import { z } from 'zod';
import type { Buyer } from '../../../access/access.ts';
import { type ErrorCode, GazetteError, quote } from '../../../errors.ts';
import { problemKind } from '../../../problem.ts';
import { type Money, moneyText, priceIn, priceOf } from '../../../money.ts';
import type { PricedItem, Purchase } from '../stores/contract/ledger.ts';
import { contentOf } from '../views/content.ts';
import { buyUrl, leftOf } from '../../../views/offers.ts';
import type { RegisterView } from '../../../views/registers.ts';
import { checkIdempotencyKey } from '../../../access/idempotency-key.ts';
import type { JsonObject } from '../../../mcp/protocol.ts';
import { readArguments } from '../../../mcp/tools/arguments.ts';
import { brief, CREDIT_DETAIL, LEFT, PAYMENT_META, REQUIRED_DETAIL, withMembers } from '../../../mcp/tools/prices.ts';
import type { BoughtRecord, Buying, PurchaseArguments, ToolCall, ToolServices } from '../../../mcp/tools/tool.ts';
import type { Seller } from '../purchases/seller.ts';

/** Where a receipt goes (x402 v2, transport for MCP). */
const RECEIPT_META = 'x402/payment-response';

/** The errors of an account, or a key, that has too little left. */
const TOO_LITTLE: readonly ErrorCode[] = ['insufficient_credit', 'budget_exhausted', 'day_budget_exhausted'];

/** The argument by which a purchase is told from its repetition. */
const PURCHASE_ID: z.ZodOptional<z.ZodString> = z.string({ error: 'must be given as a text' }).optional().meta({
  description: 'Random, the same when you retry: it costs once.',
});

/** The argument that asks to buy, and says for how much at most. */
const EXPECTED_PRICE: z.ZodOptional<z.ZodString> = z.string({ error: 'must be given as a text' }).optional().meta({
  description: 'The price that you saw, such as 2.00 EUR: buys it.',
});

/** What was bought in an answer. */
const PURCHASE: z.ZodType = brief('charged (false: you had it before), price, content_version.');

const ARGUMENTS = z.strictObject({ expected_price: EXPECTED_PRICE, purchase_id: PURCHASE_ID });

/** How agents buy of a seller. */
export function buyingWith(seller: Seller, services: Pick<ToolServices, 'registers'>): Buying {
  return {
    described: ({ inputSchema, outputSchema }) => ({
      inputSchema: withMembers(inputSchema, { expected_price: EXPECTED_PRICE, purchase_id: PURCHASE_ID }),
      outputSchema: orPaymentRequired(withMembers(outputSchema, { purchase: PURCHASE, left: LEFT })),
    }),
    asked(given) {
      const { purchase_id, expected_price, ...rest } = given;
      const { purchase_id: purchaseId, expected_price: expectedPrice } = readArguments(ARGUMENTS, [], {
        purchase_id,
        expected_price,
      });
      return { rest, asked: { purchaseId, expectedPrice } };
    },
    before: (id, asked, call) => boughtBefore(seller, id, asked, call),
    buy: (view, id, asked, call) => buyRecord(seller, services, view, id, asked, call),
  };
}

/** What x402 asks for, as clients know it; everything else is its own. */
const PAYMENT_REQUIRED: JsonObject = {
  type: 'object',
  properties: { x402Version: { const: 2 }, accepts: { type: 'array' } },
  required: ['x402Version', 'accepts'],
};

/** The schema of the results of a tool that can cost something: clients validate error results too. */
function orPaymentRequired(schema: JsonObject): JsonObject {
  return { type: 'object', anyOf: [schema, PAYMENT_REQUIRED] };
}

/** Buys a record as {@link Buying.buy}. */
async function buyRecord(
  seller: Seller,
  { registers }: Pick<ToolServices, 'registers'>,
  view: RegisterView,
  id: string,
  { purchaseId, expectedPrice }: PurchaseArguments,
  call: ToolCall,
): Promise<BoughtRecord | null> {
  const price = priceOf(view.entry.definition);
  if (price === null) return null;
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

/** What is said of a record that was bought before, as {@link Buying.before}. */
async function boughtBefore(
  seller: Seller,
  id: string,
  { purchaseId, expectedPrice }: PurchaseArguments,
  call: ToolCall,
): Promise<JsonObject> {
  const payer = call.access.buyer?.account.id;
  if ((purchaseId ?? expectedPrice) === undefined || payer === undefined) return {};
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

// Records that are bought by agents: what a tool shows of prices and of what is left, and a record that costs something,
// with credit or over x402 (its transport for MCP: the payment comes in `_meta`, and so does the receipt).
import { z } from 'zod';
import type { Buyer } from '../../access/access.ts';
import { GazetteError } from '../../errors.ts';
import { problemKind } from '../../problem.ts';
import { moneyText } from '../../register/counted.ts';
import type { Price, PricedItem, Purchase } from '../../stores/contract/ledger.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import { toJsonSchema } from '../../register/schemas/json-schema.ts';
import { buyUrl, isSelling, priceOf } from '../../views/offers.ts';
import type { RegisterView } from '../../views/registers.ts';
import { checkIdempotencyKey } from '../../access/idempotency-key.ts';
import type { JsonObject } from '../protocol.ts';
import type { ToolCall, ToolServices } from './tool.ts';

/** Where a payment comes, and where its receipt goes (x402 v2, transport for MCP). */
export const PAYMENT_META = 'x402/payment';
export const RECEIPT_META = 'x402/payment-response';

/** The detail of an error that has the answer of x402, as JSON. */
export const REQUIRED_DETAIL = 'paymentRequired';

/** The argument by which a purchase is told from its repetition. */
export const PURCHASE_ID: z.ZodOptional<z.ZodString> = z.string({ error: 'must be given as a text' }).optional().meta({
  description:
    'A random text of yours for this purchase, the same when you retry: it then costs once. It also asks to buy.',
});

/** A price in an answer. */
export const PRICE: z.ZodType = z
  .object({ amount: z.int(), currency: z.string() })
  .meta({ description: 'What one record costs that is shown as a preview, in the smallest unit of the currency.' })
  .optional();

/** What is left in an answer. */
export const LEFT: z.ZodType = z
  .object({ amount: z.int(), currency: z.string() })
  .meta({ description: 'What you can still spend.' })
  .optional();

/** What was bought in an answer. */
export const PURCHASE: z.ZodType = z
  .object({
    charged: z.boolean(),
    price: z.object({ amount: z.int(), currency: z.string() }),
    content_version: z.int(),
  })
  .meta({ description: 'What was bought; charged is false where you had bought it before.' })
  .optional();

/** Whether any of these registers sells records: otherwise no tool says anything of it. */
export function sells(entries: readonly RegisterEntry[]): boolean {
  return isSelling(entries.map(({ definition }) => definition));
}

/** The schema of a tool's results with more members, of it or of its records. */
export function withMembers(schema: JsonObject, members: Readonly<Record<string, z.ZodType>>): JsonObject {
  const { properties } = schema as { readonly properties: JsonObject };
  const own = Object.entries(members).map(([name, member]) => [name, toJsonSchema(member)] as const);
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
  properties: { x402Version: { const: 2 }, error: { type: 'string' }, resource: {}, accepts: { type: 'array' } },
  required: ['x402Version', 'accepts'],
};

/** The schema of the results of a tool that can cost something: clients validate error results too. */
export function orPaymentRequired(schema: JsonObject): JsonObject {
  return { type: 'object', anyOf: [schema, PAYMENT_REQUIRED] };
}

/** `PREVIEW`: the member of a record that is to be bought. */
export const PREVIEW: z.ZodType = z.literal(true).optional();

/** What a buyer can still spend: of the account's credit, of the key's budget, and of it today. Null: nobody buys with credit. */
export function leftOf(buyer: Buyer | undefined, nowMs: number = Date.now()): Price | null {
  const balance = buyer?.account.balance;
  if (buyer === undefined || balance === undefined) return null;
  const { currency } = balance;
  const bounds = [balance.left];
  const budget = buyer.key?.budget;
  if (budget !== undefined) {
    bounds.push(budget.budget - budget.spent);
    const today = new Date(nowMs).toISOString().slice(0, 10);
    if (budget.perDay !== null) bounds.push(budget.perDay - (budget.day === today ? budget.spentOnDay : 0));
  }
  return { amount: Math.max(0, Math.min(...bounds)), currency };
}

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
 * @param purchaseId the argument {@link PURCHASE_ID}
 * @returns what is said of it in the answer; null where nothing is sold
 * @throws GazetteError `payment_required` and others of 402, with the answer of x402 where it can be paid for so
 */
export async function buyRecord(
  { seller }: ToolServices,
  view: RegisterView,
  id: string,
  purchaseId: string | undefined,
  call: ToolCall,
): Promise<JsonObject | null> {
  const price = priceOf(view.entry.definition);
  if (price === null || seller === undefined) return null;
  const { buyer } = call.access;
  const url = buyUrl(call.api, id);
  const item = await seller.item(id, { price, onChain: view.entry.definition.prices?.x402 ?? [] });
  const refuse = (error: GazetteError): GazetteError => {
    const message = `${error.message}${remedy(buyer, item, call)}`;
    const required = seller.paymentRequired(item, url, message);
    const details = required === null ? {} : { [REQUIRED_DETAIL]: JSON.stringify(required) };
    return new GazetteError(error.code, message, { cause: error, details });
  };
  const unpaid = (): GazetteError => refuse(new GazetteError('payment_required', `${id} costs ${moneyText(price)}`));
  if (call.isResource === true) throw unpaid();
  let settlement;
  try {
    settlement = await seller.buy(
      {
        resource: url,
        account: buyer === undefined ? null : { id: buyer.account.id, keyId: buyer.key?.id ?? null },
        mayCharge: buyer !== undefined && (buyer.paysByReading || purchaseId !== undefined),
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
  return said(settlement.purchase, buyer);
}

/** What an answer says of a purchase, and of what is left after it. */
function said({ item, charge, isNew }: Purchase, buyer: Buyer | undefined): JsonObject {
  const { amount, currency } = charge.price;
  const before = leftOf(buyer);
  const spent = isNew ? amount : 0;
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
  if (left.amount >= price.amount) return `. ${have}: call again with purchase_id to buy it. ${preview}`;
  const where =
    call.topUpUrl === undefined
      ? 'the owner of the account can add credit'
      : `the owner of the account can add credit at ${call.topUpUrl}`;
  return `. ${have}, which is too little: ${where}. What was bought stays free to read. ${preview}`;
}

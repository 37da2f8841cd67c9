// `/records/{record_id}/full` and `/records/{record_id}/purchase`: a record for who may read it, or who pays for it (x402 v2,
// HTTP 402). GET charges a key that was made to spend, and a payment that comes with it; nothing else charges by reading.
import { z } from 'zod';
import { type ErrorCode, GazetteError, quote } from '../../../errors.ts';
import { keyOf } from '../../../access/access.ts';
import type { Seller } from '../purchases/seller.ts';
import { type Money, PRICE_TEXTS, priceIn } from '../../../money.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import type { Item, Purchase } from '../stores/contract/ledger.ts';
import { contentOf } from '../views/content.ts';
import { buyUrl } from '../../../views/offers.ts';
import { type RecordSight, RecordSights } from '../../../views/record-sights.ts';
import type { HttpResponse, WrittenBody } from '../../../web/representation.ts';
import { offeredAs, paidFor, pendingAnswer } from './payment.ts';
import { boughtAnswer } from './bought-record.ts';
import { paidAmount } from '../../../http/description/account-answers.ts';
import { recordParams } from '../../../http/description/parameters.ts';
import { recordSchema } from '../../../http/description/schemas.ts';
import { EXPECTED_PRICE_TEXT } from './description.ts';
import { BODY_CODES, bodyBytes, bodyOf, invalidBody } from '../../../http/routes/json-body.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import type { Route } from '../../../http/route.ts';
import { jsonBody, type ServiceContext } from '../../../http/service-context.ts';

const CODES: readonly ErrorCode[] = [
  ...(['unknown_record', 'record_withdrawn', 'payment_required', 'insufficient_credit', 'budget_exhausted'] as const),
  ...([
    'day_budget_exhausted',
    'price_changed',
    'item_changed',
    'idempotency_mismatch',
    'invalid_payment',
    'invalid_receipt',
  ] as const),
  ...(['invalid_sign_in', 'payment_refused', 'payment_failed', 'payment_replayed', 'payment_unavailable'] as const),
];

/** While nobody knows whether a payment went through. */
const PENDING = {
  202: {
    description: 'The payment is not settled yet: ask again after `Retry-After`, and pay nothing more.',
    content: { 'application/json': { schema: z.object({ state: z.literal('pending'), retry_after: z.int() }) } },
    headers: ['PAYMENT-RESPONSE', 'Retry-After'],
  },
};

/** What is asked for. */
const purchaseAsked = z.strictObject({
  expected_price: z.string().regex(PRICE_TEXTS.pattern).meta({ description: EXPECTED_PRICE_TEXT }),
});

/** The price that the buyer expects. That it must be given has a code of its own. */
const purchaseBody = bodyOf(purchaseAsked.partial(), ({ expected_price: text }): Money => {
  if (text !== undefined) return expectedPrice(text, (message) => invalidBody(message, 'expected_price'));
  throw new GazetteError(
    'expected_price_required',
    'give expected_price in the body: the price that you saw, such as {"expected_price": "2.00 EUR"}',
  );
});

/** @throws GazetteError `invalid` for a text that is no price */
function expectedPrice(text: string, invalid: (message: string) => GazetteError): Money {
  const price = priceIn(text);
  if (price === null) throw invalid(`an expected price must be a price such as 2.00 EUR, got ${quote(text)}`);
  return price;
}

/** The header field by which a key that pays by reading bounds what this request may cost. */
const EXPECTED_PRICE_FIELD = 'Gazette-Expected-Price';

/** What it may be. */
const EXPECTED_PRICE = z
  .string()
  .regex(PRICE_TEXTS.pattern)
  .optional()
  .meta({
    description: `What the record may cost a key that pays by reading, besides the key’s own bound. ${EXPECTED_PRICE_TEXT}`,
  });

/** The price in it; null: the field is not there. @throws GazetteError `invalid_parameter` */
function expectedByReading({ headers }: RequestContext['request']): Money | null {
  const text = headers.get(EXPECTED_PRICE_FIELD);
  if (text === null) return null;
  const details = { parameter: EXPECTED_PRICE_FIELD };
  return expectedPrice(text, (message) => new GazetteError('invalid_parameter', message, { details }));
}

/** What was bought. */
const purchaseSchema = z
  .object({
    purchase: z
      .object({
        content_version: z.int().min(1).meta({ description: 'The version whose text was bought.' }),
        charged: z.boolean().meta({ description: 'False: you had bought it before.' }),
        price: z.object({ amount: paidAmount, currency: z.string() }),
        entry: z.int().min(1).meta({ description: 'The number of the charge in the ledger.' }),
      })
      .nullable()
      .meta({ description: 'Null: the record is yours to read, and nothing was bought.' }),
    record: recordSchema,
  })
  .meta({ id: 'Purchase' });

/** The routes. They are there for records of registers that have prices, and stay once anything was sold. */
export function purchaseRoutes(service: ServiceContext, seller: Seller): readonly Route[] {
  const sights = new RecordSights(service);
  const common = { access: 'public', isSold: true } as const;
  return [
    {
      ...{ ...common, path: '/records/{record_id}/full' },
      documentation: {
        operationId: 'getFullRecord',
        tag: 'Records',
        summary: 'One record, whole',
        description:
          'The record for who may read it: with a key of PRO, while it is one of the latest, or once it was bought. Anybody else is told the price (402) and buys it: a key that was made to spend pays by this request, a wallet by `PAYMENT-SIGNATURE` (x402 v2), any other key by `POST …/purchase`. HEAD, OPTIONS and a 304 cost nothing. Each content version is paid for once.',
        params: recordParams,
        fields: z.object({ [EXPECTED_PRICE_FIELD]: EXPECTED_PRICE }),
        codes: CODES,
        keyMatters: true,
        headers: ['PAYMENT-RESPONSE'],
        otherResponses: PENDING,
        response: { description: 'The record.', content: { 'application/json': { schema: recordSchema } } },
      },
      answer: (context, pathParameters) =>
        sights.of(pathParameters.record_id!, context, (sight) =>
          answerFull(service, seller, context, pathParameters.record_id!, sight),
        ),
    },
    {
      ...{ ...common, path: '/records/{record_id}/purchase', methods: ['POST'] },
      documentation: {
        operationId: 'buyRecord',
        tag: 'Records',
        summary: 'Buy one record',
        description:
          'Buys the record from the credit of the key’s account, for at most the price that you expect. Send an `Idempotency-Key`, the same when you retry: the purchase is then made once, whatever gets lost. Who owns the record already pays nothing.',
        params: recordParams,
        body: { 'application/json': { schema: purchaseAsked.meta({ id: 'PurchaseRequest' }) } },
        codes: ['credentials_required', 'expected_price_required', ...BODY_CODES, ...CODES],
        keyMatters: true,
        isPrivate: true,
        headers: ['PAYMENT-RESPONSE'],
        otherResponses: PENDING,
        response: {
          description: 'The purchase and the record.',
          content: { 'application/json': { schema: purchaseSchema } },
        },
      },
      answer: (context, pathParameters) =>
        sights.of(pathParameters.record_id!, context, (sight) =>
          answerPurchase(service, seller, context, pathParameters.record_id!, sight),
        ),
    },
  ];
}

async function answerFull(
  service: ServiceContext,
  seller: Seller,
  context: RequestContext,
  id: string,
  { view, isWhole }: RecordSight,
): Promise<HttpResponse> {
  const etag = service.tagOf(context, view, 'full', id);
  if (isWhole) {
    const write = async (): Promise<WrittenBody> => jsonBody(await service.registers.record(id));
    return service.answer(context, { view, etag, isText: true, mayNotExist: true, write });
  }
  const { request, access, api } = context;
  const now = await itemOf(service, seller, id);
  const receipt = access.tier === 'public' ? (access.receipt ?? null) : null;
  const shown = { receipt, signIn: request.headers.get('sign-in-with-x'), resource: buyUrl(api, id) };
  // Asked before the price is: what was bought stays open when nothing is sold any more.
  const known = await seller.recall(shown, id);
  if (known !== null) return boughtAnswer(service, seller, context, { purchase: known, now, current: null });
  const isCharging = request.method === 'GET' && !isConditional(request.headers);
  const paysByReading = access.tier === 'public' && access.buyer?.paysByReading === true;
  const settlement = await paidFor(seller, context, offeredAs(now, view), {
    isCharging,
    paysByReading,
    expected: paysByReading ? expectedByReading(request) : null,
  });
  if (settlement.state === 'pending') return pendingAnswer(context, settlement.retryAfterSeconds);
  // A payment that is shown again may have bought an earlier content version.
  const { purchase } = settlement;
  const isCurrent = purchase.item.contentVersion === now.contentVersion;
  return boughtAnswer(service, seller, context, { purchase, now, current: isCurrent ? { view, etag } : null });
}

async function answerPurchase(
  service: ServiceContext,
  seller: Seller,
  context: RequestContext,
  id: string,
  { view, isWhole }: RecordSight,
): Promise<HttpResponse> {
  const key = keyOf(context.access);
  if (key === null) {
    throw new GazetteError('credentials_required', 'credit is an account’s: send Authorization: Bearer <API_KEY>');
  }
  const expected = purchaseBody.parse(await bodyBytes(context.request));
  const now = await itemOf(service, seller, id);
  let purchase: Purchase | null;
  let record: RegisterRecord;
  // Who may read it buys nothing, and is told what was bought before.
  if (isWhole) {
    purchase = await seller.purchase(key.accountId, now);
    record = await service.registers.record(id);
  } else {
    const settlement = await paidFor(seller, context, offeredAs(now, view), {
      isCharging: true,
      paysByReading: true,
      expected,
    });
    if (settlement.state === 'pending') return pendingAnswer(context, settlement.retryAfterSeconds);
    purchase = settlement.purchase;
    record = await contentOf(service.registers, seller, purchase.item, now);
  }
  const shown = purchase === null ? null : shownPurchase(purchase);
  const { headers, body } = jsonBody({ purchase: shown, record });
  return { status: 200, headers: { ...context.headers, ...headers, 'cache-control': 'private, no-store' }, body };
}

/** Whether a request may be answered without the record: such a one is not charged. */
function isConditional(headers: RequestContext['request']['headers']): boolean {
  const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
  return names.some((name) => headers.get(name) !== null);
}

/** The record as it is bought now. A record that is gone is said to be gone, and costs nothing. */
async function itemOf(service: ServiceContext, seller: Seller, id: string): Promise<Item> {
  await service.registers.record(id);
  return seller.item(id);
}

function shownPurchase({ item, charge, isNew }: Purchase): object {
  const { amount, currency } = charge.price;
  return { content_version: item.contentVersion, charged: isNew, price: { amount, currency }, entry: charge.number };
}

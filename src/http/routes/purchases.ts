// `/records/{record_id}/full` and `/records/{record_id}/purchase`: a record for who may read it, or who pays for it (x402 v2,
// HTTP 402). GET charges a key that was made to spend, and a payment that comes with it; nothing else charges by reading.
import { z } from 'zod';
import { type ErrorCode, GazetteError } from '../../errors.ts';
import { keyOf } from '../../access/access.ts';
import { problemKind } from '../../problem.ts';
import type { Settlement } from '../../purchases/provider.ts';
import type { Seller } from '../../purchases/seller.ts';
import { moneyText } from '../../register/counted.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import type { RegisterRecord } from '../../register/record.ts';
import type { PricedItem, Purchase } from '../../stores/contract/ledger.ts';
import { buyUrl, priceOf } from '../../views/offers.ts';
import { type RecordSight, RecordSights } from '../../views/record-sights.ts';
import type { RegisterView } from '../../views/registers.ts';
import { idempotencyKeyOf } from '../../access/idempotency-key.ts';
import { utf8 } from '../../web/utf8.ts';
import { entityTag } from '../../web/validators.ts';
import type { HttpResponse, WrittenBody } from '../../web/representation.ts';
import { addOwnReceipt, boughtAnswer, contentOf } from './bought-record.ts';
import { recordParams } from '../description/parameters.ts';
import { recordSchema } from '../description/schemas.ts';
import type { RequestContext } from '../request-context.ts';
import type { Route } from '../route.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

const CODES: readonly ErrorCode[] = [
  ...(['unknown_record', 'record_withdrawn', 'payment_required', 'insufficient_credit', 'budget_exhausted'] as const),
  ...(['day_budget_exhausted', 'item_changed', 'idempotency_mismatch', 'invalid_payment', 'invalid_receipt'] as const),
  ...(['invalid_sign_in', 'payment_refused', 'payment_failed', 'payment_replayed', 'payment_unavailable'] as const),
];

/** While nobody knows whether a payment went through. */
const PENDING = {
  202: {
    description: 'The payment is not settled yet: ask again after `Retry-After`, and pay nothing more.',
    content: { 'application/json': { schema: z.object({ state: z.literal('pending'), retry_after: z.int() }) } },
  },
};

/** What was bought. */
const purchaseSchema = z
  .object({
    purchase: z
      .object({
        content_version: z.int().min(1).meta({ description: 'The version whose text was bought.' }),
        charged: z.boolean().meta({ description: 'False: you had bought it before.' }),
        price: z.object({ amount: z.int().min(0), currency: z.string() }),
        entry: z.int().min(1).meta({ description: 'The number of the charge in the ledger.' }),
        receipt: z.string().optional().meta({
          description:
            'A receipt to cite, where the service signs them: a JWS, checked with the keys at `/receipt-keys`.',
        }),
      })
      .nullable()
      .meta({ description: 'Null: the record is yours to read, and nothing was bought.' }),
    record: recordSchema,
  })
  .meta({ id: 'Purchase' });

/** The routes. They are there for records of registers that have prices. */
export function purchaseRoutes(service: ServiceContext, seller: Seller): readonly Route[] {
  const sights = new RecordSights(service.registers, service);
  const common = { access: 'public', isSold: true } as const;
  const keySet = seller.keySet();
  return [
    ...(keySet === null ? [] : [receiptKeysRoute(service, keySet)]),
    {
      ...{ ...common, path: '/records/{record_id}/full' },
      documentation: {
        operationId: 'getFullRecord',
        tag: 'Records',
        summary: 'One record, whole',
        description:
          'The record for who may read it: with a key of PRO, while it is one of the latest, or once it was bought. Anybody else is told the price (402) and buys it: a key that was made to spend pays by this request, a wallet by `PAYMENT-SIGNATURE` (x402 v2), any other key by `POST …/purchase`. HEAD, OPTIONS and a 304 cost nothing. Each content version is paid for once.',
        params: recordParams,
        codes: CODES,
        keyMatters: true,
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
          'Buys the record from the credit of the key’s account. Send an `Idempotency-Key`, the same when you retry: the purchase is then made once, whatever gets lost. Who owns the record already pays nothing.',
        params: recordParams,
        codes: ['credentials_required', ...CODES],
        keyMatters: true,
        isPrivate: true,
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

/** The public keys of receipts to cite. */
function receiptKeysRoute(service: ServiceContext, keySet: string): Route {
  const mediaType = 'application/jwk-set+json';
  return {
    path: '/receipt-keys',
    access: 'public',
    isSold: true,
    documentation: {
      operationId: 'getReceiptKeys',
      tag: 'Service',
      summary: 'The keys of receipts to cite',
      description:
        'The public keys (Ed25519, RFC 8037) by which anybody checks a receipt to cite: a JWS that says which record was bought, in which content version, recorded as which change of its register. `iss` is the address of this API, and `kid` names the key.',
      response: { description: 'A JWK set (RFC 7517).', content: { [mediaType]: { schema: { type: 'object' } } } },
    },
    answer: (context) =>
      service.answer(context, {
        view: null,
        etag: entityTag('receipt-keys', keySet),
        isText: true,
        write() {
          const body = utf8(keySet);
          return { headers: { 'content-type': mediaType, 'content-length': String(body.length) }, body };
        },
      }),
  };
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
    await addOwnReceipt(seller, context, id);
    const write = async (): Promise<WrittenBody> => jsonBody(await service.registers.record(id));
    return service.answer(context, { view, etag, isText: true, mayNotExist: true, write });
  }
  const { request, access, api } = context;
  const item = await itemOf(service, seller, id, view);
  const receipt = access.tier === 'public' ? (access.receipt ?? null) : null;
  const shown = { receipt, signIn: request.headers.get('sign-in-with-x'), resource: buyUrl(api, id) };
  const known = await seller.recall(shown, id);
  if (known !== null) return boughtAnswer(service, seller, context, { purchase: known, now: item, etag: null });
  const isCharging = request.method === 'GET' && !isConditional(request.headers);
  const paysByReading = access.tier === 'public' && access.buyer?.paysByReading === true;
  const settlement = isCharging ? await paid(seller, context, item, paysByReading) : null;
  if (settlement === null) throw refused(seller, context, item, unpaid(item, context));
  if (settlement.state === 'pending') return pendingAnswer(context, settlement.retryAfterSeconds);
  // A payment that is shown again may have bought an earlier content version.
  const { purchase } = settlement;
  const isCurrent = purchase.item.contentVersion === item.contentVersion;
  return boughtAnswer(service, seller, context, { purchase, now: item, etag: isCurrent ? etag : null });
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
  const item = await itemOf(service, seller, id, view);
  let purchase: Purchase | null;
  let record: RegisterRecord;
  // Who may read it buys nothing, and is told what was bought before.
  if (isWhole) {
    purchase = (await service.ledger?.purchase(key.accountId, item)) ?? null;
    record = await service.registers.record(id);
  } else {
    const settlement = await paid(seller, context, item, true);
    if (settlement === null) throw refused(seller, context, item, unpaid(item, context));
    if (settlement.state === 'pending') return pendingAnswer(context, settlement.retryAfterSeconds);
    purchase = settlement.purchase;
    record = await contentOf(service, purchase.item, item);
  }
  const shown = purchase === null ? null : await shownPurchase(purchase, seller, context.api);
  const { headers, body } = jsonBody({ purchase: shown, record });
  return { status: 200, headers: { ...context.headers, ...headers, 'cache-control': 'private, no-store' }, body };
}

/** Whether a request may be answered without the record: such a one is not charged. */
function isConditional(headers: RequestContext['request']['headers']): boolean {
  const names = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
  return names.some((name) => headers.get(name) !== null);
}

/** @throws GazetteError `credentials_required` where nothing is sold to the public */
async function itemOf(
  service: ServiceContext,
  seller: Seller,
  id: string,
  { entry }: RegisterView,
): Promise<PricedItem> {
  // A record that is gone is said to be gone, and costs nothing.
  await service.registers.record(id);
  const price = priceOf(entry.definition);
  if (price !== null) return seller.item(id, { price, onChain: entry.definition.prices?.x402 ?? [] });
  throw new GazetteError('credentials_required', 'this needs an API key: send Authorization: Bearer <API_KEY>');
}

/**
 * What became of a payment, if there was one; `PAYMENT-RESPONSE` is set.
 *
 * @throws GazetteError with the reason where it does not do
 */
async function paid(
  seller: Seller,
  context: RequestContext,
  item: PricedItem,
  mayCharge: boolean,
): Promise<Exclude<Settlement, { readonly state: 'failed' }> | null> {
  const { request, access, api } = context;
  const key = keyOf(access);
  let settlement: Settlement | null;
  try {
    settlement = await seller.buy(
      {
        resource: buyUrl(api, item.recordId),
        account: key === null ? null : { id: key.accountId, keyId: key.id },
        mayCharge,
        payment: request.headers.get('payment-signature'),
        idempotencyKey: idempotencyKeyOf(request),
      },
      item,
    );
  } catch (error) {
    throw isUnpaid(error) ? refused(seller, context, item, error) : error;
  }
  const response = settlement?.response ?? null;
  if (response !== null) {
    context.headers = { ...context.headers, 'payment-response': base64(response) };
  }
  if (settlement?.state !== 'failed') return settlement;
  throw response === null ? refused(seller, context, item, settlement.error) : settlement.error;
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

/** The refusal of who sent no payment. */
function unpaid(item: PricedItem, { access }: RequestContext): GazetteError {
  const how =
    keyOf(access) === null
      ? 'send a key that was made to spend, or pay with PAYMENT-SIGNATURE'
      : 'buy it with POST to …/purchase, or with a key that was made to spend';
  return new GazetteError('payment_required', `the record costs ${moneyText(item.price)}: ${how}`);
}

/** The answer while nobody knows whether a payment went through: 202, and nothing to sign again. */
function pendingAnswer(context: RequestContext, retryAfterSeconds: number): HttpResponse {
  const { headers, body } = jsonBody({ state: 'pending', retry_after: retryAfterSeconds });
  const own = { 'retry-after': String(retryAfterSeconds), 'cache-control': 'no-store' };
  return { status: 202, headers: { ...context.headers, ...headers, ...own }, body };
}

async function shownPurchase(purchase: Purchase, seller: Seller, api: string): Promise<object> {
  const { item, charge, isNew } = purchase;
  const { amount, currency } = charge.price;
  const receipt = await seller.cite(purchase, api);
  return {
    ...{ content_version: item.contentVersion, charged: isNew, price: { amount, currency }, entry: charge.number },
    ...(receipt === null ? {} : { receipt }),
  };
}

/** A value of JSON as a header field has it. */
function base64(value: object | JsonValue): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}

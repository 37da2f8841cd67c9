// What a buyer is given: the record in the content version that was bought, and a receipt to cite.
import { keyOf } from '../../access/access.ts';
import type { Seller } from '../../purchases/seller.ts';
import type { Item, Purchase } from '../../stores/contract/ledger.ts';
import { entityTag } from '../../web/validators.ts';
import type { HttpResponse } from '../../web/representation.ts';
import { contentOf } from '../../views/bought-content.ts';
import type { RegisterView } from '../../views/registers.ts';
import type { RequestContext } from '../request-context.ts';
import { jsonBody, type ServiceContext } from '../service-context.ts';

/** The header field of a receipt to cite: a compact JWS. */
const RECEIPT_FIELD = 'Purchase-Receipt';

/**
 * A record for its buyer alone.
 *
 * @param now the record as it is now
 * @param current what was seen of the register before, and the tag of the record in it; null: another version was bought, or it
 *   is opened again
 * @throws GazetteError `record_withdrawn`
 */
export async function boughtAnswer(
  service: ServiceContext,
  seller: Seller,
  context: RequestContext,
  {
    purchase,
    now,
    current,
  }: {
    readonly purchase: Purchase;
    readonly now: Item;
    readonly current: { readonly view: RegisterView; readonly etag: string } | null;
  },
): Promise<HttpResponse> {
  const { headers, body } = jsonBody(await contentOf(service.registers, seller, purchase.item, now));
  // What was recorded meanwhile may be in the body.
  const isSeen = current !== null && (await current.view.source.revision!()) === current.view.revision;
  await addReceipt(seller, context, purchase);
  const isHead = context.request.method === 'HEAD';
  return {
    status: 200,
    headers: {
      ...context.headers,
      ...headers,
      'cache-control': 'private, no-cache',
      etag: isSeen ? current.etag : entityTag('bought', body),
    },
    body: isHead ? null : body,
  };
}

/** Adds the receipt of what the caller's account bought of a record that it sees whole; nothing where it bought nothing. */
export async function addOwnReceipt(seller: Seller, context: RequestContext, recordId: string): Promise<void> {
  const key = keyOf(context.access);
  if (key === null || context.access.tier === 'pro' || seller.keySet() === null) return;
  const purchase = await seller.boughtBy(key.accountId, recordId);
  if (purchase !== null) await addReceipt(seller, context, purchase);
}

async function addReceipt(seller: Seller, context: RequestContext, purchase: Purchase): Promise<void> {
  const receipt = await seller.cite(purchase, context.api);
  if (receipt !== null) context.headers = { ...context.headers, [RECEIPT_FIELD.toLowerCase()]: receipt };
}

// What a buyer is given: the record in the content version that was bought.
import type { Seller } from '../purchases/seller.ts';
import type { Item, Purchase } from '../stores/contract/ledger.ts';
import { entityTag } from '../../../web/validators.ts';
import type { HttpResponse } from '../../../web/representation.ts';
import { contentOf } from '../views/content.ts';
import type { RegisterView } from '../../../views/registers.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import { jsonBody, type ServiceContext } from '../../../http/service-context.ts';

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

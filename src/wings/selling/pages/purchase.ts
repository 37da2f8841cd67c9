// `/records/{record_id}/purchase`: the form by which somebody signed in buys a record with the credit of the account. It is there
// only for records of registers that have prices.
import { isGazetteError } from '../../../errors.ts';
import { buyUrl } from '../../../views/offers.ts';
import { RecordSights } from '../../../views/record-sights.ts';
import type { Seller } from '../purchases/seller.ts';
import { type BuyingOutcome, purchasePath } from '../../../templates/parts/offer.ts';
import type { HttpResponse } from '../../../web/representation.ts';
import type { PageContext, PageRoute, PageServices } from '../../../pages/services.ts';
import { doneAt, seeOther } from '../../../pages/sign-in/answers.ts';
import { forOwnersForm } from '../../../pages/account/answers.ts';
import { onceIn } from '../../../pages/account/once.ts';
import type { OwnerServices } from '../../../pages/account/services.ts';
import { priceIn, priceOf } from '../../../money.ts';

/** What sells. */
export interface Shop {
  readonly services: PageServices;
  readonly seller: Pick<Seller, 'item' | 'buy'>;
}

/** The form. */
export function purchaseRoute(owners: OwnerServices, { services, seller }: Shop): PageRoute {
  const sights = new RecordSights(services);
  return {
    path: purchasePath('{record_id}'),
    access: 'public',
    isSold: true,
    documentation: null,
    methods: ['POST'],
    answer: (context, { record_id: id }) =>
      forOwnersForm(owners, context, ({ account }, fields) =>
        sights.of(id!, context, async ({ view, isWhole }) => {
          const { definition } = view.entry;
          const price = priceOf(definition);
          // A record that is gone is said to be gone.
          await services.registers.record(id!);
          if (isWhole || price === null || leftNothing(context)) return backTo(context, id!, null);
          const item = { ...(await seller.item(id!)), price };
          // The price that the page showed.
          const expected = priceIn(fields.get('expected_price') ?? '');
          const isAgreed = expected !== null && fields.get('version') === `${item.contentVersion}`;
          if (!isAgreed) return backTo(context, id!, 'changed');
          const request = {
            resource: buyUrl(context.api, id!),
            account: { id: account.id, keyId: null },
            ...{ mayCharge: true, expected, payment: null, idempotencyKey: `page-${onceIn(fields)}` },
          };
          try {
            const settlement = await seller.buy(request, item);
            return backTo(context, id!, settlement?.state === 'settled' ? 'justBought' : 'refused');
          } catch (error) {
            if (isGazetteError(error, 'item_changed') || isGazetteError(error, 'price_changed'))
              return backTo(context, id!, 'changed');
            throw error;
          }
        }),
      ),
  };
}

/** Whether nothing is sold to who asks: the account has no credit. */
function leftNothing({ access }: PageContext): boolean {
  return access.tier === 'pro' || access.buyer === undefined;
}

/** The page of the record. @param outcome what it says of the form; null: nothing */
function backTo(context: PageContext, id: string, outcome: BuyingOutcome | null): HttpResponse {
  const path = `/records/${id}`;
  return outcome === null ? seeOther(context, path) : doneAt(context, path, outcome);
}

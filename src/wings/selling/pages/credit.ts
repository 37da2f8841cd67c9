// `/account/credit/{account_id}`: where an agent sends the owner of an account whose credit is not enough. It asks for sign-in, and
// shows nothing to the owner of another account: nobody has others pay for an account by giving them its address.
import { creditPage, creditPath } from '../templates/credit-page.ts';
import type { PageRoute } from '../../../pages/services.ts';
import { pageAnswer } from '../../../pages/sign-in/answers.ts';
import { forOwner, notThere, sessionFrame } from '../../../pages/account/answers.ts';
import type { OwnerServices } from '../../../pages/account/services.ts';

/** The page. It is there only in a service that sells records. */
export function creditRoute(services: OwnerServices): PageRoute {
  return {
    path: creditPath('{account_id}'),
    access: 'public',
    isSold: true,
    documentation: null,
    answer: (context, { account_id: accountId }) =>
      forOwner(services, context, async (request) => {
        const { account } = request;
        const { balance } = account;
        if (account.id !== accountId || balance === undefined) throw notThere(context);
        const frame = sessionFrame(request, services);
        const { keysUrl } = services.options.service;
        return pageAnswer(context, creditPage(frame, { accountId, balance, keysUrl }), frame);
      }),
  };
}

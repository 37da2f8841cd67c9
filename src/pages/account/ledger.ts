// `/account/ledger`: what the account's credit was spent on. It is there only in a service that sells records.
import { ledgerPage } from '../../templates/account/ledger-page.ts';
import type { PageRoute } from '../services.ts';
import { forOwner, pageAnswer, sessionFrame } from './answers.ts';
import type { OwnerServices } from './services.ts';

/** So many on a page. */
const PAGE = 50;

/** `/account/ledger`. */
export function ledgerRoute(services: OwnerServices): PageRoute {
  return {
    path: '/account/ledger',
    access: 'public',
    isSold: true,
    documentation: null,
    answer: (context) =>
      forOwner(services, context, async (request) => {
        const asked = context.parameters.get('before') ?? '';
        const before = /^[1-9]\d{0,14}$/.test(asked) ? Number(asked) : undefined;
        // One more than are shown tells whether there are older ones.
        const found = await request.own.entries({ limit: PAGE + 1, before });
        const entries = found.slice(0, PAGE);
        const older = found.length > PAGE ? new URLSearchParams({ before: String(entries.at(-1)!.number) }) : null;
        const frame = sessionFrame(request, services);
        return pageAnswer(context, ledgerPage(frame, { entries, older }), frame);
      }),
  };
}

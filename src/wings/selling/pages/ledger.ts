// `/account/ledger`: what the account's credit was spent on, in pages and as one CSV. It is there only in a service that sells
// records.
import { type Ledger, ledgerCsvHeader, toLedgerCsv } from '../operate/ledger.ts';
import { LEDGER_FILE, ledgerPage } from '../templates/ledger-page.ts';
import { utf8 } from '../../../web/utf8.ts';
import type { PageRoute } from '../../../pages/services.ts';
import { pageAnswer } from '../../../pages/sign-in/answers.ts';
import { forOwner, sessionFrame } from '../../../pages/account/answers.ts';
import type { OwnerServices } from '../../../pages/account/services.ts';

/** So many on a page. */
const PAGE = 50;

/** `/account/ledger`. */
export function ledgerRoute(services: OwnerServices, ledger: Ledger): PageRoute {
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
        const found = await ledger.page(request.account.id, { limit: PAGE + 1, before });
        const entries = found.slice(0, PAGE);
        const older = found.length > PAGE ? new URLSearchParams({ before: String(entries.at(-1)!.number) }) : null;
        const frame = sessionFrame(request, services);
        return pageAnswer(context, ledgerPage(frame, { entries, older }), frame);
      }),
  };
}

/** `/account/ledger.csv`: all entries as a file. */
export function ledgerFileRoute(services: OwnerServices, ledger: Ledger): PageRoute {
  return {
    path: LEDGER_FILE,
    access: 'public',
    isSold: true,
    documentation: null,
    answer: (context) =>
      forOwner(services, context, async ({ account }) => {
        const parts = [ledgerCsvHeader()];
        for await (const entries of ledger.entries(account.id)) parts.push(toLedgerCsv(entries));
        const body = utf8(parts.join(''));
        return {
          status: 200,
          headers: {
            ...context.headers,
            'content-type': 'text/csv; charset=utf-8; header=present',
            'content-disposition': `attachment; filename="ledger-${account.id}.csv"`,
            'content-length': String(body.length),
            'cache-control': 'private, no-store',
            'x-robots-tag': 'noindex',
          },
          body: context.request.method === 'HEAD' ? null : body,
        };
      }),
  };
}

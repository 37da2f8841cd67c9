// `/account/ledger`: what an account's credit was spent on, as JSON in pages and as one CSV. It is there only in a service that
// sells records.
import { z } from 'zod';
import { type Ledger, ledgerCsvHeader, toEntryAnswer, toLedgerCsv } from '../operate/ledger.ts';
import { LIMIT, type IntegerParameter } from '../../../register/parameters.ts';
import { integer, type Query, queryOf } from '../../../register/schemas/parameters.ts';
import { ledgerEntry } from '../../../http/description/account-answers.ts';
import type { Route } from '../../../http/route.ts';
import { textBody } from '../../../http/service-context.ts';
import {
  accountFor,
  accountRoute,
  type AccountServices,
  type Operation,
  plainOperation,
} from '../../../http/routes/account/operations.ts';
import { answer } from '../../../http/routes/account/answers.ts';

const BEFORE: IntegerParameter = { kind: 'integer', name: 'before', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

const query: Query<{ readonly limit: number; readonly before?: number | undefined }> = queryOf(
  z.object({
    limit: integer(LIMIT).default(50).meta({ description: 'How many, 1 to 100.' }),
    before: integer(BEFORE).optional().meta({ description: 'Those with smaller numbers than this one.' }),
  }),
  [LIMIT, BEFORE],
  (given) => given,
);

/** The ledger as a file. */
const csv = (ledger: Ledger): Operation => ({
  method: 'GET',
  documentation: {
    operationId: 'getLedgerFile',
    tag: 'Account',
    isPrivate: true,
    summary: 'The ledger as CSV',
    description:
      'All entries of the account, newest first (RFC 4180). Amounts are in the smallest unit of their currency.',
    response: { description: 'The file.', content: { 'text/csv': { schema: { type: 'string' } } } },
  },
  async answer(services, context) {
    const parts = [ledgerCsvHeader()];
    for await (const entries of ledger.entries(accountFor(services, services.store, context.access).id)) {
      parts.push(toLedgerCsv(entries));
    }
    const { headers, body } = textBody(parts.join(''), 'text/csv; charset=utf-8; header=present');
    return { status: 200, headers: { ...context.headers, ...headers, 'cache-control': 'private, no-store' }, body };
  },
});

/** What the account's credit was spent on. */
export function ledgerRoutes(services: AccountServices, ledger: Ledger): readonly Route[] {
  const routes = [
    accountRoute(services, '/account/ledger', 'account', null, [
      plainOperation(
        'GET',
        {
          operationId: 'listLedger',
          summary: 'The ledger',
          description:
            'What the account’s credit was given, charged and given back for, newest first. For more, ask with `before`, the number of the last one.',
          query: query.schema,
          response: answer('The entries.', z.object({ entries: z.array(ledgerEntry) })),
        },
        null,
        async ({ id }, { parameters }) => ({
          entries: (await ledger.page(id, query.read(parameters))).map(toEntryAnswer),
        }),
      ),
    ]),
    accountRoute(services, '/account/ledger.csv', 'account', null, [csv(ledger)]),
  ];
  return routes.map((route) => ({ ...route, isSold: true }));
}

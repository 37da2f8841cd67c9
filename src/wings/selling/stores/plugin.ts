// Purchases as a plugin of a store: the ledger, the items that are owned, and payments on chain.
import type { LedgerStore } from './contract/ledger.ts';
import { numberIn } from '../../../stores/rows/sql.ts';
import type { StorePlugin } from '../../../stores/logic/plugins/plugin.ts';
import type { Rule, Sql } from '../../../stores/logic/rule.ts';
import { PURCHASE_CONDITIONS } from './inspect.ts';
import { ledgerOn } from './ledger-store.ts';
import { soldOf } from './withdrawn.ts';
import { LEDGER, PURCHASE_TABLES } from './tables.ts';

/** The purchases of a store. */
export const SELLING: StorePlugin<LedgerStore> = {
  name: 'selling',
  schema: 1,
  tables: PURCHASE_TABLES,
  isLasting: true,
  knowsAccount: hasPurchases,
  soldOf,
  conditions: PURCHASE_CONDITIONS,
  open: ({ engine }) => ledgerOn(engine),
};

const NUMBER = numberIn('number');

function* hasPurchases(sql: Sql, accountId: string): Rule<boolean> {
  return (yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${LEDGER} WHERE payer = ${accountId} LIMIT 1`) !== null;
}

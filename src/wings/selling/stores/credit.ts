// The rules for credit and for what is bought from it. All of an account's purchases lock its row first, so that they come
// one after the other, on every database and with any number of processes.
import { GazetteError, quote } from '../../../errors.ts';
import type { Account } from '../../../stores/contract/accounts.ts';
import type { Entered, NewCredit, NewPurchase, Purchase } from './contract/ledger.ts';
import { ACCOUNT, invalid } from '../../../stores/rows/accounts.ts';
import { exceeds, type Money, moneyText } from '../../../money.ts';
import { maxPriceOf, unknownKey } from '../../../stores/rows/keys.ts';
import {
  asNumber,
  asNumberOrNull,
  asTextOrNull,
  FOR_UPDATE,
  numberIn,
  shape,
  table,
} from '../../../stores/rows/sql.ts';
import { holdAccount } from '../../../stores/logic/accounts.ts';
import type { Rule, Sql } from '../../../stores/logic/rule.ts';
import * as entries from './entries.ts';
import { ENTRY, LEDGER } from './tables.ts';

const ACCOUNTS = table('accounts');
const KEYS = table('api_keys');
const SLOT = numberIn('slot');

/** The provider of entries that an operator makes, and that of purchases from credit. */
export const OPERATOR = 'operator';
export const PREPAID = 'prepaid';

const SPENDING = shape(
  ['budget', 'per_day', 'spent', 'spent_day', 'spent_on_day', 'max_price', 'max_price_currency'],
  ([budget, perDay, spent, day, on, maxPrice, currency]) => ({
    budget: asNumberOrNull(budget),
    perDay: asNumberOrNull(perDay),
    spent: asNumber(spent),
    day: asTextOrNull(day),
    spentOnDay: asNumber(on),
    maxPrice: maxPriceOf(maxPrice, currency),
  }),
);

/** Gives credit, once per reference. */
export function* grantCredit(sql: Sql, { accountId, price, reference, reason }: NewCredit): Rule<Entered> {
  const { balance } = yield* holdAccount(sql, accountId);
  if (balance !== undefined && balance.currency !== price.currency) {
    throw invalid('currency', `${balance.currency}, that of the account's credit`, price.currency);
  }
  const credit = (balance?.credit ?? 0) + price.amount;
  if (credit > Number.MAX_SAFE_INTEGER)
    throw invalid('amount', 'less: the credit cannot be counted', String(price.amount));
  const entry = { kind: 'credit', payer: accountId, price, provider: OPERATOR, reference, reason } as const;
  const made = yield* entries.addEntry(sql, entry);
  if (made === null) {
    const known = (yield* entries.entryByReference(sql, 'credit', OPERATOR, reference!))!;
    const isSame = known.payer === accountId && known.price.amount === price.amount;
    if (isSame && known.price.currency === price.currency) return { entry: known, isNew: false };
    throw mismatch(`the reference ${quote(reference)} belongs to another credit, entry ${known.number}`);
  }
  yield* sql.run`UPDATE ${ACCOUNTS} SET currency = ${price.currency}, credit = ${credit} WHERE id = ${accountId}`;
  return { entry: made, isNew: true };
}

/** Buys an item from credit: everything in one transaction, or nothing. */
export function* buyItem(sql: Sql, purchase: NewPurchase): Rule<Purchase> {
  const { accountId, keyId, item, expected, idempotencyKey } = purchase;
  const account = yield* holdAccount(sql, accountId);
  if (account.isSuspended) throw new GazetteError('account_suspended', `the account ${quote(accountId)} is suspended`);
  const repeated = yield* repeatedPurchase(sql, accountId, item.recordId, idempotencyKey);
  if (repeated !== null) return repeated;
  const { slot, corrected } = yield* entries.offeredPlace(sql, item);
  const owned = yield* entries.chargeOf(sql, accountId, slot, item.contentVersion, corrected);
  if (owned !== null) return entries.purchaseBy(owned, false);
  const price = yield* entries.priceNow(sql, item, slot);
  if (expected !== null) checkAgreed(price, expected, 'the buyer expected');
  if (keyId !== null) yield* spend(sql, account, keyId, price);
  const debited = yield* sql.run`UPDATE ${ACCOUNTS} SET charged = charged + ${price.amount}
    WHERE id = ${accountId} AND currency = ${price.currency} AND credit - charged >= ${price.amount}`;
  if (debited === 0) throw notCovered(account, price);
  const entry = {
    kind: 'charge',
    payer: accountId,
    price,
    provider: PREPAID,
    keyId,
    idempotencyKey,
    item,
    slot,
  } as const;
  const charge = (yield* entries.addEntry(sql, entry))!;
  // Unless the account was not locked: then nothing of this is kept.
  if (!(yield* entries.grant(sql, charge, slot))) throw new GazetteError('internal_error', 'an item was charged twice');
  return entries.purchaseBy(charge, true);
}

/** The purchase that the same request made before, or null. */
function* repeatedPurchase(
  sql: Sql,
  accountId: string,
  recordId: string,
  idempotencyKey: string | null,
): Rule<Purchase | null> {
  if (idempotencyKey === null) return null;
  const charge = yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER}
    WHERE payer = ${accountId} AND idempotency_key = ${idempotencyKey}`;
  if (charge === null) return null;
  if (charge.item?.recordId !== recordId) throw mismatch('the idempotency key was used to buy another record');
  const place = yield* entries.placeOf(sql, recordId);
  const { contentVersion } = charge.item;
  const owned = place && (yield* entries.chargeOf(sql, accountId, place.slot, contentVersion));
  if (owned?.number === charge.number) return entries.purchaseBy(charge, false);
  // A register that has taken the place of a removed one has other records under the same ids.
  const why = 'was refunded, or its register was removed';
  throw mismatch(`the purchase with this idempotency key ${why}: buy with another key`);
}

/** @throws GazetteError `price_changed` for a price above what was agreed to, or in another currency */
function checkAgreed(price: Money, agreed: Money, who: string): void {
  if (!exceeds(price, agreed)) return;
  const message = `the record costs ${moneyText(price)}, and ${who} at most ${moneyText(agreed)}: nothing was charged`;
  throw new GazetteError('price_changed', message, { details: { ...price } });
}

/** Counts what a key spends. @throws GazetteError `unknown_key`, `price_changed`, `budget_exhausted`, `day_budget_exhausted` */
function* spend(sql: Sql, { id }: Account, keyId: string, price: Money): Rule<void> {
  const { amount } = price;
  const today = (yield* entries.timeNow(sql)).slice(0, 10);
  // A day that is later than today stays: the clock was set back.
  const key = yield* sql.one(SPENDING)`SELECT ${SPENDING} FROM ${KEYS}
    WHERE id = ${keyId} AND account_id = ${id} AND revoked_at IS NULL ${FOR_UPDATE}`;
  if (key === null) throw unknownKey(keyId);
  if (key.maxPrice !== null) checkAgreed(price, key.maxPrice, `the key ${keyId} pays`);
  const isSameDay = key.day !== null && key.day >= today;
  const spentOnDay = (isSameDay ? key.spentOnDay : 0) + amount;
  if (key.budget !== null && key.spent + amount > key.budget) {
    const left = Math.max(0, key.budget - key.spent);
    throw exhausted('budget_exhausted', `the key ${keyId} may spend ${left} more, and the price is ${amount}`, left);
  }
  if (key.perDay !== null && spentOnDay > key.perDay) {
    const left = Math.max(0, key.perDay - spentOnDay + amount);
    throw exhausted(
      'day_budget_exhausted',
      `the key ${keyId} may spend ${left} more today, and the price is ${amount}`,
      left,
    );
  }
  yield* sql.run`UPDATE ${KEYS} SET spent = spent + ${amount}, spent_day = ${isSameDay ? key.day : today},
      spent_on_day = ${spentOnDay}
    WHERE id = ${keyId}`;
}

/** Takes a charge back, once. */
export function* refundCharge(
  sql: Sql,
  number: number,
  { reason, reference = null }: { readonly reason: string; readonly reference?: string | null },
): Rule<Entered> {
  const charge = yield* entries.entryAt(sql, number);
  if (charge?.kind !== 'charge') throw unknownEntry(number);
  const { payer, price, provider, keyId, item } = charge;
  // Locked first, as by purchases. The account may be gone.
  yield* sql.one(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE id = ${payer} ${FOR_UPDATE}`;
  const slot = (yield* sql.one(SLOT)`SELECT ${SLOT} FROM ${LEDGER} WHERE number = ${number}`)!;
  const entry = {
    ...{ kind: 'refund' as const, payer, price, provider, keyId, item, slot },
    ...{ reference, reason, reverses: number },
  };
  const made = yield* entries.addEntry(sql, entry);
  if (made === null) {
    const known = yield* entries.reversalOf(sql, number);
    if (known !== null) return { entry: known, isNew: false };
    throw mismatch(`the reference ${quote(reference)} belongs to another refund`);
  }
  yield* entries.revoke(sql, number);
  const entered = { entry: made, isNew: true };
  if (provider !== PREPAID) return entered;
  yield* sql.run`UPDATE ${ACCOUNTS} SET charged = charged - ${price.amount} WHERE id = ${payer}`;
  yield* sql.run`UPDATE ${KEYS} SET spent = spent - ${price.amount} WHERE id = ${keyId}`;
  return entered;
}

function notCovered({ id, balance }: Account, { amount, currency }: Money): GazetteError {
  const left = balance === undefined ? 'no credit' : `${balance.left} ${balance.currency} left`;
  return exhausted(
    'insufficient_credit',
    `the account ${id} has ${left}, and the price is ${amount} ${currency}`,
    balance?.currency === currency ? balance.left : 0,
  );
}

function exhausted(
  code: 'insufficient_credit' | 'budget_exhausted' | 'day_budget_exhausted',
  message: string,
  left: number,
): GazetteError {
  return new GazetteError(code, message, { details: { left } });
}

/** The error for a reference or a key that belongs to something else. */
export function mismatch(message: string): GazetteError {
  return new GazetteError('idempotency_mismatch', message);
}

function unknownEntry(number: number): GazetteError {
  return new GazetteError('unknown_entry', `the ledger has no charge ${number}`, { details: { entry: number } });
}

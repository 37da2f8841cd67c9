// The rules for payments that are settled elsewhere. The first authorization with a nonce binds it to its item. Unique
// indexes decide between those that come at once: (network, asset, sender, nonce), and one open payment per payer and item.
import { GazetteError } from '../../../errors.ts';
import type { Hold, HoldResult, NewHold, PaymentKey, Purchase } from './contract/ledger.ts';
import { FOR_UPDATE, NOW, numberIn } from '../../../stores/rows/sql.ts';
import type { Rule, Sql } from '../../../stores/logic/rule.ts';
import { mismatch } from './credit.ts';
import * as entries from './entries.ts';
import { type HeldRow, HOLD, HOLDS } from './tables.ts';

const NUMBER = numberIn('number');

/** How often a payment is looked for that ended in the moment in which another one began. */
const ATTEMPTS = 5;

/** Begins a payment. */
export function* openHold(sql: Sql, hold: NewHold): Rule<HoldResult> {
  const known = yield* heldRow(sql, hold);
  if (known !== null) return knownResult(known.hold, hold);
  const { slot, corrected } = yield* entries.offeredPlace(sql, hold.item);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const number = yield* insertHold(sql, hold, slot);
    // Looked up after the row, which others wait for: no payment for the item can end unseen any more.
    const owned = yield* entries.chargeOf(sql, hold.payer, slot, hold.item.contentVersion, corrected);
    if (number !== null && owned === null) return { kind: 'opened', hold: yield* enterHold(sql, hold, slot, number) };
    if (number !== null) yield* sql.run`DELETE FROM ${HOLDS} WHERE number = ${number}`;
    if (owned !== null) return { kind: 'owned', purchase: entries.purchaseBy(owned, false) };
    const same = yield* heldRow(sql, hold);
    if (same !== null) return knownResult(same.hold, hold);
    const open = yield* sql.one(HOLD)`SELECT ${HOLD} FROM ${HOLDS} WHERE payer = ${hold.payer} AND slot = ${slot}
      AND content_version = ${hold.item.contentVersion} AND state = 'open'`;
    if (open !== null) return { kind: 'waiting', hold: open.hold };
  }
  throw new GazetteError('store_busy', 'other payments for the same record begin and end all the time');
}

function knownResult(hold: Hold, { item }: NewHold): HoldResult {
  const { recordId, contentVersion } = hold.item;
  const isSame = recordId === item.recordId && contentVersion === item.contentVersion;
  return { kind: isSame ? 'known' : 'bound', hold };
}

/** @returns the number of its row; null when the nonce is used, or another payment for the item is open */
function* insertHold(sql: Sql, hold: NewHold, slot: number): Rule<number | null> {
  const { provider, payer, network, asset, from, nonce, item, payload, requirements, identifier } = hold;
  const { recordId, contentVersion, price } = item;
  return yield* sql.one(NUMBER)`INSERT INTO ${HOLDS} (provider, payer, network, asset, sender, nonce, slot, record_id,
      content_version, tokens, currency, payload, requirements, identifier, opened_at)
    VALUES (${provider}, ${payer}, ${network}, ${asset}, ${from}, ${nonce}, ${slot}, ${recordId}, ${contentVersion},
      ${price.amount}, ${price.currency}, ${JSON.stringify(payload)}, ${JSON.stringify(requirements)}, ${identifier}, ${NOW})
    ON CONFLICT DO NOTHING RETURNING ${NUMBER}`;
}

/** Enters a payment in the ledger. */
function* enterHold(sql: Sql, { payer, provider, item, ...key }: NewHold, slot: number, number: number): Rule<Hold> {
  const reference = `${key.network}:${key.asset}:${key.from}:${key.nonce}`;
  const entry = { kind: 'hold', payer, price: item.price, provider, reference, item, slot } as const;
  const made = yield* entries.addEntry(sql, entry);
  if (made === null) throw mismatch('the ledger knows another payment with this nonce');
  const held = yield* sql.one(HOLD)`UPDATE ${HOLDS} SET entry = ${made.number} WHERE number = ${number}
    RETURNING ${HOLD}`;
  return held!.hold;
}

/** One payment, or null. */
export function* findHold(sql: Sql, key: PaymentKey): Rule<Hold | null> {
  return (yield* heldRow(sql, key))?.hold ?? null;
}

function* heldRow(sql: Sql, { network, asset, from, nonce }: PaymentKey): Rule<HeldRow | null> {
  return yield* sql.one(HOLD)`SELECT ${HOLD} FROM ${HOLDS}
    WHERE network = ${network} AND asset = ${asset} AND sender = ${from} AND nonce = ${nonce}`;
}

/** Whether the record that a payment was begun for is live. */
export function* isHeldRecordLive(sql: Sql, key: PaymentKey): Rule<boolean> {
  const row = yield* heldRow(sql, key);
  return row !== null && (yield* entries.isLive(sql, row.slot));
}

/** Payments that have not ended, oldest first. */
export function* openHolds(sql: Sql, above: number, limit: number): Rule<readonly Hold[]> {
  const rows = yield* sql.all(HOLD)`SELECT ${HOLD} FROM ${HOLDS} WHERE state IN ('open', 'charged') AND entry > ${above}
    ORDER BY entry LIMIT ${limit}`;
  return rows.map(({ hold }) => hold);
}

/** The newest payment with an identifier, or null. */
export function* holdByIdentifier(sql: Sql, identifier: string, recordId: string): Rule<Hold | null> {
  const row = yield* sql.one(HOLD)`SELECT ${HOLD} FROM ${HOLDS}
    WHERE identifier = ${identifier} AND record_id = ${recordId} ORDER BY number DESC LIMIT 1`;
  return row?.hold ?? null;
}

/** Charges an open payment, and grants its item. One that was charged before has not vanished: it ends, unless it still may. */
export function* settleHold(
  sql: Sql,
  key: PaymentKey,
  {
    reference,
    reason = null,
    mayVanish = false,
  }: { readonly reference: string; readonly reason?: string | null; readonly mayVanish?: boolean },
): Rule<Purchase> {
  const { hold, slot } = yield* lockHold(sql, key);
  if (hold.state === 'released' || hold.state === 'reversed') throw ended(hold);
  if (hold.state !== 'open') {
    if (hold.state === 'charged' && !mayVanish) yield* setState(sql, hold, 'settled');
    return entries.purchaseBy((yield* entries.reversalOf(sql, hold.number))!, false);
  }
  const { payer, provider, item } = hold;
  const charge = yield* entries.addEntry(sql, {
    ...{ kind: 'charge', payer, price: item.price, provider, reference, reason, item, slot },
    reverses: hold.number,
  });
  if (charge === null) throw mismatch('another payment was settled under this reference');
  yield* entries.grant(sql, charge, slot);
  yield* setState(sql, hold, mayVanish ? 'charged' : 'settled');
  return entries.purchaseBy(charge, true);
}

/** Ends a payment that was not made: it is released, or its charge reversed. */
export function* releaseHold(sql: Sql, key: PaymentKey, reason: string): Rule<Hold> {
  const { hold, slot } = yield* lockHold(sql, key);
  if (hold.state === 'settled') throw ended(hold);
  if (hold.state === 'released' || hold.state === 'reversed') return hold;
  const { payer, provider, item } = hold;
  const entry = { payer, price: item.price, provider, reason, item, slot };
  if (hold.state === 'open') {
    yield* entries.addEntry(sql, { ...entry, kind: 'release', reverses: hold.number });
    return yield* setState(sql, hold, 'released');
  }
  const charge = (yield* entries.reversalOf(sql, hold.number))!;
  const reversed = yield* entries.addEntry(sql, { ...entry, kind: 'reversed', reverses: charge.number });
  // It was refunded, and its item may have been bought anew.
  if (reversed === null) return yield* setState(sql, hold, 'settled');
  yield* entries.revoke(sql, charge.number);
  return yield* setState(sql, hold, 'reversed');
}

function* lockHold(sql: Sql, { network, asset, from, nonce }: PaymentKey): Rule<HeldRow> {
  const row = yield* sql.one(HOLD)`SELECT ${HOLD} FROM ${HOLDS}
    WHERE network = ${network} AND asset = ${asset} AND sender = ${from} AND nonce = ${nonce} ${FOR_UPDATE}`;
  if (row !== null) return row;
  throw new GazetteError('unknown_hold', `no payment of ${from} with the nonce ${nonce} was begun`);
}

function* setState(sql: Sql, { number }: Hold, state: Exclude<Hold['state'], 'open'>): Rule<Hold> {
  const row = yield* sql.one(HOLD)`UPDATE ${HOLDS} SET state = ${state},
      ended_at = CASE WHEN ${state} = 'charged' THEN NULL ELSE ${NOW} END
    WHERE entry = ${number} RETURNING ${HOLD}`;
  return row!.hold;
}

function ended({ state, from, nonce }: Hold): GazetteError {
  return new GazetteError('hold_ended', `the payment of ${from} with the nonce ${nonce} was ${state} before`);
}

// The ledger of a store on either database: checks the input, then runs the rules (credit.ts, holds.ts, entries.ts).
import { isWhole } from '../../../checks.ts';
import type { LedgerEntry, LedgerRange, LedgerStore, NewHold, PaymentKey } from './contract/ledger.ts';
import { invalid } from '../../../stores/rows/accounts.ts';
import { withoutNul } from '../../../stores/rows/sql.ts';
import type { Engine, Rule, Sql } from '../../../stores/logic/rule.ts';
import { buyItem, grantCredit, refundCharge } from './credit.ts';
import { checkMoney, checkText, checkTokens, hasSold, itemsOf, ownedOf, ownedRecords, purchaseOf } from './entries.ts';
import { findHold, holdByIdentifier, isHeldRecordLive, openHold, openHolds, releaseHold, settleHold } from './holds.ts';
import { ENTRY, LEDGER } from './tables.ts';
import { chargesOfWithdrawn } from './withdrawn.ts';

/** The most entries or payments of one answer. */
const MOST_ENTRIES = 1000;

/** The ledger of a store. */
export function ledgerOn(engine: Engine): LedgerStore {
  return {
    items: (recordIds) => engine.read(itemsOf, recordIds),
    owned: (payer, recordIds) => engine.read(ownedOf, payer, recordIds),
    ownedWithin: async (payer, range) =>
      engine.read(ownedRecords, payer, { ...range, limit: checkedLimit(range.limit) }),
    chargesOfWithdrawn: async (number, { above = 0, limit }) =>
      engine.read(chargesOfWithdrawn, number, above, checkedLimit(limit)),
    purchase: (payer, item) => engine.read(purchaseOf, payer, item),
    grantCredit: async (credit) => {
      checkMoney(credit.price);
      checkText('reference', credit.reference);
      checkText('reason', credit.reason);
      return engine.write(grantCredit, credit);
    },
    buy: async (purchase) => {
      checkText('idempotencyKey', purchase.idempotencyKey);
      return engine.write(buyItem, purchase);
    },
    openHold: async (hold) => engine.write(openHold, keptHold(hold)),
    hold: (key) => engine.read(findHold, keptKey(key)),
    isHeldRecordLive: (key) => engine.read(isHeldRecordLive, keptKey(key)),
    openHolds: async ({ above = 0, limit }) => engine.read(openHolds, above, checkedLimit(limit)),
    holdByIdentifier: (identifier, recordId) =>
      engine.read(holdByIdentifier, withoutNul(identifier), withoutNul(recordId)),
    settleHold: async (key, settled) => {
      checkText('reference', settled.reference);
      checkText('reason', settled.reason);
      return engine.write(settleHold, keptKey(key), settled);
    },
    releaseHold: async (key, { reason }) => {
      checkText('reason', reason);
      return engine.write(releaseHold, keptKey(key), reason);
    },
    refund: async (charge, options) => {
      checkText('reason', options.reason);
      checkText('reference', options.reference);
      return engine.write(refundCharge, charge, options);
    },
    hasSold: () => engine.read(hasSold),
    entries: async (range) => engine.read(entriesIn, { ...range, limit: checkedLimit(range.limit) }),
  };
}

/** Entries, newest first. */
function* entriesIn(sql: Sql, range: LedgerRange): Rule<readonly LedgerEntry[]> {
  const { payer, below = Number.MAX_SAFE_INTEGER, limit } = range;
  if (payer === undefined) {
    return yield* sql.all(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER} WHERE number < ${below}
      ORDER BY number DESC LIMIT ${limit}`;
  }
  return yield* sql.all(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER} WHERE payer = ${withoutNul(payer)} AND number < ${below}
    ORDER BY number DESC LIMIT ${limit}`;
}

function checkedLimit(limit: number): number {
  if (!isWhole(limit, 1, MOST_ENTRIES)) throw invalid('limit', `1..${MOST_ENTRIES}`, String(limit));
  return limit;
}

/** The most characters of a part of a payment's key: longer than any address or nonce. */
const MOST_KEY = 255;

function keptKey({ network, asset, from, nonce }: PaymentKey): PaymentKey {
  const parts = Object.entries({ network, asset, from, nonce }).map(([name, text]) => {
    if (!/^[\x21-\x7e]+$/.test(text) || text.length > MOST_KEY) {
      throw invalid(name, `1..${MOST_KEY} printable ASCII characters`, String(text.length));
    }
    return [name, text.toLowerCase()] as const;
  });
  return Object.fromEntries(parts) as Record<keyof PaymentKey, string>;
}

function keptHold(hold: NewHold): NewHold {
  checkTokens(hold.item.price);
  checkText('identifier', hold.identifier);
  checkText('payer', hold.payer);
  return { ...hold, ...keptKey(hold) };
}

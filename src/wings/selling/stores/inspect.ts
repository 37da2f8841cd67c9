// What the rows of purchases must be: the ledger, the items that are owned, payments on chain, and the sums that accounts and
// keys keep.
import { Fragment, fragment, table } from '../../../stores/rows/sql.ts';
import { GRANTS, HOLDS, LEDGER } from './tables.ts';
import { type Condition, condition } from '../../../stores/logic/inspect/table-rules.ts';

const KEYS = table('api_keys');

/** What charges come to, less those that were refunded or reversed. */
const CHARGED = new Fragment(
  () =>
    `coalesce(sum(CASE WHEN l.kind = 'charge' THEN l.amount WHEN l.kind IN ('refund', 'reversed') THEN -l.amount ELSE 0 END), 0)`,
);

/** An account's money adds up to what its ledger says. */
const BALANCE_CONDITIONS: readonly Condition[] = [
  condition(
    'credit',
    'the sum of the credits in the ledger',
    fragment`t.credit = (SELECT coalesce(sum(l.amount), 0) FROM ${LEDGER} l WHERE l.payer = t.id AND l.kind = 'credit')`,
  ),
  condition(
    'charged',
    'the sum of the charges in the ledger, less refunds, and at most the credit',
    fragment`t.charged <= t.credit
      AND t.charged = (SELECT ${CHARGED} FROM ${LEDGER} l WHERE l.payer = t.id AND l.provider = 'prepaid')`,
  ),
  condition(
    'currency',
    'that of the account’s entries in the ledger',
    fragment`CASE WHEN t.currency IS NULL THEN NOT EXISTS (SELECT 1 FROM ${LEDGER} l WHERE l.payer = t.id)
      ELSE EXISTS (SELECT 1 FROM ${LEDGER} l WHERE l.payer = t.id)
        AND NOT EXISTS (SELECT 1 FROM ${LEDGER} l WHERE l.payer = t.id AND l.currency <> t.currency) END`,
  ),
];

/** What a key has spent adds up to what the ledger says. */
const BUDGET_CONDITIONS: readonly Condition[] = [
  condition(
    'spent',
    'the sum of the charges with the key in the ledger, less refunds',
    fragment`t.spent = (SELECT ${CHARGED} FROM ${LEDGER} l WHERE l.payer = t.account_id AND l.key_id = t.id)`,
  ),
  condition('budget', 'at least what was spent', fragment`t.budget IS NULL OR t.budget >= t.spent`),
  condition(
    'max_price',
    'given with its currency, and with a budget',
    fragment`(t.max_price IS NULL) = (t.max_price_currency IS NULL) AND (t.max_price IS NULL OR t.budget IS NOT NULL)`,
  ),
];

/** What two entries about the same purchase share. */
const SAME = fragment`o.payer = t.payer AND o.tokens IS NOT DISTINCT FROM t.tokens AND o.currency = t.currency AND o.slot = t.slot
  AND o.record_id = t.record_id AND o.content_version = t.content_version AND o.provider = t.provider`;

/** The conditions on the rows of the tables of purchases, and on the sums. */
export const PURCHASE_CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  accounts: BALANCE_CONDITIONS,
  api_keys: BUDGET_CONDITIONS,
  ledger: [
    condition(
      'kind',
      'hold exactly where the payment is kept, and charge where the item is owned, or was refunded or reversed',
      fragment`(t.kind = 'hold') = EXISTS (SELECT 1 FROM ${HOLDS} h WHERE h.entry = t.number)
          AND (t.kind = 'charge') = (EXISTS (SELECT 1 FROM ${GRANTS} g WHERE g.charge = t.number)
            OR EXISTS (SELECT 1 FROM ${LEDGER} r WHERE r.reverses = t.number AND r.kind IN ('refund', 'reversed')))`,
    ),
    condition(
      'slot',
      'given with record_id and content_version, except in a credit',
      fragment`(t.kind = 'credit') = (t.slot IS NULL) AND (t.slot IS NULL) = (t.record_id IS NULL)
          AND (t.slot IS NULL) = (t.content_version IS NULL)`,
    ),
    condition(
      'reverses',
      'the number of the hold or the charge that the entry ends, of the same purchase',
      fragment`CASE WHEN t.kind IN ('credit', 'hold') OR (t.kind = 'charge' AND t.provider = 'prepaid')
          THEN t.reverses IS NULL
          ELSE EXISTS (SELECT 1 FROM ${LEDGER} o WHERE o.number = t.reverses
            AND o.kind = CASE WHEN t.kind IN ('refund', 'reversed') THEN 'charge' ELSE 'hold' END AND ${SAME}
            AND o.amount = t.amount) END`,
    ),
    condition(
      'amount',
      '0 exactly where tokens of an asset are given',
      fragment`(t.amount = 0) = (t.tokens IS NOT NULL) AND (t.amount = 0) = (t.currency LIKE '%/%')`,
    ),
    condition(
      'key_id',
      'null, or the id of a key of the payer',
      fragment`t.key_id IS NULL OR NOT EXISTS (SELECT 1 FROM ${KEYS} k WHERE k.id = t.key_id AND k.account_id <> t.payer)`,
    ),
  ],
  grants: [
    condition(
      'charge',
      'the number of its charge, which was neither refunded nor reversed',
      fragment`EXISTS (SELECT 1 FROM ${LEDGER} l WHERE l.number = t.charge AND l.kind = 'charge' AND l.payer = t.payer
            AND l.slot = t.slot AND l.content_version = t.content_version AND l.record_id = t.record_id)
          AND NOT EXISTS (SELECT 1 FROM ${LEDGER} r WHERE r.reverses = t.charge)`,
    ),
  ],
  holds: [
    condition(
      'entry',
      'the number of its hold in the ledger',
      fragment`EXISTS (SELECT 1 FROM ${LEDGER} o WHERE o.number = t.entry AND o.kind = 'hold' AND ${SAME}
          AND o.reference = t.network || ':' || t.asset || ':' || t.sender || ':' || t.nonce)`,
    ),
    condition(
      'state',
      'what the ledger says of its end',
      fragment`CASE t.state WHEN 'charged' THEN 'settled' ELSE t.state END = coalesce((SELECT CASE
            WHEN r.kind = 'release' THEN 'released'
            WHEN EXISTS (SELECT 1 FROM ${LEDGER} b WHERE b.reverses = r.number AND b.kind = 'reversed') THEN 'reversed'
            WHEN r.kind = 'charge' THEN 'settled' END
          FROM ${LEDGER} r WHERE r.reverses = t.entry), 'open')`,
    ),
    condition(
      'ended_at',
      'null exactly while it has not ended',
      fragment`(t.state IN ('open', 'charged')) = (t.ended_at IS NULL)`,
    ),
  ],
};

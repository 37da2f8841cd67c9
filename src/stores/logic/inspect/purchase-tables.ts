// What the rows of purchases must be: the ledger, the items that are owned, payments on chain, and the sums that accounts and
// keys keep.
import { ID_PATTERNS } from '../../../register/identity.ts';
import { Fragment, fragment, table } from '../../rows/sql.ts';
import { isCurrency, isTokenAmount, TOKEN_AMOUNTS } from '../../../money.ts';
import { isAsset } from '../purchases/entries.ts';
import { GRANTS, HOLDS, LEDGER } from '../purchases/tables.ts';
import { type Form, JSON_TEXT, matching, oneOf, orNull, TEXT, TIME, whole } from './forms.ts';
import { type Condition, condition, type TableRules } from './table-rules.ts';

const KEYS = table('api_keys');

const NUMBER = whole(1);
const COUNT = whole(0);
const RECORD = matching(ID_PATTERNS.record, 'the id of a record');
const CURRENCY: Form = {
  expected: 'a code of ISO 4217',
  fits: (value) => typeof value === 'string' && isCurrency(value),
};
const ASSET: Form = {
  expected: 'an asset by CAIP-19',
  fits: (value) => typeof value === 'string' && isAsset(value),
};
const TOKENS: Form = { expected: TOKEN_AMOUNTS.expected, fits: isTokenAmount };
const PAYER = matching(/^(?:[a-z0-9][a-z0-9-]{0,63}|x402:\S+)$/, 'the id of an account, or x402: and an address');

/** What charges come to, less those that were refunded or reversed. */
const CHARGED = new Fragment(
  () =>
    `coalesce(sum(CASE WHEN l.kind = 'charge' THEN l.amount WHEN l.kind IN ('refund', 'reversed') THEN -l.amount ELSE 0 END), 0)`,
);

/** The columns of an account's money. */
export const BALANCE_COLUMNS: Readonly<Record<string, Form>> = {
  currency: orNull(CURRENCY),
  credit: COUNT,
  charged: COUNT,
};

/** An account's money adds up to what its ledger says. */
export const BALANCE_CONDITIONS: readonly Condition[] = [
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

/** The columns of what a key spends. */
export const BUDGET_COLUMNS: Readonly<Record<string, Form>> = {
  budget: orNull(COUNT),
  per_day: orNull(COUNT),
  spent: COUNT,
  spent_day: orNull(matching(/^\d{4}-\d{2}-\d{2}$/, 'a day such as 2026-05-02')),
  spent_on_day: COUNT,
  max_price: orNull(NUMBER),
  max_price_currency: orNull(CURRENCY),
};

/** What a key has spent adds up to what the ledger says. */
export const BUDGET_CONDITIONS: readonly Condition[] = [
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

/** The rules of the tables of purchases. */
export const PURCHASE_TABLES: readonly TableRules[] = [
  {
    name: 'ledger',
    key: ['number'],
    columns: {
      number: NUMBER,
      kind: oneOf(['credit', 'hold', 'charge', 'release', 'refund', 'reversed']),
      at: TIME,
      payer: PAYER,
      amount: COUNT,
      tokens: orNull(TOKENS),
      currency: {
        expected: `${CURRENCY.expected}, or ${ASSET.expected}`,
        fits: (value) => CURRENCY.fits(value) || ASSET.fits(value),
      },
      slot: orNull(NUMBER),
      record_id: orNull(RECORD),
      content_version: orNull(NUMBER),
      provider: matching(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'the name of a provider'),
      reference: orNull(TEXT),
      key_id: orNull(TEXT),
      idempotency_key: orNull(TEXT),
      reason: orNull(TEXT),
      reverses: orNull(NUMBER),
    },
    conditions: [
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
  },
  {
    name: 'grants',
    key: ['payer', 'slot', 'content_version'],
    columns: { payer: PAYER, slot: NUMBER, content_version: NUMBER, record_id: RECORD, charge: NUMBER },
    conditions: [
      condition(
        'charge',
        'the number of its charge, which was neither refunded nor reversed',
        fragment`EXISTS (SELECT 1 FROM ${LEDGER} l WHERE l.number = t.charge AND l.kind = 'charge' AND l.payer = t.payer
            AND l.slot = t.slot AND l.content_version = t.content_version AND l.record_id = t.record_id)
          AND NOT EXISTS (SELECT 1 FROM ${LEDGER} r WHERE r.reverses = t.charge)`,
      ),
    ],
    record: fragment`t.record_id`,
  },
  {
    name: 'holds',
    key: ['number'],
    columns: {
      number: NUMBER,
      entry: NUMBER,
      provider: TEXT,
      payer: PAYER,
      network: TEXT,
      asset: TEXT,
      sender: TEXT,
      nonce: TEXT,
      slot: NUMBER,
      record_id: RECORD,
      content_version: NUMBER,
      tokens: TOKENS,
      currency: ASSET,
      payload: JSON_TEXT,
      requirements: JSON_TEXT,
      identifier: orNull(TEXT),
      state: oneOf(['open', 'charged', 'settled', 'released', 'reversed']),
      opened_at: TIME,
      ended_at: orNull(TIME),
    },
    conditions: [
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
    record: fragment`t.record_id`,
  },
];

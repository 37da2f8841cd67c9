// The tables of purchases: the ledger, which only grows, the items that are owned now, and payments on chain. Sums lie with
// accounts and keys. A record is named by its slot, which no other record ever gets, and by its id for people.
import { type Shape } from '../../../stores/rows/sql.ts';
import { ID_PATTERNS } from '../../../register/identity.ts';
import { isCurrency, isTokenAmount, TOKEN_AMOUNTS } from '../../../money.ts';
import {
  byDefault,
  CURRENCY,
  index,
  JSON_TEXT,
  matching,
  oneOf,
  orNull,
  Table,
  TEXT,
  textThat,
  TIME,
  unique,
  uniqueIndex,
  whole,
} from '../../../stores/rows/table.ts';
import { feedIdOf } from '../../../stores/rows/register.ts';
import { storedJson } from '../../../stores/rows/stored-json.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { Hold, LedgerEntry } from './contract/ledger.ts';

const NUMBER = whole(1);
const RECORD = matching(ID_PATTERNS.record, 'the id of a record');
const TOKENS = textThat(isTokenAmount, TOKEN_AMOUNTS.expected);
const PAYER = matching(/^(?:[a-z0-9][a-z0-9-]{0,63}|x402:\S+)$/, 'the id of an account, or x402: and an address');

const ASSETS = /^[a-z0-9-]{3,8}:[a-z0-9_-]{1,32}\/[a-z0-9-]{3,8}:[a-z0-9.%-]{1,128}(?:\/[a-z0-9.%-]{1,78})?$/;

/** Whether a text is an asset by CAIP-19, in lower case. */
export function isAsset(text: string): boolean {
  return ASSETS.test(text);
}

const ASSET = textThat(isAsset, 'an asset by CAIP-19');

/**
 * The ledger. What is paid in tokens is text: no integer of a database holds it. The amount of an entry is money of an
 * account, and 0 where it has tokens.
 */
const LEDGER_TABLE = new Table(
  'ledger',
  {
    number: NUMBER,
    kind: oneOf(['credit', 'hold', 'charge', 'release', 'refund', 'reversed']),
    at: TIME,
    payer: PAYER,
    amount: whole(0),
    tokens: orNull(TOKENS),
    currency: textThat((text) => isCurrency(text) || isAsset(text), `${CURRENCY.expected}, or ${ASSET.expected}`),
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
  {
    key: ['number'],
    isCounted: true,
    indexes: [
      index('ledger_payer', '(payer, number)'),
      uniqueIndex('ledger_reference', '(provider, reference, kind) WHERE reference IS NOT NULL'),
      uniqueIndex('ledger_request', '(payer, idempotency_key) WHERE idempotency_key IS NOT NULL'),
      uniqueIndex('ledger_reverses', '(reverses) WHERE reverses IS NOT NULL'),
    ],
  },
);

/** The items that are owned: each of a charge that was neither refunded nor reversed. */
export const GRANTS: Table = new Table(
  'grants',
  { payer: PAYER, slot: NUMBER, content_version: NUMBER, record_id: RECORD, charge: unique(NUMBER) },
  { key: ['payer', 'slot', 'content_version'], indexes: [index('grants_record', '(payer, record_id)')] },
);

/** Payments on chain. Those that have not ended, charged ones included, are found in their order. */
const HOLD_TABLE = new Table(
  'holds',
  {
    number: NUMBER,
    // Given in the transaction that makes the row.
    entry: { ...unique(NUMBER), isNullable: true },
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
    state: byDefault(oneOf(['open', 'charged', 'settled', 'released', 'reversed']), 'open'),
    opened_at: TIME,
    ended_at: orNull(TIME),
  },
  {
    key: ['number'],
    isCounted: true,
    constraint: 'UNIQUE (network, asset, sender, nonce)',
    indexes: [
      uniqueIndex('holds_open', "(payer, slot, content_version) WHERE state = 'open'"),
      index('holds_identifier', '(identifier) WHERE identifier IS NOT NULL'),
      index('holds_unended', "(entry) WHERE state IN ('open', 'charged')"),
    ],
  },
);

export const LEDGER: Table = LEDGER_TABLE;
export const HOLDS: Table = HOLD_TABLE;

/** The tables of purchases. */
export const PURCHASE_TABLES: readonly Table[] = [LEDGER, GRANTS, HOLDS];

/** The columns of an entry. */
export const ENTRY: Shape<LedgerEntry> = LEDGER_TABLE.shape({
  number: 'number',
  kind: 'kind',
  at: 'at',
  payer: 'payer',
  amount: 'amount',
  tokens: 'tokens',
  currency: 'currency',
  recordId: 'record_id',
  contentVersion: 'content_version',
  provider: 'provider',
  reference: 'reference',
  keyId: 'key_id',
  idempotencyKey: 'idempotency_key',
  reason: 'reason',
  reverses: 'reverses',
}).map(({ amount, tokens, currency, recordId, contentVersion, ...entry }) => ({
  ...entry,
  price: tokens === null ? { amount, currency } : { amount: tokens, currency },
  item: recordId === null ? null : itemOf(recordId, contentVersion!),
}));

/** A payment with the slot of its record. */
export interface HeldRow {
  readonly hold: Hold;
  readonly slot: number;
}

/** The columns of a payment. */
export const HOLD: Shape<HeldRow> = HOLD_TABLE.shape({
  number: 'entry',
  provider: 'provider',
  payer: 'payer',
  network: 'network',
  asset: 'asset',
  from: 'sender',
  nonce: 'nonce',
  slot: 'slot',
  recordId: 'record_id',
  contentVersion: 'content_version',
  amount: 'tokens',
  currency: 'currency',
  payload: 'payload',
  requirements: 'requirements',
  identifier: 'identifier',
  state: 'state',
  openedAt: 'opened_at',
  endedAt: 'ended_at',
}).map(({ slot, recordId, contentVersion, amount, currency, payload, requirements, ...held }) => ({
  slot,
  hold: {
    ...held,
    item: { ...itemOf(recordId, contentVersion), price: { amount, currency } },
    payload: storedJson(payload) as JsonValue,
    requirements: storedJson(requirements) as JsonValue,
  },
}));

/** An item by its record's id. */
export function itemOf(recordId: string, contentVersion: number): LedgerEntry['item'] & object {
  return { feedId: feedIdOf(recordId), recordId, contentVersion };
}

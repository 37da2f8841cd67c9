// The tables of purchases: the ledger, which only grows, the items that are owned now, and payments on chain. Sums lie with
// accounts and keys. A record is named by its slot, which no other record ever gets, and by its id for people.
import { asNumber, asNumberOrNull, asText, asTextOrNull, type Shape, shape } from '../../rows/sql.ts';
import { ID_PATTERNS } from '../../../register/identity.ts';
import { isCurrency, isTokenAmount, TOKEN_AMOUNTS } from '../../../money.ts';
import {
  byDefault,
  type Column,
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
} from '../../rows/table.ts';
import { feedIdOf } from '../../rows/register.ts';
import { storedJson } from '../../rows/stored-json.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { Hold, HoldState, LedgerEntry, LedgerKind } from '../../contract/ledger.ts';

const NUMBER = whole(1);
const RECORD = matching(ID_PATTERNS.record, 'the id of a record');
const TOKENS = textThat(isTokenAmount, TOKEN_AMOUNTS.expected);
const PAYER = matching(/^(?:[a-z0-9][a-z0-9-]{0,63}|x402:\S+)$/, 'the id of an account, or x402: and an address');

/** An asset by CAIP-19, in lower case. */
export const ASSET: Column<string> = matching(
  /^[a-z0-9-]{3,8}:[a-z0-9_-]{1,32}\/[a-z0-9-]{3,8}:[a-z0-9.%-]{1,128}(?:\/[a-z0-9.%-]{1,78})?$/,
  'an asset by CAIP-19',
);

/** The currency of money. */
export const CURRENCY: Column<string> = textThat(isCurrency, 'a code of ISO 4217');

/**
 * The ledger. What is paid in tokens is text: no integer of a database holds it. The amount of an entry is money of an
 * account, and 0 where it has tokens.
 */
export const LEDGER: Table = new Table(
  'ledger',
  {
    number: NUMBER,
    kind: oneOf(['credit', 'hold', 'charge', 'release', 'refund', 'reversed']),
    at: TIME,
    payer: PAYER,
    amount: whole(0),
    tokens: orNull(TOKENS),
    currency: textThat((text) => isCurrency(text) || ASSET.fits!(text), `${CURRENCY.expected}, or ${ASSET.expected}`),
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
export const HOLDS: Table = new Table(
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

/** The tables of purchases. */
export const PURCHASE_TABLES: readonly Table[] = [LEDGER, GRANTS, HOLDS];

/** The columns of an entry. */
export const ENTRY: Shape<LedgerEntry> = shape(
  [
    ...['number', 'kind', 'at', 'payer', 'amount', 'tokens', 'currency', 'record_id', 'content_version'],
    ...['provider', 'reference', 'key_id', 'idempotency_key', 'reason', 'reverses'],
  ],
  (row) => {
    const [number, kind, at, payer, amount, tokens, currency, recordId, contentVersion] = row;
    const [provider, reference, keyId, idempotencyKey, reason, reverses] = row.slice(9);
    return {
      number: asNumber(number),
      kind: asText(kind) as LedgerKind,
      at: asText(at),
      payer: asText(payer),
      price:
        tokens === null
          ? { amount: asNumber(amount), currency: asText(currency) }
          : { amount: asText(tokens), currency: asText(currency) },
      item: recordId == null ? null : itemOf(asText(recordId), asNumber(contentVersion)),
      provider: asText(provider),
      reference: asTextOrNull(reference),
      keyId: asTextOrNull(keyId),
      idempotencyKey: asTextOrNull(idempotencyKey),
      reason: asTextOrNull(reason),
      reverses: asNumberOrNull(reverses),
    };
  },
);

/** A payment with the slot of its record. */
export interface HeldRow {
  readonly hold: Hold;
  readonly slot: number;
}

/** The columns of a payment. */
export const HOLD: Shape<HeldRow> = shape(
  [
    ...['entry', 'provider', 'payer', 'network', 'asset', 'sender', 'nonce', 'slot', 'record_id', 'content_version'],
    ...['tokens', 'currency', 'payload', 'requirements', 'identifier', 'state', 'opened_at', 'ended_at'],
  ],
  (row) => {
    const [entry, provider, payer, network, asset, sender, nonce, slot, recordId, contentVersion] = row;
    const [tokens, currency, payload, requirements, identifier, state, openedAt, endedAt] = row.slice(10);
    const price = { amount: asText(tokens), currency: asText(currency) };
    const hold: Hold = {
      number: asNumber(entry),
      provider: asText(provider),
      payer: asText(payer),
      network: asText(network),
      asset: asText(asset),
      from: asText(sender),
      nonce: asText(nonce),
      item: { ...itemOf(asText(recordId), asNumber(contentVersion)), price },
      payload: storedJson(asText(payload)) as JsonValue,
      requirements: storedJson(asText(requirements)) as JsonValue,
      identifier: asTextOrNull(identifier),
      state: asText(state) as HoldState,
      openedAt: asText(openedAt),
      endedAt: asTextOrNull(endedAt),
    };
    return { hold, slot: asNumber(slot) };
  },
);

/** An item by its record's id. */
export function itemOf(recordId: string, contentVersion: number): LedgerEntry['item'] & object {
  return { feedId: feedIdOf(recordId), recordId, contentVersion };
}

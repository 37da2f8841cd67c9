// The tables of purchases: the ledger, which only grows, the items that are owned now, and payments on chain. Sums lie with
// accounts and keys. A record is named by its slot, which no other record ever gets, and by its id for people.
import {
  asNumber,
  asNumberOrNull,
  asText,
  asTextOrNull,
  type Fragment,
  fragment,
  type Shape,
  shape,
  table,
} from '../../rows/sql.ts';
import { BIGINT, COUNTER, ROWS, TEXT } from '../../rows/tables.ts';
import { feedIdOf } from '../../rows/register.ts';
import { storedJson } from '../../rows/stored-json.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { Hold, HoldState, LedgerEntry, LedgerKind } from '../../contract/ledger.ts';

/** The ledger. */
export const LEDGER: Fragment = table('ledger');

/** The items that are owned: each of a charge that was neither refunded nor reversed. */
export const GRANTS: Fragment = table('grants');

/** Payments on chain. */
export const HOLDS: Fragment = table('holds');

/**
 * The tables. What is paid in tokens is text: no integer of a database holds it. The amount of an entry is money of an account,
 * and 0 where it has tokens. Payments that have not ended, charged ones included, are found in their order.
 */
export const LEDGER_TABLES: Fragment = fragment`
CREATE TABLE ${LEDGER} (
  number ${BIGINT} ${COUNTER},
  kind ${TEXT} NOT NULL,
  at ${TEXT} NOT NULL,
  payer ${TEXT} NOT NULL,
  amount ${BIGINT} NOT NULL,
  tokens ${TEXT},
  currency ${TEXT} NOT NULL,
  slot ${BIGINT},
  record_id ${TEXT},
  content_version ${BIGINT},
  provider ${TEXT} NOT NULL,
  reference ${TEXT},
  key_id ${TEXT},
  idempotency_key ${TEXT},
  reason ${TEXT},
  reverses ${BIGINT}
)${ROWS};
CREATE INDEX ledger_payer ON ${LEDGER} (payer, number);
CREATE UNIQUE INDEX ledger_reference ON ${LEDGER} (provider, reference, kind) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX ledger_request ON ${LEDGER} (payer, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX ledger_reverses ON ${LEDGER} (reverses) WHERE reverses IS NOT NULL;
CREATE TABLE ${GRANTS} (
  payer ${TEXT} NOT NULL,
  slot ${BIGINT} NOT NULL,
  content_version ${BIGINT} NOT NULL,
  record_id ${TEXT} NOT NULL,
  charge ${BIGINT} NOT NULL UNIQUE,
  PRIMARY KEY (payer, slot, content_version)
)${ROWS};
CREATE INDEX grants_record ON ${GRANTS} (payer, record_id);
CREATE TABLE ${HOLDS} (
  number ${BIGINT} ${COUNTER},
  entry ${BIGINT} UNIQUE,
  provider ${TEXT} NOT NULL,
  payer ${TEXT} NOT NULL,
  network ${TEXT} NOT NULL,
  asset ${TEXT} NOT NULL,
  sender ${TEXT} NOT NULL,
  nonce ${TEXT} NOT NULL,
  slot ${BIGINT} NOT NULL,
  record_id ${TEXT} NOT NULL,
  content_version ${BIGINT} NOT NULL,
  tokens ${TEXT} NOT NULL,
  currency ${TEXT} NOT NULL,
  payload ${TEXT} NOT NULL,
  requirements ${TEXT} NOT NULL,
  identifier ${TEXT},
  state ${TEXT} NOT NULL DEFAULT 'open',
  opened_at ${TEXT} NOT NULL,
  ended_at ${TEXT},
  UNIQUE (network, asset, sender, nonce)
)${ROWS};
CREATE UNIQUE INDEX holds_open ON ${HOLDS} (payer, slot, content_version) WHERE state = 'open';
CREATE INDEX holds_identifier ON ${HOLDS} (identifier) WHERE identifier IS NOT NULL;
CREATE INDEX holds_unended ON ${HOLDS} (entry) WHERE state IN ('open', 'charged');`;

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

// The tables of purchases: the ledger, which only grows, the items that are owned now, and payments on chain. Sums lie with
// accounts and keys. A record is named by its slot, which no other record ever gets, and by its id for people.
import type { Fragment } from '../../rows/sql.ts';
import { asNumber, asNumberOrNull, asText, asTextOrNull, type Shape, shape, table } from '../../rows/sql.ts';
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

/** The types of columns of one database. */
export interface ColumnTypes {
  readonly text: string;
  readonly number: string;
  /** Of a primary key that counts from 1. */
  readonly counter: string;
}

/** The tables and columns, with this prefix. @param options those of a table */
export function ledgerSql(prefix: string, { text, number, counter }: ColumnTypes, options = ''): string {
  const add = (name: string, column: string): string => `ALTER TABLE ${prefix}${name} ADD COLUMN ${column};`;
  return `
${add('accounts', `currency ${text}`)}
${add('accounts', `credit ${number} NOT NULL DEFAULT 0`)}
${add('accounts', `charged ${number} NOT NULL DEFAULT 0`)}
${add('api_keys', `budget ${number}`)}
${add('api_keys', `per_day ${number}`)}
${add('api_keys', `spent ${number} NOT NULL DEFAULT 0`)}
${add('api_keys', `spent_day ${text}`)}
${add('api_keys', `spent_on_day ${number} NOT NULL DEFAULT 0`)}
CREATE TABLE ${prefix}ledger (
  number ${counter},
  kind ${text} NOT NULL,
  at ${text} NOT NULL,
  payer ${text} NOT NULL,
  amount ${number} NOT NULL,
  currency ${text} NOT NULL,
  slot ${number},
  record_id ${text},
  content_version ${number},
  provider ${text} NOT NULL,
  reference ${text},
  key_id ${text},
  idempotency_key ${text},
  reason ${text},
  reverses ${number}
)${options};
CREATE INDEX ledger_payer ON ${prefix}ledger (payer, number);
CREATE UNIQUE INDEX ledger_reference ON ${prefix}ledger (provider, reference, kind) WHERE reference IS NOT NULL;
CREATE UNIQUE INDEX ledger_request ON ${prefix}ledger (payer, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE UNIQUE INDEX ledger_reverses ON ${prefix}ledger (reverses) WHERE reverses IS NOT NULL;
CREATE TABLE ${prefix}grants (
  payer ${text} NOT NULL,
  slot ${number} NOT NULL,
  content_version ${number} NOT NULL,
  record_id ${text} NOT NULL,
  charge ${number} NOT NULL UNIQUE,
  PRIMARY KEY (payer, slot, content_version)
)${options};
CREATE INDEX grants_record ON ${prefix}grants (payer, record_id);
CREATE TABLE ${prefix}holds (
  number ${counter},
  entry ${number} UNIQUE,
  provider ${text} NOT NULL,
  payer ${text} NOT NULL,
  network ${text} NOT NULL,
  asset ${text} NOT NULL,
  sender ${text} NOT NULL,
  nonce ${text} NOT NULL,
  slot ${number} NOT NULL,
  record_id ${text} NOT NULL,
  content_version ${number} NOT NULL,
  amount ${number} NOT NULL,
  currency ${text} NOT NULL,
  payload ${text} NOT NULL,
  requirements ${text} NOT NULL,
  identifier ${text},
  state ${text} NOT NULL DEFAULT 'open',
  opened_at ${text} NOT NULL,
  ended_at ${text},
  UNIQUE (network, asset, sender, nonce)
)${options};
CREATE UNIQUE INDEX holds_open ON ${prefix}holds (payer, slot, content_version) WHERE state = 'open';
CREATE INDEX holds_waiting ON ${prefix}holds (number) WHERE state = 'open';
CREATE INDEX holds_identifier ON ${prefix}holds (identifier) WHERE identifier IS NOT NULL;`;
}

/** The columns for what a key pays for one record, with this prefix. */
export function maxPriceSql(prefix: string, { text, number }: Pick<ColumnTypes, 'text' | 'number'>): string {
  return `ALTER TABLE ${prefix}api_keys ADD COLUMN max_price ${number};
ALTER TABLE ${prefix}api_keys ADD COLUMN max_price_currency ${text};`;
}

/** Payments that have not ended, charged ones included, are found in their order. @param prefix of tables and indexes */
export function unendedHoldsSql(prefix: string): string {
  return `
DROP INDEX ${prefix}holds_waiting;
CREATE INDEX holds_unended ON ${prefix}holds (entry) WHERE state IN ('open', 'charged');`;
}

/**
 * What is paid in tokens is text: no integer of a database holds it. The amount of an entry is money of an account, and 0 where
 * it has tokens. Prices on chain become digits in definitions too.
 *
 * @param prefix of tables
 * @param definitions the statement that changes them
 */
export function tokensSql(prefix: string, text: string, definitions: string): string {
  const isOnChain = `currency LIKE '%/%'`;
  return `
ALTER TABLE ${prefix}ledger ADD COLUMN tokens ${text};
UPDATE ${prefix}ledger SET tokens = CAST(amount AS text), amount = 0 WHERE ${isOnChain};
ALTER TABLE ${prefix}holds ADD COLUMN tokens ${text} NOT NULL DEFAULT '';
UPDATE ${prefix}holds SET tokens = CAST(amount AS text);
ALTER TABLE ${prefix}holds DROP COLUMN amount;
${definitions}`;
}

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

// What the rules of purchases share: new entries of the ledger, items and what is owned, and what is checked before a write.
import { isWhole } from '../../../checks.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { isCurrency, isTokenAmount, type Money, priceOf, TOKEN_AMOUNTS, type Tokens } from '../../../money.ts';
import type { RegisterDefinition } from '../../../register/record.ts';
import type { OwnedRange, OwnedRecord } from '../../../register/sources/preview-source.ts';
import type { Item, LedgerEntry, OwnedItem, Purchase } from './contract/ledger.ts';
import { invalid } from '../../../stores/rows/accounts.ts';
import { CONTENT_COLUMNS, SLOT_SPAN, slotOf, textOrNullOf } from '../../../stores/rows/columns.ts';
import {
  asNumber,
  asNumberOrNull,
  asText,
  EACH_TEXT,
  Fragment,
  fragment,
  IS_PRESENT,
  NOW,
  shape,
  table,
  withoutNul,
} from '../../../stores/rows/sql.ts';
import { storedJson } from '../../../stores/rows/stored-json.ts';
import type { Rule, Sql } from '../../../stores/logic/rule.ts';
import { ENTRY, GRANTS, isAsset, itemOf, LEDGER } from './tables.ts';

const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const CONTENTS = table('contents');
const VERSIONS = table('versions');
const REGISTERS = table('registers');

const AT = shape(['at'], ([at]) => asText(at));

/** A record that was found: its slot, and as long as it is live its content version, and which other one opens it. */
export interface Place {
  readonly slot: number;
  readonly contentVersion: number | null;
  readonly corrected: number | null;
}

const PLACE = shape(['slot', 'content_version', 'corrected'], ([slot, version, corrected]): Place => {
  return { slot: asNumber(slot), contentVersion: asNumberOrNull(version), corrected: asNumberOrNull(corrected) };
});

const ITEM = shape(['id', 'content_version'], ([id, version]) => itemOf(asText(id), asNumber(version)));

const OWNED = shape(['record_id', 'content_version', 'is_current'], ([id, version, isCurrent]): OwnedItem => {
  return { ...itemOf(asText(id), asNumber(version)), isCurrent: asNumber(isCurrent) === 1 };
});

const LIVE = shape(['r.slot'], ([slot]) => asNumber(slot));

const NUMBER = shape(['number'], ([number]) => asNumber(number));

const OWNED_RECORD = shape(['g.record_id', 'g.slot', 'r.key'], ([id, slot, key]): OwnedRecord => {
  return { recordId: asText(id), position: asNumber(slot) % SLOT_SPAN, key: textOrNullOf(key!) };
});

/** Of the versions of a record `r`, those that brought content, and were no correction of ours, nor another key alone. */
const BROUGHT = fragment`FROM ${VERSIONS} v
  WHERE v.slot = r.slot AND v.content_version = v.version AND v.cause NOT IN ('extraction_correction', 'renumbered')`;

const IS_SAME = new Fragment(() =>
  CONTENT_COLUMNS.filter((name) => name !== 'key')
    .map((name) => `c.${name} IS NOT DISTINCT FROM r.${name}`)
    .join(' AND '),
);

/**
 * The content version of a live record `r`: the last version that brought content, and was no correction of ours, when the record
 * said for the first time what it says now. So a content that returns is what it was.
 */
const CONTENT_VERSION = fragment`(SELECT max(v.version) ${BROUGHT} AND v.version <= coalesce(
  (SELECT min(c.version) FROM ${CONTENTS} c WHERE c.slot = r.slot AND ${IS_SAME}), r.content_version))`;

/** That which the record said last before our corrections: these are free to who bought it, even where another content returns. */
const CORRECTED = fragment`(SELECT max(v.version) ${BROUGHT})`;

/** Whether what is owned (`g`) opens a record `r`. */
const OPENS = fragment`g.content_version IN (${CONTENT_VERSION}, ${CORRECTED})`;

/** Whether the register of a record `r` is there: the rows of one that is being removed may be there still. */
const IS_SHOWN = fragment`EXISTS (SELECT 1 FROM ${REGISTERS} WHERE number = r.slot / ${SLOT_SPAN} AND ${IS_PRESENT})`;

/** An entry to be made. */
export type NewEntry = Pick<LedgerEntry, 'kind' | 'payer' | 'price' | 'provider'> &
  Partial<Pick<LedgerEntry, 'reference' | 'keyId' | 'idempotencyKey' | 'reason' | 'reverses' | 'item'>> & {
    readonly slot?: number;
  };

/** Adds an entry. @returns null when its reference, its idempotency key or what it reverses is taken */
export function* addEntry(sql: Sql, entry: NewEntry): Rule<LedgerEntry | null> {
  const { kind, payer, price, provider, reference = null, keyId = null, idempotencyKey = null } = entry;
  const { reason = null, reverses = null, item = null, slot = null } = entry;
  const [amount, tokens] = typeof price.amount === 'number' ? [price.amount, null] : [0, price.amount];
  return yield* sql.one(ENTRY)`INSERT INTO ${LEDGER} (kind, at, payer, amount, tokens, currency, slot, record_id,
      content_version, provider, reference, key_id, idempotency_key, reason, reverses)
    VALUES (${kind}, ${NOW}, ${payer}, ${amount}, ${tokens}, ${price.currency}, ${slot}, ${item?.recordId ?? null},
      ${item?.contentVersion ?? null}, ${provider}, ${reference}, ${keyId}, ${idempotencyKey}, ${reason}, ${reverses})
    ON CONFLICT DO NOTHING RETURNING ${ENTRY}`;
}

/** One entry, or null. */
export function* entryAt(sql: Sql, number: number): Rule<LedgerEntry | null> {
  return yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER} WHERE number = ${number}`;
}

/** The entry of a provider with this reference, or null. */
export function* entryByReference(
  sql: Sql,
  kind: LedgerEntry['kind'],
  provider: string,
  reference: string,
): Rule<LedgerEntry | null> {
  return yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER}
    WHERE provider = ${provider} AND reference = ${reference} AND kind = ${kind}`;
}

/** The entry that ends or reverses another one, or null. */
export function* reversalOf(sql: Sql, number: number): Rule<LedgerEntry | null> {
  return yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER} WHERE reverses = ${number}`;
}

/** The time by the database's clock. */
export function* timeNow(sql: Sql): Rule<string> {
  return (yield* sql.one(AT)`SELECT ${NOW} AS at`)!;
}

/** Where a record is, or null. */
export function* placeOf(sql: Sql, recordId: string): Rule<Place | null> {
  const id = withoutNul(recordId);
  return yield* sql.one(PLACE)`SELECT r.slot, ${CONTENT_VERSION} AS content_version, ${CORRECTED} AS corrected
      FROM ${RECORDS} r WHERE r.id = ${id} AND ${IS_SHOWN}
    UNION ALL SELECT r.slot, NULL, NULL FROM ${WITHDRAWN} r WHERE r.id = ${id} AND ${IS_SHOWN}`;
}

/** Where a record is. @throws GazetteError `item_changed` when it is not live, or not what is sold */
export function* offeredPlace(sql: Sql, { recordId, contentVersion }: Item): Rule<Place> {
  const place = yield* placeOf(sql, recordId);
  if (place?.contentVersion === contentVersion) return place;
  const now = place?.contentVersion ?? null;
  const is = now === null ? 'is not in its register any more' : `has the content version ${now} by now`;
  throw new GazetteError('item_changed', `the record ${quote(recordId)} ${is}, not ${contentVersion}`, {
    details: { record: recordId, contentVersion: now },
  });
}

const DEFINITION = shape(['definition'], ([text]) => storedJson(asText(text)) as RegisterDefinition);

/**
 * What the record in a slot costs as its register's definition is now, whatever its buyer was shown.
 *
 * @throws GazetteError `price_changed` where nothing is sold any more
 */
export function* priceNow(sql: Sql, { feedId }: Item, slot: number): Rule<Money> {
  const definition = yield* sql.one(DEFINITION)`SELECT ${DEFINITION} FROM ${REGISTERS}
    WHERE number = ${Math.floor(slot / SLOT_SPAN)}`;
  const price = definition === null ? null : priceOf(definition);
  if (price !== null) return price;
  throw new GazetteError('price_changed', `the register ${quote(feedId)} sells no single records any more`);
}

/** Whether the record in a slot is live, so that its register may show it. */
export function* isLive(sql: Sql, slot: number): Rule<boolean> {
  return (yield* sql.one(LIVE)`SELECT ${LIVE} FROM ${RECORDS} r WHERE r.slot = ${slot} AND ${IS_SHOWN}`) !== null;
}

/** Whether anything was ever bought, or is being bought. What comes before the first such entry is credit alone. */
export function* hasSold(sql: Sql): Rule<boolean> {
  return (yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${LEDGER} WHERE kind <> 'credit' LIMIT 1`) !== null;
}

/** The charge of an item that is owned, or null. @param other another content version that opens the record */
export function* chargeOf(
  sql: Sql,
  payer: string,
  slot: number,
  contentVersion: number,
  other: number | null = null,
): Rule<LedgerEntry | null> {
  return yield* sql.one(ENTRY)`SELECT ${ENTRY} FROM ${LEDGER} WHERE number IN (SELECT charge FROM ${GRANTS}
      WHERE payer = ${payer} AND slot = ${slot} AND content_version IN (${contentVersion}, ${other ?? contentVersion}))
    ORDER BY CASE content_version WHEN ${contentVersion} THEN 0 ELSE 1 END LIMIT 1`;
}

/** Grants what an entry charged. @returns false when it is owned already */
export function* grant(sql: Sql, { number, payer, item }: LedgerEntry, slot: number): Rule<boolean> {
  const granted = yield* sql.run`INSERT INTO ${GRANTS} (payer, slot, content_version, record_id, charge)
    VALUES (${payer}, ${slot}, ${item!.contentVersion}, ${item!.recordId}, ${number})
    ON CONFLICT (payer, slot, content_version) DO NOTHING`;
  return granted === 1;
}

/** Takes back what an entry charged. */
export function* revoke(sql: Sql, charge: number): Rule<void> {
  yield* sql.run`DELETE FROM ${GRANTS} WHERE charge = ${charge}`;
}

/** The items of live records. */
export function* itemsOf(sql: Sql, recordIds: readonly string[]): Rule<ReadonlyMap<string, Item>> {
  const items = yield* sql.all(ITEM)`SELECT r.id, ${CONTENT_VERSION} FROM ${RECORDS} r
    WHERE r.id IN (SELECT value FROM ${EACH_TEXT}(${idList(recordIds)})) AND ${IS_SHOWN}`;
  return new Map(items.map((item) => [item.recordId, item]));
}

/** What a payer owns of records. */
export function* ownedOf(sql: Sql, payer: string, recordIds: readonly string[]): Rule<readonly OwnedItem[]> {
  // A register that was removed has no slots any more: what was bought of it is not of the one that has its id now.
  return yield* sql.all(OWNED)`SELECT g.record_id, g.content_version,
      CASE WHEN EXISTS (SELECT 1 FROM ${RECORDS} r WHERE r.slot = g.slot AND ${OPENS}) THEN 1 ELSE 0 END
    FROM ${GRANTS} g WHERE g.payer = ${withoutNul(payer)}
      AND g.record_id IN (SELECT value FROM ${EACH_TEXT}(${idList(recordIds)}))
      AND (EXISTS (SELECT 1 FROM ${RECORDS} r WHERE r.slot = g.slot)
        OR EXISTS (SELECT 1 FROM ${WITHDRAWN} w WHERE w.slot = g.slot))
    ORDER BY g.record_id, g.content_version`;
}

/** The records of a register that a payer owns as they are now, newest first: a range of the key of what is owned. */
export function* ownedRecords(sql: Sql, payer: string, range: OwnedRange): Rule<readonly OwnedRecord[]> {
  const number = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(range.feedId)} AND ${IS_PRESENT}`;
  if (number === null) return [];
  const [lowest, highest] = [slotOf(number, Math.max(range.to, 0)), slotOf(number, range.from)];
  return yield* sql.all(
    OWNED_RECORD,
  )`SELECT DISTINCT ${OWNED_RECORD} FROM ${GRANTS} g JOIN ${RECORDS} r ON r.slot = g.slot
    WHERE g.payer = ${withoutNul(payer)} AND g.slot BETWEEN ${lowest} AND ${highest}
      AND ${OPENS}
    ORDER BY g.slot DESC LIMIT ${range.limit}`;
}

/** The purchase of an item, or null. */
export function* purchaseOf(
  sql: Sql,
  payer: string,
  { recordId, contentVersion }: Pick<Item, 'recordId' | 'contentVersion'>,
): Rule<Purchase | null> {
  const place = yield* placeOf(sql, recordId);
  if (place === null) return null;
  const charge = yield* chargeOf(sql, withoutNul(payer), place.slot, contentVersion);
  return charge === null ? null : purchaseBy(charge, false);
}

/** What an entry charged. */
export function purchaseBy(charge: LedgerEntry, isNew: boolean): Purchase {
  return { payer: charge.payer, item: charge.item!, charge, isNew };
}

/** How many records are asked for at once. */
const MOST_RECORDS = 1000;

function idList(recordIds: readonly string[]): string {
  if (recordIds.length > MOST_RECORDS) throw invalid('recordIds', `at most ${MOST_RECORDS}`, String(recordIds.length));
  return JSON.stringify(recordIds.map(withoutNul));
}

/** @throws GazetteError `invalid_option` for an amount that is no whole number from 1 on, or a malformed currency */
export function checkMoney({ amount, currency }: Money): void {
  if (!isWhole(amount, 1)) throw invalid('amount', `a whole number 1..${Number.MAX_SAFE_INTEGER}`, String(amount));
  if (!isCurrency(currency)) throw invalid('currency', 'a code of ISO 4217 such as EUR', quote(currency));
}

/** @throws GazetteError `invalid_option` for an amount that is none of a token, or a malformed asset */
export function checkTokens({ amount, currency }: Tokens): void {
  if (!isTokenAmount(amount)) throw invalid('amount', TOKEN_AMOUNTS.expected, quote(amount));
  if (!isAsset(currency)) throw invalid('currency', 'an asset by CAIP-19 in lower case', quote(currency));
}

/** The most characters of what somebody else calls a payment, and of a reason. */
const MOST_TEXT = 255;

/** @throws GazetteError `invalid_option` for an empty or long text, or one with control characters */
export function checkText(option: string, text: string | null | undefined): void {
  if (text == null || (text.length > 0 && text.length <= MOST_TEXT && text.isWellFormed() && !/\p{Cc}/u.test(text)))
    return;
  throw invalid(option, `1..${MOST_TEXT} characters on one line`, quote(text));
}

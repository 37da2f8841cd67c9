// The publisher's keys of records: the one rule that says which record a key is of. Where no record of a register was ever renumbered,
// that is the record whose id is made of the key, and nothing is read.
import { createHmac } from 'node:crypto';
import { recordId, recordIdOrNull, recordKey, reusedId } from '../../register/identity.ts';
import type { FoundRecord, NamedRecord, RecordKeys } from '../contract/record-keys.ts';
import type { StoredRecord } from '../contract/registers.ts';
import { columnText, slotOf, STATES, textOf, textOrNullOf } from '../rows/columns.ts';
import { REGISTER, type RegisterRow, unknownFeed } from '../rows/register.ts';
import { asNumber, asText, EACH_TEXT, IS_PRESENT, type Shape, shape, table, withoutNul } from '../rows/sql.ts';
import { matching, Table, whole } from '../rows/table.ts';
import { hasKeys, type Step } from './batch.ts';
import type { Engine, Rule, Sql } from './rule.ts';
import { REGISTERS } from './schema/register-tables.ts';

const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const CONTENTS = table('contents');

/** The keys that redacted records had, as HMAC-SHA-256 under the register's secret: none of them is taken in again. */
const ERASED = new Table(
  'erased_keys',
  { said: matching(/^[0-9a-f]{64}$/, '64 hexadecimal digits'), slot: whole(1) },
  { key: ['said', 'slot'], isKeyed: true },
);

/** The table. */
export const ERASED_KEY_TABLES: readonly Table[] = [ERASED];

const SECRET = REGISTERS.shape({ secret: 'row_secret' }) as Shape<{ secret: Uint8Array }>;
const KEY = shape(['key'], ([key]) => textOf(key!));

/** How many ids of a freed key are looked at together. */
const REUSED_AT_ONCE = 50;

interface HeldRecord {
  readonly id: string;
  readonly key: string | null;
  readonly state: StoredRecord['state'];
}

const HELD = shape(['id', 'key', 'state'], ([id, key, state]): HeldRecord => {
  return { id: asText(id), key: textOrNullOf(key!), state: STATES[asNumber(state) as 0 | 1 | 2] };
});
const ERASED_OF = shape(['said', 'id', 'state'], ([said, id, state]) => {
  return { said: asText(said), id: asText(id), state: STATES[asNumber(state) as 0 | 1 | 2] };
});

/** The keys of a store's records. */
export function recordKeysOn(engine: Engine): RecordKeys {
  return { find: (feedId, names) => engine.read(findNamed, feedId, names) };
}

/** As {@link RecordKeys.find}. */
export function* findNamed(sql: Sql, feedId: string, names: readonly NamedRecord[]): Rule<readonly FoundRecord[]> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (head === null) throw unknownFeed(feedId);
  const keys = names.map(({ id }) => recordKey(id));
  const byId = yield* recordsOf(sql, [
    ...names.map(({ id }) => id),
    ...keys.flatMap((key) => recordIdOrNull(feedId, key) ?? []),
  ]);
  const byKey = head.isRenumbered ? yield* holdersOf(sql, head, keys) : new Map<string, HeldRecord>();
  const erased = head.isRenumbered ? yield* erasedAmong(sql, head, keys) : new Map<string, HeldRecord>();
  const found: FoundRecord[] = [];
  for (const [at, { id, isId = false }] of names.entries()) {
    const named = byId.get(id);
    if (isId && named !== undefined) found.push(named);
    else {
      const key = keys[at]!;
      const own = recordId(feedId, key);
      const first = byId.get(own);
      const holder = byKey.get(key) ?? (first?.key === null && first.state !== 'redacted' ? first : undefined);
      const known = holder ?? erased.get(key) ?? (first?.state === 'redacted' ? first : undefined);
      if (known !== undefined) found.push(known);
      else if (isId) found.push({ id, key: id === own ? null : key, state: null });
      else if (first === undefined) found.push({ id: own, key: null, state: null });
      else found.push({ id: yield* freeId(sql, own), key, state: null });
    }
  }
  return found;
}

/** The records with these ids. */
function* recordsOf(sql: Sql, ids: readonly string[]): Rule<ReadonlyMap<string, HeldRecord>> {
  const list = JSON.stringify([...new Set(ids)]);
  const found = yield* sql.all(HELD)`SELECT r.id, r.key, 0 AS state FROM ${EACH_TEXT}(${list}) e
      JOIN ${RECORDS} r ON r.id = e.value
    UNION ALL SELECT w.id, w.key, 1 + w.is_redacted FROM ${EACH_TEXT}(${list}) e JOIN ${WITHDRAWN} w ON w.id = e.value`;
  return new Map(found.map((record) => [record.id, record]));
}

/** The records whose key is one of these, and another than that of their id. */
function* holdersOf(sql: Sql, { number }: RegisterRow, keys: readonly string[]): Rule<ReadonlyMap<string, HeldRecord>> {
  const [from, to] = [slotOf(number, 0), slotOf(number + 1, 0)];
  const list = JSON.stringify([...new Set(keys.map(columnText))]);
  const found = yield* sql.all(HELD)`SELECT r.id, r.key, 0 AS state FROM ${EACH_TEXT}(${list}) e
      JOIN ${RECORDS} r ON r.key = e.value WHERE r.slot > ${from} AND r.slot < ${to}
    UNION ALL SELECT w.id, w.key, 1 FROM ${EACH_TEXT}(${list}) e
      JOIN ${WITHDRAWN} w ON w.key = e.value WHERE w.slot > ${from} AND w.slot < ${to}`;
  return new Map(found.map((record) => [record.key!, record]));
}

/** The redacted records that had one of these keys. One whose redaction was lifted is found until it says something again. */
function* erasedAmong(
  sql: Sql,
  { number }: RegisterRow,
  keys: readonly string[],
): Rule<ReadonlyMap<string, HeldRecord>> {
  const { secret } = (yield* sql.one(SECRET)`SELECT ${SECRET} FROM ${REGISTERS} WHERE number = ${number}`)!;
  const keyOf = new Map(keys.map((key) => [digestOf(secret, key), key]));
  const found = yield* sql.all(ERASED_OF)`SELECT k.said, w.id, 1 + w.is_redacted AS state
    FROM ${EACH_TEXT}(${JSON.stringify([...keyOf.keys()])}) e JOIN ${ERASED} k ON k.said = e.value
    JOIN ${WITHDRAWN} w ON w.slot = k.slot AND w.title IS NULL
    WHERE w.slot > ${slotOf(number, 0)} AND w.slot < ${slotOf(number + 1, 0)}`;
  return new Map(
    found.map(({ said, ...record }) => {
      const key = keyOf.get(said)!;
      return [key, { ...record, key: recordKey(record.id) === key ? null : key }];
    }),
  );
}

/** The first id that no record has. @param id that which the key alone would make */
function* freeId(sql: Sql, id: string): Rule<string> {
  for (let from = 2; ; from += REUSED_AT_ONCE) {
    const ids = Array.from({ length: REUSED_AT_ONCE }, (_, at) => reusedId(id, from + at));
    const taken = yield* recordsOf(sql, ids);
    const free = ids.find((each) => !taken.has(each));
    if (free !== undefined) return free;
  }
}

function digestOf(secret: Uint8Array, key: string): string {
  return createHmac('sha256', secret).update(key).digest('hex');
}

/** Notes that records of a register have other keys than those of their ids, once a batch has one. */
export function* markRenumbered(sql: Sql, { number, isRenumbered }: RegisterRow, steps: readonly Step[]): Rule<void> {
  if (isRenumbered || !hasKeys(steps)) return;
  yield* sql.run`UPDATE ${REGISTERS} SET is_renumbered = 1 WHERE number = ${number}`;
}

/** Keeps the keys that a record had, besides that of its id, before they are erased with its content. @returns the keys */
export function* keepErasedKeys(
  sql: Sql,
  { number, isRenumbered }: RegisterRow,
  slot: number,
): Rule<readonly string[]> {
  if (!isRenumbered) return [];
  const { secret } = (yield* sql.one(SECRET)`SELECT ${SECRET} FROM ${REGISTERS} WHERE number = ${number}`)!;
  const keys = yield* sql.all(KEY)`SELECT key FROM ${RECORDS} WHERE slot = ${slot} AND key IS NOT NULL
    UNION SELECT key FROM ${WITHDRAWN} WHERE slot = ${slot} AND key IS NOT NULL
    UNION SELECT key FROM ${CONTENTS} WHERE slot = ${slot} AND key IS NOT NULL`;
  for (const key of keys) {
    yield* sql.run`INSERT INTO ${ERASED} (said, slot) VALUES (${digestOf(secret, key)}, ${slot}) ON CONFLICT DO NOTHING`;
  }
  return keys;
}

// The entries of a register's log, made of its versions: RFC 8785 of {"v", "change", "position", "version", "cause",
// "recorded_at", "record", "commitment"}. No id stands in them: `record` is an HMAC of the id, whose key is erased with the
// salts. It is that of the first version since the last redaction, hashed, so that who may read a record gets the key of
// its `record` without the salt of its first version. A redaction erases the key: what it made is stored before.
import { hash } from 'node:crypto';
import { GazetteError } from '../../../errors.ts';
import { hmac } from '../../../stores/rows/commitment.ts';
import { SLOT_SPAN, slotOf } from '../../../stores/rows/columns.ts';
import { feedIdOf } from '../../../stores/rows/register.ts';
import {
  asBytes,
  asBytesOrNull,
  asNumber,
  asText,
  asTextOrNull,
  type Fragment,
  fragment,
  IS_PRESENT,
  type Shape,
  shape,
  table,
  withoutNul,
} from '../../../stores/rows/sql.ts';
import type { ProvedVersion } from './contract/logs.ts';
import { bytes, small, Table, whole } from '../../../stores/rows/table.ts';
import { FIRST_CAUSE } from '../../../stores/logic/batch.ts';
import type { ErasedRecord, FirstVersions, Rule, Sql } from '../../../stores/logic/rule.ts';

const VERSIONS = table('versions');
const LOGS = table('logs');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const REGISTERS = table('registers');

/** The `record` of records that were redacted: of their versions up to that one, above the last such version before. */
export const ERASED: Table = new Table(
  'erased_records',
  { slot: whole(1), last_version: small(1), hmac: bytes(32, 32) },
  { key: ['slot', 'last_version'], isKeyed: true },
);

/** What an entry is made of. */
export interface EntryRow {
  readonly entry: number;
  readonly slot: number;
  readonly version: number;
  readonly cause: string;
  readonly recordedAt: string;
  readonly commitment: Uint8Array | null;
  /** The entry's `record`, where its key was erased. */
  readonly recordHmac: Uint8Array | null;
  readonly recordId: string | null;
  /** The salt of the first version since the last redaction. */
  readonly firstSalt: Uint8Array | null;
}

/**
 * The `record` of a version `v` whose key was erased, the salt of which the key of others is made, and where both come from.
 */
const FROM_VERSIONS: Fragment = fragment`
  (SELECT e.hmac FROM ${ERASED} e WHERE e.slot = v.slot AND e.last_version >= v.version ORDER BY e.last_version LIMIT 1),
  CASE WHEN v.version = 1 THEN v.salt ELSE (SELECT f.salt FROM ${VERSIONS} f WHERE f.slot = v.slot AND f.version >
    (SELECT coalesce(max(e.last_version), 0) FROM ${ERASED} e WHERE e.slot = v.slot) ORDER BY f.version LIMIT 1) END
  FROM ${VERSIONS} v LEFT JOIN ${RECORDS} r ON r.slot = v.slot
  LEFT JOIN ${WITHDRAWN} w ON r.slot IS NULL AND w.slot = v.slot`;

/** The same, with the log that the version is of. */
const PROVED_FROM = fragment`${FROM_VERSIONS} JOIN ${LOGS} l ON l.number = v.log`;

const COLUMNS = ['v.entry', 'v.slot', 'v.version', 'v.cause', 'v.recorded_at', 'v.commitment'];
const WHOLE = new Set(['v.entry', 'v.slot', 'v.version']);

function entryShape(columns: readonly string[]): Shape<EntryRow> {
  return shape(
    [...columns, 'coalesce(r.id, w.id)'],
    ([entry, slot, version, cause, recordedAt, commitment, recordId, recordHmac, firstSalt]): EntryRow => ({
      entry: asNumber(entry),
      slot: asNumber(slot),
      version: asNumber(version),
      cause: asText(cause),
      recordedAt: asText(recordedAt),
      commitment: asBytesOrNull(commitment),
      recordHmac: asBytesOrNull(recordHmac),
      recordId: asTextOrNull(recordId),
      firstSalt: asBytesOrNull(firstSalt),
    }),
  );
}

const ENTRY: Shape<EntryRow> = entryShape(COLUMNS);

/** The same for rows that may be damaged: integers are texts, because a driver refuses those that a double does not hold. */
export const READABLE_ENTRY: Shape<EntryRow> = entryShape(
  COLUMNS.map((name) => (WHOLE.has(name) ? `CAST(${name} AS text)` : name)),
);

/** An entry of a log. */
export interface MadeEntry {
  readonly bytes: Buffer;
  /** The key of its `record`; null once it was erased. */
  readonly recordSalt: Uint8Array | null;
}

/** An entry that can be made. */
interface ReadEntry {
  readonly change: number;
  /** Null when the version lacks what its entry is made of. */
  readonly make: () => MadeEntry | null;
}

/** The entries of first versions, which need not be read. @param from the last change before them */
export function firstEntries(register: number, from: number, versions: FirstVersions): MadeEntry[] {
  const { ids, top, recordedAt, salts, commitments } = versions;
  return ids.map((recordId, at) => {
    const bytes = [at * 32, (at + 1) * 32] as const;
    const made = entryOf({
      ...{ entry: slotOf(register, from + 1 + at), slot: slotOf(register, top + 1 + at), version: 1 },
      ...{ cause: FIRST_CAUSE, recordedAt, recordId, recordHmac: null },
      ...{ commitment: commitments.subarray(...bytes), firstSalt: salts.subarray(...bytes) },
    });
    return made!;
  });
}

/** The versions of a register with changes above `from`, up to `to`. */
export function* readEntries(
  sql: Sql,
  entry: Shape<EntryRow>,
  register: number,
  from: number,
  to: number,
): Rule<ReadEntry[]> {
  const [after, last] = [slotOf(register, from), slotOf(register, to)];
  const rows =
    entry === ENTRY
      ? yield* sql.all(ENTRY)`SELECT ${ENTRY}, ${FROM_VERSIONS} WHERE v.entry > ${after} AND v.entry <= ${last}
          ORDER BY v.entry`
      : yield* sql.all(READABLE_ENTRY)`SELECT ${READABLE_ENTRY}, ${FROM_VERSIONS}
          WHERE v.entry > ${after} AND v.entry <= ${last} ORDER BY v.entry`;
  return rows.map((row) => ({ change: row.entry % SLOT_SPAN, make: () => entryOf(row) }));
}

/** The entries of the changes of a register above `from`, up to `to`. @throws GazetteError `invalid_store` */
export function* entriesOf(sql: Sql, register: number, from: number, to: number): Rule<MadeEntry[]> {
  return (yield* readEntries(sql, ENTRY, register, from, to)).map(({ change, make }) => wholeEntry(change, make()));
}

const PROVED = shape(['v.salt', 'l.uuid', ...ENTRY.columns], ([salt, log, ...row]): ProvedVersion => {
  const entry = ENTRY.read(row);
  const change = entry.entry % SLOT_SPAN;
  const { bytes, recordSalt } = wholeEntry(change, entryOf(entry));
  return {
    ...{ change, version: entry.version, entry: bytes },
    ...{ log: asText(log), salt: asBytesOrNull(salt), recordSalt },
  };
});

/** The same with what proves each of them. @throws GazetteError `invalid_store` */
export function* provedEntries(sql: Sql, register: number, from: number, to: number): Rule<ProvedVersion[]> {
  return yield* sql.all(PROVED)`SELECT ${PROVED}, ${PROVED_FROM}
    WHERE v.entry > ${slotOf(register, from)} AND v.entry <= ${slotOf(register, to)} ORDER BY v.entry`;
}

/** The newest versions of the live records at positions from `from` to `to`, in the order of changes. @throws GazetteError `invalid_store` */
export function* provedPositions(sql: Sql, register: number, from: number, to: number): Rule<ProvedVersion[]> {
  return yield* sql.all(PROVED)`SELECT ${PROVED}, ${PROVED_FROM}
    WHERE v.slot >= ${slotOf(register, from)} AND v.slot <= ${slotOf(register, to)} AND v.version = r.version ORDER BY v.entry`;
}

/** The latest version of a record up to some version, with what proves it. @throws GazetteError `invalid_store` */
export function* provedVersion(sql: Sql, recordId: string, upTo: number): Rule<ProvedVersion | null> {
  const id = withoutNul(recordId);
  return yield* sql.one(PROVED)`SELECT ${PROVED}, ${PROVED_FROM}
    WHERE v.slot = (SELECT slot FROM ${RECORDS} WHERE id = ${id} UNION ALL SELECT slot FROM ${WITHDRAWN} WHERE id = ${id})
      AND v.version <= CAST(${upTo} AS bigint)
      AND EXISTS (SELECT 1 FROM ${REGISTERS} WHERE id = ${feedIdOf(id)} AND ${IS_PRESENT})
    ORDER BY v.version DESC LIMIT 1`;
}

function wholeEntry(change: number, entry: MadeEntry | null): MadeEntry {
  if (entry !== null) return entry;
  throw new GazetteError(
    'invalid_store',
    `change ${change} lacks what its entry in the log is made of: run gazette doctor`,
  );
}

function entryOf(row: EntryRow): MadeEntry | null {
  const { entry, slot, version, cause, recordedAt, commitment, recordHmac, recordId, firstSalt } = row;
  const recordSalt = recordHmac === null && firstSalt !== null ? recordSaltOf(firstSalt) : null;
  const record = recordSalt !== null && recordId !== null ? recordHmacOf(recordSalt, recordId) : recordHmac;
  if (record === null || commitment === null) return null;
  // canonicalJson() of the members, written out in their order.
  const text =
    `{"cause":"${cause}","change":${entry % SLOT_SPAN},"commitment":"${base64(commitment)}","position":${slot % SLOT_SPAN},` +
    `"record":"${base64(record)}","recorded_at":${JSON.stringify(recordedAt)},"v":1,"version":${version}}`;
  return { bytes: Buffer.from(text), recordSalt };
}

function base64(bytes: Uint8Array): string {
  return (bytes instanceof Buffer ? bytes : Buffer.from(bytes)).toString('base64');
}

const RECORD_SALT = Buffer.concat([Buffer.from('gazette record salt\n'), Buffer.alloc(32)]);

/** The key of an entry's `record`. @param salt of the first version since the last redaction */
export function recordSaltOf(salt: Uint8Array): Uint8Array {
  RECORD_SALT.set(salt, RECORD_SALT.length - 32);
  return hash('sha256', RECORD_SALT, 'buffer');
}

/** An entry's `record`. */
export function recordHmacOf(recordSalt: Uint8Array, recordId: string): Uint8Array {
  return Buffer.from(hmac(recordSalt, recordId), 'latin1');
}

const SALT = shape(['salt'], ([salt]) => asBytes(salt));
const LAST_ERASED = shape(['last_version', 'hmac'], ([version, hmac]) => ({
  version: asNumber(version),
  hmac: asBytes(hmac),
}));

/** Keeps the `record` of a record whose salts are about to be erased: entries are made of it from then on. */
export function* keepRecordHmac(sql: Sql, { id, slot, version, hmac: given = null }: ErasedRecord): Rule<void> {
  const last = yield* sql.one(LAST_ERASED)`SELECT ${LAST_ERASED} FROM ${ERASED} WHERE slot = ${slot}
    ORDER BY last_version DESC LIMIT 1`;
  const salt = yield* sql.one(SALT)`SELECT ${SALT} FROM ${VERSIONS}
    WHERE slot = ${slot} AND version > ${last?.version ?? 0} AND salt IS NOT NULL ORDER BY version LIMIT 1`;
  const hmac = given ?? (salt === null ? last!.hmac : recordHmacOf(recordSaltOf(salt), id));
  // Those of versions whose redaction was still to come are of one with this.
  yield* sql.run`DELETE FROM ${ERASED} WHERE slot = ${slot} AND last_version < ${version} AND NOT EXISTS
    (SELECT 1 FROM ${VERSIONS} v WHERE v.slot = ${slot} AND v.version = last_version AND v.cause = 'redacted')`;
  yield* sql.run`INSERT INTO ${ERASED} (slot, last_version, hmac) VALUES (${slot}, ${version}, ${hmac})`;
}

/**
 * The same for records of a register that were redacted before the log was begun: the key is gone, and nobody else was told
 * what it made. The commitment of the first of those versions stands for it, of which nothing can be learnt either.
 */
export function* keepErasedBefore(sql: Sql, register: number): Rule<void> {
  const [above, below] = [slotOf(register, 0), slotOf(register + 1, 0)];
  yield* sql.run`INSERT INTO ${ERASED} (slot, last_version, hmac) SELECT v.slot, v.version,
      (SELECT f.commitment FROM ${VERSIONS} f WHERE f.slot = v.slot AND f.version > (SELECT coalesce(max(b.version), 0)
        FROM ${VERSIONS} b WHERE b.slot = v.slot AND b.version < v.version AND b.cause = 'redacted') ORDER BY f.version LIMIT 1)
    FROM ${VERSIONS} v WHERE v.entry > ${above} AND v.entry < ${below} AND v.cause = 'redacted'
    ON CONFLICT DO NOTHING`;
}

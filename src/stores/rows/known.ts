// What a store knows about a record before it reads its content: the same in SQLite and PostgreSQL.
import { SLOT_SPAN, type SqlRow, STATES } from './columns.ts';
import type { Commitment } from './commitment.ts';

/** What a store knows about a record without reading its content. */
export interface KnownRecord {
  readonly position: number;
  readonly version: number;
  /** The number of the version whose content is the current one. */
  readonly contentVersion: number;
  readonly state: 'live' | 'withdrawn' | 'redacted';
  /** That of the current version; null once its salt was erased. */
  readonly commitment: Commitment | null;
  /** The number of the import that made the current version, or the one before it that was no renumbering. */
  readonly import: number | null;
}

/** The columns of {@link knownRecordOf}, of a record `r` and its current version `v`. The state follows, then the id. */
const KNOWN_COLUMNS = 'r.slot, r.version, r.content_version, v.salt, v.commitment, v.log';

/**
 * The query for the rows of {@link knownRecordOf} in a table of records `r`, without its condition.
 *
 * @param schema the prefix of the tables' names.
 * @param lateral whether the database must be told to look up one version after the other: without statistics it might
 *   read the whole log for some hundred ids.
 */
export function selectKnown(schema: string, table: 'records' | 'withdrawn', lateral = false): string {
  const state = table === 'records' ? '0' : '1 + r.is_redacted';
  const current = 'v.slot = r.slot AND v.version = r.version';
  const join = lateral
    ? `LATERAL (SELECT * FROM ${schema}versions v WHERE ${current} LIMIT 1) v ON true`
    : `${schema}versions v ON ${current}`;
  // Who made what the record says: another key says nothing.
  const by = `CASE WHEN v.cause <> 'renumbered' THEN v.import ELSE (SELECT o.import FROM ${schema}versions o
    WHERE o.slot = r.slot AND o.version < r.version AND o.cause <> 'renumbered' ORDER BY o.version DESC LIMIT 1) END`;
  return `SELECT ${KNOWN_COLUMNS}, ${by}, ${state}, r.id FROM ${schema}${table} r LEFT JOIN ${join}`;
}

/** The known record in a row of {@link selectKnown}. */
export function knownRecordOf([slot, version, contentVersion, salt, commitment, log, by, state]: SqlRow): KnownRecord {
  return {
    position: Number(slot) % SLOT_SPAN,
    version: version as number,
    contentVersion: contentVersion as number,
    state: STATES[state as 0 | 1 | 2],
    import: by === null ? null : Number(by),
    commitment:
      salt === null ? null : { salt: salt as Uint8Array, commitment: commitment as Uint8Array, log: log as number },
  };
}

// Which registers are mirrors: those that nobody else writes.
import { GazetteError, quote } from '../../../errors.ts';
import type { Mirror } from '../../contract/mirrors.ts';
import { asNumber, asText, asTextOrNull, IS_PRESENT, type Shape, shape, table, withoutNul } from '../../rows/sql.ts';
import { orNull, small, Table, TEXT, TIME, whole } from '../../rows/table.ts';
import type { Rule, Sql } from '../rule.ts';
import { UUID } from '../schema/register-tables.ts';

const REGISTERS = table('registers');

/** What is kept of each mirror. */
export const MIRRORS: Table = new Table(
  'mirrors',
  { register: small(1), source: TEXT, log: UUID, kept: orNull(TEXT), behind: whole(0), asked_at: TIME },
  { key: ['register'] },
);

/** Their table. */
export const MIRROR_TABLES: readonly Table[] = [MIRRORS];

/** The columns of a mirror `m`, and of its register `g`. */
export const MIRROR: Shape<Mirror> = shape(
  ['g.id', 'm.source', 'm.kept', 'm.log', 'g.change', 'm.behind', 'm.asked_at'],
  ([id, source, kept, log, change, behind, askedAt]): Mirror => ({
    feedId: asText(id),
    source: asText(source),
    kept: asTextOrNull(kept),
    log: asText(log).slice(0, 8),
    change: asNumber(change),
    behind: asNumber(behind),
    askedAt: asText(askedAt),
  }),
);

/** Null: the register is none, or there is no such register. */
export function* findMirror(sql: Sql, feedId: string): Rule<Mirror | null> {
  return yield* sql.one(MIRROR)`SELECT ${MIRROR} FROM ${MIRRORS} m JOIN ${REGISTERS} g ON g.number = m.register
    WHERE g.id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
}

/** @throws GazetteError `register_busy` for a mirror */
export function* checkNoMirror(sql: Sql, feedId: string): Rule<void> {
  const mirror = yield* findMirror(sql, feedId);
  if (mirror === null) return;
  throw new GazetteError(
    'register_busy',
    `register ${quote(feedId)} is a mirror of ${quote(mirror.source)}: gazette mirror alone writes it, until gazette mirror promote ${feedId}`,
    { details: { feed_id: feedId, source: mirror.source } },
  );
}

// Which registers are mirrors: those that nobody else writes.
import { GazetteError, quote } from '../../../errors.ts';
import type { Mirror } from '../../contract/mirrors.ts';
import { SLOT_SPAN } from '../../rows/columns.ts';
import {
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
} from '../../rows/sql.ts';
import { orNull, small, Table, TEXT, TIME, whole } from '../../rows/table.ts';
import type { Rule, Sql } from '../rule.ts';
import { UUID } from '../schema/register-tables.ts';

const REGISTERS = table('registers');
const VERSIONS = table('versions');

/** What is kept of each mirror. */
export const MIRRORS: Table = new Table(
  'mirrors',
  { register: small(1), source: TEXT, log: UUID, kept: orNull(TEXT), behind: whole(0), asked_at: TIME },
  { key: ['register'] },
);

/** Their table. */
export const MIRROR_TABLES: readonly Table[] = [MIRRORS];

/** The columns of a mirror `m`, of its register `g`, and of the last version `v` of that. */
export const MIRROR: Shape<Mirror> = shape(
  ['g.id', 'm.source', 'm.kept', 'm.log', 'g.change', 'v.commitment', 'm.behind', 'm.asked_at'],
  ([id, source, kept, log, change, last, behind, askedAt]): Mirror => ({
    feedId: asText(id),
    source: asText(source),
    kept: asTextOrNull(kept),
    log: asText(log).slice(0, 8),
    change: asNumber(change),
    last: asBytesOrNull(last),
    behind: asNumber(behind),
    askedAt: asText(askedAt),
  }),
);

/** Where they are read. */
export const FROM_MIRRORS: Fragment = fragment`FROM ${MIRRORS} m JOIN ${REGISTERS} g ON g.number = m.register
  LEFT JOIN ${VERSIONS} v ON v.entry = g.number * ${SLOT_SPAN} + g.change`;

/** Null: the register is none, or there is no such register. */
export function* findMirror(sql: Sql, feedId: string): Rule<Mirror | null> {
  return yield* sql.one(MIRROR)`SELECT ${MIRROR} ${FROM_MIRRORS}
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

// The rules for registers. Each database implements records, pages and removal in its own way (RegisterHooks).
import type { Order } from '../../register/sources/order.ts';
import { laterOf, REGISTER, registerExists, type RegisterRow, unknownFeed } from '../rows/register.ts';
import { FOR_UPDATE, IS_PRESENT, table, withoutNul } from '../rows/sql.ts';
import type { Rule, Sql } from './rule.ts';

const REGISTERS = table('registers');

/**
 * Creates an empty register, unless the id is taken.
 *
 * @returns null while a register with this id is being removed
 */
export function* createRegister(
  sql: Sql,
  feedId: string,
  definition: string,
  order: Order | null,
): Rule<RegisterRow | null> {
  const made = yield* sql.one(REGISTER)`INSERT INTO ${REGISTERS} (id, definition, import_order)
    VALUES (${feedId}, ${definition}, ${order}) ON CONFLICT (id) DO NOTHING RETURNING ${REGISTER}`;
  if (made !== null) return made;
  const present = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE id = ${feedId} AND ${IS_PRESENT}`;
  if (present !== null) throw registerExists(feedId);
  return null;
}

/** Replaces a register's definition; an equal one changes nothing. */
export function* updateRegister(sql: Sql, feedId: string, definition: string, recordedAt: string): Rule<RegisterRow> {
  // Locked: the time of the last change must not go back, and importers write it too.
  const before = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (before === null) throw unknownFeed(feedId);
  if (before.definition === definition) return before;
  const lastChange = laterOf(before.lastChange, recordedAt);
  const after = yield* sql.one(REGISTER)`UPDATE ${REGISTERS} SET definition = ${definition}, last_change = ${lastChange}
    WHERE number = ${before.number} RETURNING ${REGISTER}`;
  return after!;
}

/** Stores which end of the publisher's files is the newest. */
export function* setOrder(sql: Sql, feedId: string, order: Order): Rule<void> {
  const changed = yield* sql.run`UPDATE ${REGISTERS} SET import_order = ${order}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (changed === 0) throw unknownFeed(feedId);
}

// The rules for single deliveries and for simple operations on many: tests, replays, pruning, lists. Each database
// implements fan-out, claims and outcomes in its own way (DeliveryHooks).
import { ATTEMPT } from '../../rows/webhook-tables.ts';
import type { DeliveryAttempt, DeliveryEntry } from '../../contract/deliveries.ts';
import type { EventName, ReplayedDeliveries } from '../../contract/sending.ts';
import { DELIVERY, DELIVERY_CHUNK, deliveryId, deliveryNumberIn, deliveryNumber, unknownDelivery, unknownEndpoint } from '../../rows/deliveries.ts'; // prettier-ignore
import { asNumber, asText, FOR_UPDATE, fragment, numberIn, shape, table, withoutNul } from '../../rows/sql.ts';
import { deleteDeliveries } from './deleted-deliveries.ts';
import { endpointById } from './endpoints.ts';
import { withReasons } from './lapsed.ts';
import type { Rule, Sql } from '../rule.ts';

const DELIVERIES = table('webhook_deliveries');
const ENDPOINTS = table('webhook_endpoints');
const ATTEMPTS = table('webhook_attempts');

const DELIVERIES_WITH_ALL = fragment`${DELIVERIES} d JOIN ${ENDPOINTS} e ON e.number = d.endpoint
  LEFT JOIN ${ATTEMPTS} t ON t.delivery = d.number AND t.number = d.attempts`;

const NUMBER = numberIn('number');

const OWNER = shape(['account_id'], ([id]) => asText(id));

/** A delivery and its endpoint, by their numbers. */
const PLACE = shape(['number', 'endpoint'], ([number, endpoint]) => ({
  number: asNumber(number),
  endpoint: asNumber(endpoint),
}));

/** Deliveries of one endpoint, by their numbers: those after `after`, up to `end`. */
interface DeliveryRange {
  readonly endpoint: number;
  readonly after: number;
  readonly end: number;
  /** Only those that were created at this time or later. */
  readonly since: string;
  /** Only those that failed or were skipped. */
  readonly isMissed: boolean;
}

/** How many deliveries were made due so far, and the number to continue from; null when there are no more. */
export interface ReplayedPart {
  readonly replayed: number;
  readonly next: number | null;
}

/** Creates a test delivery. */
export function* createTest(sql: Sql, endpointId: string, event: EventName, at: string): Rule<DeliveryEntry> {
  const number = yield* sql.one(NUMBER)`INSERT INTO ${DELIVERIES} (endpoint, event_id, type, created_at, due_at)
    SELECT number, ${event.id}, ${event.type}, ${at}, ${at} FROM ${ENDPOINTS} WHERE id = ${withoutNul(endpointId)}
    RETURNING ${NUMBER}`;
  if (number === null) throw unknownEndpoint(endpointId);
  return yield* deliveryById(sql, deliveryId(number));
}

/** The account of an endpoint, or of a delivery, by its id: one look-up, whether there is one or not. */
export function* ownerOf(sql: Sql, id: string): Rule<string | null> {
  const number = deliveryNumberIn(id);
  if (number === null) {
    return yield* sql.one(OWNER)`SELECT ${OWNER} FROM ${ENDPOINTS} WHERE id = ${withoutNul(id)}`;
  }
  return yield* sql.one(OWNER)`SELECT ${OWNER} FROM ${DELIVERIES} d JOIN ${ENDPOINTS} e ON e.number = d.endpoint
    WHERE d.number = ${number}`;
}

/** Returns a delivery, or throws if it does not exist. */
export function* deliveryById(sql: Sql, id: string): Rule<DeliveryEntry> {
  const number = deliveryNumber(id);
  const delivery = yield* sql.one(DELIVERY)`SELECT ${DELIVERY} FROM ${DELIVERIES_WITH_ALL} WHERE d.number = ${number}`;
  if (delivery === null) throw unknownDelivery(id);
  return delivery;
}

/** The deliveries of an existing endpoint, newest first, created before `before`. */
export function* deliveriesOf(
  sql: Sql,
  endpointId: string,
  { limit, before, now }: { readonly limit: number; readonly before?: string; readonly now?: string },
): Rule<readonly DeliveryEntry[]> {
  const below = before === undefined ? Number.MAX_SAFE_INTEGER : deliveryNumber(before);
  const deliveries = yield* sql.all(DELIVERY)`SELECT ${DELIVERY} FROM ${DELIVERIES_WITH_ALL}
    WHERE d.endpoint = (SELECT number FROM ${ENDPOINTS} WHERE id = ${withoutNul(endpointId)}) AND d.number < ${below}
    ORDER BY d.number DESC LIMIT ${limit}`;
  if (deliveries.length === 0) yield* endpointById(sql, endpointId);
  return yield* withReasons(sql, deliveries, now);
}

/** As {@link deliveryById}, with the reason why it waits. */
export function* shownDelivery(sql: Sql, id: string, now: string | undefined): Rule<DeliveryEntry> {
  const [delivery] = yield* withReasons(sql, [yield* deliveryById(sql, id)], now);
  return delivery!;
}

/** All attempts of an existing delivery, oldest first. */
export function* attemptsOf(sql: Sql, id: string): Rule<readonly DeliveryAttempt[]> {
  const attempts = yield* sql.all(ATTEMPT)`SELECT ${ATTEMPT} FROM ${ATTEMPTS} WHERE delivery = ${deliveryNumber(id)}
    ORDER BY number`;
  if (attempts.length === 0) yield* deliveryById(sql, id);
  return attempts;
}

/** Makes one delivery due again, unless it is being sent. @returns how many were changed: 0 or 1 */
export function* replayOne(sql: Sql, id: string, at: string): Rule<number> {
  const number = deliveryNumber(id);
  // Locked, because pruning may be about to delete it.
  const place = yield* sql.one(PLACE)`SELECT ${PLACE} FROM ${DELIVERIES} WHERE number = ${number} ${FOR_UPDATE}`;
  if (place === null) throw unknownDelivery(id);
  const { endpoint } = place;
  return yield* makeDue(sql, { endpoint, after: number - 1, end: number, since: '', isMissed: false }, at);
}

/**
 * Makes some of an endpoint's deliveries due again: those created since a time, after the number `after`.
 *
 * @param given.before how many were made due so far
 */
export function* replaySome(
  sql: Sql,
  given: ReplayedDeliveries & { readonly after: number; readonly before: number },
  at: string,
): Rule<ReplayedPart> {
  const { endpointId, since, isMissed = false, after, before } = given;
  const endpoint = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${ENDPOINTS} WHERE id = ${withoutNul(endpointId)}`;
  if (endpoint === null) throw unknownEndpoint(endpointId);
  const numbers = yield* sql.all(NUMBER)`SELECT ${NUMBER} FROM ${DELIVERIES}
    WHERE endpoint = ${endpoint} AND number > ${after} ORDER BY number LIMIT ${DELIVERY_CHUNK}`;
  const end = numbers.at(-1);
  if (end === undefined) return { replayed: before, next: null };
  return { replayed: before + (yield* makeDue(sql, { endpoint, after, end, since, isMissed }, at)), next: end };
}

/**
 * Ends the waiting deliveries of a record whose content was erased, and forgets what receivers answered to any of its
 * deliveries: an answer may repeat what it was sent.
 */
export function* closeDeliveries(sql: Sql, recordId: string): Rule<void> {
  yield* sql.run`UPDATE ${DELIVERIES} SET state = 'skipped', reason = 'redacted', due_at = NULL, lease = NULL
    WHERE number IN (SELECT number FROM ${DELIVERIES} WHERE state = 'pending' AND record_id = ${recordId}
      ORDER BY number ${FOR_UPDATE})`;
  yield* sql.run`UPDATE ${ATTEMPTS} SET response = NULL WHERE response IS NOT NULL
    AND delivery IN (SELECT number FROM ${DELIVERIES} WHERE record_id = ${recordId})`;
}

/** Whether {@link pruneSome} would find anything. */
export function* hasOld(sql: Sql, before: string): Rule<boolean> {
  const oldest = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${DELIVERIES}
    WHERE number <= ${FIRST_CHUNK} AND created_at < ${before} AND ${IS_OVER} LIMIT 1`;
  return oldest !== null;
}

/** Deletes some of the oldest deliveries. @returns how many */
export function* pruneSome(sql: Sql, before: string): Rule<number> {
  const numbers = yield* sql.all(NUMBER)`SELECT ${NUMBER} FROM ${DELIVERIES}
    WHERE number <= ${FIRST_CHUNK} AND created_at < ${before} AND ${IS_OVER} ORDER BY number ${FOR_UPDATE}`;
  return yield* deleteDeliveries(sql, numbers);
}

/** A fan-out that ran while its endpoint was removed may have left deliveries that nobody sends. */
const IS_OVER = fragment`(state <> 'pending' OR endpoint NOT IN (SELECT number FROM ${ENDPOINTS}))`;

/** The number up to which the oldest deliveries are checked. */
const FIRST_CHUNK = fragment`(SELECT max(number) FROM
  (SELECT number FROM ${DELIVERIES} ORDER BY number LIMIT ${DELIVERY_CHUNK}) AS oldest)`;

// Locked in the order of their numbers, like outcomes, so that two processes that work on the same rows cannot
// deadlock.
function* makeDue(sql: Sql, range: DeliveryRange, at: string): Rule<number> {
  const { endpoint, after, end, since, isMissed } = range;
  return yield* sql.run`UPDATE ${DELIVERIES} SET state = 'pending', reason = NULL, tries = 0, due_at = ${at}, lease = NULL
    WHERE number IN (SELECT number FROM ${DELIVERIES}
      WHERE endpoint = ${endpoint} AND number > ${after} AND number <= ${end} AND created_at >= ${since}
        AND (${Number(isMissed)} = 0 OR state IN ('failed', 'skipped'))
        AND NOT (state = 'pending' AND lease IS NOT NULL AND due_at > ${at}) ORDER BY number ${FOR_UPDATE})`;
}

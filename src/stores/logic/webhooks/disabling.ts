// The rules by which endpoints are disabled, whoever or whatever disables one: the others of its account are told.
import type { DisabledReason, WebhookEndpoint } from '../../contract/endpoints.ts';
import { disabledEventName, noAccess } from '../../rows/deliveries.ts';
import { asNumber, asText, type Shape, shape, table, withoutNul } from '../../rows/sql.ts';
import { orNull, TEXT_LIST } from '../../rows/table.ts';
import { findAccount } from '../accounts.ts';
import type { Rule, Sql } from '../rule.ts';
import { endpointById } from './endpoints.ts';

const ENDPOINTS = table('webhook_endpoints');
const DELIVERIES = table('webhook_deliveries');

/** An endpoint that is to be disabled: it answered that it is gone, or has failed for long. */
export interface EndedEndpoint {
  readonly number: number;
  readonly isGone: boolean;
}

/** An endpoint, and whose it is. */
interface Owned {
  readonly number: number;
  readonly id: string;
  readonly accountId: string;
}

const OWNED: Shape<Owned> = shape(['number', 'id', 'account_id'], ([number, id, accountId]) => ({
  number: asNumber(number),
  id: asText(id),
  accountId: asText(accountId),
}));

const TYPES = orNull(TEXT_LIST);

/** An endpoint, and the types of events that it takes. */
const TAKER = shape(['number', 'types'], ([number, types]) => ({
  number: asNumber(number),
  types: TYPES.read(types),
}));

/** Disables an endpoint and tells the others of its account. One that is already disabled keeps its first reason. */
export function* disableEndpoint(
  sql: Sql,
  endpointId: string,
  { at, reason }: { readonly at: string; readonly reason: DisabledReason },
): Rule<WebhookEndpoint> {
  const disabled = yield* sql.one(OWNED)`UPDATE ${ENDPOINTS} SET disabled_at = ${at}, disabled_reason = ${reason}
    WHERE id = ${withoutNul(endpointId)} AND disabled_at IS NULL RETURNING ${OWNED}`;
  if (disabled !== null) yield* tellDisabled(sql, disabled, at, reason);
  return yield* endpointById(sql, endpointId);
}

/** As {@link disableEndpoint}, because of what the endpoint answered: part of the transaction that records the answer. */
export function* disableEnded(
  sql: Sql,
  { number, isGone }: EndedEndpoint,
  { at }: { readonly at: string },
): Rule<void> {
  const reason = isGone ? 'gone' : 'failing';
  const disabled = yield* sql.one(OWNED)`UPDATE ${ENDPOINTS} SET disabled_at = ${at}, disabled_reason = ${reason}
    WHERE number = ${number} AND disabled_at IS NULL RETURNING ${OWNED}`;
  if (disabled !== null) yield* tellDisabled(sql, disabled, at, reason);
}

/** Disables an endpoint that is being removed, of which nobody is told. */
export function* closeEndpoint(sql: Sql, endpointId: string, at: string): Rule<void> {
  yield* sql.run`UPDATE ${ENDPOINTS} SET disabled_at = ${at}, disabled_reason = 'operator'
    WHERE id = ${withoutNul(endpointId)} AND disabled_at IS NULL`;
}

/** One event for each other endpoint of the account that takes it, so that all get it, and once. */
function* tellDisabled(sql: Sql, { number, id, accountId }: Owned, at: string, reason: DisabledReason): Rule<void> {
  const event = disabledEventName(id, at);
  const others = yield* sql.all(TAKER)`SELECT ${TAKER} FROM ${ENDPOINTS}
    WHERE account_id = ${accountId} AND number <> ${number} AND disabled_at IS NULL ORDER BY number`;
  const account = yield* findAccount(sql, accountId);
  const skipped = account === null ? 'access_lapsed' : noAccess(account, at);
  const about = JSON.stringify({ endpoint: id, reason });
  for (const { number: other, types } of others) {
    if (types !== null && !types.includes(event.type)) continue;
    yield* sql.run`INSERT INTO ${DELIVERIES} (endpoint, event_id, type, about, created_at, due_at, state, reason)
      VALUES (${other}, ${event.id}, ${event.type}, ${about}, ${at}, ${skipped === null ? at : null},
        ${skipped === null ? 'pending' : 'skipped'}, ${skipped})`;
  }
}

// Writes outcomes of deliveries to a PostgreSQL database, for PostgresDeliveries: a few statements for all of them.
import { deliveryNumber } from '../rows/deliveries.ts';
import type { DeliveryAttempt, DeliveryOutcome } from '../contract/deliveries.ts';
import type { Rule, Sql } from '../logic/rule.ts';
import { disableEnded } from '../logic/webhooks/disabling.ts';
import { query } from './engine.ts';

/** As {@link DeliveryStore.settle}. */
export function* settleOutcomes(
  sql: Sql,
  prefix: string,
  outcomes: readonly DeliveryOutcome[],
  { at, failingBefore }: { readonly at: string; readonly failingBefore: string },
): Rule<void> {
  const byNumber = new Map(outcomes.map((outcome) => [deliveryNumber(outcome.id), outcome]));
  const all = [...byNumber.values()];
  // All processes lock in one order, so that they cannot deadlock.
  yield* query(
    `SELECT 1 FROM ${prefix}webhook_deliveries WHERE number = ANY ($1::bigint[]) ORDER BY number FOR UPDATE`,
    [[...byNumber.keys()]],
  );
  const recorded = yield* query(
    `UPDATE ${prefix}webhook_deliveries d
      SET state = o.state, reason = o.reason, due_at = o.due_at, lease = NULL,
        attempts = d.attempts + o.tried, tries = d.tries + o.tried
      FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[])
        AS o (number, lease, state, reason, due_at, tried)
      WHERE d.number = o.number AND (d.lease = o.lease OR o.state = 'acknowledged' AND d.state <> 'acknowledged')
      RETURNING d.number, d.endpoint, d.attempts`,
    [
      [...byNumber.keys()],
      all.map(({ lease }) => lease),
      all.map(({ state }) => state),
      all.map(({ reason }) => reason),
      all.map(({ nextAttemptAt }) => nextAttemptAt),
      all.map(({ attempt }) => (attempt === null ? 0 : 1)),
    ],
  );
  const tried = recorded.flatMap((row) => {
    const [number, endpoint, attempts] = row.map(Number) as [number, number, number];
    const outcome = byNumber.get(number)!;
    return outcome.attempt === null ? [] : [{ number, endpoint, attempts, outcome, attempt: outcome.attempt }];
  });
  if (tried.length === 0) return;
  const each = <K extends keyof DeliveryAttempt>(name: K): DeliveryAttempt[K][] =>
    tried.map(({ attempt }) => attempt[name]);
  yield* query(
    `INSERT INTO ${prefix}webhook_attempts (delivery, number, at, duration_ms, status, error, response)
      SELECT * FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::integer[], $5::integer[], $6::text[], $7::text[])`,
    [
      tried.map(({ number }) => number),
      tried.map(({ attempts }) => attempts),
      ...[each('at'), each('durationMs'), each('status'), each('error'), each('response')],
    ],
  );
  const succeeded = new Set(
    tried.filter(({ outcome }) => outcome.state === 'acknowledged').map(({ endpoint }) => endpoint),
  );
  const gone = new Set(tried.filter(({ outcome }) => outcome.isGone).map(({ endpoint }) => endpoint));
  const endpoints = [...new Set(tried.map(({ endpoint }) => endpoint))];
  // Most outcomes do not change their endpoint, and then they need no lock on a row that all outcomes share.
  const changed = yield* query(
    `WITH changed AS (
      SELECT number FROM ${prefix}webhook_endpoints
      WHERE number = ANY ($1::bigint[]) AND ((number = ANY ($2::bigint[])) = (failing_since IS NOT NULL)
        OR disabled_at IS NULL AND (failing_since <= $4 OR number = ANY ($5::bigint[])))
      ORDER BY number FOR UPDATE
    )
    UPDATE ${prefix}webhook_endpoints e
    SET failing_since = CASE WHEN e.number = ANY ($2::bigint[]) THEN NULL ELSE coalesce(failing_since, $3) END
    FROM changed WHERE e.number = changed.number
    RETURNING e.number, disabled_at IS NULL AND (failing_since <= $4 OR e.number = ANY ($5::bigint[]))`,
    [endpoints, [...succeeded], at, failingBefore, [...gone]],
  );
  const ended = changed.filter(([, isEnded]) => isEnded === true).map(([number]) => Number(number));
  for (const number of ended.sort((a, b) => a - b)) {
    yield* disableEnded(sql, { number, isGone: gone.has(number) }, { at });
  }
}

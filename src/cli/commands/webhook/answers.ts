// Endpoints and deliveries as `gazette webhook --json` prints them.
import { filterEntries } from '../../../register/finding/filter.ts';
import type { DeliveryAttempt, DeliveryEntry } from '../../../stores/contract/deliveries.ts';
import type { WebhookEndpoint } from '../../../stores/contract/endpoints.ts';

/** An endpoint as `--json` prints it: schemas/webhook.schema.json. */
export interface EndpointAnswer {
  readonly id: string;
  readonly account: string;
  readonly url: string;
  readonly feeds: readonly string[] | null;
  readonly events: readonly string[] | null;
  readonly filters: Readonly<Record<string, readonly string[]>> | null;
  readonly created_at: string;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
  readonly failing_since: string | null;
  readonly next_secret_prepared: boolean;
  readonly previous_secret_until: string | null;
  readonly standard_webhooks: boolean;
}

/** An attempt as `--json` prints it. */
export interface AttemptAnswer {
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** A delivery as `--json` prints it: schemas/delivery.schema.json. */
export interface DeliveryAnswer {
  readonly id: string;
  readonly endpoint: string;
  readonly event: string;
  readonly type: string;
  readonly record_id: string | null;
  readonly version: number | null;
  readonly created_at: string;
  readonly state: string;
  readonly reason: string | null;
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  readonly last_attempt: AttemptAnswer | null;
}

/** An endpoint's answer. */
export function toEndpointAnswer(endpoint: WebhookEndpoint): EndpointAnswer {
  const filters = Map.groupBy(filterEntries(endpoint.filter ?? undefined), ([name]) => name);
  return {
    id: endpoint.id,
    account: endpoint.accountId,
    url: endpoint.url,
    feeds: endpoint.feeds,
    events: endpoint.types,
    filters:
      endpoint.filter === null
        ? null
        : Object.fromEntries(Array.from(filters, ([name, pairs]) => [name, pairs.map(([, value]) => value)])),
    created_at: endpoint.createdAt,
    disabled_at: endpoint.disabledAt,
    disabled_reason: endpoint.disabledReason,
    failing_since: endpoint.failingSince,
    next_secret_prepared: endpoint.hasNextSecret,
    previous_secret_until: endpoint.previousUntil,
    standard_webhooks: endpoint.isStandard,
  };
}

/** An attempt's answer. */
export function toAttemptAnswer({ at, durationMs, status, error, response }: DeliveryAttempt): AttemptAnswer {
  return { at, duration_ms: durationMs, status, error, response };
}

/** A delivery's answer. */
export function toDeliveryAnswer(delivery: DeliveryEntry): DeliveryAnswer {
  const { id, endpointId, event, recordId, version, createdAt, state, reason, attempts, nextAttemptAt, lastAttempt } =
    delivery;
  return {
    ...{
      id,
      endpoint: endpointId,
      event: event.id,
      type: event.type,
      record_id: recordId,
      version,
      created_at: createdAt,
    },
    ...{ state, reason, attempts, next_attempt_at: nextAttemptAt },
    last_attempt: lastAttempt === null ? null : toAttemptAnswer(lastAttempt),
  };
}

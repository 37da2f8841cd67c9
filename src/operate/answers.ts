// Accounts, keys, endpoints and deliveries as programs get them: from the command line with `--json`, and over HTTP.
import { filterEntries } from '../register/finding/filter.ts';
import type { AccountState, KeyState } from '../access/state.ts';
import type { Account, ApiKeyEntry, Balance, KeyBudget, KeyScope } from '../stores/contract/accounts.ts';
import type { DeliveryAttempt, DeliveryEntry } from '../stores/contract/deliveries.ts';
import { moneyText } from '../money.ts';
import { rateText, type RateLimit } from '../web/rate-limit.ts';
import type { WebhookEndpoint } from '../stores/contract/endpoints.ts';

/** An account: schemas/account.schema.json. */
export interface AccountAnswer {
  readonly id: string;
  readonly state: AccountState;
  readonly access_until: string | null;
  readonly suspended: boolean;
  readonly limit: string | null;
  readonly email: string | null;
  readonly created_at: string;
  /** Absent: it never had credit. */
  readonly balance?: Balance;
}

/** A key: schemas/key.schema.json. */
export interface KeyAnswer {
  readonly id: string;
  readonly account: string;
  readonly product: string;
  readonly name: string | null;
  readonly state: KeyState;
  readonly scopes: readonly KeyScope[];
  readonly feeds: readonly string[] | null;
  readonly limit: string | null;
  readonly last_four: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly requests: number;
  readonly expires_at: string | null;
  readonly ends_at: string | null;
  readonly revoked_at: string | null;
  /** Absent: the key spends nothing. */
  readonly budget?: BudgetAnswer;
}

/** What a key may spend, in the smallest unit of its account's currency. */
export interface BudgetAnswer {
  readonly amount: number;
  readonly per_day: number | null;
  readonly max_price: string | null;
  readonly spent: number;
  readonly spent_day: string | null;
  readonly spent_on_day: number;
}

/** An account's answer. @param state its state now */
export function toAccountAnswer(account: Account, state: AccountState): AccountAnswer {
  return {
    id: account.id,
    state,
    access_until: account.accessUntil,
    suspended: account.isSuspended,
    limit: limitText(account.limit),
    email: account.email,
    created_at: account.createdAt,
    ...(account.balance === undefined ? {} : { balance: account.balance }),
  };
}

/** A key's answer. @param state its state now */
export function toKeyAnswer(entry: ApiKeyEntry, state: KeyState): KeyAnswer {
  return {
    id: entry.id,
    account: entry.accountId,
    product: entry.product,
    name: entry.name,
    state,
    scopes: entry.scopes,
    feeds: entry.feeds,
    limit: limitText(entry.limit),
    last_four: entry.lastFour,
    created_at: entry.createdAt,
    last_used_at: entry.lastUsedAt,
    requests: entry.requests,
    expires_at: entry.expiresAt,
    ends_at: entry.endsAt,
    revoked_at: entry.revokedAt,
    ...(entry.budget === undefined ? {} : { budget: toBudgetAnswer(entry.budget) }),
  };
}

function toBudgetAnswer({ budget, perDay, maxPrice, spent, day, spentOnDay }: KeyBudget): BudgetAnswer {
  const bound = maxPrice === null ? null : moneyText(maxPrice);
  return { amount: budget, per_day: perDay, max_price: bound, spent, spent_day: day, spent_on_day: spentOnDay };
}

function limitText(limit: RateLimit | null): string | null {
  return limit === null ? null : rateText(limit);
}

/** An endpoint: schemas/webhook.schema.json. */
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

/** An attempt. */
export interface AttemptAnswer {
  readonly at: string;
  readonly duration_ms: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** A delivery: schemas/delivery.schema.json. */
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

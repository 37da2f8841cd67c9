// The tables of webhooks, and the shapes of endpoints and attempts.
import type { Filter } from '../../register/finding/filter.ts';
import { ID_PATTERNS } from '../../register/identity.ts';
import type { DeliveryAttempt } from '../contract/deliveries.ts';
import type { WebhookEndpoint } from '../contract/endpoints.ts';
import { asFlag, asText, fragment, type Shape, shape } from './sql.ts';
import { storedJson } from './stored-json.ts';
import {
  ACCOUNT_ID,
  BY_NUMBER,
  byDefault,
  bytes,
  type Column,
  FLAG,
  index,
  matching,
  oneOf,
  orNull,
  small,
  Table,
  TEXT,
  TEXT_LIST,
  TEXT_OBJECT,
  TIME,
  unique,
  whole,
} from './table.ts';

const NUMBER = whole(1);

/** A filter. */
export const FILTER: Column<Filter> = { ...TEXT_OBJECT, read: (value) => storedJson(asText(value)) as Filter };

const ENDPOINTS = new Table(
  'webhook_endpoints',
  {
    number: NUMBER,
    id: unique(TEXT),
    account_id: ACCOUNT_ID,
    url: matching(/^https?:\/\//, 'an absolute http(s) URL'),
    feeds: orNull(TEXT_LIST),
    types: orNull(TEXT_LIST),
    filters: orNull(FILTER),
    created_at: TIME,
    disabled_at: orNull(TIME),
    disabled_reason: orNull(oneOf(['operator', 'gone', 'failing'])),
    failing_since: orNull(TIME),
    secret: bytes(1),
    next_secret: orNull(bytes(1)),
    standard_webhooks: byDefault(FLAG, 0),
    previous_secret: orNull(bytes(1)),
    previous_until: orNull(TIME),
    told: orNull(matching(/^(?:disabled|failing) \S+$/, 'the state of an endpoint, and since when')),
    told_until: orNull(TIME),
  },
  {
    key: ['number'],
    isCounted: true,
    indexes: [index('webhook_endpoints_account', fragment`(account_id${BY_NUMBER})`)],
  },
);

const ATTEMPTS = new Table(
  'webhook_attempts',
  {
    delivery: NUMBER,
    number: small(1),
    at: TIME,
    duration_ms: small(0),
    status: orNull(small(100, 999)),
    error: orNull(TEXT),
    response: orNull(TEXT),
  },
  { key: ['delivery', 'number'], isKeyed: true },
);

/**
 * The tables. A cursor tells up to which change a register's log has been fanned out. A start tells from which change on an
 * endpoint receives events of a register; registers that are in neither table were created later. A claim moves `due_at` to
 * the end of its lease: one index finds what is due, and a delivery with an expired lease is due again. `about` is what an
 * event without a version is about; `told` is what the owner of an endpoint was told last, and `told_until` until when it is
 * being told.
 */
export const WEBHOOK_TABLES: readonly Table[] = [
  ENDPOINTS,
  new Table(
    'webhook_starts',
    { endpoint: NUMBER, register: small(1), change: whole(0) },
    { key: ['register', 'endpoint'], isKeyed: true },
  ),
  new Table('webhook_cursors', { register: small(1), change: whole(0) }, { key: ['register'] }),
  new Table(
    'webhook_deliveries',
    {
      number: NUMBER,
      endpoint: NUMBER,
      entry: orNull(NUMBER),
      event_id: matching(/^evt_[0-9a-f]{32}$/, 'evt_ and 32 hexadecimal digits'),
      type: matching(/^[a-z]+\.[a-z]+$/, 'the type of an event'),
      record_id: orNull(matching(ID_PATTERNS.record, 'the id of a record')),
      version: orNull(small(1)),
      about: orNull(TEXT_OBJECT),
      base_url: orNull(TEXT),
      created_at: TIME,
      state: byDefault(oneOf(['pending', 'acknowledged', 'failed', 'skipped']), 'pending'),
      reason: orNull(TEXT),
      attempts: byDefault(small(0), 0),
      tries: byDefault(small(0), 0),
      due_at: orNull(TIME),
      lease: orNull(TEXT),
    },
    {
      key: ['number'],
      isCounted: true,
      indexes: [
        index('webhook_deliveries_endpoint', fragment`(endpoint${BY_NUMBER})`),
        index('webhook_deliveries_due', fragment`(endpoint, due_at${BY_NUMBER}) WHERE state = 'pending'`),
      ],
    },
  ),
  ATTEMPTS,
];

const STORED = ENDPOINTS.shape({
  id: 'id',
  accountId: 'account_id',
  url: 'url',
  feeds: 'feeds',
  types: 'types',
  filter: 'filters',
  createdAt: 'created_at',
  disabledAt: 'disabled_at',
  disabledReason: 'disabled_reason',
  failingSince: 'failing_since',
  isStandard: 'standard_webhooks',
  previousUntil: 'previous_until',
});

/** An endpoint's columns. */
export const ENDPOINT: Shape<WebhookEndpoint> = shape([...STORED.columns, 'next_secret IS NOT NULL'], (row) => {
  return { ...STORED.read(row), hasNextSecret: asFlag(row[STORED.columns.length]) };
});

/** An attempt's columns. */
export const ATTEMPT: Shape<DeliveryAttempt> = ATTEMPTS.shape({
  at: 'at',
  durationMs: 'duration_ms',
  status: 'status',
  error: 'error',
  response: 'response',
});

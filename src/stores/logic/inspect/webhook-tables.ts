// What the rows of endpoints, deliveries and attempts must be.
import { ID_PATTERNS } from '../../../register/identity.ts';
import { SLOT_SPAN } from '../../rows/columns.ts';
import { fragment, table } from '../../rows/sql.ts';
import { bytes, FLAG, matching, oneOf, orNull, TEXT, TEXT_LIST, TEXT_OBJECT, TIME, whole } from './forms.ts';
import { condition, OF_ACCOUNT, type TableRules, upToChange } from './table-rules.ts';

const ENDPOINTS = table('webhook_endpoints');
const DELIVERIES = table('webhook_deliveries');
const ATTEMPTS = table('webhook_attempts');
const REGISTERS = table('registers');
const REMOVED = table('removed_registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');

const NUMBER = whole(1);
const COUNT = whole(0);

const OF_ENDPOINT = condition(
  'endpoint',
  'the number of an endpoint',
  fragment`EXISTS (SELECT 1 FROM ${ENDPOINTS} e WHERE e.number = t.endpoint)`,
);

/** The rules of the tables of webhooks. */
export const WEBHOOK_TABLES: readonly TableRules[] = [
  {
    name: 'webhook_endpoints',
    key: ['number'],
    columns: {
      number: NUMBER,
      id: TEXT,
      account_id: TEXT,
      url: matching(/^https?:\/\//, 'an absolute http(s) URL'),
      feeds: orNull(TEXT_LIST),
      types: orNull(TEXT_LIST),
      filters: orNull(TEXT_OBJECT),
      created_at: TIME,
      disabled_at: orNull(TIME),
      disabled_reason: orNull(oneOf(['operator', 'gone', 'failing'])),
      failing_since: orNull(TIME),
      secret: bytes(1),
      next_secret: orNull(bytes(1)),
      standard_webhooks: FLAG,
      previous_secret: orNull(bytes(1)),
      previous_until: orNull(TIME),
      told: orNull(matching(/^(?:disabled|failing) \S+$/, 'the state of an endpoint, and since when')),
      told_until: orNull(TIME),
    },
    conditions: [
      OF_ACCOUNT,
      condition(
        'disabled_reason',
        'given exactly where disabled_at is',
        fragment`(t.disabled_at IS NULL) = (t.disabled_reason IS NULL)`,
      ),
      condition(
        'previous_until',
        'given exactly where previous_secret is',
        fragment`(t.previous_until IS NULL) = (t.previous_secret IS NULL)`,
      ),
    ],
  },
  {
    name: 'webhook_starts',
    key: ['register', 'endpoint'],
    columns: { endpoint: NUMBER, register: NUMBER, change: COUNT },
    conditions: [OF_ENDPOINT, upToChange('change')],
    register: fragment`t.register`,
  },
  {
    name: 'webhook_cursors',
    key: ['register'],
    columns: { register: NUMBER, change: COUNT },
    conditions: [upToChange('change')],
    register: fragment`t.register`,
  },
  {
    name: 'webhook_deliveries',
    key: ['number'],
    columns: {
      number: NUMBER,
      endpoint: NUMBER,
      entry: orNull(NUMBER),
      event_id: matching(/^evt_[0-9a-f]{32}$/, 'evt_ and 32 hexadecimal digits'),
      type: matching(/^[a-z]+\.[a-z]+$/, 'the type of an event'),
      record_id: orNull(matching(ID_PATTERNS.record, 'the id of a record')),
      version: orNull(NUMBER),
      about: orNull(TEXT_OBJECT),
      base_url: orNull(TEXT),
      created_at: TIME,
      state: oneOf(['pending', 'acknowledged', 'failed', 'skipped']),
      reason: orNull(TEXT),
      attempts: COUNT,
      tries: COUNT,
      due_at: orNull(TIME),
      lease: orNull(TEXT),
    },
    conditions: [
      OF_ENDPOINT,
      condition(
        'entry',
        'that of the version of the record which it names',
        fragment`CASE WHEN t.entry IS NULL THEN t.record_id IS NULL AND t.version IS NULL
          ELSE EXISTS (SELECT 1 FROM ${REMOVED} o WHERE t.record_id LIKE o.id || ':%'
              AND NOT EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.entry / ${SLOT_SPAN}))
            OR EXISTS (SELECT 1 FROM ${VERSIONS} v LEFT JOIN ${RECORDS} r ON r.slot = v.slot
              LEFT JOIN ${WITHDRAWN} w ON w.slot = v.slot
              WHERE v.entry = t.entry AND v.version = t.version AND coalesce(r.id, w.id) = t.record_id) END`,
      ),
      condition(
        'due_at',
        'given exactly while it is pending',
        fragment`(t.state = 'pending') = (t.due_at IS NOT NULL)`,
      ),
      condition('lease', 'null unless it is pending', fragment`t.state = 'pending' OR t.lease IS NULL`),
      condition(
        'reason',
        'given exactly where it failed or was skipped',
        fragment`(t.state IN ('failed', 'skipped')) = (t.reason IS NOT NULL)`,
      ),
      condition(
        'attempts',
        'the number of its attempts',
        fragment`t.attempts = (SELECT count(*) FROM ${ATTEMPTS} a WHERE a.delivery = t.number)`,
      ),
      condition('tries', 'at most its attempts', fragment`t.tries <= t.attempts`),
    ],
  },
  {
    name: 'webhook_attempts',
    key: ['delivery', 'number'],
    columns: {
      delivery: NUMBER,
      number: NUMBER,
      at: TIME,
      duration_ms: COUNT,
      status: orNull(whole(100, 999)),
      error: orNull(TEXT),
      response: orNull(TEXT),
    },
    conditions: [
      condition(
        'number',
        'at most the attempts of an existing delivery',
        fragment`EXISTS (SELECT 1 FROM ${DELIVERIES} d WHERE d.number = t.delivery AND d.attempts >= t.number)`,
      ),
      condition('error', 'given exactly where status is null', fragment`(t.status IS NULL) = (t.error IS NOT NULL)`),
    ],
  },
];

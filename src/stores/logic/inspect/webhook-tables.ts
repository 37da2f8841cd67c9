// What the rows of endpoints, deliveries and attempts must be.
import { SLOT_SPAN } from '../../rows/columns.ts';
import { fragment, table } from '../../rows/sql.ts';
import { type Condition, condition, OF_ACCOUNT, upToChange } from './table-rules.ts';

const ENDPOINTS = table('webhook_endpoints');
const DELIVERIES = table('webhook_deliveries');
const ATTEMPTS = table('webhook_attempts');
const REGISTERS = table('registers');
const REMOVED = table('removed_registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');

const OF_ENDPOINT = condition(
  'endpoint',
  'the number of an endpoint',
  fragment`EXISTS (SELECT 1 FROM ${ENDPOINTS} e WHERE e.number = t.endpoint)`,
);

/** The conditions on the rows of the tables of webhooks. */
export const WEBHOOK_CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  webhook_endpoints: [
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
  webhook_starts: [OF_ENDPOINT, upToChange('change')],
  webhook_cursors: [upToChange('change')],
  webhook_deliveries: [
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
    condition('due_at', 'given exactly while it is pending', fragment`(t.state = 'pending') = (t.due_at IS NOT NULL)`),
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
  webhook_attempts: [
    condition(
      'number',
      'at most the attempts of an existing delivery',
      fragment`EXISTS (SELECT 1 FROM ${DELIVERIES} d WHERE d.number = t.delivery AND d.attempts >= t.number)`,
    ),
    condition('error', 'given exactly where status is null', fragment`(t.status IS NULL) = (t.error IS NOT NULL)`),
  ],
};

// The tables of webhooks.
import { type Fragment, fragment, table } from '../../rows/sql.ts';
import { BIGINT, BY_NUMBER, BYTES, COUNTER, FLAG, KEYED, OF_ACCOUNT, ROWS, TEXT } from '../../rows/tables.ts';

const ENDPOINTS = table('webhook_endpoints');
const DELIVERIES = table('webhook_deliveries');

/**
 * A cursor tells up to which change a register's log has been fanned out. A start tells from which change on an endpoint receives
 * events of a register; registers that are in neither table were created later. A claim moves `due_at` to the end of its lease:
 * one index finds what is due, and a delivery with an expired lease is due again. `about` is what an event without a version is
 * about; `told` is what the owner of an endpoint was told last, and `told_until` until when it is being told.
 */
export const WEBHOOK_TABLES: Fragment = fragment`
CREATE TABLE ${ENDPOINTS} (
  number ${BIGINT} ${COUNTER},
  id ${TEXT} NOT NULL UNIQUE,
  account_id ${TEXT} NOT NULL${OF_ACCOUNT},
  url ${TEXT} NOT NULL,
  feeds ${TEXT},
  types ${TEXT},
  filters ${TEXT},
  created_at ${TEXT} NOT NULL,
  disabled_at ${TEXT},
  disabled_reason ${TEXT},
  failing_since ${TEXT},
  secret ${BYTES} NOT NULL,
  next_secret ${BYTES},
  standard_webhooks ${FLAG} NOT NULL DEFAULT 0,
  previous_secret ${BYTES},
  previous_until ${TEXT},
  told ${TEXT},
  told_until ${TEXT}
)${ROWS};
CREATE INDEX webhook_endpoints_account ON ${ENDPOINTS} (account_id${BY_NUMBER});
CREATE TABLE ${table('webhook_starts')} (
  endpoint ${BIGINT} NOT NULL,
  register integer NOT NULL,
  change ${BIGINT} NOT NULL,
  PRIMARY KEY (register, endpoint)
)${KEYED};
CREATE TABLE ${table('webhook_cursors')} (register integer PRIMARY KEY, change ${BIGINT} NOT NULL)${ROWS};
CREATE TABLE ${DELIVERIES} (
  number ${BIGINT} ${COUNTER},
  endpoint ${BIGINT} NOT NULL,
  entry ${BIGINT},
  event_id ${TEXT} NOT NULL,
  type ${TEXT} NOT NULL,
  record_id ${TEXT},
  version integer,
  about ${TEXT},
  base_url ${TEXT},
  created_at ${TEXT} NOT NULL,
  state ${TEXT} NOT NULL DEFAULT 'pending',
  reason ${TEXT},
  attempts integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  due_at ${TEXT},
  lease ${TEXT}
)${ROWS};
CREATE INDEX webhook_deliveries_endpoint ON ${DELIVERIES} (endpoint${BY_NUMBER});
CREATE INDEX webhook_deliveries_due ON ${DELIVERIES} (endpoint, due_at${BY_NUMBER}) WHERE state = 'pending';
CREATE TABLE ${table('webhook_attempts')} (
  delivery ${BIGINT} NOT NULL,
  number integer NOT NULL,
  at ${TEXT} NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error ${TEXT},
  response ${TEXT},
  PRIMARY KEY (delivery, number)
)${KEYED};`;

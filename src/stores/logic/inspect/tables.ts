// What the rows of tables must be: the form of every column, and conditions on other columns and tables. Registers,
// versions and the contents of records have rules of their own (registers.ts, version-rules.ts).
import { IMPORT_CAUSES } from '../../contract/imports.ts';
import { ID_PATTERNS } from '../../../register/identity.ts';
import { SLOT_SPAN } from '../../rows/columns.ts';
import { limitTable } from '../limits/tables.ts';
import { fragment, table } from '../../rows/sql.ts';
import { POSTINGS, SEGMENT } from '../finding/postings.ts';
import { COLUMNS } from '../finding/value-columns.ts';
import { CORE_COUNTS } from '../value-tally.ts';
import { bytes, FLAG, JSON_TEXT, matching, oneOf, orNull, TEXT, TEXT_LIST, TIME, whole } from './forms.ts';
import { LOG_TABLES } from './log-tables.ts';
import { condition, OF_ACCOUNT, OF_REGISTER, type TableRules, upToChange } from './table-rules.ts';
import * as purchases from './purchase-tables.ts';
import { WEBHOOK_TABLES } from './webhook-tables.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const LEASES = table('leases');

const NUMBER = whole(1);
const COUNT = whole(0);

const COUNTED_NAMES = CORE_COUNTS.map(([field]) => field);

/** A field whose values are counted. */
const COUNTED = matching(
  new RegExp(`^(?:${COUNTED_NAMES.join('|')}|data\\.[^]+)$`),
  `${COUNTED_NAMES.join(', ')}, or data. and a name`,
);

/** The number of the register in a slot. */
const BY_SLOT = fragment`t.slot / ${SLOT_SPAN}`;

const BY_SEGMENT = fragment`t.segment / ${SLOT_SPAN / SEGMENT}`;

const IN_REGISTER = condition(
  'slot',
  'in a register',
  fragment`EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = ${BY_SLOT})`,
);

const SEGMENT_IN_REGISTER = condition(
  'segment',
  'in a register',
  fragment`EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = ${BY_SEGMENT})`,
);

const WHOLE_LIMIT = condition(
  'limit_requests',
  'null where limit_seconds is, and only there',
  fragment`(t.limit_requests IS NULL) = (t.limit_seconds IS NULL)`,
);

/** The rows of records, live or withdrawn. The walk through the log sees those that its versions have. */
function recordRules(name: 'records' | 'withdrawn'): TableRules {
  return {
    name,
    key: ['slot'],
    columns: {
      slot: NUMBER,
      id: matching(ID_PATTERNS.record, 'the id of a record'),
      version: NUMBER,
      content_version: NUMBER,
      updated_at: TIME,
      ...(name === 'withdrawn' ? { is_redacted: FLAG } : {}),
    },
    conditions: [
      IN_REGISTER,
      condition(
        'version',
        'that of a version in the log',
        fragment`EXISTS (SELECT 1 FROM ${VERSIONS} v WHERE v.slot = t.slot AND v.version = t.version)`,
      ),
    ],
    register: BY_SLOT,
    record: fragment`t.id`,
  };
}

/** The rules of every table but that of the registers. */
export const TABLES: readonly TableRules[] = [
  recordRules('records'),
  recordRules('withdrawn'),
  {
    name: 'contents',
    key: ['slot', 'version'],
    columns: { slot: NUMBER, version: NUMBER },
    conditions: [
      IN_REGISTER,
      condition(
        'version',
        'that of a version in the log whose content was replaced',
        fragment`EXISTS (SELECT 1 FROM ${VERSIONS} v
            WHERE v.slot = t.slot AND v.version = t.version AND v.content_version = t.version)
          AND NOT EXISTS (SELECT 1 FROM ${RECORDS} r WHERE r.slot = t.slot AND r.content_version = t.version)
          AND NOT EXISTS (SELECT 1 FROM ${WITHDRAWN} w WHERE w.slot = t.slot AND w.content_version = t.version)`,
      ),
    ],
    register: BY_SLOT,
    record: fragment`(SELECT r.id FROM ${RECORDS} r WHERE r.slot = t.slot
      UNION ALL SELECT w.id FROM ${WITHDRAWN} w WHERE w.slot = t.slot LIMIT 1)`,
  },
  {
    name: 'accounts',
    key: ['id'],
    columns: {
      id: matching(/^[a-z0-9][a-z0-9-]{0,63}$/, '1..64 of a-z 0-9 - and not starting with -'),
      access_until: orNull(TIME),
      is_suspended: FLAG,
      created_at: TIME,
      limit_requests: orNull(NUMBER),
      limit_seconds: orNull(NUMBER),
      email: orNull(matching(/^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+$/, 'an address in lower case')),
      ...purchases.BALANCE_COLUMNS,
    },
    conditions: [WHOLE_LIMIT, ...purchases.BALANCE_CONDITIONS],
  },
  {
    name: 'api_keys',
    key: ['number'],
    columns: {
      number: NUMBER,
      digest: bytes(32, 32),
      id: TEXT,
      account_id: TEXT,
      product: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, '1..64 of A-Z a-z 0-9 . _ -'),
      last_four: matching(/^[^]{4}$/, '4 characters'),
      created_at: TIME,
      last_used_at: orNull(TIME),
      ends_at: orNull(TIME),
      revoked_at: orNull(TIME),
      name: orNull(TEXT),
      scopes: matching(/^(?!$)(?:read)?(?:(?:^| )webhooks)?(?:(?:^| )account)?$/, 'some of read webhooks account'),
      feeds: orNull(TEXT_LIST),
      limit_requests: orNull(NUMBER),
      limit_seconds: orNull(NUMBER),
      expires_at: orNull(TIME),
      requests: COUNT,
      ...purchases.BUDGET_COLUMNS,
    },
    conditions: [OF_ACCOUNT, WHOLE_LIMIT, ...purchases.BUDGET_CONDITIONS],
  },
  {
    name: 'sign_in_links',
    key: ['account_id'],
    columns: { account_id: TEXT, digest: orNull(bytes(32, 32)), ends_at: TIME, mails: COUNT, mails_since: TIME },
    conditions: [OF_ACCOUNT],
  },
  {
    name: 'sessions',
    key: ['digest'],
    columns: { digest: bytes(32, 32), account_id: TEXT, created_at: TIME, ends_at: TIME },
    conditions: [OF_ACCOUNT],
  },
  {
    name: 'idempotency_keys',
    key: ['account_id', 'route', 'name'],
    columns: {
      account_id: TEXT,
      route: TEXT,
      name: TEXT,
      digest: bytes(32, 32),
      token: TEXT,
      begun_at: TIME,
      ends_at: TIME,
      result: orNull(JSON_TEXT),
    },
    conditions: [OF_ACCOUNT],
  },
  { name: 'configuration', key: ['digest'], columns: { digest: TEXT, since: COUNT }, conditions: [] },
  ...purchases.PURCHASE_TABLES,
  ...WEBHOOK_TABLES,
  {
    name: 'leases',
    key: ['register'],
    columns: {
      register: NUMBER,
      token: TEXT,
      what: TEXT,
      host: TEXT,
      pid: NUMBER,
      since: TIME,
      ends_at: TIME,
      last_write: COUNT,
      last_result: matching(/^(?:\d+(?: \d+)*)?$/, 'whole numbers, or nothing'),
    },
    conditions: [OF_REGISTER],
    register: fragment`t.register`,
  },
  {
    name: 'value_counts',
    key: ['register', 'field', 'value'],
    columns: { register: NUMBER, field: COUNTED, value: TEXT, records: NUMBER },
    conditions: [OF_REGISTER],
    register: fragment`t.register`,
  },
  {
    name: 'register_counts',
    key: ['register'],
    columns: {
      register: NUMBER,
      signature: matching(/^(?:\[[^]*\]|stale)?$/, 'a JSON array, or stale, or nothing'),
      next_position: COUNT,
      totals: matching(/^\{[^]*\}$/, 'a JSON object'),
    },
    conditions: [OF_REGISTER],
    register: fragment`t.register`,
  },
  {
    name: POSTINGS.name,
    key: ['segment', 'term'],
    columns: { segment: NUMBER, term: TEXT, positions: bytes(2, SEGMENT / 8) },
    conditions: [SEGMENT_IN_REGISTER],
    register: BY_SEGMENT,
  },
  {
    name: COLUMNS.name,
    key: ['segment', 'field'],
    columns: { segment: NUMBER, field: TEXT, lowest: NUMBER, highest: NUMBER, keys: bytes(4, SEGMENT * 4) },
    conditions: [SEGMENT_IN_REGISTER],
    register: BY_SEGMENT,
  },
  {
    name: 'register_terms',
    key: ['register'],
    columns: {
      register: NUMBER,
      signature: matching(/^(?:\[[^]*\])?$/, 'a JSON array, or nothing'),
      next_position: COUNT,
    },
    conditions: [OF_REGISTER],
    register: fragment`t.register`,
  },
  ...[false, true].map((isKept): TableRules => ({
    name: limitTable(isKept),
    key: ['caller'],
    columns: { caller: TEXT, used: COUNT, granted: COUNT, ends_at: COUNT },
    conditions: [],
  })),
  { name: 'limit_nodes', key: ['node'], columns: { node: TEXT, seen_at: COUNT }, conditions: [] },
  { name: 'store_keys', key: ['name'], columns: { name: TEXT, secret: bytes(32, 32) }, conditions: [] },
  {
    name: 'imports',
    key: ['number'],
    columns: {
      number: NUMBER,
      register: NUMBER,
      file: TEXT,
      cause: oneOf(IMPORT_CAUSES),
      who: orNull(TEXT),
      begun_at: TIME,
      state: oneOf(['running', 'completed', 'failed', 'interrupted']),
      added: COUNT,
      changed: COUNT,
      unchanged: COUNT,
      restored: COUNT,
      redacted: COUNT,
      withdrawn: COUNT,
      refused: COUNT,
      ended_at: orNull(TIME),
      error: orNull(TEXT),
      last_change: COUNT,
      digest: orNull(bytes(32, 32)),
    },
    conditions: [
      OF_REGISTER,
      upToChange('last_change'),
      condition(
        'ended_at',
        'given exactly where it was completed or failed',
        fragment`(t.state IN ('completed', 'failed')) = (t.ended_at IS NOT NULL)`,
      ),
      condition(
        'state',
        'running only while a process works on the register; the import was interrupted, run it again to complete it',
        fragment`t.state <> 'running' OR EXISTS (SELECT 1 FROM ${LEASES} l WHERE l.register = t.register)`,
      ),
      condition('error', 'given exactly where it failed', fragment`(t.state = 'failed') = (t.error IS NOT NULL)`),
      condition('digest', 'null unless it was completed', fragment`t.state = 'completed' OR t.digest IS NULL`),
    ],
    register: fragment`t.register`,
  },
  ...LOG_TABLES,
  { name: 'purges', key: ['part'], columns: { part: TEXT, number: NUMBER, asked_at: TIME }, conditions: [] },
  {
    name: 'removed_registers',
    key: ['id'],
    columns: { id: matching(ID_PATTERNS.feed, 'the id of a register'), last_modified: COUNT },
    conditions: [],
  },
];

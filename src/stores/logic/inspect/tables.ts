// What the rows of tables must be beside the form of every column, which the tables say (rows/table.ts): conditions on other
// columns and tables. Registers, versions and the contents of records have rules of their own (registers.ts, version-rules.ts).
import { SLOT_SPAN } from '../../rows/columns.ts';
import { fragment, table } from '../../rows/sql.ts';
import { POSTINGS, SEGMENT } from '../finding/postings.ts';
import { COLUMNS } from '../finding/value-columns.ts';
import { TABLES } from '../schema/first.ts';
import type { StorePlugin } from '../plugins/plugin.ts';
import {
  type Condition,
  condition,
  OF_ACCOUNT,
  OF_REGISTER,
  type RowPlaces,
  type TableRules,
  upToChange,
} from './table-rules.ts';
import { WEBHOOK_CONDITIONS } from './webhook-tables.ts';

const ACCOUNTS = table('accounts');
const EDITORS = table('editors');
const REGISTERS = table('registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const LEASES = table('leases');
const IMPORTS = table('imports');
const PROPOSALS = table('proposals');
const MIRRORS = table('mirrors');

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

const OF_IMPORT = condition(
  'number',
  'that of an import of the register',
  fragment`EXISTS (SELECT 1 FROM ${IMPORTS} i WHERE i.number = t.number AND i.register = t.register)`,
);

const WHOLE_LIMIT = condition(
  'limit_requests',
  'null where limit_seconds is, and only there',
  fragment`(t.limit_requests IS NULL) = (t.limit_seconds IS NULL)`,
);

const OF_OWNER = condition(
  'owner',
  'the id of an account, or the name of an editor',
  fragment`CASE t.kind WHEN 'account' THEN EXISTS (SELECT 1 FROM ${ACCOUNTS} a WHERE a.id = t.owner)
    ELSE EXISTS (SELECT 1 FROM ${EDITORS} e WHERE e.name = t.owner AND e.removed_at IS NULL) END`,
);

const REMOVED_EDITOR = condition(
  'email',
  'null exactly where the editor was removed',
  fragment`(t.email IS NULL) = (t.removed_at IS NOT NULL)`,
);

/** Of live and withdrawn records. */
const OF_KEYS = [
  condition(
    'key',
    'null while no record of the register was ever renumbered',
    fragment`t.key IS NULL OR EXISTS (SELECT 1 FROM ${table('registers')} g
      WHERE g.number = t.slot / ${SLOT_SPAN} AND g.is_renumbered = 1)`,
  ),
  condition(
    'key',
    'that of no other record of the register',
    fragment`t.key IS NULL OR NOT EXISTS (SELECT 1 FROM ${RECORDS} r
        WHERE r.key = t.key AND r.slot <> t.slot AND r.slot / ${SLOT_SPAN} = t.slot / ${SLOT_SPAN})
      AND NOT EXISTS (SELECT 1 FROM ${WITHDRAWN} w
        WHERE w.key = t.key AND w.slot <> t.slot AND w.slot / ${SLOT_SPAN} = t.slot / ${SLOT_SPAN})`,
  ),
];

const OF_RECORD = [
  IN_REGISTER,
  condition(
    'version',
    'that of a version in the log',
    fragment`EXISTS (SELECT 1 FROM ${VERSIONS} v WHERE v.slot = t.slot AND v.version = t.version)`,
  ),
];

/** The conditions on the rows of tables, by their names. The walk through the log sees records that its versions have. */
const CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  records: [...OF_RECORD, ...OF_KEYS],
  withdrawn: [...OF_RECORD, ...OF_KEYS],
  contents: [
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
  accounts: [WHOLE_LIMIT],
  api_keys: [OF_ACCOUNT, WHOLE_LIMIT],
  editors: [REMOVED_EDITOR],
  sign_in_links: [OF_OWNER],
  sessions: [OF_OWNER],
  idempotency_keys: [OF_ACCOUNT],
  ...WEBHOOK_CONDITIONS,
  leases: [OF_REGISTER],
  value_counts: [OF_REGISTER],
  register_counts: [OF_REGISTER],
  [POSTINGS.name]: [SEGMENT_IN_REGISTER],
  [COLUMNS.name]: [SEGMENT_IN_REGISTER],
  register_terms: [OF_REGISTER],
  imports: [
    OF_REGISTER,
    upToChange('last_change'),
    condition(
      'ended_at',
      'given exactly where it was completed or discarded, or failed',
      fragment`(t.state IN ('completed', 'failed', 'discarded')) = (t.ended_at IS NOT NULL)`,
    ),
    condition(
      'state',
      'running only while a process works on the register; the import was interrupted, run it again to complete it',
      fragment`t.state <> 'running' OR EXISTS (SELECT 1 FROM ${LEASES} l WHERE l.register = t.register)`,
    ),
    condition(
      'error',
      'given where it failed, and else only where it ended without anybody',
      fragment`CASE WHEN t.error IS NULL THEN t.state <> 'failed'
        ELSE t.state = 'failed' OR (t.state = 'discarded' AND t.decided_by IS NULL) END`,
    ),
    condition(
      'digest',
      'null unless it was completed or is proposed',
      fragment`t.state IN ('completed', 'proposed', 'approved') OR t.digest IS NULL`,
    ),
    upToChange('first_change'),
    condition('decided_by', 'null while it is proposed', fragment`t.state <> 'proposed' OR t.decided_by IS NULL`),
    condition(
      'undoes',
      'given exactly where it takes another import back',
      fragment`(t.kind = 'undo') = (t.undoes IS NOT NULL)`,
    ),
    condition(
      'state',
      // What is left of one that has ended is removed by whoever writes next.
      'proposed or approved where there is a proposal that has not ended, and only there',
      fragment`t.state IN ('completed', 'failed', 'discarded')
        OR (t.state IN ('proposed', 'approved')) = EXISTS (SELECT 1 FROM ${PROPOSALS} p WHERE p.number = t.number)`,
    ),
  ],
  proposals: [OF_REGISTER, OF_IMPORT],
  proposed_records: [
    OF_REGISTER,
    OF_IMPORT,
    condition(
      'record_id',
      'the id of a record of its register',
      fragment`EXISTS (SELECT 1 FROM ${table('registers')} g WHERE g.number = t.register AND t.record_id > g.id || ':' AND t.record_id < g.id || ';')`,
    ),
  ],
  kept_by_hand: OF_RECORD,
  erased_keys: [IN_REGISTER],
  logs: [OF_REGISTER],
  mirrors: [OF_REGISTER],
  versions: [
    condition(
      'import',
      'an import of its register, or null',
      fragment`t.import IS NULL OR EXISTS (SELECT 1 FROM ${table('imports')} i
          WHERE i.number = t.import AND i.register = t.entry / ${SLOT_SPAN})`,
    ),
    condition(
      'entry',
      'in a register, as its slot',
      fragment`EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.entry / ${SLOT_SPAN})
          AND t.entry / ${SLOT_SPAN} = t.slot / ${SLOT_SPAN}`,
    ),
    condition(
      'salt',
      // To a mirror, the redaction comes behind what it erased.
      'erased exactly where a redaction follows',
      fragment`(t.salt IS NULL) = EXISTS (SELECT 1 FROM ${VERSIONS} v
          WHERE v.slot = t.slot AND v.version > t.version AND v.cause = 'redacted')
        OR EXISTS (SELECT 1 FROM ${MIRRORS} m WHERE m.register = ${BY_SLOT})`,
    ),
  ],
};

/** Of a table with the slots of records. */
const BY_RECORD: RowPlaces = {
  register: BY_SLOT,
  record: fragment`(SELECT r.id FROM ${RECORDS} r WHERE r.slot = t.slot
    UNION ALL SELECT w.id FROM ${WITHDRAWN} w WHERE w.slot = t.slot LIMIT 1)`,
};

/** The registers and records of rows that do not name them. A row of another table with a column `register` is of that one. */
const PLACES: Readonly<Record<string, RowPlaces>> = {
  records: { register: BY_SLOT, record: fragment`t.id` },
  withdrawn: { register: BY_SLOT, record: fragment`t.id` },
  versions: { register: fragment`t.entry / ${SLOT_SPAN}` },
  [POSTINGS.name]: { register: BY_SEGMENT },
  [COLUMNS.name]: { register: BY_SEGMENT },
  grants: { record: fragment`t.record_id` },
  holds: { record: fragment`t.record_id` },
};

/** The rules of every table but that of the registers. */
export function tableRules(plugins: readonly StorePlugin[]): readonly TableRules[] {
  const own = plugins.flatMap(({ tables }) => tables);
  return [...TABLES.filter(({ name }) => name !== 'registers'), ...own].map((table) => ({
    table,
    conditions: [CONDITIONS, ...plugins.map(({ conditions }) => conditions)].flatMap((of) => of[table.name] ?? []),
    ...('register' in table.columns ? { register: fragment`t.register` } : PLACES[table.name]),
    ...('slot' in table.columns && PLACES[table.name] === undefined ? BY_RECORD : {}),
  }));
}

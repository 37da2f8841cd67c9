// The tables of registers, their records and the log of versions. `slot` and `entry` are register number × 2^32 + position or
// change number, so that the integer key alone orders a register's records and versions (rows/columns.ts).
import { ID_PATTERNS } from '../../../register/identity.ts';
import { ORDERS } from '../../../register/sources/order.ts';
import { SLOT_SPAN } from '../../rows/columns.ts';
import { type Fragment, fragment } from '../../rows/sql.ts';
import {
  JSON_TEXT,
  byDefault,
  bytes,
  type Column,
  elsewhere,
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
  uniqueIndex,
  whole,
} from '../../rows/table.ts';

const FEED_ID = matching(ID_PATTERNS.feed, 'the id of a register');
/** A UUID. */
export const UUID: Column<string> = matching(ID_PATTERNS.uuid, 'a UUID in lower case');

/** Slots are integers of a double (rows/columns.ts). */
const MOST_REGISTERS = Math.floor(Number.MAX_SAFE_INTEGER / SLOT_SPAN - 1);

const IN_SPAN = byDefault(whole(0, SLOT_SPAN - 1), 0);

/** The columns of a record, before its content: a look-up by id does not read past long content. */
const RECORD = {
  slot: whole(1),
  id: matching(ID_PATTERNS.record, 'the id of a record'),
  version: small(1),
  content_version: small(1),
  updated_at: TIME,
} as const;

/** Inspected with the version that it is of. */
const STATED = elsewhere(orNull(TEXT));

/** The columns of a content: short ones first, as in `CONTENT_COLUMNS`. */
const CONTENT: Readonly<Record<string, Column>> = {
  document_type: STATED,
  facility_id: STATED,
  content_type: STATED,
  published_at: STATED,
  observed_at: STATED,
  observed_is_stated: elsewhere(orNull(FLAG)),
  key: STATED,
  title: STATED,
  author: STATED,
  source_url: STATED,
  summary: STATED,
  content: STATED,
  data: STATED,
};

/**
 * The registers. Of one that is renumbered there are records, or were, whose key is another than that of their id. The log of one is the UUID of the last of its logs: every read of a register needs it. With its secret the keys
 * of rows are made that have no key of their own.
 */
export const REGISTERS: Table = new Table(
  'registers',
  {
    number: small(1, MOST_REGISTERS),
    id: unique(FEED_ID),
    uuid: orNull(UUID),
    definition: elsewhere(TEXT),
    definition_version: byDefault(whole(1), 1),
    import_order: orNull(oneOf(ORDERS)),
    row_secret: bytes(32, 32),
    ignored: byDefault(TEXT_LIST, '[]'),
    findings: byDefault(TEXT_OBJECT, '{}'),
    reading: orNull(JSON_TEXT),
    top: IN_SPAN,
    change: IN_SPAN,
    live: IN_SPAN,
    last_change: orNull(TIME),
    last_modified: byDefault(whole(0), 0),
    is_successor: byDefault(FLAG, 0),
    is_renumbered: byDefault(FLAG, 0),
    building: byDefault(small(0, 3), 0),
    log: UUID,
  },
  { key: ['number'], isCounted: true, indexes: [uniqueIndex('registers_uuid', '(uuid)')] },
);

/**
 * The log of versions, which is append-only. The log of a version is the one to which it was first written; its import the one that
 * made it, if one did.
 */
export const VERSIONS: Table = new Table(
  'versions',
  {
    entry: whole(1),
    slot: whole(1),
    version: small(1),
    content_version: small(1),
    cause: elsewhere(TEXT),
    recorded_at: elsewhere(TEXT),
    changed: elsewhere(orNull(TEXT)),
    salt: elsewhere(orNull(bytes(32))),
    commitment: elsewhere(bytes(32)),
    log: elsewhere(small(1)),
    import: elsewhere(orNull(whole(1))),
  },
  { key: ['entry'], indexes: [uniqueIndex('versions_slot', '(slot, version)')] },
);

/** Of the records whose key is another than that of their id: nothing where no record was ever renumbered. */
const BY_KEY = (table: string): ReturnType<typeof index> => index(`${table}_key`, '(key) WHERE key IS NOT NULL');

/** Live records alone: a page is a plain range of its key, however many were withdrawn in between. */
export const RECORDS: Table = new Table(
  'records',
  { ...RECORD, ...CONTENT },
  { key: ['slot'], indexes: [uniqueIndex('records_id', '(id)'), BY_KEY('records')] },
);

/** Records that were withdrawn or redacted. */
export const WITHDRAWN: Table = new Table(
  'withdrawn',
  { ...RECORD, ...CONTENT, is_redacted: byDefault(FLAG, 0) },
  { key: ['slot'], indexes: [uniqueIndex('withdrawn_id', '(id)'), BY_KEY('withdrawn')] },
);

/** Replaced contents; that of the current version is stored with its record. */
export const CONTENTS: Table = new Table(
  'contents',
  { slot: RECORD.slot, version: RECORD.version, ...CONTENT },
  { key: ['slot', 'version'] },
);

/** All of them. */
export const REGISTER_TABLES: readonly Table[] = [
  REGISTERS,
  new Table('removed_registers', { id: FEED_ID, last_modified: whole(0) }, { key: ['id'] }),
  RECORDS,
  WITHDRAWN,
  CONTENTS,
  VERSIONS,
  new Table(
    'logs',
    {
      number: small(1),
      register: small(1),
      uuid: unique(UUID),
    },
    { key: ['number'], isCounted: true, indexes: [index('logs_register', '(register)')] },
  ),
];

/** Made last: of two indexes that are as good to it, SQLite takes the later one. */
export const PRICED_INDEX: Fragment = fragment`
CREATE INDEX registers_priced ON ${REGISTERS} (id) WHERE definition LIKE '%"prices":{%';`;

// The tables of registers, their records and the log of versions. `slot` and `entry` are register number × 2^32 + position or
// change number, so that the integer key alone orders a register's records and versions (rows/columns.ts).
import { type Fragment, fragment, table } from '../../rows/sql.ts';
import { BIGINT, BYTES, COUNTER, FLAG, ownColumns, ROWS, TEXT } from '../../rows/tables.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const VERSIONS = table('versions');
const LOGS = table('logs');

/** The columns of a record, before its content: a look-up by id does not read past long content. */
const RECORD = fragment`
  slot ${BIGINT} PRIMARY KEY,
  id ${TEXT} NOT NULL,
  version integer NOT NULL,
  content_version integer NOT NULL,
  updated_at ${TEXT} NOT NULL`;

/** The columns of a content: short ones first, as in `CONTENT_COLUMNS`. */
const CONTENT = fragment`
  document_type ${TEXT},
  facility_id ${TEXT},
  content_type ${TEXT},
  published_at ${TEXT},
  observed_at ${TEXT},
  observed_is_stated ${FLAG},
  title ${TEXT},
  author ${TEXT},
  source_url ${TEXT},
  summary ${TEXT},
  content ${TEXT},
  data ${TEXT}`;

/**
 * `records` contains only live records: a page is a plain range of its key, however many were withdrawn in between. The content
 * of the current version is stored with the record, replaced content in `contents`; the log is append-only. The log of a
 * register is the UUID of the last of its logs: every read of a register needs it. That of a version is the one to which it was
 * first written.
 */
export const REGISTER_TABLES: Fragment = fragment`
CREATE TABLE ${REGISTERS} (
  number integer ${COUNTER},
  id ${TEXT} NOT NULL UNIQUE,
  uuid ${TEXT},
  definition ${TEXT} NOT NULL,
  definition_version ${BIGINT} NOT NULL DEFAULT 1,
  import_order ${TEXT},
  top ${BIGINT} NOT NULL DEFAULT 0,
  change ${BIGINT} NOT NULL DEFAULT 0,
  live ${BIGINT} NOT NULL DEFAULT 0,
  last_change ${TEXT},
  last_modified ${BIGINT} NOT NULL DEFAULT 0,
  is_successor ${FLAG} NOT NULL DEFAULT 0,
  log ${TEXT} NOT NULL${ownColumns('registers')}
)${ROWS};
CREATE UNIQUE INDEX registers_uuid ON ${REGISTERS} (uuid);
CREATE TABLE ${table('removed_registers')} (
  id ${TEXT} PRIMARY KEY,
  last_modified ${BIGINT} NOT NULL${ownColumns('removed_registers')}
)${ROWS};
CREATE TABLE ${RECORDS} (${RECORD},${CONTENT}
)${ROWS};
CREATE UNIQUE INDEX records_id ON ${RECORDS} (id);
CREATE TABLE ${WITHDRAWN} (${RECORD},${CONTENT},
  is_redacted ${FLAG} NOT NULL DEFAULT 0
)${ROWS};
CREATE UNIQUE INDEX withdrawn_id ON ${WITHDRAWN} (id);
CREATE TABLE ${table('contents')} (
  slot ${BIGINT} NOT NULL,
  version integer NOT NULL,${CONTENT},
  PRIMARY KEY (slot, version)
)${ROWS};
CREATE TABLE ${VERSIONS} (
  entry ${BIGINT} PRIMARY KEY,
  slot ${BIGINT} NOT NULL,
  version integer NOT NULL,
  content_version integer NOT NULL,
  cause ${TEXT} NOT NULL,
  recorded_at ${TEXT} NOT NULL,
  changed ${TEXT},
  salt ${BYTES},
  commitment ${BYTES} NOT NULL,
  log integer NOT NULL,
  record_hmac ${BYTES}
)${ROWS};
CREATE UNIQUE INDEX versions_slot ON ${VERSIONS} (slot, version);
CREATE TABLE ${LOGS} (
  number integer ${COUNTER},
  register integer NOT NULL,
  uuid ${TEXT} NOT NULL UNIQUE,
  origin ${TEXT},
  vkey ${TEXT},
  checkpoint ${TEXT},
  signed_size ${BIGINT},
  logged_size ${BIGINT},
  logged_place ${BIGINT},
  logged_checkpoint ${TEXT}
)${ROWS};
CREATE INDEX logs_register ON ${LOGS} (register);`;

/** Made last: of two indexes that are as good to it, SQLite takes the later one. */
export const PRICED_INDEX: Fragment = fragment`
CREATE INDEX registers_priced ON ${REGISTERS} (id) WHERE definition LIKE '%"prices":{%';`;

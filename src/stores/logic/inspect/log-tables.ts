// What the rows of logs must be, of the versions in them and of the trees over them; log-trees.ts makes the trees again.
import { HASH_LENGTH } from '../../../proofs/hashes.ts';
import { TILE_WIDTH } from '../../../proofs/tiles.ts';
import { ID_PATTERNS } from '../../../register/identity.ts';
import { SLOT_SPAN } from '../../rows/columns.ts';
import { fragment, table } from '../../rows/sql.ts';
import { bytes, matching, orNull, TEXT, whole } from './forms.ts';
import { LOG_OF_LOGS } from '../proofs/log-of-logs.ts';
import { condition, type TableRules } from './table-rules.ts';

const REGISTERS = table('registers');
const VERSIONS = table('versions');
const TREES = table('log_trees');
const TILES = table('log_tiles');

/** The log is that of a register, or the log of logs. */
const OF_LOG = condition(
  'register',
  `the number of a register, or ${LOG_OF_LOGS}`,
  fragment`(t.register = ${LOG_OF_LOGS} OR EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.register))`,
);

/** The rules of these tables. */
export const LOG_TABLES: readonly TableRules[] = [
  {
    name: 'versions',
    key: ['entry'],
    columns: {
      entry: whole(1),
      slot: whole(1),
      version: whole(1),
      content_version: whole(1),
      record_hmac: orNull(bytes(32, 32)),
    },
    conditions: [
      condition(
        'entry',
        'in a register, as its slot',
        fragment`EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.entry / ${SLOT_SPAN})
          AND t.entry / ${SLOT_SPAN} = t.slot / ${SLOT_SPAN}`,
      ),
      condition(
        'record_hmac',
        'null exactly where no redaction follows and the salt is there',
        fragment`(t.record_hmac IS NULL) = (t.salt IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${VERSIONS} v
          WHERE v.slot = t.slot AND v.version >= t.version AND v.cause = 'redacted'))`,
      ),
    ],
    register: fragment`t.entry / ${SLOT_SPAN}`,
  },
  {
    name: 'logs',
    key: ['number'],
    columns: {
      number: whole(1),
      register: whole(0),
      uuid: matching(ID_PATTERNS.uuid, 'a UUID in lower case'),
      origin: orNull(TEXT),
      vkey: orNull(TEXT),
      checkpoint: orNull(TEXT),
      signed_size: orNull(whole(0)),
      logged_size: orNull(whole(0)),
      logged_place: orNull(whole(0)),
      logged_checkpoint: orNull(TEXT),
    },
    conditions: [OF_LOG],
    register: fragment`t.register`,
  },
  {
    name: 'log_trees',
    key: ['register'],
    columns: { register: whole(0), size: whole(0) },
    conditions: [
      OF_LOG,
      condition(
        'size',
        'that of its tiles, and the latest change of the register',
        fragment`t.size = (SELECT coalesce(sum(length(i.hashes)), 0) / ${HASH_LENGTH} FROM ${TILES} i
            WHERE i.register = t.register AND i.level = 0)
          AND NOT EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.register AND g.change <> t.size)`,
      ),
    ],
    register: fragment`t.register`,
  },
  {
    name: 'log_tiles',
    key: ['register', 'level', 'place'],
    columns: {
      register: whole(0),
      level: whole(0, 7),
      place: whole(0),
      hashes: bytes(HASH_LENGTH, TILE_WIDTH * HASH_LENGTH),
    },
    conditions: [
      OF_LOG,
      condition(
        'place',
        'that of a tile of the tree',
        fragment`EXISTS (SELECT 1 FROM ${TREES} r WHERE r.register = t.register AND r.size / CASE t.level WHEN 0 THEN 1
          WHEN 1 THEN 256 WHEN 2 THEN 65536 WHEN 3 THEN 16777216 END / 256 >= t.place AND r.size > 0)`,
      ),
    ],
    register: fragment`t.register`,
  },
  {
    name: 'logged_checkpoints',
    key: ['place'],
    columns: { place: whole(0), entry: bytes(1, 65_535) },
    conditions: [
      condition(
        'place',
        'one of the tree over the log of logs',
        fragment`EXISTS (SELECT 1 FROM ${TREES} r WHERE r.register = ${LOG_OF_LOGS} AND t.place < r.size)`,
      ),
    ],
  },
];

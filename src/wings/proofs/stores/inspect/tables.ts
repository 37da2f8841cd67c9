// What the rows of logs must be, of the versions in them and of the trees over them; trees.ts makes the trees again.
import { HASH_LENGTH } from '../../tlog/hashes.ts';
import { fragment, table } from '../../../../stores/rows/sql.ts';
import { ERASED } from '../entries.ts';
import { SLOT_SPAN } from '../../../../stores/rows/columns.ts';
import { LOG_OF_LOGS, SIGNED } from '../log-of-logs.ts';
import { type Condition, condition } from '../../../../stores/logic/inspect/table-rules.ts';

const REGISTERS = table('registers');
const VERSIONS = table('versions');
const LOGS = table('logs');
const TREES = table('log_trees');
const TILES = table('log_tiles');

/** The log is that of a register, or the log of logs. */
const OF_LOG = condition(
  'register',
  `the number of a register, or ${LOG_OF_LOGS}`,
  fragment`(t.register = ${LOG_OF_LOGS} OR EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.register))`,
);

/** The conditions on their rows. */
export const LOG_CONDITIONS: Readonly<Record<string, readonly Condition[]>> = {
  versions: [
    condition(
      'cause',
      'that of a redaction only where the log kept what it erased',
      fragment`t.cause <> 'redacted' OR EXISTS (SELECT 1 FROM ${ERASED} e WHERE e.slot = t.slot AND e.last_version = t.version)`,
    ),
  ],
  [ERASED.name]: [
    condition(
      'last_version',
      'that of a redaction',
      fragment`EXISTS (SELECT 1 FROM ${VERSIONS} v WHERE v.slot = t.slot AND v.version = t.last_version AND v.cause = 'redacted')
        OR EXISTS (SELECT 1 FROM ${table('mirrors')} m WHERE m.register = t.slot / ${SLOT_SPAN})`,
    ),
  ],
  [SIGNED.name]: [
    OF_LOG,
    condition(
      'register',
      `that of its log; ${LOG_OF_LOGS} for the log of logs`,
      fragment`t.register = coalesce((SELECT l.register FROM ${LOGS} l WHERE l.uuid = t.uuid), ${LOG_OF_LOGS})`,
    ),
  ],
  log_trees: [
    OF_LOG,
    condition(
      'size',
      'that of its tiles, and the latest change of the register',
      fragment`t.size = (SELECT coalesce(sum(length(i.hashes)), 0) / ${HASH_LENGTH} FROM ${TILES} i
            WHERE i.register = t.register AND i.level = 0)
          AND NOT EXISTS (SELECT 1 FROM ${REGISTERS} g WHERE g.number = t.register AND g.change <> t.size)`,
    ),
  ],
  log_tiles: [
    OF_LOG,
    condition(
      'place',
      'that of a tile of the tree',
      fragment`EXISTS (SELECT 1 FROM ${TREES} r WHERE r.register = t.register AND r.size / CASE t.level WHEN 0 THEN 1
          WHEN 1 THEN 256 WHEN 2 THEN 65536 WHEN 3 THEN 16777216 END / 256 >= t.place AND r.size > 0)`,
    ),
  ],
  logged_checkpoints: [
    condition(
      'place',
      'one of the tree over the log of logs',
      fragment`EXISTS (SELECT 1 FROM ${TREES} r WHERE r.register = ${LOG_OF_LOGS} AND t.place < r.size)`,
    ),
  ],
};

// The logs of registers as a plugin of a store: trees over all versions, what is signed of them, and what a redaction leaves of
// their entries.
import type { Finding } from '../../../stores/contract/inspection.ts';
import type { LogStore } from './contract/logs.ts';
import type { LogRecovery } from './contract/recovery.ts';
import { FOR_UPDATE, IS_PRESENT, shape, table, asNumber } from '../../../stores/rows/sql.ts';
import type { InspectedRegister, StorePlugin } from '../../../stores/logic/plugins/plugin.ts';
import type { Engine, Rule, Sql } from '../../../stores/logic/rule.ts';
import { ERASED } from './entries.ts';
import { LOG_CONDITIONS } from './inspect/tables.ts';
import { type CheckedTile, checkTree, THE_LOG_OF_LOGS, type TreePlace } from './inspect/trees.ts';
import { beginLogOfLogs, LOG_OF_LOGS_ROWS, LOG_OF_LOGS_TABLES } from './log-of-logs.ts';
import { logsOn } from './log-store.ts';
import { beforeErasure, catchUp, growTree, PLUGIN, TREE_TABLES, UNCOMPRESSED_HASHES } from './log-tree.ts';
import { recoveryOn } from './recovery.ts';

const REGISTERS = table('registers');
const TREES = table('log_trees');

/** What a store has of logs. */
export interface ProofStore {
  readonly logs: LogStore;
  /** Puts back what a store that was restored lacks. */
  readonly recovery: LogRecovery;
}

/** The logs of a store. */
export const PROOFS: StorePlugin<ProofStore> = {
  name: PLUGIN,
  schema: 1,
  tables: [...TREE_TABLES, ...LOG_OF_LOGS_TABLES, ERASED],
  begun: [UNCOMPRESSED_HASHES, LOG_OF_LOGS_ROWS],
  join: growOne,
  onCommit: growTree,
  beforeErase: beforeErasure,
  onLogRenewed: beginLogOfLogs,
  conditions: LOG_CONDITIONS,
  inspect: checkTrees,
  open: ({ engine, parts, isOpen }) => ({ logs: logsOn(engine, isOpen), recovery: recoveryOn(engine, parts) }),
};

const LACKING = shape(['g.number', 'g.change'], ([number, change]) => ({
  number: asNumber(number),
  change: asNumber(change),
}));

/** Adds versions to the tree of a register that lacks some. */
function* growOne(sql: Sql): Rule<boolean> {
  const lacking = yield* sql.one(
    LACKING,
  )`SELECT ${LACKING} FROM ${REGISTERS} g LEFT JOIN ${TREES} t ON t.register = g.number
    WHERE ${IS_PRESENT} AND g.change > coalesce(t.size, 0) ORDER BY g.number LIMIT 1`;
  if (lacking === null) return false;
  // Locked, and read again: others write.
  const { number } = lacking;
  const head = yield* sql.one(LACKING)`SELECT ${LACKING} FROM ${REGISTERS} g WHERE g.number = ${number} ${FOR_UPDATE}`;
  if (head !== null) yield* catchUp(sql, number, head.change);
  return true;
}

async function* checkTrees(
  engine: Engine,
  register: InspectedRegister | null,
  pause: () => Promise<void>,
): AsyncGenerator<readonly Finding[], void, undefined> {
  for (let at: TreePlace | null = { level: 0, index: 0 }; at !== null;) {
    await pause();
    const part: CheckedTile = await engine.read(checkTree, register ?? THE_LOG_OF_LOGS, at);
    yield part.findings;
    at = part.next;
  }
}

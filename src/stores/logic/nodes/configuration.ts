// The rules for the configuration that a service last started with.
import type { ConfigurationStore } from '../../contract/nodes/configuration.ts';
import { FOR_SHARE, FOR_UPDATE, type Fragment, fragment, numberIn, table } from '../../rows/sql.ts';
import { Table, TEXT, whole } from '../../rows/table.ts';
import type { Engine, Rule, Sql } from '../rule.ts';

const CONFIGURATION = new Table('configuration', { digest: TEXT, since: whole(0) }, { key: ['digest'] });
const REGISTERS = table('registers');

const ROW = CONFIGURATION.shape({ digest: 'digest', since: 'since' });

const SINCE = numberIn('since');

const LATEST = numberIn('last_modified');

/** The table, and its one row. */
export const CONFIGURATION_TABLES: readonly Table[] = [CONFIGURATION];
export const CONFIGURATION_ROW: Fragment = fragment`
INSERT INTO ${CONFIGURATION} VALUES ('', 0);`;

/**
 * The first second that a register may change in: none is given both to a configuration and to a change after it. A configuration
 * that begins waits for the transaction that asks.
 */
export const AFTER_CONFIGURATION: Fragment = fragment`(SELECT since + 1 FROM ${CONFIGURATION} ${FOR_SHARE})`;

/** The configurations of a store. */
export function configurationOn(engine: Engine): ConfigurationStore {
  return {
    begin: async (digest, seconds) => engine.write(beginConfiguration, digest, seconds),
    since: async () => engine.read(sinceWhen),
  };
}

function* sinceWhen(sql: Sql): Rule<number> {
  return (yield* sql.one(SINCE)`SELECT since FROM ${CONFIGURATION}`)!;
}

/** Two that begin at once are one after the other, and none begins while a register is being changed: they lock the row. */
export function* beginConfiguration(sql: Sql, digest: string, seconds: number): Rule<number> {
  const kept = (yield* sql.one(ROW)`SELECT ${ROW} FROM ${CONFIGURATION} ${FOR_UPDATE}`)!;
  if (kept.digest === digest) return kept.since;
  // An import of many batches takes a register's date ahead of the clock.
  const latest = yield* sql.one(LATEST)`SELECT last_modified FROM ${REGISTERS} ORDER BY last_modified DESC LIMIT 1`;
  const since = Math.max(seconds, kept.since + 1, (latest ?? 0) + 1);
  yield* sql.run`UPDATE ${CONFIGURATION} SET digest = ${digest}, since = ${since}`;
  return since;
}

// Which plugins a store was opened with. Whoever writes a register runs the rules of all of them: a redaction without that of the
// log would erase what the log needs.
import { GazetteError } from '../../../errors.ts';
import { asFlag, asNumber, asText, type Dialect, shape } from '../../rows/sql.ts';
import { FLAG, Table, TEXT, whole } from '../../rows/table.ts';
import { type Migration, type Numbered, pendingMigrations } from '../migration.ts';
import type { Commit, ErasedRecord, Rule, Sql } from '../rule.ts';
import type { StorePlugin } from './plugin.ts';

/** Those that the store was opened with, each with the number of its schema as in the table `migrations`, and whether it has what it needs. */
const PLUGINS = new Table(
  'plugins',
  { name: TEXT, schema: whole(1), compatible_from: whole(1), is_joined: FLAG },
  { key: ['name'] },
);

/** Their table. */
export const PLUGIN_TABLES: readonly Table[] = [PLUGINS];

const NAME = shape(['name'], ([name]) => asText(name));

const JOINED = shape(['schema', 'compatible_from', 'is_joined'], ([version, compatibleFrom, isJoined]) => ({
  version: asNumber(version),
  compatibleFrom: asNumber(compatibleFrom),
  isJoined: asFlag(isJoined),
}));

/** @throws GazetteError `missing_plugin` where the store was opened with one that this process has not */
export function* checkPlugins(sql: Sql): Rule<void> {
  const names = yield* sql.all(NAME)`SELECT ${NAME} FROM ${PLUGINS} ORDER BY name`;
  const missing = names.find((name) => sql.plugins.every((plugin) => plugin.name !== name));
  if (missing !== undefined) throw missingPlugin(missing);
}

/** Whether a plugin has what it needs of all registers. */
export function* isJoined(sql: Sql, plugin: string): Rule<boolean> {
  return (yield* sql.one(JOINED)`SELECT ${JOINED} FROM ${PLUGINS} WHERE name = ${plugin}`)?.isJoined === true;
}

/** The error for a plugin that is not there. */
export function missingPlugin(plugin: string): GazetteError {
  return new GazetteError(
    'missing_plugin',
    `the store was opened with the plugin ${plugin} before, which keeps something of its registers: they are written only with it, and may be read without it`,
    { details: { plugin } },
  );
}

/** Versions were written to a register that is locked: no plugin may miss them. @throws GazetteError `missing_plugin` */
export function* committed(sql: Sql, commit: Commit): Rule<void> {
  // Only now does nobody join who has not seen them: who joins waits for the register.
  yield* checkPlugins(sql);
  for (const { onCommit } of sql.plugins) if (onCommit !== undefined) yield* onCommit(sql, commit);
}

/** A record is about to be erased; {@link committed} follows. */
export function* erasing(sql: Sql, record: ErasedRecord): Rule<void> {
  for (const { beforeErase } of sql.plugins) if (beforeErase !== undefined) yield* beforeErase(sql, record);
}

/** All registers were given new logs. @throws GazetteError `missing_plugin` */
export function* logsRenewed(sql: Sql): Rule<void> {
  yield* checkPlugins(sql);
  for (const { onLogRenewed } of sql.plugins) if (onLogRenewed !== undefined) yield* onLogRenewed(sql);
}

/** How a plugin joins a store. */
export interface Joining {
  /** What still has to run. */
  readonly pending: readonly Numbered[];
  /** Whether it has what it needs. */
  readonly isJoined: boolean;
}

/** What a store lacks of a plugin. @throws GazetteError `schema_too_new`, `invalid_store` */
export function* joiningOf(sql: Sql, store: string, plugin: StorePlugin, dialect: Dialect): Rule<Joining> {
  const { version, compatibleFrom, isJoined } =
    (yield* sql.one(JOINED)`SELECT ${JOINED} FROM ${PLUGINS} WHERE name = ${plugin.name}`) ?? NOT_JOINED;
  const pending = pendingMigrations(store, { version, compatibleFrom }, migrationsOf(plugin, dialect));
  return { pending, isJoined };
}

const NOT_JOINED = { version: 0, compatibleFrom: null, isJoined: false };

/**
 * Makes the tables of a plugin, unless another process was first. From then on, registers are written with it alone.
 *
 * @param make runs the statements that make tables
 */
export function* beginPlugin(
  sql: Sql,
  store: string,
  plugin: StorePlugin,
  dialect: Dialect,
  make: (text: string) => Rule<void>,
): Rule<void> {
  const { pending } = yield* joiningOf(sql, store, plugin, dialect);
  for (const { sql: text, version, compatibleFrom } of pending) {
    yield* make(text);
    yield* sql.run`INSERT INTO ${PLUGINS} (name, schema, compatible_from, is_joined)
      VALUES (${plugin.name}, ${version}, ${compatibleFrom}, 0) ON CONFLICT (name)
      DO UPDATE SET schema = excluded.schema, compatible_from = excluded.compatible_from`;
  }
}

/** Makes a part of what a plugin needs of registers. @returns false once it has all, which is noted */
export function* joinSome(sql: Sql, { name, join }: StorePlugin): Rule<boolean> {
  if (join !== undefined && (yield* join(sql))) return true;
  yield* sql.run`UPDATE ${PLUGINS} SET is_joined = 1 WHERE name = ${name}`;
  return false;
}

/** What makes the tables of a plugin. */
export function migrationsOf(
  { name, schema, tables, begun = [] }: StorePlugin,
  dialect: Dialect,
): readonly Migration[] {
  const sql = [...tables.map(({ made }) => made), ...begun].map((part) => part.in(dialect)).join('');
  return [{ name: `the first schema of ${name}`, compatibleFrom: schema, sql }];
}

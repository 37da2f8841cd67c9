// The rules of mirrors, in pairs on PostgreSQL: two at once, in every order of their statements, end as one after the other would.
import { afterAll, beforeAll } from 'vitest';
import type { TakenVersion } from '../../../../src/stores/contract/mirrors.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { missingIn } from '../../../../src/wings/proofs/mirror/recover.ts';
import { readRoot } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { tries } from '../../../effort.ts';
import { type Act, describePairs, type Pair, pairStores } from '../../../stores/postgres/pairs.ts';
import { logsOf, recoveryOf } from '../logs-of.ts';

const SCHEMA = 'mirror_pairs';
const FEED = 'https://registers.example.org/api/v1/feeds/permits';

const stores = pairStores(SCHEMA);

/** What is mirrored, and its changes: two records, then a correction and a redaction. */
const source = SqliteStore.open(':memory:');
let versions: readonly TakenVersion[] = [];
let log = '';
beforeAll(async () => {
  await source.createRegister(permits());
  await source.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
  await source.apply('permits', [say('a', { title: 'Later' })], { recordedAt: at(2) });
  await source.redact('permits:b', { recordedAt: at(3) });
  ({ versions } = await missingIn(source, 'permits', 0));
  log = (await logsOf(source).of('permits')).uuid;
});
afterAll(() => source.close());

const begin: Act = ({ mirrors }) =>
  mirrors.begin(FEED, { definition: permits(), definitionVersion: 1, lastChange: null, log }, at(4));
/** @param to the last change that is taken in */
const takeIn = (since: number, to: number, title = 'Permits'): Act => {
  return async ({ mirrors }) => {
    const taken = versions.slice(since, to);
    const lastChange = taken.at(-1)!.recordedAt;
    const state = { definition: { ...permits(), title }, definitionVersion: 2, lastChange, log };
    await mirrors.takeIn('permits', { since, versions: taken, state, change: versions.length, kept: null, at: at(5) });
  };
};
const promote: Act = ({ mirrors }) => mirrors.promote('permits', { at: at(6) });
const promoteSigned: Act = async (store) => {
  const root = await readRoot(logsOf(source), 'permits', 2);
  await recoveryOf(store).promote('permits', { uuid: log, size: 2, root: root! });
};
const apply: Act = (store) => store.apply('permits', [say('own')], { recordedAt: at(7) });
const remove: Act = (store) => store.removeRegister('permits');
const beginNewLog: Act = async (store) => {
  await store.beginNewLogs({ at: at(8), feedId: 'permits' });
};

const MIRROR: readonly Act[] = [begin, takeIn(0, 2)];

const PAIRS: readonly Pair[] = [
  ['a mirror begun twice', [], begin, begin],
  ['a mirror begun and a register made', [], begin, (store) => store.createRegister(permits())],
  ['the same taken in twice', [begin], takeIn(0, 2), takeIn(0, 2)],
  ['more and less taken in', MIRROR, takeIn(2, 3), takeIn(2, 4)],
  ['a mirror that goes on and is promoted', MIRROR, takeIn(2, 4), promote],
  ['a mirror that goes on and is promoted with its log', MIRROR, takeIn(2, 4), promoteSigned],
  ['a mirror that is promoted in two ways', MIRROR, promote, promoteSigned],
  ['a mirror that is promoted twice', MIRROR, promote, promote],
  ['a mirror that is promoted and written to', MIRROR, promote, apply],
  ['a mirror that is promoted with its log and written to', MIRROR, promoteSigned, apply],
  ['a mirror that is promoted and given a new log', MIRROR, promote, beginNewLog],
  ['a mirror that goes on and is removed', MIRROR, takeIn(2, 4), remove],
  ['a mirror that is promoted and removed', MIRROR, promote, remove],
];

/** Names of logs are random, and a date is that of the later one. */
async function kept(): Promise<unknown> {
  const rows = (table: string, without: string, order: string): string =>
    `(SELECT coalesce(jsonb_agg(to_jsonb(x) - '{${without}}'::text[] ORDER BY ${order}), '[]') FROM ${SCHEMA}.${table} x)`;
  const { rows: found } = await stores.observer.query<Record<string, unknown>>(`SELECT
    ${rows('registers', 'number,log,row_secret,last_modified,written', 'id')} AS registers,
    ${rows('records', 'slot', 'id')} AS records, ${rows('withdrawn', 'slot', 'id')} AS withdrawn,
    ${rows('versions', 'entry,slot,log,salt,commitment,import', 'entry')} AS versions,
    ${rows('mirrors', 'register', 'source')} AS mirrors, (SELECT jsonb_agg(t.size) FROM ${SCHEMA}.log_trees t JOIN ${SCHEMA}.registers g ON g.number = t.register) AS trees`);
  return found[0];
}

const TABLES = [
  ...['mirrors', 'erased_records', 'log_tiles', 'records', 'withdrawn', 'contents', 'versions', 'logs', 'leases'],
  ...['imports', 'registers', 'removed_registers'],
];

describePairs('two rules of mirrors at once end as one after the other', stores, {
  ...{ pairs: PAIRS, tables: TABLES, kept, mostRuns: tries(40, 2000) },
});

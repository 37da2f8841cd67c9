// Counters of values in SQLite: the contract of every store, the plan by which they are read, and what an upgrade makes of them.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue, StatementSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { valueCountsContract } from '../../contracts/value-counts-contract.ts';

let folder = '';
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
});
afterAll(() => rm(folder, { recursive: true }));
const place = (): string => join(folder, `${++files}.db`);

valueCountsContract('SqliteStore', async () => {
  const path = place();
  const store = SqliteStore.open(path);
  const database = new DatabaseSync(path);
  return Promise.resolve({
    store,
    rows: async () =>
      Promise.resolve(
        database
          .prepare('SELECT value FROM value_counts')
          .all()
          .map(({ value }) => String(value))
          .toSorted(),
      ),
    dispose: async () => {
      database.close();
      await store.close();
    },
  });
});

describe('the counters in a SQLite file', () => {
  const fields = [{ name: 'area', label: 'Area', type: 'text', filterable: true }] as const;

  it('are never sorted for the facets of a register', async () => {
    const path = place();
    const store = SqliteStore.open(path);
    const definition = { ...permits(), fields };
    await store.createRegister(definition);
    const asked = new Set<string>();
    const native = Object.getOwnPropertyDescriptors(StatementSync.prototype).all;
    const all: (this: StatementSync, ...parameters: SQLInputValue[]) => unknown[] = native.value!;
    const value = function (this: StatementSync, ...parameters: SQLInputValue[]): unknown[] {
      asked.add(this.sourceSQL);
      return all.apply(this, parameters);
    };
    Object.defineProperty(StatementSync.prototype, 'all', { ...native, value });
    try {
      await store.values.facets(definition, ['document_type', 'facility_id', 'data.area']);
    } finally {
      Object.defineProperty(StatementSync.prototype, 'all', native);
    }
    await store.close();
    const database = new DatabaseSync(path);
    const ofCounters = [...asked].filter((sql) => sql.includes('value_counts'));
    expect(ofCounters).not.toEqual([]);
    for (const sql of ofCounters) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      expect(plan.map(({ detail }) => String(detail)).join()).not.toMatch(/SCAN|TEMP B-TREE/);
    }
    database.close();
  });

  it('are read in the order of their index, however many there are', () => {
    const path = place();
    void SqliteStore.open(path).close();
    const database = new DatabaseSync(path);
    const plan = (condition: string): unknown =>
      database
        .prepare(
          `EXPLAIN QUERY PLAN SELECT value, records FROM value_counts
          WHERE register = 1 AND field = 'data.area' AND ${condition} LIMIT 100`,
        )
        .all()
        .map(({ detail }) => detail);
    expect(plan('records > 1 ORDER BY records DESC, value')).toEqual([
      'SEARCH value_counts USING COVERING INDEX value_counts_common (register=? AND field=? AND records>?)',
    ]);
    expect(plan('records = 1 ORDER BY value')).toEqual([
      'SEARCH value_counts USING PRIMARY KEY (register=? AND field=?)',
    ]);
    database.close();
  });

  it('hold no byte of an erased value', async () => {
    const path = place();
    const store = SqliteStore.open(path);
    await store.createRegister({ ...permits(), fields });
    const others = Array.from({ length: 300 }, (_, index) => say(`k${index}`, { data: { area: `common${index}` } }));
    await store.apply('permits', others, { recordedAt: at(0) });
    await store.apply('permits', [say('a', { data: { area: 'firstsecretvalue' } })], { recordedAt: at(1) });
    await store.apply('permits', [say('a', { data: { area: 'othersecretvalue' } })], { recordedAt: at(2) });
    await store.redact('permits:a', { recordedAt: at(3) });
    await store.close();
    const bytes = await readFile(path);
    expect(bytes.includes('common299')).toBe(true);
    for (const value of ['firstsecret', 'othersecret', 'secretvalue']) expect(bytes.includes(value), value).toBe(false);
  });
});

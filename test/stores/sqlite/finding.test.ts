// Finding in a SQLite file: the contract of every store, and what SQLite's own index must hold: bounded plans, no trace of
// erased words, and an index that the inspection checks.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding, InspectedStore } from '../../../src/stores/contract/inspection.ts';
import { SELECTS } from '../../../src/stores/sqlite/finding/found-pages.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { termBuildingContract } from '../../contracts/term-building-contract.ts';
import { findingContract } from '../../contracts/finding-contract.ts';
import { at, keys, permits, say } from '../../contracts/store-register.ts';

findingContract('SqliteStore', async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
});

termBuildingContract(async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
});

describe('the index of terms in a SQLite file', () => {
  let folder = '';
  let files = 0;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const place = (): string => join(folder, `${++files}.db`);

  it('keeps no byte of an erased word', async () => {
    const path = place();
    const store = SqliteStore.open(path);
    await store.createRegister(permits());
    const others = Array.from({ length: 300 }, (_, index) => say(`k${index}`, { title: `common number${index}` }));
    await store.apply('permits', others, { recordedAt: at(0) });
    await store.apply('permits', [say('a', { title: 'firstsecretword' })], { recordedAt: at(1) });
    await store.apply('permits', [say('a', { title: 'othersecretword' })], { recordedAt: at(2) });
    expect(await keys(store, { filter: { q: 'othersecretword' } })).toEqual(['a']);
    expect(await keys(store, { filter: { q: 'firstsecretword' } })).toEqual([]);
    await store.redact('permits:a', { recordedAt: at(3) });
    expect(await keys(store, { filter: { q: 'othersecretword' } })).toEqual([]);
    expect(await findings(store)).toEqual([]);
    await store.close();
    const bytes = await readFile(path);
    expect(bytes.includes('number299')).toBe(true);
    for (const word of ['firstsecretword', 'firstsecret', 'othersecretword', 'othersecret']) {
      expect(bytes.includes(word), word).toBe(false);
    }
  });

  it('finds across segments, newest first, and goes on below the last record', async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister(permits());
    for (let from = 0; from < 18_000; from += 6000) {
      const batch = Array.from({ length: 6000 }, (_, index) => {
        const number = from + index + 1;
        return say(`k${number}`, {
          title: number % 4500 === 1 ? 'rare common' : number % 2 === 0 ? 'even common' : 'odd common',
        });
      });
      await store.apply('permits', batch, { recordedAt: at(0) });
    }
    expect(await keys(store, { filter: { q: 'rare' } })).toEqual(['k13501', 'k9001', 'k4501', 'k1']);
    const source = await store.source('permits');
    const page = await source.page({ offset: 0, limit: 2, filter: { q: 'rare common' } });
    expect(page.records.map(({ key }) => key)).toEqual(['k13501', 'k9001']);
    expect(page.nextOffset).toBe(18_000 - 9_001 + 1);
    const across = await source.page({ offset: 18_000 - 16_390, limit: 20, filter: { q: 'common' } });
    expect(across.records.map(({ position }) => position)).toEqual(
      Array.from({ length: 20 }, (_, down) => 16_390 - down),
    );
    // No record has both: the request ends before the register does, and the walk goes on.
    let [offset, requests]: [number | null, number] = [0, 0];
    for (; offset !== null; requests++) {
      const { records, nextOffset } = await source.page({ offset, limit: 10, filter: { q: 'even odd' } });
      expect(records).toEqual([]);
      expect(nextOffset === null || nextOffset > offset).toBe(true);
      offset = nextOffset;
    }
    expect(requests).toBeLessThan(5);
    await store.close();
  });

  it('reads one row or one range of a key for each look', () => {
    const path = place();
    void SqliteStore.open(path).close();
    const database = new DatabaseSync(path);
    const plan = (sql: string): string[] =>
      database
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
    expect(plan(SELECTS.head)).toEqual([
      'SEARCH g USING INTEGER PRIMARY KEY (rowid=?)',
      'SEARCH t USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
    expect(plan(SELECTS.term)).toEqual([
      'SCAN s VIRTUAL TABLE INDEX 1:',
      'SEARCH t USING PRIMARY KEY (segment=? AND term=?)',
    ]);
    expect(plan(SELECTS.beginning)).toEqual([
      'SEARCH term_postings USING PRIMARY KEY (segment=? AND term>? AND term<?)',
    ]);
    expect(plan(SELECTS.range)).toEqual([
      'SCAN s VIRTUAL TABLE INDEX 1:',
      'SEARCH c USING PRIMARY KEY (segment=? AND field=?)',
    ]);
    expect(plan(SELECTS.segments)).toEqual([
      'SEARCH value_columns USING COVERING INDEX value_columns_ranges (field=? AND segment>? AND segment<?)',
    ]);
    expect(plan(SELECTS.records)).toEqual([
      'SEARCH records USING INTEGER PRIMARY KEY (rowid=?)',
      'LIST SUBQUERY 1',
      'SCAN json_each VIRTUAL TABLE INDEX 1:',
    ]);
    expect(plan(SELECTS.below)).toEqual(['SEARCH records USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)']);
    database.close();
  });

  it('is found wrong by the inspection where it is', async () => {
    const path = place();
    const store = SqliteStore.open(path);
    await store.createRegister(permits());
    await store.apply('permits', [say('one'), say('two')], { recordedAt: at(0) });
    const database = new DatabaseSync(path);
    database.exec("UPDATE term_postings SET term = 'other' WHERE term = 'one'");
    database.exec("DELETE FROM term_postings WHERE term = 'two'");
    database.exec("UPDATE value_columns SET highest = highest + 1 WHERE field = 'observed_at'");
    database.exec("UPDATE value_columns SET keys = substr(keys, 1, 8) WHERE field = 'updated_at'");
    database.close();
    const found = await findings(store);
    expect(found.map(({ row, recordId }) => [row, recordId])).toEqual([
      ['segment 1048576, term other', 'permits:one'],
      ['segment 1048576, term one', 'permits:one'],
      ['segment 1048576, term two', 'permits:two'],
      ['segment 1048576, field observed_at', null],
      ['segment 1048576, field updated_at', 'permits:two'],
    ]);
    await store.close();
  });
});

async function findings(store: InspectedStore): Promise<readonly Finding[]> {
  const found = [...(await store.inspection.damage()).findings];
  for await (const part of store.inspection.rows()) found.push(...part.findings);
  return found;
}

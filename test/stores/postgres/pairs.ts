// Suites of pairs: two acts at once, in every order in which their statements can come, must end as one after the other would.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { everyInterleaving, GatedPool } from './interleavings.ts';

/** Something that a store is asked to do. */
export type Act = (store: PostgresStore) => Promise<unknown>;

/** What both start from, and the two. */
export type Pair = readonly [title: string, before: readonly Act[], first: Act, second: Act];

/** Stores over one schema: one whose statements wait for nobody, and two whose statements come in turns. */
export interface PairStores {
  readonly schema: string;
  readonly observer: pg.Pool;
  readonly pools: readonly [GatedPool, GatedPool];
  readonly store: () => PostgresStore;
  readonly both: () => readonly [PostgresStore, PostgresStore];
}

/** Opens them for the tests of a file, in a schema of their own. */
export function pairStores(schema: string): PairStores {
  const observer = new pg.Pool({ connectionString: inject('postgresUrl') });
  // Two that wait for each other are found out at once.
  const connections = new pg.Pool({ connectionString: inject('postgresUrl'), options: '-c deadlock_timeout=10ms' });
  const pools = [new GatedPool(connections, observer), new GatedPool(connections, observer)] as const;
  let stores: readonly PostgresStore[] = [];
  beforeAll(async () => {
    const open = (pool: pg.Pool | GatedPool): Promise<PostgresStore> => PostgresStore.open(pool, { schema });
    stores = [await open(observer), await open(pools[0]), await open(pools[1])];
  });
  afterAll(() => Promise.all([observer.end(), connections.end()]));
  return { schema, observer, pools, store: () => stores[0]!, both: () => [stores[1]!, stores[2]!] };
}

/** What a suite consists of. */
export interface PairSuite {
  readonly pairs: readonly Pair[];
  /** What is emptied before each, in an order that keys allow. */
  readonly tables: readonly string[];
  /** All that is kept, without the numbers that databases give (what is undone uses them up) and without random names. */
  readonly kept: () => Promise<unknown>;
  /** Called after each act that both start from. */
  readonly onPrepared?: (act: Act) => Promise<void>;
  /** How many orders of one pair are tried. Default: all. */
  readonly mostRuns?: number;
}

/** A test for each pair. */
export function describePairs(
  title: string,
  { schema, observer, pools, store, both }: PairStores,
  suite: PairSuite,
): void {
  const { pairs, tables, kept, onPrepared, mostRuns = Infinity } = suite;

  async function prepare(before: readonly Act[]): Promise<void> {
    await observer.query(tables.map((table) => `DELETE FROM ${schema}.${table}`).join('; '));
    for (const act of before) {
      await act(store());
      await onPrepared?.(act);
    }
  }

  async function inTurn(before: readonly Act[], acts: readonly [Act, Act], order: readonly number[]): Promise<unknown> {
    await prepare(before);
    const results: unknown[] = [];
    for (const number of order) results[number] = await acts[number]!(store()).catch(codeOf);
    return { results: results.map(textOf), kept: await kept() };
  }

  describe(title, () => {
    it.each(pairs)('%s', async (_, before, first, second) => {
      const acts = [first, second] as const;
      const serial = [await inTurn(before, acts, [0, 1]), await inTurn(before, acts, [1, 0])];
      let runs = 0;
      const interleaving = {
        ...{ pools, prepare: () => prepare(before) },
        start: () => [first(both()[0]), second(both()[1])] as const,
        outcome: async (results: readonly unknown[]) => ({ results: results.map(textOf), kept: await kept() }),
      };
      for await (const { outcome, trace } of everyInterleaving(interleaving)) {
        runs++;
        expect(serial, trace.join('\n')).toContainEqual(outcome);
        if (runs === mostRuns) break;
      }
      expect(runs).toBeGreaterThan(1);
    });
  });
}

/** What an act comes to, as text, without the numbers that databases give and without random names. */
function textOf(result: unknown): string {
  return JSON.stringify(result ?? null)
    .replaceAll(/dlv_\d+/g, 'dlv')
    .replace(/"log":"\w+"/, '"log"');
}

async function codeOf(error: unknown): Promise<unknown> {
  return { error: (error as { readonly code?: unknown }).code ?? error };
}

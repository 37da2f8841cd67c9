// Plugins of a store: it is written with all of them or not at all, one that joins it has what it would have had from the
// beginning, and what a plugin keeps is changed with the registers or not at all.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { STORED } from '../../src/wings/stored.ts';
import { PROOFS } from '../../src/wings/proofs/stores/plugin.ts';
import type { StorePlugin } from '../../src/stores/logic/plugins/plugin.ts';
import type { Sql } from '../../src/stores/logic/rule.ts';
import { SLOT_SPAN, slotOf } from '../../src/stores/rows/columns.ts';
import { fragment } from '../../src/stores/rows/sql.ts';
import { small, Table, whole } from '../../src/stores/rows/table.ts';
import { condition } from '../../src/stores/logic/inspect/table-rules.ts';
import { tries } from '../effort.ts';
import { type Entry, entriesOf, expectTree } from '../wings/proofs/contracts/log-contract.ts';
import { inspected } from './overwrites.ts';
import { type Act, ACTS } from './register-acts.ts';
import { at, permits, say } from './store-register.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

/** A store that can be opened several times. */
export interface PluginStores {
  readonly open: (plugins?: readonly StorePlugin[]) => Promise<InspectedStore>;
  /** Runs statements, which name tables without a schema. */
  readonly run: (sql: string) => Promise<void>;
  /** The rows of a statement. */
  readonly rows: (sql: string) => Promise<readonly (readonly unknown[])[]>;
  readonly dispose: () => Promise<void>;
}

const COUNTS = new Table('commit_counts', { register: small(1), commits: whole(1) }, { key: ['register'] });
const SEEN = new Table(
  'seen_slots',
  { slot: whole(1), version: small(1) },
  { key: ['slot', 'version'], isKeyed: true },
);

/** A plugin that counts commits by register and keeps which records were erased. */
function counting(rules: Partial<StorePlugin<string>> = {}): StorePlugin<string> {
  return {
    name: 'counting',
    schema: 1,
    tables: [COUNTS, SEEN],
    begun: [],
    // eslint-disable-next-line require-yield -- It needs nothing.
    *join() {
      return false;
    },
    *onCommit(sql: Sql, { register }) {
      yield* sql.run`INSERT INTO ${COUNTS} AS o (register, commits) VALUES (${register}, 1)
        ON CONFLICT (register) DO UPDATE SET commits = o.commits + 1`;
    },
    *beforeErase(sql: Sql, { slot, version }) {
      yield* sql.run`INSERT INTO ${SEEN} (slot, version) VALUES (${slot}, ${version})`;
    },
    conditions: { [COUNTS.name]: [condition('commits', 'at most three', fragment`t.commits <= 3`)] },
    async *inspect() {
      // Its conditions say all.
    },
    open: () => 'counted',
    ...rules,
  };
}

/** What makes a store one that was never opened with the log of its registers. */
const FORGET = [
  ...PROOFS.tables.map(({ name }) => `DROP TABLE ${name};`),
  "DELETE FROM plugins WHERE name = 'proofs';",
].join('\n');

const MISSING = { code: 'missing_plugin', details: { plugin: 'proofs' } };

/** Every way to write a register. */
const WRITES: readonly (readonly [string, (store: InspectedStore) => Promise<unknown>])[] = [
  ['an import', (store) => store.apply('permits', [say('new')], { recordedAt: at(9) })],
  ['a correction', (store) => store.apply('permits', [say('a', { title: 'B' })], { recordedAt: at(9) })],
  ['a withdrawal', (store) => store.withdraw('permits', ['permits:a'], { recordedAt: at(9) })],
  ['a redaction', (store) => store.redact('permits:a', { recordedAt: at(9) })],
  ['a removal', (store) => store.removeRegister('permits')],
  ['the end of a restore', (store) => store.beginNewLogs({ at: at(9) })],
];

const REDACTED: Act = (store, minute) => store.redact('permits:a', { recordedAt: at(minute) });
const APPLIED: Act = (store, minute) =>
  store.apply('permits', [say('a', { title: `${minute}` }), say('b')], { recordedAt: at(minute) });

/** A record that comes again after it was erased, and is erased again: it has two names in the log. */
const ERASED_TWICE: Act[] = [
  APPLIED,
  APPLIED,
  REDACTED,
  (store) => store.lift('permits:a'),
  APPLIED,
  APPLIED,
  REDACTED,
];

/** A hundred versions, of as many records. */
const MANY: Act = (store, minute) =>
  store.apply(
    'permits',
    Array.from({ length: 100 }, (_, n) => say(`k${n}`, { title: `${minute}` })),
    {
      recordedAt: at(minute),
    },
  );

/** Ten thousand at the whole effort, of which records were erased meanwhile. */
const LONG: Act[] = Array.from({ length: tries(4, 100) }, (_, n): Act[] => [
  MANY,
  (store, minute) => store.redact(`permits:k${n}`, { recordedAt: at(minute) }),
]).flat();

/** All that readers get of a register. */
async function read(store: InspectedStore): Promise<unknown> {
  const source = await store.source('permits');
  const { records } = await source.page({ offset: 0, limit: 100 });
  const histories = await Promise.all(records.map(({ id }) => store.history(id, { offset: 0, limit: 100 })));
  return [await store.registers(), records, histories, await store.changes('permits', { since: 0, limit: 100 })];
}

/** Registers the suite for one database. */
export function storePluginsContract(make: () => Promise<PluginStores>): void {
  let on: PluginStores;
  beforeEach(async () => {
    on = await make();
  });
  afterEach(() => on.dispose());

  const begin = async (plugins?: readonly StorePlugin[]): Promise<InspectedStore> => {
    const store = await on.open(plugins);
    await store.createRegister(permits());
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
    return store;
  };

  it('is only read without one that it was opened with, and is written with it again', async () => {
    const whole = await begin();
    await whole.redact('permits:b', { recordedAt: at(1) });
    const seen = await read(whole);
    await whole.close();
    const store = await on.open([]);
    expect(await read(store)).toEqual(seen);
    expect(await inspected(store)).toEqual([]);
    for (const [what, write] of WRITES) await expect(write(store), what).rejects.toMatchObject(MISSING);
    expect(() => logsOf(store)).toThrow(expect.objectContaining(MISSING) as Error);
    expect(await read(store)).toEqual(seen);
    await store.close();
    const again = await on.open();
    expect(await read(again)).toEqual(seen);
    for (const [, write] of WRITES.slice(0, 4)) await write(again);
    expect(await inspected(again)).toEqual([]);
    await expectTree(again, await entriesOf(again));
  });

  it('is not written by a process that was there before another one joined it with a plugin', async () => {
    const before = await begin([]);
    const after = await on.open();
    for (const [what, write] of WRITES) await expect(write(before), what).rejects.toMatchObject(MISSING);
    for (const [, write] of WRITES.slice(0, 4)) await write(after);
    expect(await inspected(after)).toEqual([]);
    await expectTree(after, await entriesOf(after));
  });

  it('has a log after it joined that is the one it would have had, but for the names of erased records', async () => {
    const history = fc.tuple(fc.array(ACTS, { minLength: 1, maxLength: 12 }), fc.array(ACTS, { maxLength: 4 }));
    let minute = 0;
    const run = async (store: InspectedStore, acts: readonly Act[]): Promise<void> => {
      for (const act of acts) await act(store, ++minute);
    };
    const begun = await begin();
    await begun.close();
    await fc.assert(
      fc.asyncProperty(history, async ([before, after]) => {
        const whole = await on.open();
        await whole.removeRegister('permits');
        await whole.createRegister(permits());
        await run(whole, before);
        const wanted = await entriesOf(whole);
        await whole.close();
        await on.run(FORGET);
        const store = await on.open();
        const erased = await on.rows('SELECT slot, last_version FROM erased_records');
        const joined = await entriesOf(store);
        expect(joined).toHaveLength(wanted.length);
        // A record has one name until it is erased, and another one from then on, which is no other record's.
        const names = new Map<string, string>();
        const named = new Map<string, string>();
        for (const [at, text] of joined.entries()) {
          const [entry, other] = [text, wanted[at]!].map((one) => JSON.parse(one) as Entry & Record<string, number>);
          const { position, version, record } = entry!;
          const ends = erased.filter(([slot]) => Number(slot) % SLOT_SPAN === position).map(([, end]) => Number(end));
          const isErased = ends.some((end) => end >= version!);
          expect(entry).toEqual(isErased ? { ...other, record } : other);
          const life = `${position} ${ends.filter((end) => end < version!).length}`;
          names.set(life, names.get(life) ?? record);
          named.set(record, named.get(record) ?? life);
          expect([names.get(life), named.get(record)]).toEqual([record, life]);
        }
        await expectTree(store, joined);
        await run(store, after);
        const later = await entriesOf(store);
        expect(later.slice(0, joined.length)).toEqual(joined);
        await expectTree(store, later);
        expect(await inspected(store)).toEqual([]);
        await store.close();
      }),
      { numRuns: tries(4, 300), examples: [[[ERASED_TWICE, [REDACTED]]], [[LONG, [MANY]]]] },
    );
  });

  it('goes on with a join that was interrupted, while others write', async () => {
    const before = await on.open([]);
    for (const id of ['permits', 'second', 'third']) {
      await before.createRegister(permits(id));
      await before.apply(id, [say('a', {}, id), say('b', {}, id)], { recordedAt: at(0) });
    }
    let parts = 0;
    const interrupted: StorePlugin = {
      ...PROOFS,
      *join(sql) {
        if (++parts === 4) throw new Error('killed');
        return yield* PROOFS.join!(sql);
      },
    };
    await expect(on.open([interrupted]).then((store) => store.close())).rejects.toThrow('killed');
    await expect(before.apply('third', [say('c', {}, 'third')], { recordedAt: at(1) })).rejects.toMatchObject(MISSING);
    const store = await on.open();
    for (const id of ['permits', 'second', 'third']) expect((await logsOf(store).of(id)).size).toBe(2);
    expect(await inspected(store)).toEqual([]);
    expect(await on.rows('SELECT name, is_joined FROM plugins ORDER BY name')).toEqual(
      STORED.map(({ name }) => [name, 1]),
    );
  });

  it.each(['onCommit', 'beforeErase'] as const)('keeps nothing of a write whose %s fails', async (rule) => {
    const failing = { isFailing: false };
    const own = counting();
    const plugin = counting({
      *[rule](sql: Sql, given: never) {
        yield* own[rule]!(sql, given);
        if (failing.isFailing) throw new Error('failed');
      },
    });
    const store = await begin([PROOFS, plugin]);
    const all = async (): Promise<unknown> => [
      await read(store),
      await entriesOf(store),
      await on.rows('SELECT register, commits FROM commit_counts'),
      await on.rows('SELECT slot, version FROM seen_slots'),
      await on.rows('SELECT slot, last_version FROM erased_records'),
    ];
    const seen = await all();
    failing.isFailing = true;
    const writes = WRITES.slice(rule === 'onCommit' ? 0 : 3, 4);
    for (const [what, write] of writes) await expect(write(store), what).rejects.toThrow('failed');
    expect(await all()).toEqual(seen);
    failing.isFailing = false;
    await store.redact('permits:a', { recordedAt: at(2) });
    expect(await on.rows('SELECT commits FROM commit_counts')).toEqual([[2]]);
    expect(await on.rows('SELECT version FROM seen_slots')).toEqual([[2]]);
    expect(await inspected(store)).toEqual([]);
  });

  it('inspects the rows of a plugin, and removes them with their register', async () => {
    const store = await begin([PROOFS, counting()]);
    await store.createRegister(permits('second'));
    await store.apply('second', [say('a', {}, 'second')], { recordedAt: at(0) });
    await store.redact('permits:a', { recordedAt: at(1) });
    await store.redact('second:a', { recordedAt: at(1) });
    await on.run('UPDATE commit_counts SET commits = 4 WHERE register = 1; UPDATE seen_slots SET version = 0');
    expect((await inspected(store)).map(({ table, feedId, recordId }) => [table, feedId, recordId])).toEqual([
      ['commit_counts', 'permits', null],
      ['seen_slots', 'permits', 'permits:a'],
      ['seen_slots', 'second', 'second:a'],
    ]);
    await store.removeRegister('permits');
    expect(await on.rows('SELECT register FROM commit_counts')).toEqual([[2]]);
    expect(await on.rows('SELECT slot FROM seen_slots')).toEqual([[slotOf(2, 1)]]);
    expect(await on.rows('SELECT slot FROM erased_records')).toEqual([[slotOf(2, 1)]]);
  });

  it('leaves what outlives registers, and accounts that are gone', async () => {
    const known = new Set<string>();
    const plugin = counting({
      isLasting: true,
      // eslint-disable-next-line require-yield -- It asks nobody.
      *knowsAccount(_: Sql, id: string) {
        return known.has(id);
      },
    });
    const store = (await begin([PROOFS, plugin])) as InspectedStore & ServiceStore;
    await store.removeRegister('permits');
    expect(await on.rows('SELECT register FROM commit_counts')).toEqual([[1]]);
    const account = (id: string): Promise<unknown> =>
      store.accounts.createAccount({ id, accessUntil: null, createdAt: at(0) });
    known.add('gone');
    await expect(account('gone')).rejects.toMatchObject({ code: 'account_exists' });
    await account('new');
  });

  it('gives each plugin its part, and refuses one that has another schema', async () => {
    const plugin = counting();
    const store = await begin([PROOFS, plugin]);
    expect((store as unknown as { part: (of: StorePlugin) => unknown }).part(plugin)).toBe('counted');
    await store.close();
    const code = async (schema: number): Promise<unknown> =>
      on.open([PROOFS, { ...plugin, schema }]).then(
        (opened) => opened.close(),
        (error: unknown) => (error as { code: string }).code,
      );
    await on.run("UPDATE plugins SET schema = 3, compatible_from = 3 WHERE name = 'counting'");
    expect([await code(2), await code(3), await code(4)]).toEqual(['schema_too_new', undefined, 'invalid_store']);
  });
}

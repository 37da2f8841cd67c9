// What a node on PostgreSQL is told of changes: the registers that changed since a snapshot, and whether any account or key
// did. Nothing more, so that it reads again what it has to alone; and never less, in whichever order transactions commit.
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { Knowledge } from '../../../src/stores/postgres/knowledge/knowledge.ts';
import { askWritten } from '../../../src/stores/postgres/knowledge/written.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import type { SqlRow } from '../../../src/stores/rows/columns.ts';
import { RegisterViews } from '../../../src/views/registers.ts';
import { accountNamed, digestOf, keyOfAccount } from '../../contracts/accounts.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { tries } from '../../effort.ts';
import { until } from '../../until.ts';
import { ledgerOf } from '../../wings/selling/ledger-of.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

/** Asks as a node does. */
async function ask(schema: string, since: string | null): Promise<SqlRow> {
  const query = async (text: string, values: readonly unknown[]): Promise<SqlRow[]> =>
    (await pool.query({ text, values: [...values], rowMode: 'array' })).rows as SqlRow[];
  return (await askWritten(query, `"${schema}".`, since))[0]!;
}

let schemas = 0;
let schema: string;
let store: PostgresStore;

beforeEach(async () => {
  schema = `written_${++schemas}`;
  store = await PostgresStore.open(pool, { schema });
  for (const feedId of ['permits', 'notices']) {
    await store.createRegister(permits(feedId));
    await store.apply(feedId, [say('a', {}, feedId)], { recordedAt: at(1) });
  }
  for (const account of ['acme', 'other']) await store.accounts.createAccount(accountNamed(account));
  await store.accounts.createKey(keyOfAccount('acme', 'a'));
});

describe('a node is told of', () => {
  const recordedAt = at(2);
  const credit = { accountId: 'acme', price: { amount: 500, currency: 'EUR' }, reference: null, reason: null };
  const update = { ...permits(), title: 'Another title' };
  const registers: readonly [string, readonly string[], () => Promise<unknown>][] = [
    ['a commit', ['permits'], () => store.apply('permits', [say('b')], { recordedAt })],
    ['a withdrawal', ['permits'], () => store.withdraw('permits', ['permits:a'], { recordedAt })],
    ['a redaction', ['permits'], () => store.redact('permits:a', { recordedAt })],
    ['another definition', ['permits'], () => store.updateRegister(update, { recordedAt })],
    ['a new register', ['more'], () => store.createRegister(permits('more'))],
    ['a removal', ['permits'], () => store.removeRegister('permits')],
    [
      'a register that is made in the place of another one',
      ['permits', 'permits'],
      async () => {
        await store.removeRegister('permits');
        await store.createRegister(permits());
      },
    ],
    ['new logs', ['notices', 'permits'], () => store.beginNewLogs({ at: recordedAt })],
    ['what SQL writes', ['permits'], () => pool.query(`UPDATE ${schema}.registers SET top = top WHERE id = 'permits'`)],
  ];
  it.each(registers)('%s', async (_, expected, change) => {
    const [, before] = await ask(schema, null);
    await change();
    const [, after, changed, hasAccounts] = await ask(schema, before as string);
    expect((JSON.parse(changed as string) as string[]).sort()).toEqual(expected);
    expect(hasAccounts).toBe(false);
    expect((await ask(schema, after as string)).slice(2)).toEqual(['[]', false]);
  });

  const accounts: readonly [string, () => Promise<unknown>][] = [
    ['a new account', () => store.accounts.createAccount(accountNamed('more'))],
    ['access that ends', () => store.accounts.updateAccount('acme', { accessUntil: at(3) })],
    ['a suspension', () => store.accounts.updateAccount('acme', { isSuspended: true })],
    ['an account that is removed', () => store.accounts.removeAccount('other', { at: recordedAt })],
    ['a new key', () => store.accounts.createKey(keyOfAccount('acme', 'b'))],
    ['what a key may do', () => store.accounts.updateKey(keyOfAccount('acme', 'a'), { feeds: ['permits'] })],
    ['a rotation', () => store.accounts.rotateKey('key_a', keyOfAccount('acme', 'b'), { endsAt: at(9) })],
    ['a revocation', () => store.accounts.revokeKey('key_a', { revokedAt: recordedAt })],
    ['credit', () => ledgerOf(store).grantCredit(credit)],
  ];
  it.each(accounts)('%s, but not whose it is', async (_, change) => {
    const [, before] = await ask(schema, null);
    await change();
    const [, after, changed, hasAccounts] = await ask(schema, before as string);
    expect([changed, hasAccounts]).toEqual(['[]', true]);
    expect((await ask(schema, after as string)).slice(2)).toEqual(['[]', false]);
  });

  const lease = { what: 'a test', host: 'h', pid: 1, since: recordedAt, token: 't' };
  const nothing: readonly [string, () => Promise<unknown>][] = [
    ['the use of a key', () => store.accounts.recordKeyUses(new Map([['key_a', { at: recordedAt, requests: 3 }]]))],
    ['a lease', () => store.leases.take('permits', lease)],
    ['records that did not change', () => store.apply('permits', [say('a')], { recordedAt })],
    ['a node that counts requests', () => store.limitCounter.meet('n')],
  ];
  it.each(nothing)('nothing when there is %s', async (_, change) => {
    const [, before] = await ask(schema, null);
    await change();
    expect((await ask(schema, before as string)).slice(2)).toEqual(['[]', false]);
  });
});

/** Two writers whose transactions overlap, and a node that asks at any time. */
const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom('begin', 'write', 'write', 'commit', 'abort'),
      writer: fc.nat({ max: 1 }),
      feedId: fc.constantFrom('permits', 'notices'),
    }),
    fc.record({
      do: fc.constantFrom('ask', 'ask', 'ask', 'read'),
      writer: fc.constant(0),
      feedId: fc.constantFrom('permits', 'notices'),
    }),
  ),
  { minLength: 4, maxLength: 40 },
);

/** A transaction that began before another one, and commits after it. */
const OVERTAKEN = [
  { do: 'begin', writer: 0, feedId: 'permits' },
  { do: 'write', writer: 1, feedId: 'notices' },
  { do: 'read', writer: 0, feedId: 'permits' },
  { do: 'write', writer: 0, feedId: 'permits' },
  { do: 'commit', writer: 0, feedId: 'permits' },
  { do: 'ask', writer: 0, feedId: 'permits' },
];

it('never takes a register for unchanged that has changed, in whichever order transactions commit', async () => {
  const writers = await Promise.all([pool.connect(), pool.connect()]);
  let told = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      let now = 0;
      const knowledge = new Knowledge({ clock: () => now, ask: async (since) => [await ask(schema, since)] });
      const stamp = async (): Promise<number> => {
        now += 300;
        const { answered } = knowledge.figures();
        knowledge.stamp();
        await until('the answer', () => knowledge.figures().answered > answered);
        return knowledge.stamp()!;
      };
      const titleOf = async (feedId: string): Promise<number> => {
        const { rows } = await pool.query<{ n: string }>(
          `SELECT last_modified AS n FROM ${schema}.registers WHERE id = $1`,
          [feedId],
        );
        return Number(rows[0]!.n);
      };
      const read = new Map<string, { readonly since: number; readonly state: number }>();
      const isOpen = [false, false];
      const written: (string | null)[] = [null, null];
      for (const { do: act, writer, feedId } of all) {
        const client = writers[writer]!;
        if (act === 'begin' && !isOpen[writer]) {
          await client.query('BEGIN');
          // It has its number from now on, however late it writes.
          await client.query('SELECT pg_current_xact_id()');
          isOpen[writer] = true;
        } else if (act === 'write') {
          // Each writer has a register of its own while both are at work, so that none waits for the other.
          if (written[1 - writer] === feedId) continue;
          await client.query(`UPDATE ${schema}.registers SET last_modified = last_modified + 1 WHERE id = $1`, [
            feedId,
          ]);
          if (isOpen[writer]) {
            if (written[writer] !== null && written[writer] !== feedId) {
              await client.query('COMMIT');
              [isOpen[writer], written[writer]] = [false, null];
            } else written[writer] = feedId;
          }
        } else if (act === 'commit' || act === 'abort') {
          if (isOpen[writer]) await client.query(act === 'commit' ? 'COMMIT' : 'ROLLBACK');
          [isOpen[writer], written[writer]] = [false, null];
        } else if (act === 'read') {
          const since = await stamp();
          read.set(feedId, { since, state: await titleOf(feedId) });
        } else if (act === 'ask') {
          await stamp();
          for (const [known, { since, state }] of read) {
            if (!knowledge.isUnchanged(known, since)) {
              told++;
              continue;
            }
            expect(await titleOf(known)).toBe(state);
          }
        }
      }
      for (const [writer, client] of writers.entries()) if (isOpen[writer]) await client.query('ROLLBACK');
    }),
    { numRuns: tries(60, 5000), examples: [[OVERTAKEN]] },
  );
  for (const client of writers) client.release();
  // It is told of the overtaken one at least, or nothing was tried.
  expect(told).toBeGreaterThan(0);
});

describe('a node that answers from memory', () => {
  it('reads a register again only when that register has changed, and a key when any account has', async () => {
    const own = new pg.Pool({ connectionString: inject('postgresUrl') });
    const node = await PostgresStore.open(own, { schema, answersFromMemory: true });
    const views = new RegisterViews(node, () => undefined);
    const stamp = (): Promise<number> => until('a stamp', () => node.stamp());
    const known = await stamp();
    const first = await views.view('permits', known);
    await store.apply('notices', [say('b', {}, 'notices')], { recordedAt: at(2) });
    const later = await until('a later stamp', async () => ((await stamp()) > known ? stamp() : null));
    expect(node.isUnchanged('permits', known)).toBe(true);
    expect(node.accounts.isUnchanged!(known)).toBe(true);
    expect(node.isUnchanged('notices', known)).toBe(false);
    // Nothing is asked of a database that is not there.
    await own.end();
    expect(await views.view('permits', later)).toBe(first);
    await expect(views.view('notices', later)).rejects.toThrow();
    expect((await store.accounts.findKey(digestOf('a')))?.key.id).toBe('key_a');
  });
});

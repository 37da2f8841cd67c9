// A process that kills itself inside a rule of a plugin, at a moment drawn by chance, while it changes records.
//
//   node killed-in-rule.ts sqlite FILE SEED
//   node killed-in-rule.ts postgres URL SCHEMA SEED
import fc from 'fast-check';
import pg from 'pg';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import type { StorePlugin } from '../../src/stores/logic/plugins/plugin.ts';
import { PROOFS } from '../../src/wings/proofs/stores/plugin.ts';
import { SELLING } from '../../src/wings/selling/stores/plugin.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { ACTS } from '../contracts/register-acts.ts';

const [engine, place, ...rest] = process.argv.slice(2);
const seed = Number(rest.at(-1));
const [acts, { rule, after, isBefore }] = fc.sample(
  fc.tuple(
    fc.array(ACTS, { minLength: 40, maxLength: 40 }),
    fc.record({ rule: fc.constantFrom('onCommit', 'beforeErase'), after: fc.nat(6), isBefore: fc.boolean() }),
  ),
  { seed, numRuns: 1 },
)[0]!;

let calls = 0;
const killing: StorePlugin = {
  ...PROOFS,
  *onCommit(sql, commit) {
    if (rule === 'onCommit' && isBefore) killAfter();
    yield* PROOFS.onCommit!(sql, commit);
    if (rule === 'onCommit') killAfter();
  },
  *beforeErase(sql, record) {
    if (rule === 'beforeErase' && isBefore) killAfter();
    yield* PROOFS.beforeErase!(sql, record);
    if (rule === 'beforeErase') killAfter();
  },
};

function killAfter(): void {
  if (calls++ === after) process.kill(process.pid, 'SIGKILL');
}

const pool = engine === 'postgres' ? new pg.Pool({ connectionString: place }) : null;
const store: InspectedStore =
  pool === null
    ? SqliteStore.open(place!, { plugins: [killing, SELLING] })
    : await PostgresStore.open(pool, { schema: rest[0]!, plugins: [killing, SELLING] });
for (const [minute, act] of acts.entries()) await act(store, seed * 100 + minute);
await store.close();
await pool?.end();

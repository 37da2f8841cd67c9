// A database that goes away in the middle of an import: the import goes on when it is back, and counts what it did.
import pg from 'pg';
import { beforeAll, expect, inject, it } from 'vitest';
import { stride, tried } from '../effort.ts';
import { quiet, startWay, type Way } from '../stores/postgres/way.ts';
import { Records } from '../../src/operate/records.ts';
import { Registers } from '../../src/operate/registers.ts';
import { importRecords } from '../../src/import/importer.ts';
import type { ImportResult } from '../../src/import/import-options.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { until } from '../until.ts';

const schema = `away_${process.pid}`;

let way: Way;
let direct: PostgresStore;
let store: PostgresStore;

beforeAll(async () => {
  way = await startWay(inject('postgresUrl'));
  const pools = [inject('postgresUrl'), way.url].map((connectionString) => quiet(new pg.Pool({ connectionString })));
  direct = await PostgresStore.open(pools[0]!, { schema });
  store = await PostgresStore.open(pools[1]!, { schema });
  return async () => {
    way.stop();
    await pools[0]!.query(`DROP SCHEMA ${schema} CASCADE`);
    await Promise.all(pools.map((pool) => pool.end()));
  };
});

/** The line of a record. */
function line(id: string, title: string): string {
  return `${JSON.stringify({ id, title, source_url: 'https://example.org/' })}\n`;
}

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, n) => from + n);

/** What is there before: 2,000 records, and five that are missing later. */
const BEFORE = [...numbers(1, 2000).map(String), ...numbers(1, 5).map((n) => `old-${n}`)].map((id) =>
  line(id, 'First'),
);

/** Three batches: half of the first is as it was. */
const FILE = numbers(1, 4100).map((n) => line(String(n), n <= 1000 ? 'First' : 'Second'));

async function importLines(into: PostgresStore, lines: readonly string[]): Promise<ImportResult> {
  const reader = ndjsonReader({ name: 'records.ndjson', open: async function* () { yield Buffer.from(lines.join('')); } }); // prettier-ignore
  return importRecords(into, 'r', reader, { order: 'oldest-first', withdrawMissing: true });
}

const COUNTS = { added: 2100, changed: 1000, unchanged: 1000, restored: 0, redacted: 0, withdrawn: 5, refused: 0 };

/** Imports while the connection breaks, and expects what an import does whose connection does not. */
async function importBroken(answer: number | null): Promise<void> {
  await direct.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }));
  await importLines(direct, BEFORE);
  if (answer !== null) way.breakAt(answer, 3);
  const result = await importLines(store, FILE);
  expect(result).toMatchObject(COUNTS);
  expect(await direct.register('r')).toMatchObject({ top: 4105, total: 4100, change: 2005 + 1000 + 2100 + 5 });
  const log = await direct.imports.list('r', { limit: 9 });
  expect(log.map(({ state, counts }) => [state, counts])).toEqual([
    ['completed', COUNTS],
    ['completed', { ...COUNTS, added: 2005, changed: 0, unchanged: 0, withdrawn: 0 }],
  ]);
  // A lease whose end was lost is void on this host.
  await importLines(direct, FILE);
  await direct.removeRegister('r');
}

it('is completed with its counts, whichever answer is lost with all connections', async () => {
  const before = way.answers;
  await importBroken(null);
  const answers = way.answers - before;
  expect(answers).toBeGreaterThan(30);
  for (let answer = 1; answer <= answers; answer += stride(12)) {
    await importBroken(answer);
    tried(1);
  }
});

/** The work, and its result with the numbers of changes and of versions of the definition that are there afterwards. */
const WORKS: readonly (readonly [string, () => Promise<unknown>, readonly unknown[]])[] = [
  ['a redaction', () => new Records(store).erase('r:1'), [true, 3, 1]],
  [
    'a description',
    () => new Registers(store).update('r', { members: { title: 'New' } }).then(() => true),
    [true, 2, 2],
  ],
  ['a removal', () => new Registers(store).remove('r').then(() => true), [true, undefined, undefined]],
];

it.each(WORKS)('%s is done once, whichever answer is lost', async (_, work, expected) => {
  // The first answer says that the register is there: nothing has begun then.
  for (let answer = 2, isBroken = true; isBroken; answer += stride(3)) {
    await direct.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }));
    await importLines(direct, [line('1', 'First'), line('2', 'First')]);
    // A connection that was broken before may be found so only now.
    await until('the register', () =>
      store.register('r').then(
        () => true,
        () => false,
      ),
    );
    const before = way.answers;
    way.breakAt(answer, 1);
    const result = await work();
    isBroken = way.answers - before >= answer;
    way.breakAt(Infinity, 0);
    const entry = await direct.register('r');
    expect([result, entry?.change, entry?.definitionVersion]).toEqual(expected);
    if (entry !== null) await new Registers(direct).remove('r');
    tried(1);
  }
});

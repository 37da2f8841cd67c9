// Limits that four nodes share through a PostgreSQL database, over the whole service.
import pg from 'pg';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { PostgresLimitCounter } from '../../../src/stores/postgres/limits/counter.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { limitCounterContract } from '../../contracts/limit-counter-contract.ts';
import { demoService, type DemoService } from '../../service/demo-service.ts';
import { createGazette, type Gazette } from '../../../src/service/create-gazette.ts';
import { until } from '../../until.ts';

const url = inject('postgresUrl');
const pool = new pg.Pool({ connectionString: url });
let schemas = 0;

afterAll(() => pool.end());

limitCounterContract(async () => {
  return new PostgresLimitCounter(await PostgresConnection.open(pool, { schema: 'limits' }, postgresMigrations));
});

/** Four nodes, each with connections of its own, that know each other; and ways to ask them in turn. */
async function fourNodes(): Promise<{
  readonly burst: (requests: number, headers?: Record<string, string>) => Promise<number>;
  readonly nodes: readonly Gazette[];
  readonly demo: DemoService;
  readonly schema: string;
  readonly errors: unknown[];
}> {
  const schema = `limits_${++schemas}`;
  const demo = await demoService({}, await PostgresStore.open(pool, { schema }));
  const errors: unknown[] = [];
  const nodes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const own = new pg.Pool({ connectionString: url });
      own.on('error', () => undefined);
      const gazette = createGazette({
        store: await PostgresStore.open(own, { schema }),
        limits: { perAddress: { limit: 120, windowSeconds: 3600 }, failures: { limit: 20, windowSeconds: 3600 } },
        logger: { info: () => undefined, error: (fields) => errors.push((fields as { err: unknown }).err) },
      });
      onTestFinished(async () => {
        await gazette.close();
        await own.end();
      });
      return gazette;
    }),
  );
  await until('four nodes', async () => {
    const { rows } = await pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${schema}.limit_nodes`);
    return rows[0]!.n === '4';
  });
  const ask = (node: Gazette, remoteAddress: string, headers: Record<string, string> = {}): Promise<Response> =>
    node.fetch(new Request('https://example.org/api/v1/feeds', { headers }), { remoteAddress });
  // Each draw says how many nodes there are.
  for (const node of nodes) expect((await ask(node, '192.0.2.1')).status).toBe(200);
  const burst = async (requests: number, headers: Record<string, string> = {}): Promise<number> => {
    const answers = await Promise.all(
      Array.from({ length: requests }, (_, n) => ask(nodes[n % 4]!, '203.0.113.7', headers)),
    );
    const limited = answers.filter(({ status }) => status === 429);
    for (const { headers } of limited) expect(Number(headers.get('retry-after'))).toBeGreaterThan(3500);
    return requests - limited.length;
  };
  return { burst, nodes, demo, schema, errors };
}

const awayOn = async (node: Gazette): Promise<string | undefined> =>
  /^gazette_limit_counter_away (\d)$/m.exec(await node.metrics.registry.metrics())?.[1];

it('lets 114 to 120 of a burst of 520 through four nodes', async () => {
  const { burst, nodes, errors } = await fourNodes();
  const through = await burst(520);
  expect(through).toBeGreaterThanOrEqual(114);
  expect(through).toBeLessThanOrEqual(120);
  expect(await Promise.all(nodes.map(awayOn))).toEqual(['0', '0', '0', '0']);
  expect(errors).toEqual([]);
  const texts = await Promise.all(nodes.map((node) => node.metrics.registry.metrics()));
  const sumOf = (figure: string): number =>
    texts.reduce(
      (sum, text) =>
        sum +
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${figure} `))!
            .split(' ')[1],
        ),
      0,
    );
  expect(texts.every((text) => text.includes('\ngazette_limit_nodes 4\n'))).toBe(true);
  expect(sumOf('gazette_limit_refusals_total{policy="address"}')).toBe(520 - through);
  expect(sumOf('gazette_limit_draws_total{outcome="answered"}')).toBeGreaterThan(0);
  expect(sumOf('gazette_limit_draws_total{outcome="failed"}')).toBe(0);
});

it('counts keys that do not work over all nodes, in a table that a crash does not empty', async () => {
  const { burst, schema } = await fourNodes();
  const through = await burst(120, { authorization: `Bearer gz_${'a'.repeat(38)}` });
  expect(through).toBeGreaterThanOrEqual(17);
  expect(through).toBeLessThanOrEqual(20);
  const { rows } = await pool.query<{ relname: string; relpersistence: string }>(
    `SELECT relname, relpersistence FROM pg_class WHERE relname IN ('failure_counts', 'limit_counts')
       AND relnamespace = $1::regnamespace ORDER BY relname`,
    [schema],
  );
  expect(rows.map(({ relname, relpersistence }) => `${relname} ${relpersistence}`)).toEqual([
    'failure_counts p',
    'limit_counts u',
  ]);
});

it('lets at most 120 through while the counter does not answer, says so, and counts again afterwards', async () => {
  const { burst, nodes, schema, errors } = await fourNodes();
  const locking = await pool.connect();
  await locking.query(`BEGIN; LOCK TABLE ${schema}.limit_counts IN ACCESS EXCLUSIVE MODE`);
  onTestFinished(() => {
    locking.release(true);
  });
  const through = await burst(520);
  expect(through).toBeLessThanOrEqual(120);
  expect(through).toBeGreaterThanOrEqual(100);
  expect(await Promise.all(nodes.map(awayOn))).toEqual(['1', '1', '1', '1']);
  expect(errors.length).toBeGreaterThanOrEqual(4);
  for (const error of errors) expect(String(error)).toMatch(/counter of limits/);
  await locking.query('COMMIT');
  for (const node of nodes) await until('the counter', async () => (await awayOn(node)) === '0');
  expect(await burst(520)).toBeLessThanOrEqual(120 - through * 0.75);
});

// A service without wings over a store without what they keep: all the rest is there, and nothing says that something is missing.
import { expect, it } from 'vitest';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SERVED } from '../../src/wings/served.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../contracts/store-register.ts';

const BASE_URL = 'https://registers.example.org';

async function open(): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:', { plugins: [] });
  await store.createRegister({ ...permits(), access: 'open' });
  await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
  await store.apply('permits', [say('a', { title: 'Another' })], { recordedAt: at(1) });
  return store;
}

it('serves registers, and nothing of logs and purchases', async () => {
  const store = await open();
  const gazette = createGazette({ store, baseUrl: BASE_URL, wings: [], limits: null });
  const ask = async (path: string): Promise<readonly [number, string]> => {
    const response = await gazette.fetch(new Request(`${BASE_URL}${path}`));
    return [response.status, await response.text()];
  };
  for (const path of [
    ...['/api/v1/feeds', '/api/v1/feeds/permits', '/api/v1/feeds/permits/records', '/api/v1/records/permits:a'],
    ...[
      '/api/v1/records/permits:a/history',
      '/api/v1/feeds/permits/changes',
      '/api/v1/feeds/permits/facets?measure=count',
    ],
    ...['/api/v1/feeds/permits/records/export.atom', '/', '/feeds/permits', '/records/permits:a'],
  ]) {
    const [status, text] = await ask(path);
    expect([path, status]).toEqual([path, 200]);
    expect(text).not.toMatch(/\/proof|\/log\b|"log":|purchase/);
  }
  for (const path of [
    '/api/v1/log',
    '/api/v1/records/permits:a/proof',
    '/records/permits:a/proof',
    '/api/v1/records/permits:a/full',
    '/account/ledger',
  ])
    expect(await ask(path)).toEqual([404, expect.any(String)]);
  const [status, problem] = await ask('/api/v1/feeds/permits/changes?proof=1');
  expect([status, problem]).toEqual([400, expect.stringContaining('proof must be absent: nothing is signed here')]);
  const [, openapi] = await ask('/api/v1/openapi.json');
  expect(
    Object.keys((JSON.parse(openapi) as { paths: object }).paths).filter((path) =>
      /log|proof|purchase|full|ledger/.test(path),
    ),
  ).toEqual([]);
  await gazette.close();
  await store.close();
});

it('sells nothing of a register that has prices, and says so nowhere', async () => {
  const store = SqliteStore.open(':memory:', { plugins: [] });
  await store.createRegister({ ...permits(), prices: { currency: 'EUR', per_record: 200 } });
  const gazette = createGazette({ store, baseUrl: BASE_URL, wings: [], limits: null });
  for (const path of ['openapi.json', 'feeds/permits/openapi.json']) {
    const response = await gazette.fetch(new Request(`${BASE_URL}/api/v1/${path}`));
    expect(await response.text()).not.toMatch(/x-payment-info|payment_required|ledger/);
  }
  const tools = await gazette.fetch(
    new Request(`${BASE_URL}/api/v1/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    }),
  );
  const listed = await tools.text();
  expect(listed).toContain('read_record');
  expect(listed).not.toMatch(/expected_price|x402|Costs/);
  await gazette.close();
  await store.close();
});

it.each(SERVED)('is not made with $name where the store was opened without it', async (wing) => {
  const store = await open();
  expect(() => createGazette({ store, wings: [wing] })).toThrow(
    expect.objectContaining({ code: 'missing_plugin', details: { plugin: wing.name } }) as Error,
  );
  await store.close();
});

// Receipts to cite, checked by another library for JOSE, which knows nothing but the address of the service.
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../../src/adapters/server.ts';
import { Receipts } from '../../../src/purchases/receipts.ts';
import { createGazette, type Gazette } from '../../../src/service/create-gazette.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { keyAt, PRODUCT } from '../../contracts/deployment.ts';
import { openShop, type Shop } from '../../purchases/shop.ts';
import { loadJudge } from '../tools.ts';

interface Jose {
  createRemoteJWKSet(url: URL): unknown;
  jwtVerify(jws: string, keys: unknown, options: object): Promise<{ payload: object; protectedHeader: object }>;
}

const ID = `permits:${keyAt(1)}`;

let jose: Jose;
let shop: Shop;
let gazette: Gazette;
let server: RunningServer;
let receipt: string;
beforeAll(async () => {
  jose = await loadJudge<Jose>('jose');
  const receipts = Receipts.fromHex(`${'c1'.repeat(32)},${'d2'.repeat(32)}`);
  shop = await openShop(SqliteStore.open(':memory:'));
  // Its address is known once it serves.
  gazette = createGazette({ store: shop.store, product: PRODUCT, limits: null, receipts, now: () => shop.clock.now });
  server = await startServer(gazette.fetch, { port: 0, host: '127.0.0.1' });
  const headers = { authorization: `Bearer ${shop.spender}` };
  const response = await fetch(`${server.url}/api/v1/records/${ID}/full`, { headers });
  receipt = response.headers.get('purchase-receipt') ?? '';
});
afterAll(async () => {
  await server.stop(0);
  await gazette.close();
  await shop.close();
});

it('are signed with a published key, and name record, content version and change', async () => {
  const issuer = `${server.url}/api/v1`;
  const keys = jose.createRemoteJWKSet(new URL(`${issuer}/receipt-keys`));
  const checked = await jose.jwtVerify(receipt, keys, { issuer, typ: 'gazette-receipt+jwt' });
  expect(checked.protectedHeader).toMatchObject({ alg: 'EdDSA' });
  expect(checked.payload).toMatchObject({ feed_id: 'permits', record_id: ID, content_version: 1, change: 1 });
  const [head, claims = '', signature] = receipt.split('.');
  const said = Buffer.from(claims, 'base64url').toString().replace('"change":1', '"change":2');
  const forged = [head, Buffer.from(said).toString('base64url'), signature].join('.');
  await expect(jose.jwtVerify(forged, keys, { issuer })).rejects.toThrow(/signature verification failed/);
  await expect(jose.jwtVerify(receipt, keys, { issuer: 'https://other.example/api/v1' })).rejects.toThrow(/"iss"/);
});

it('have an example that checks them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-citer-'));
  try {
    await copyFile(join(import.meta.dirname, '../../../examples/check-receipt.js'), join(folder, 'check.mjs'));
    await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
    const args = [join(folder, 'check.mjs'), server.url, receipt];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 200_000 });
    expect(stdout).toMatch(/^version 1 of permits:001, change 1 of permits, bought \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

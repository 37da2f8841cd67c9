// A SQLite file that others lock, or whose disk is full: what can be read is answered, what cannot is a 503 that says
// when to come back, and the service goes on by itself.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { ending, folder, GAZETTE } from '../cli/run.ts';
import { type World, world, PRODUCT } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { until } from '../until.ts';
import { away, everyRequest, expectWhole, told } from './routes-asked.ts';

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

/** Another process's connection, for SQLite. */
function other(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  return db;
}

async function answers(service: World): Promise<readonly unknown[]> {
  const requests = everyRequest(service.key);
  const all = [];
  for (const { path, init } of requests) {
    const response = await service.fetch(new Request(`https://registers.example.org${path}`, init));
    all.push([path, ...(await told(response))]);
  }
  return all;
}

it('answers everything while another process keeps the file from being written, and records uses of keys later', async () => {
  const path = join(await folder(), 'store.db');
  const store = SqliteStore.open(path, { busyTimeoutMs: 1 });
  onTestFinished(() => store.close());
  const errors: unknown[] = [];
  const logger = { info: () => undefined, error: (fields: object) => errors.push(fields) };
  const service = await world({ store, logger });
  expectWhole((await (await service.get('/openapi.json')).json()) as { readonly paths: object });
  const writer = other(path);
  writer.exec('BEGIN IMMEDIATE');
  const good = everyRequest(service.key).map((request) => [request.path, 200, null, false]);
  expect(await answers(service)).toEqual(good);
  await service.close();
  expect(errors).toEqual([{ request_id: 'none', err: expect.objectContaining({ code: 'store_busy' }) as unknown }]);
  expect((await store.accounts.keys(service.accountId))[0]!.lastUsedAt).toBeNull();

  writer.exec('ROLLBACK');
  await service.close();
  expect((await store.accounts.keys(service.accountId))[0]!.lastUsedAt).not.toBeNull();
});

it('answers 503 while another process keeps it from being read, and goes on by itself', async () => {
  const path = join(await folder(), 'store.db');
  const filled = SqliteStore.open(path);
  const { key } = await world({ store: filled });
  await filled.close();
  // Without a write-ahead log, as a file may be that was made ready for readers alone, a writer keeps readers out.
  const writer = other(path);
  writer.exec('PRAGMA journal_mode = DELETE');
  const store = SqliteStore.open(path, { readOnly: true, busyTimeoutMs: 1 });
  onTestFinished(() => store.close());
  const { fetch } = createGazette({
    store,
    product: PRODUCT,
    limits: null,
    logger: { info: () => undefined, error: () => undefined },
    now: () => Date.parse(at(60)),
  });
  for (const isLocked of [false, true, false]) {
    if (isLocked) writer.exec('BEGIN EXCLUSIVE');
    for (const { path, init } of everyRequest(key)) {
      const answer = await told(await fetch(new Request(`https://registers.example.org${path}`, init)));
      expect([path, ...answer]).toEqual([path, ...(isLocked ? away(path) : [200, null, false])]);
    }
    if (isLocked) writer.exec('ROLLBACK');
  }
});

it('answers everything while its disk is full, and says what it could not record', async (context) => {
  if (!canMount) context.skip('file systems cannot be mounted here');
  const path = join(await folder(), 'store.db');
  const store = SqliteStore.open(path);
  const { key, accountId } = await world({ store });
  await store.accounts.updateAccount(accountId, { accessUntil: '2999-01-01T00:00:00Z' });
  await store.close();
  const disk = await folder();
  const script = `
    mount -t tmpfs -o size=4m none '${disk}' && cp '${path}' '${disk}/store.db' || exit 9
    '${process.execPath}' '${GAZETTE}' serve --store '${disk}/store.db' --port 0 --product '${PRODUCT}' & service=$!
    read full; dd if=/dev/zero of='${disk}/rest' bs=512 2>/dev/null; echo full >&2
    read stop; kill "$service"; wait "$service"`;
  const child = spawn('unshare', ['-rm', 'sh', '-c', script], { stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = ending(child);
  const url = await until('the service', () => /serving .* on (http:\S+)\/api\/v1/.exec(said)?.[1]);
  child.stdin.write('\n');
  await until('the full disk', () => said.includes('full'));
  for (const { path, init } of everyRequest(key)) {
    expect([path, (await fetch(url + path, init)).status]).toEqual([path, 200]);
  }
  child.stdin.end('\n');
  const { code, stdout } = await ended;
  expect(stdout.toString()).toContain('database or disk is full');
  expect(code).toBe(0);
});

// Senders that are killed while 2,000 events or more go to a receiver that fails a third of the time; on SQLite and on PostgreSQL.
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import { marksOf } from '../../../src/stores/lease/take-lease.ts';
import { verifyWebhook } from '../../../src/webhooks/receive/verify.ts';
import { say } from '../../contracts/store-register.ts';
import { deployment, receiver } from './sending.ts';
import { letPass, until } from '../../until.ts';
import { tries } from '../../effort.ts';

/** How many events. */
export const EVENTS: number = tries(600, 20_000);

/** What came of it all. */
export interface Tally {
  /** Attempts that came, by event. */
  readonly attempts: ReadonlyMap<string, number>;
  readonly acknowledged: ReadonlySet<string>;
  /** Whatever was not as it must be. */
  readonly wrong: readonly string[];
}

/**
 * Starts a sender in a process of its own, and waits until it sends.
 *
 * @param leaseMs how long its claims last. Default: so short that they end within the test
 */
export async function startSender(url: string, leaseMs = 2000): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'sender-process.ts'), url, String(leaseMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** Kills it as nothing else does, and waits until it is gone. */
export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/**
 * Commits the events, lets `send` start and kill senders, and waits until every event is acknowledged.
 *
 * @param send is over when it has killed all it wanted to; what it leaves running is its own to end.
 */
export async function sendThroughKills(
  store: ServiceStore,
  send: (isDone: () => boolean) => Promise<void>,
): Promise<Tally> {
  const attempts = new Map<string, number>();
  const bodies = new Map<string, string>();
  const signatures = new Map<string, number>();
  const underWay = new Set<string>();
  const acknowledged = new Set<string>();
  const wrong: string[] = [];
  let secret = '';
  let random = 1;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    const eventId = String(request.headers['x-register-event']);
    if (underWay.has(eventId)) wrong.push(`${eventId} is sent twice at once`);
    underWay.add(eventId);
    // A killed sender's connection ends, and so does its claim to be sending.
    response.once('close', () => underWay.delete(eventId));
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      void verifyWebhook(body, request.headers, secret).catch((error: unknown) => {
        wrong.push(`${eventId}: ${String(error)}`);
      });
      const digest = createHash('sha256').update(body).digest('hex');
      if ((bodies.get(eventId) ?? digest) !== digest) wrong.push(`${eventId} came with other bytes`);
      bodies.set(eventId, digest);
      const t = Number(/^t=(\d+)/.exec(String(request.headers['x-register-signature']))![1]);
      if (Math.abs(t - Date.now() / 1000) > 3) wrong.push(`${eventId} was signed at ${t}`);
      signatures.set(eventId, Math.max(signatures.get(eventId) ?? 0, t));
      attempts.set(eventId, (attempts.get(eventId) ?? 0) + 1);
      random = (random * 48_271) % 2_147_483_647;
      const fails = random % 3 === 0;
      if (!fails) acknowledged.add(eventId);
      void letPass(5, 'no sender must be through before it is killed').then(() =>
        response.writeHead(fails ? 500 : 204).end(),
      );
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { add } = await deployment(store);
    ({ secret } = await add(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    const batch = Array.from({ length: EVENTS }, (_, index) => say(`k${index}`));
    await store.apply('permits', batch, { recordedAt: new Date().toISOString() });
    const isDone = (): boolean => acknowledged.size >= EVENTS;
    await send(isDone);
    await until('every event to be acknowledged', isDone);
    return { attempts, acknowledged, wrong };
  } finally {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}

/** What must hold of every such run. */
export function expectAllDelivered({ attempts, acknowledged, wrong }: Tally): void {
  expect(wrong).toEqual([]);
  expect(acknowledged.size).toBe(EVENTS);
  expect(attempts.size).toBe(EVENTS);
  // A third fails: were every event sent but once, the receiver would not have failed.
  expect(Math.max(...attempts.values())).toBeGreaterThan(1);
}

/** Claims that no test outlives. */
const LASTING = { now: Date.now, timeoutMs: 1_800_000, leaseMs: 3_600_000 };

/** Kills a sender that has claimed eight events: one beside it sends none of them, the next one all, at once. */
export async function expectTakenOver(store: ServiceStore, url: string): Promise<void> {
  const { add, commit, sender } = await deployment(store);
  // Once it has answered, as many as go at once are claimed: those hang.
  const hook = await receiver((_, nth) => (nth === 1 || nth > 9 ? 204 : () => undefined));
  const { id } = await add(hook.url);
  await commit(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i']);
  const killed = await startSender(url, LASTING.leaseMs);
  try {
    await until('all to be sent, and the answer to be recorded', async () => {
      const all = await store.deliveries.deliveries(id, { limit: 9 });
      return hook.received.length === 9 && all.some(({ state }) => state === 'acknowledged');
    });
    expect(await sender(LASTING).sendDue()).toBe(0);
  } finally {
    await kill(killed);
  }
  // It had run for long.
  const folder = marksOf(store.leases);
  for (const name of (await readdir(folder)).filter((file) => /^gazette-.*\.lock$/.test(file)))
    await utimes(join(folder, name), 0, 0).catch(() => undefined);
  expect(await sender(LASTING).sendDue()).toBe(8);
  expect(await sender(LASTING).sendDue()).toBe(0);
}

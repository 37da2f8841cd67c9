// Receivers that do what no receiver should: nobody else waits for them, and nothing of theirs piles up.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Endpoints } from '../../../src/operate/endpoints.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { resolver } from './private-hosts.ts';
import { deployment, receiver, SECRETS_KEY } from './sending.ts';

const QUICK = { timeoutMs: 300, leaseMs: 5000, pollMs: 20, now: Date.now };

const HUGE = 100 * 2 ** 20;

/** Answers 100 MB as fast as they are taken, and says how many bytes went off. */
function answerHuge(response: ServerResponse, status: number, onSent: (bytes: number) => void): void {
  const chunk = Buffer.alloc(2 ** 16, 'x');
  response.writeHead(status);
  const { socket } = response;
  let left = HUGE;
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= chunk.length;
      if (!response.write(chunk)) return;
    }
    response.end();
  };
  response.on('drain', more);
  response.once('close', () => {
    onSent(socket?.bytesWritten ?? 0);
  });
  more();
}

function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 1000);
  response.write('x');
  response.once('close', () => {
    clearInterval(timer);
  });
}

describe('a receiver that', () => {
  const attemptOn = async (
    answer: Parameters<typeof receiver>[0],
    more: object = {},
  ): Promise<{ readonly state: string; readonly attempt: unknown; readonly took: number }> => {
    const { store, add, commit, sender } = await deployment();
    await store.accounts.updateAccount('acme', { accessUntil: '2999-01-01T00:00:00Z' });
    const hook = await receiver(answer);
    const { id } = await add(hook.url);
    await commit(['a']);
    const began = performance.now();
    await sender({ ...QUICK, ...more }).sendDue();
    const took = performance.now() - began;
    const [delivery] = await store.deliveries.deliveries(id, { limit: 1 });
    return { state: delivery!.state, attempt: delivery!.lastAttempt, took };
  };

  it('never answers is given up in time', async () => {
    const { attempt, took } = await attemptOn(() => () => undefined);
    expect(attempt).toMatchObject({ status: null, error: 'timeout', response: null });
    expect(took).toBeLessThan(1500);
  });

  it('drips its head a byte a second is given up in time', async () => {
    const { attempt, took } = await attemptOn(() => (_request, response) => response.socket!.write('H'));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
    expect(took).toBeLessThan(1500);
  });

  it('drips its body a byte a second has acknowledged, and is listened to no longer than others', async () => {
    const { state, took } = await attemptOn(() => (_request, response) => {
      drip(response);
    });
    expect(state).toBe('acknowledged');
    expect(took).toBeLessThan(1500);
  });

  it('has a name that never resolves is given up in time', async () => {
    const { store, commit, sender } = await deployment();
    await store.accounts.updateAccount('acme', { accessUntil: '2999-01-01T00:00:00Z' });
    const box = SecretBox.fromHex(SECRETS_KEY);
    const endpoints = new Endpoints(store.deliveries, { box: () => box, resolve: resolver(['8.8.8.8']) });
    const { endpoint } = await endpoints.add({ accountId: 'acme', url: 'https://slow.example.org/' });
    await commit(['a']);
    const began = performance.now();
    await sender({ ...QUICK, resolve: () => undefined }).sendDue();
    expect(performance.now() - began).toBeLessThan(1500);
    const [delivery] = await store.deliveries.deliveries(endpoint.id, { limit: 1 });
    expect(delivery?.lastAttempt).toMatchObject({ status: null, error: 'timeout' });
  });

  it.each([
    [200, 'acknowledged', null],
    [500, 'pending', 4096],
  ])('answers %i and 100 MB is read for 4 KiB', async (status, state, kept) => {
    let sent = HUGE;
    const result = await attemptOn(
      () => (_request, response) => {
        answerHuge(response, status, (bytes) => (sent = bytes));
      },
      { timeoutMs: 2000 },
    );
    await sleep(50);
    expect(result.state).toBe(state);
    expect((result.attempt as { readonly response: string | null }).response?.length ?? null).toBe(kept);
    // What the system's own buffers take.
    expect(sent).toBeLessThan(HUGE / 10);
  });
});

describe('a good receiver', () => {
  it('keeps its pace beside all of these, and the sender’s memory stays level', async () => {
    const { store, add, commit, sender } = await deployment();
    await store.accounts.updateAccount('acme', { accessUntil: '2999-01-01T00:00:00Z' });
    const good = await receiver();
    const bad = await Promise.all([
      receiver(() => () => undefined),
      receiver(() => (_request, response) => {
        drip(response);
      }),
      receiver(() => (_request, response) => {
        answerHuge(response, 200, () => undefined);
      }),
      receiver(() => (request, response) => {
        response.writeHead(302, { location: `http://${request.headers.host!}/` }).end();
      }),
    ]);
    for (const { url } of [...bad, good]) await add(url);
    const events = 600;
    const stop = new AbortController();
    // Longer than the test: who waited for it would be seen.
    const running = sender({ ...QUICK, timeoutMs: 20_000, leaseMs: 60_000, stopGraceMs: 100 }).run(stop.signal);
    const began = performance.now();
    const before = process.memoryUsage().rss;
    await commit(Array.from({ length: events }, (_, index) => `k${index}`));
    while (good.received.length < events && performance.now() - began < 15_000) await sleep(5);
    const took = performance.now() - began;
    const grown = process.memoryUsage().rss - before;
    expect(good.received).toHaveLength(events);
    expect(took).toBeLessThan(10_000);
    // No more than its own queue was ever under way to the one that never answers.
    expect(bad[0].received.length).toBeLessThanOrEqual(8);
    expect(grown / 2 ** 20).toBeLessThan(150);
    stop.abort();
    for (const { server } of bad) server.closeAllConnections();
    await running;
  });

  it('does not wait for two hundred that never answer', async () => {
    const { add, commit, sender, store } = await deployment();
    await store.accounts.updateAccount('acme', { accessUntil: '2999-01-01T00:00:00Z' });
    const silent = await receiver(() => () => undefined);
    const good = await receiver();
    for (let n = 0; n < 200; n++) await add(`${silent.url}${n}`);
    await add(good.url);
    await commit(Array.from({ length: 50 }, (_, index) => `k${index}`));
    const stop = new AbortController();
    const running = sender({ ...QUICK, timeoutMs: 20_000, leaseMs: 60_000, stopGraceMs: 100 }).run(stop.signal);
    const began = performance.now();
    while (good.received.length < 50 && performance.now() - began < 15_000) await sleep(5);
    expect(good.received).toHaveLength(50);
    expect(performance.now() - began).toBeLessThan(10_000);
    stop.abort();
    silent.server.closeAllConnections();
    await running;
  });
});

// Receivers that do what no receiver should: nobody else waits for them, and nothing of theirs piles up.
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Endpoints } from '../../../src/operate/endpoints.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { resolver } from './private-hosts.ts';
import { deployment, receiver, SECRETS_KEY } from './sending.ts';
import { until } from '../../until.ts';

const QUICK = { timeoutMs: 300, leaseMs: 5000, pollMs: 20, now: Date.now };

/** Tries that no test outlives, and a stop that does not wait for them. */
const ENDLESS = { timeoutMs: 600_000, leaseMs: 1_200_000, stopGraceMs: 100 };

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
  ): Promise<{ readonly state: string; readonly attempt: unknown }> => {
    const { store, add, commit, sender } = await deployment();
    const hook = await receiver(answer);
    const { id } = await add(hook.url);
    await commit(['a']);
    await sender({ ...QUICK, ...more }).sendDue();
    const [delivery] = await store.deliveries.deliveries(id, { limit: 1 });
    return { state: delivery!.state, attempt: delivery!.lastAttempt };
  };

  it('never answers is given up in time', async () => {
    const { attempt } = await attemptOn(() => () => undefined);
    expect(attempt).toMatchObject({ status: null, error: 'timeout', response: null });
  });

  it('drips its head a byte a second is given up in time', async () => {
    const { attempt } = await attemptOn(() => (_request, response) => response.socket!.write('H'));
    expect(attempt).toMatchObject({ status: null, error: 'timeout' });
  });

  it('drips its body a byte a second has acknowledged, and is listened to no longer than others', async () => {
    const answer = () => (_request: unknown, response: ServerResponse) => {
      drip(response);
    };
    // Its head has to come in time on a machine that is busy, too.
    const { state } = await attemptOn(answer, { timeoutMs: 1000 });
    expect(state).toBe('acknowledged');
  });

  it('has a name that never resolves is given up in time', async () => {
    const { store, commit, sender } = await deployment();
    const box = SecretBox.fromHex(SECRETS_KEY);
    const endpoints = new Endpoints(store, { box: () => box, resolve: resolver(['8.8.8.8']) });
    const { endpoint } = await endpoints.add({ accountId: 'acme', url: 'https://slow.example.org/' });
    await commit(['a']);
    await sender({ ...QUICK, resolve: () => undefined }).sendDue();
    const [delivery] = await store.deliveries.deliveries(endpoint.id, { limit: 1 });
    expect(delivery?.lastAttempt).toMatchObject({ status: null, error: 'timeout' });
  });

  it.each([
    [200, 'acknowledged', null],
    [500, 'pending', 4096],
  ])('answers %i and 100 MB is read for 4 KiB', async (status, state, kept) => {
    let sent: number | null = null;
    const result = await attemptOn(
      () => (_request, response) => {
        answerHuge(response, status, (bytes) => (sent = bytes));
      },
      { timeoutMs: 2000 },
    );
    await until('the end of the answer', () => sent);
    expect(result.state).toBe(state);
    expect((result.attempt as { readonly response: string | null }).response?.length ?? null).toBe(kept);
    // What the system's own buffers take.
    expect(sent).toBeLessThan(HUGE / 10);
  });
});

describe('a good receiver', () => {
  it('keeps its pace beside all of these, and little is read of what they answer', async () => {
    const { add, commit, sender } = await deployment();
    const good = await receiver();
    let givenUp = 0;
    const sent: number[] = [];
    const bad = await Promise.all([
      receiver(() => (request) => {
        request.socket.once('close', () => givenUp++);
      }),
      receiver(() => (_request, response) => {
        drip(response);
      }),
      receiver(() => (_request, response) => {
        answerHuge(response, 200, (bytes) => sent.push(bytes));
      }),
      receiver(() => (request, response) => {
        response.writeHead(302, { location: `http://${request.headers.host!}/` }).end();
      }),
    ]);
    for (const { url } of [...bad, good]) await add(url);
    const events = 600;
    const stop = new AbortController();
    const running = sender({ ...QUICK, ...ENDLESS }).run(stop.signal);
    await commit(Array.from({ length: events }, (_, index) => `k${index}`));
    await until('all events', () => good.received.length >= events);
    expect(good.received).toHaveLength(events);
    // It has all of them while the first to the one that never answers is still waited for.
    expect(givenUp).toBe(0);
    // No more than its own queue was ever under way to the one that never answers.
    expect(bad[0].received.length).toBeLessThanOrEqual(8);
    // What the system's own buffers take of each, though up to 60 GB were offered.
    expect(sent.length).toBeGreaterThan(0);
    expect(Math.max(...sent)).toBeLessThan(HUGE / 10);
    stop.abort();
    for (const { server } of bad) server.closeAllConnections();
    await running;
  });

  it('does not wait for two hundred that never answer', async () => {
    const { add, commit, sender } = await deployment();
    let givenUp = 0;
    const silent = await receiver(() => (request) => {
      request.socket.once('close', () => givenUp++);
    });
    const good = await receiver();
    for (let n = 0; n < 200; n++) await add(`${silent.url}${n}`);
    await add(good.url);
    await commit(Array.from({ length: 50 }, (_, index) => `k${index}`));
    const stop = new AbortController();
    const running = sender({ ...QUICK, ...ENDLESS }).run(stop.signal);
    await until('all events', () => good.received.length >= 50);
    expect(good.received).toHaveLength(50);
    // None of the two hundred has been given up: nobody waited for that.
    expect([silent.received.length > 0, givenUp]).toEqual([true, 0]);
    stop.abort();
    silent.server.closeAllConnections();
    await running;
  });
});

// A sender that runs: when it looks, what it gives back when it stops, what it bears.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebhookSender } from '../../../src/webhooks/send/sender.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { deployment, receiver, SECRETS_KEY } from './sending.ts';
import { letPass, until } from '../../until.ts';

const RUNNING = { now: Date.now, pollMs: 20 };

async function live(): Promise<Awaited<ReturnType<typeof deployment>>> {
  const deployed = await deployment();
  return deployed;
}

describe('a sender that runs', () => {
  it('sends what is committed while it runs, and when asked to stop waits for what is under way', async () => {
    const { add, commit, sender, store } = await live();
    const answer = Promise.withResolvers<undefined>();
    const hook = await receiver(() => (_request, response) => {
      void answer.promise.then(() => response.writeHead(204).end());
    });
    const { id } = await add(hook.url);
    const stop = new AbortController();
    let looks = 0;
    let isOver = false;
    const watched = new Proxy(store.deliveries, {
      get(target, name) {
        if (name === 'fanOut') looks++;
        const method = Reflect.get(target, name) as unknown;
        return typeof method === 'function' ? (method.bind(target) as unknown) : method;
      },
    });
    const running = sender({ ...RUNNING, store: { deliveries: watched } })
      .run(stop.signal)
      .then(() => {
        isOver = true;
      });
    await until('it to have looked and found nothing', () => looks > 1);
    await commit(['a']);
    await until('the delivery', () => hook.received.length === 1);
    stop.abort();
    await letPass(50, 'who does not wait would be over by now');
    expect(isOver).toBe(false);
    answer.resolve(undefined);
    await running;
    expect((await store.deliveries.deliveries(id, { limit: 1 }))[0]).toMatchObject({ state: 'acknowledged' });
  });

  it('skips what has waited for access as long as its attempts would last', async () => {
    const { add, commit, sender, store, endpoints } = await live();
    const { id } = await add((await receiver()).url);
    await commit(['a']);
    await store.deliveries.fanOut({ at: new Date().toISOString(), baseUrl: 'https://example.org', toEvent: () => ({ id: 'evt_1', type: 'record.published' }) }); // prettier-ignore
    await store.accounts.updateAccount('acme', { accessUntil: null });
    const [waiting] = await store.deliveries.deliveries(id, { limit: 1, now: new Date().toISOString() });
    expect(waiting).toMatchObject({ state: 'pending', reason: 'access_lapsed' });
    const stop = new AbortController();
    const running = sender({ ...RUNNING, schedule: [0] }).run(stop.signal);
    await until('the end of its wait', async () => {
      return (await endpoints.deliveries(id, { limit: 1 }))[0]?.state === 'skipped';
    });
    stop.abort();
    await running;
  });

  it('gives back at once what it had claimed and not sent', async () => {
    const { add, commit, sender, store } = await live();
    const answer = Promise.withResolvers<undefined>();
    const hook = await receiver((_, nth) => (_request, response) => {
      // More are claimed at once for an endpoint that has answered.
      if (nth === 1) response.writeHead(204).end();
      else void answer.promise.then(() => response.writeHead(204).end());
    });
    await add(hook.url);
    await commit(Array.from({ length: 60 }, (_, index) => `k${index}`));
    const stop = new AbortController();
    const running = sender({ ...RUNNING, concurrency: 4 }).run(stop.signal);
    await until('as many as go at once', () => hook.received.length === 5);
    stop.abort();
    answer.resolve(undefined);
    await running;
    const sent = hook.received.length;
    expect(sent).toBeLessThan(10);
    const next = await store.deliveries.claim({
      ...{ now: new Date().toISOString(), until: new Date(Date.now() + 1000).toISOString(), lease: 'next' },
      ...{ limit: 100, room: new Map(), limitPerEndpoint: 100, accountRoom: new Map() },
    });
    expect(next.length).toBe(60 - sent);
  });

  it('does not wait for a receiver that never answers longer than a stop may take', async () => {
    const { add, commit, sender, store } = await live();
    const hook = await receiver(() => () => undefined);
    const { id } = await add(hook.url);
    await commit(['a']);
    const stop = new AbortController();
    // A try may take longer than the test: who waited for it would not be over.
    const running = sender({ ...RUNNING, timeoutMs: 60_000, leaseMs: 120_000, stopGraceMs: 300 }).run(stop.signal);
    await until('the delivery', () => hook.received.length === 1);
    stop.abort();
    await running;
    // Nothing is known of it: it is sent again once its lease ends.
    expect((await store.deliveries.deliveries(id, { limit: 1 }))[0]).toMatchObject({ state: 'pending', attempts: 0 });
  });

  it('goes on when the store fails for a while, and sends nothing twice for it', async () => {
    const { add, commit, sender, store, errors } = await live();
    const hook = await receiver();
    const { id } = await add(hook.url);
    let failing = 3;
    const flaky = new Proxy(store.deliveries, {
      get(target, name) {
        const method = Reflect.get(target, name) as unknown;
        if (typeof method !== 'function') return method;
        return async (...args: unknown[]) => {
          if (['fanOut', 'claim', 'settle'].includes(String(name)) && failing-- > 0)
            throw new Error(`${String(name)} fails`);
          return (method as (...all: unknown[]) => unknown).apply(target, args);
        };
      },
    });
    await commit(['a']);
    const stop = new AbortController();
    const running = sender({ ...RUNNING, store: { deliveries: flaky } }).run(stop.signal);
    await until('the delivery', () => hook.received.length === 1);
    failing = 1;
    const state = async () => (await store.deliveries.deliveries(id, { limit: 1 }))[0]!.state;
    await until('another failure, and the outcome', async () => failing <= 0 && (await state()) === 'acknowledged');
    stop.abort();
    await running;
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(hook.received).toHaveLength(1);
    expect((await store.deliveries.deliveries(id, { limit: 1 }))[0]).toMatchObject({ state: 'acknowledged' });
  });

  it('sends at once on a new connection what a kept one was closed under', async () => {
    const { add, commit, sender, store } = await live();
    const hook = await receiver();
    // The other side takes a kept connection for unused just as the next delivery is on its way.
    hook.server.on('connection', (socket) => {
      let requests = 0;
      socket.on('data', () => {
        if (++requests === 2) socket.destroy();
      });
    });
    const { id } = await add(hook.url);
    const sending = sender({ ...RUNNING, concurrency: 1 });
    await commit(['a', 'b', 'c']);
    await sending.sendDue();
    const all = await store.deliveries.deliveries(id, { limit: 3 });
    expect(all.map(({ state, attempts }) => [state, attempts])).toEqual([['acknowledged', 1], ['acknowledged', 1], ['acknowledged', 1]]); // prettier-ignore
  });

  it('without onError says on standard error that its store fails, and goes on', async () => {
    const written = vi.spyOn(console, 'error').mockReturnValue();
    onTestFinished(() => {
      written.mockRestore();
    });
    const { store } = await live();
    const failure = new Error('the disk is full');
    const failing = Object.assign(store.deliveries, { fanOut: () => Promise.reject(failure) });
    const sender = new WebhookSender({
      store: { deliveries: failing },
      baseUrl: 'https://example.org',
      box: SecretBox.fromHex(SECRETS_KEY),
      pollMs: 5,
    });
    const stop = new AbortController();
    const running = sender.run(stop.signal);
    await until('the second complaint', () => written.mock.calls.length >= 2);
    stop.abort();
    await running;
    expect(written.mock.calls[1]).toEqual([expect.stringContaining('webhook sender'), failure]);
  });
});

// Many endpoints at once: attempts are bounded, none fails because of it, and no account holds up another.
import { describe, expect, it } from 'vitest';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { letPass, until } from '../../until.ts';
import { at } from '../../contracts/store-register.ts';
import { type Deployment, deployment, receiver, SECRETS_KEY } from './sending.ts';

const FOREVER = '2999-01-01T00:00:00Z';

/** Tries that no test outlives, and a stop that does not wait for them. */
const ENDLESS = { now: Date.now, pollMs: 20, timeoutMs: 600_000, leaseMs: 1_200_000, stopGraceMs: 10 };

/** Adds endpoints with addresses below one, without looking any of them up. */
async function addMany({ store }: Deployment, accountId: string, url: string, count: number): Promise<void> {
  const box = SecretBox.fromHex(SECRETS_KEY);
  for (let nth = 0; nth < count; nth++) {
    const id = `ep_${accountId}_${nth}`;
    const secret = box.seal('whsec_x', id);
    await store.deliveries.createEndpoint({ id, accountId, url: `${url}${id}`, feeds: null, types: null, filter: null, createdAt: at(0), secret }); // prettier-ignore
  }
}

describe('a sender with many endpoints', () => {
  it('has a bounded number of attempts under way, and every delivery arrives at its first', async () => {
    const deployed = await deployment();
    const { store, commit, sender } = deployed;
    await store.accounts.updateAccount('acme', { accessUntil: FOREVER });
    let underWay = 0;
    let most = 0;
    const open = Promise.withResolvers<undefined>();
    const hook = await receiver(() => (_request, response) => {
      most = Math.max(most, ++underWay);
      void open.promise.then(() => {
        response.writeHead(204).end();
        underWay--;
      });
    });
    await addMany(deployed, 'acme', hook.url, 300);
    await commit(['a', 'b', 'c', 'd']);
    const stop = new AbortController();
    const running = sender({ ...ENDLESS, stopGraceMs: 5000 }).run(stop.signal);
    await until('as many as may be under way', () => underWay >= 256);
    await letPass(100, 'more would come by now');
    open.resolve(undefined);
    await until('all deliveries', () => hook.received.length >= 1200);
    stop.abort();
    await running;
    const sent = hook.received.map(({ path, headers }) => `${path} ${String(headers['x-register-event'])}`);
    expect([most, sent.length, new Set(sent).size]).toEqual([256, 1200, 1200]);
    for (const { id } of await store.deliveries.endpoints()) {
      const found = await store.deliveries.deliveries(id, { limit: 9 });
      expect(found.map(({ state, attempts }) => `${state} ${attempts}`)).toEqual(Array(4).fill('acknowledged 1'));
    }
  });

  it('serves an account at once, whatever those of another one do', async () => {
    const deployed = await deployment();
    const { store, commit, sender } = deployed;
    await store.accounts.updateAccount('acme', { accessUntil: FOREVER });
    await store.accounts.createAccount({ id: 'other', accessUntil: FOREVER, createdAt: at(0) });
    let givenUp = 0;
    const silent = await receiver(() => (request) => {
      request.socket.once('close', () => givenUp++);
    });
    const good = await receiver();
    await addMany(deployed, 'acme', silent.url, 600);
    await addMany(deployed, 'other', good.url, 1);
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    await commit(keys);
    const stop = new AbortController();
    const running = sender(ENDLESS).run(stop.signal);
    await until('as many as an account may have under way', () => silent.received.length >= 256);
    await commit(keys, { title: 'Second' });
    await until('all events', () => good.received.length >= 24);
    // None of the six hundred has been given up: nobody waited for that.
    expect([good.received.length, silent.received.length, givenUp]).toEqual([24, 256, 0]);
    stop.abort();
    silent.server.closeAllConnections();
    await running;
  });
});

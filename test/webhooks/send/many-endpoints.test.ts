// Many endpoints at once: attempts are bounded, and none fails because of it. hanging-endpoints.ts has those that never answer.
import { describe, expect, it } from 'vitest';
import { SENDING_SLOTS } from '../../../src/webhooks/send/slots.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { until } from '../../until.ts';
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
    // To one that was not tried yet, one at a time.
    await until('one to each', () => underWay >= 300);
    open.resolve(undefined);
    await until('all deliveries', () => hook.received.length >= 1200);
    stop.abort();
    await running;
    const sent = hook.received.map(({ path, headers }) => `${path} ${String(headers['x-register-event'])}`);
    expect([sent.length, new Set(sent).size]).toEqual([1200, 1200]);
    expect(most).toBeLessThanOrEqual(SENDING_SLOTS);
    for (const { id } of await store.deliveries.endpoints()) {
      const found = await store.deliveries.deliveries(id, { limit: 9 });
      expect(found.map(({ state, attempts }) => `${state} ${attempts}`)).toEqual(Array(4).fill('acknowledged 1'));
    }
  });
});

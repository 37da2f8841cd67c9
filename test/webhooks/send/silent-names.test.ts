// Names and connections of a running sender: a name server that never answers holds up nobody, and a connection lives
// no longer than the addresses it was made to.
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Poster } from '../../../src/webhooks/send/attempt.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../../src/webhooks/send/destination.ts';
import type { ResolveHost } from '../../../src/webhooks/send/name-resolver.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { until } from '../../until.ts';
import { at } from '../../contracts/store-register.ts';
import { nameServer } from './name-server.ts';
import { deployment, receiver, SECRETS_KEY } from './sending.ts';

describe('a name server that never answers', () => {
  it('for eight endpoints does not hold up a healthy one: it has all its events before any attempt has ended', async () => {
    const { store, commit, sender } = await deployment();
    const hook = await receiver();
    const { port } = hook.server.address() as AddressInfo;
    const server = await nameServer((name) => {
      return name === 'healthy.test' ? { addresses: ['127.0.0.1'], ttl: 60 } : 'silence';
    });
    const box = SecretBox.fromHex(SECRETS_KEY);
    const silent = Array.from({ length: 8 }, (_, index) => `silent-${index}`);
    for (const name of [...silent, 'healthy']) {
      const id = `ep_${name}`;
      const url = `http://${name}.test:${port}/`;
      const secret = box.seal('whsec_x', id);
      await store.deliveries.createEndpoint({ id, accountId: 'acme', url, feeds: null, types: null, filter: null, createdAt: at(0), secret }); // prettier-ignore
    }
    await commit(Array.from({ length: 12 }, (_, index) => `k${index}`));
    const stop = new AbortController();
    const running = sender({ now: Date.now, pollMs: 20, stopGraceMs: 10, dnsServers: [server.address] }).run(
      stop.signal,
    );
    await until('all events', () => hook.received.length >= 12);
    expect(hook.received).toHaveLength(12);
    for (const name of silent) {
      expect(server.asked).toContain(`${name}.test`);
      const found = await store.deliveries.deliveries(`ep_${name}`, { limit: 20 });
      expect(found.map(({ attempts }) => attempts)).toEqual(Array.from({ length: 12 }, () => 0));
    }
    stop.abort();
    await running;
  });
});

describe('a kept connection', () => {
  /** A receiver, how often it was connected to, and a poster that finds it under a name for so long. */
  async function posting(
    usableMs: number | undefined,
    answer?: Parameters<typeof receiver>[0],
  ): Promise<{
    readonly post: () => Promise<number | null>;
    readonly opened: () => number;
    readonly open: () => number;
  }> {
    const hook = await receiver(answer);
    // It does not end them itself.
    hook.server.keepAliveTimeout = 0;
    let opened = 0;
    let open = 0;
    hook.server.on('connection', (socket) => {
      opened++;
      open++;
      socket.once('close', () => open--);
    });
    const resolve: ResolveHost = (_hostname, _options, callback) => {
      process.nextTick(callback, null, [{ address: '127.0.0.1', family: 4 }], usableMs);
    };
    const poster = new Poster({ rules: DEVELOPMENT_DESTINATIONS, resolve, timeoutMs: 10_000 });
    onTestFinished(() => {
      poster.close();
    });
    const url = `http://hooks.test:${(hook.server.address() as AddressInfo).port}/`;
    return {
      post: async () => (await poster.post(url, {}, Buffer.from('{}'))).status,
      ...{ opened: () => opened, open: () => open },
    };
  }

  it('is used again while its addresses may be used', async () => {
    const { post, opened } = await posting(60_000);
    for (let n = 0; n < 3; n++) expect(await post()).toBe(204);
    expect(opened()).toBe(1);
  });

  it('ends by itself with its addresses', async () => {
    const { post, opened, open } = await posting(200);
    expect(await post()).toBe(204);
    await until('the end of the connection', () => open() === 0);
    expect(await post()).toBe(204);
    expect(opened()).toBe(2);
  });

  it('is not kept when its addresses end during an attempt', async () => {
    const { post, opened } = await posting(1, () => (_request, response) => {
      const timer = setTimeout(() => response.writeHead(204).end(), 20);
      response.once('close', () => {
        clearTimeout(timer);
      });
    });
    expect([await post(), await post()]).toEqual([204, 204]);
    expect(opened()).toBe(2);
  });
});

// Where a sender does not go, whatever was registered: the guard at each send.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { DEVELOPMENT_DESTINATIONS } from '../../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { Endpoints } from '../../../src/operate/endpoints.ts';
import { at } from '../../contracts/store-register.ts';
import { HOSTS, resolver } from './private-hosts.ts';
import { deployment, receiver, SECRETS_KEY } from './sending.ts';

const box = SecretBox.fromHex(SECRETS_KEY);

describe('a sender', () => {
  it('opens no socket to any address that is not public, however it came to be registered', async () => {
    const { store, commit, sender } = await deployment();
    const hook = await receiver();
    const { port } = hook.server.address() as AddressInfo;
    const schemes = { rules: { allowHttp: true } };
    const endpoints = new Endpoints(store, { box: () => box, ...schemes });
    for (const [index, [, host]] of HOSTS.entries()) {
      const url = `http://${host}:${port}/`;
      await expect(endpoints.add({ accountId: 'acme', url })).rejects.toMatchObject({ code: 'destination_refused' });
      // As a database that somebody wrote to might have it.
      const id = `ep_${index}`;
      const secret = box.seal('whsec_x', id);
      await store.deliveries.createEndpoint({ id, accountId: 'acme', url, feeds: null, types: null, filter: null, createdAt: at(0), secret }); // prettier-ignore
    }
    await commit(['a']);
    let sockets = 0;
    const count = (): void => {
      sockets++;
    };
    subscribe('net.client.socket', count);
    try {
      await sender(schemes).sendDue();
    } finally {
      unsubscribe('net.client.socket', count);
    }
    expect(sockets).toBe(0);
    for (const index of HOSTS.keys()) {
      const [delivery] = await store.deliveries.deliveries(`ep_${index}`, { limit: 1 });
      expect(delivery).toMatchObject({ state: 'pending', lastAttempt: { error: 'destination_refused', status: null } });
    }
    expect(hook.received).toEqual([]);
  });

  it.each([
    ['only the inside', ['127.0.0.1']],
    ['the inside after the outside', ['8.8.8.8', '127.0.0.1']],
  ])('connects to nobody when a name that was public resolves to %s at the time of sending', async (_, addresses) => {
    const { store, commit, sender } = await deployment();
    const hook = await receiver();
    let connections = 0;
    hook.server.on('connection', () => connections++);
    const { port } = hook.server.address() as AddressInfo;
    const resolve = resolver(['8.8.8.8'], addresses);
    const rules = { allowHttp: true };
    const endpoints = new Endpoints(store, { box: () => box, rules, resolve });
    const { endpoint } = await endpoints.add({ accountId: 'acme', url: `http://hooks.example.org:${port}/` });
    await commit(['a']);
    await sender({ rules, resolve }).sendDue();
    const [delivery] = await store.deliveries.deliveries(endpoint.id, { limit: 1 });
    expect(delivery).toMatchObject({ state: 'pending', lastAttempt: { error: 'destination_refused' } });
    expect([connections, hook.received]).toEqual([0, []]);
  });

  it('sends nothing to what was denied after it was registered', async () => {
    const { store, commit, sender, add } = await deployment();
    const hook = await receiver();
    const { id } = await add(hook.url);
    await commit(['a']);
    await sender({ rules: { ...DEVELOPMENT_DESTINATIONS, denyNetworks: ['127.0.0.1/32'] } }).sendDue();
    const [delivery] = await store.deliveries.deliveries(id, { limit: 1 });
    expect(delivery).toMatchObject({ state: 'pending', lastAttempt: { error: 'destination_refused' } });
    expect(hook.received).toEqual([]);
  });
});

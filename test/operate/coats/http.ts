// The routes `/account` as a coat: a program with a key that may do everything.
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { createGazette } from '../../../src/service/create-gazette.ts';
import { Accounts } from '../../../src/operate/accounts.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import {
  type AccountCoat,
  type CoatKind,
  type EndpointWish,
  type KeyWish,
  OWN_KEY,
  refused,
} from '../../contracts/account-coat.ts';
import { SECRETS_KEY } from '../../contracts/full-store.ts';
import { type Ask, askerOf } from '../../http/account/service.ts';

/** The routes for programs. */
export const HTTP: CoatKind = {
  name: '/account over HTTP',
  // What is wrong with a body has a code of its own, and names its member.
  codes: {
    ...{ invalid_option: 'invalid_body', unknown_feed: 'invalid_body', unknown_key: 'unknown_key_id' },
  },
  saysRule: false,
  isOperators: false,
  open: async () => {
    const store = SqliteStore.open(':memory:');
    const service = createGazette({
      ...{ store, limits: null, logger: { info: () => undefined, error: () => undefined } },
      endpoints: { box: () => SecretBox.fromHex(SECRETS_KEY) },
    });
    const accounts = new Accounts(store, { product: 'gazette' });
    return {
      store,
      coatOf: async (accountId) => {
        const { key } = await accounts.createKey(accountId, { name: OWN_KEY, scopes: ['read', 'account'] });
        return coatOf(askerOf(service, key));
      },
      dispose: async () => {
        await service.close();
        await store.close();
      },
    };
  },
};

function coatOf(ask: Ask): AccountCoat {
  const send = async (method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
    const answer = await ask(method, `/account${path}`, body);
    if (answer.status < 300) return answer.body;
    throw refused(String(answer.body.code), String(answer.body.detail));
  };
  const ids = async (path: string, member: string): Promise<readonly string[]> =>
    ((await send('GET', path))[member] as readonly { readonly id: string; readonly name?: string }[])
      .filter(({ name }) => name !== OWN_KEY)
      .map(({ id }) => id);
  const grace = (hours: number | undefined): object => (hours === undefined ? {} : { grace_hours: hours });
  return {
    createKey: async (wish, expires) =>
      (await send('POST', '/keys', { ...grants(wish), ...(expires === undefined ? {} : { expires_at: expires }) }))
        .key as string,
    updateKey: (id, wish) => send('PATCH', `/keys/${id}`, grants(wish)),
    rotateKey: async (id, hours) => (await send('POST', `/keys/${id}/rotate`, grace(hours))).key as string,
    revokeKey: (id) => send('DELETE', `/keys/${id}`),
    keyIds: () => ids('/keys', 'keys'),
    addEndpoint: async (wish) => (await send('POST', '/endpoints', subscription(wish))).secret as string,
    updateEndpoint: (id, wish) => send('PATCH', `/endpoints/${id}`, subscription(wish)),
    setEnabled: (id, enabled) => send('PATCH', `/endpoints/${id}`, { enabled }),
    removeEndpoint: (id) => send('DELETE', `/endpoints/${id}`),
    testEndpoint: (id) => send('POST', `/endpoints/${id}/test`),
    prepareSecret: async (id) => (await send('POST', `/endpoints/${id}/rotate-secret`)).secret as string,
    activateSecret: (id, hours) => send('POST', `/endpoints/${id}/activate-secret`, grace(hours)),
    endpointIds: () => ids('/endpoints', 'endpoints'),
    deliveryIds: (endpointId) => ids(`/deliveries?endpoint=${endpointId}`, 'deliveries'),
    statuses: async (id) =>
      ((await send('GET', `/deliveries/${id}`)).all_attempts as { status: number }[]).map(({ status }) => status),
    replayDelivery: (id) => send('POST', `/deliveries/${id}/replay`),
    replayMissed: (id, since) => send('POST', `/endpoints/${id}/replay`, since === undefined ? {} : { since }),
  };
}

function grants({ perDay, ...rest }: KeyWish): object {
  return { ...rest, ...(perDay === undefined ? {} : { per_day: perDay }) };
}

function subscription({ types, isStandard, ...rest }: EndpointWish): object {
  return {
    ...rest,
    ...(types === undefined ? {} : { events: types }),
    ...(isStandard === undefined ? {} : { standard_webhooks: isStandard }),
  };
}

// The rules of operate/ called directly, with which every coat is compared.
import { isGazetteError } from '../../../src/errors.ts';
import { Accounts } from '../../../src/operate/accounts.ts';
import { Endpoints, type EndpointUpdate } from '../../../src/operate/endpoints.ts';
import { OwnAccount } from '../../../src/operate/own-account.ts';
import type { KeyChange, KeyScope } from '../../../src/stores/contract/accounts.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { parseRate } from '../../../src/web/rate-limit.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { type AccountCoat, type CoatKind, type KeyWish, refused } from '../../contracts/account-coat.ts';
import { SECRETS_KEY } from '../../contracts/full-store.ts';

const HOUR_MS = 3_600_000;

/** The rules themselves. */
export const RULES: CoatKind = {
  name: 'the rules',
  codes: {},
  saysRule: true,
  isOperators: false,
  open: async () => {
    const store = SqliteStore.open(':memory:');
    const accounts = new Accounts(store, { product: 'gazette' });
    const endpoints = new Endpoints(store, { box: () => SecretBox.fromHex(SECRETS_KEY) });
    return {
      store,
      coatOf: async (accountId) => coatOf(new OwnAccount({ accounts, endpoints, accountId })),
      dispose: () => store.close(),
    };
  },
};

function coatOf(own: OwnAccount): AccountCoat {
  const coat: AccountCoat = {
    createKey: async (wish, expires) =>
      (await own.createKey({ ...changeOf(wish), ...(expires === undefined ? {} : { expiresAt: expires }) })).key,
    updateKey: (id, wish) => own.updateKey(id, changeOf(wish)),
    rotateKey: async (id, hours) =>
      (await own.rotateKey(id, hours === undefined ? {} : { graceMs: hours * HOUR_MS })).key,
    revokeKey: (id) => own.revokeKey(id),
    keyIds: async () => (await own.keys()).map(({ id }) => id),
    addEndpoint: async (wish) => (await own.addEndpoint(wish)).secret,
    updateEndpoint: (id, wish: EndpointUpdate) => own.updateEndpoint(id, wish),
    setEnabled: (id, isEnabled) => own.setEnabled(id, isEnabled),
    removeEndpoint: (id) => own.removeEndpoint(id),
    testEndpoint: (id) => own.testEndpoint(id),
    prepareSecret: async (id) => (await own.prepareSecret(id)).secret,
    activateSecret: (id, hours) => own.activateSecret(id, { graceMs: hours * HOUR_MS }),
    endpointIds: async () => (await own.endpoints()).map(({ id }) => id),
    deliveryIds: async (endpointId) => (await own.deliveries({ endpointId, limit: 50 })).map(({ id }) => id),
    statuses: async (id) => (await own.delivery(id)).attempts.map(({ status }) => status!),
    replayDelivery: (id) => own.replayDelivery(id),
    replayMissed: (id, since) => own.replayEndpoint(id, since === undefined ? {} : { since }),
  };
  const refusing = Object.entries(coat).map(([name, act]) => [
    name,
    async (...given: never[]) => {
      try {
        return await (act as (...given: never[]) => unknown)(...given);
      } catch (error) {
        throw isGazetteError(error) ? refused(error.code, error.message) : error;
      }
    },
  ]);
  return Object.fromEntries(refusing) as AccountCoat;
}

function changeOf({ scopes, limit, budget, perDay, ...rest }: KeyWish): KeyChange {
  const amounts = { ...(budget == null ? {} : { budget }), ...(perDay === undefined ? {} : { perDay }) };
  return {
    ...rest,
    ...(budget === null && perDay === undefined
      ? { budget: null }
      : Object.keys(amounts).length === 0
        ? {}
        : { budget: amounts }),
    ...(scopes === undefined ? {} : { scopes: scopes as readonly KeyScope[] }),
    ...(limit === undefined ? {} : { limit: limit === null ? null : parseRate('limit', limit) }),
  };
}

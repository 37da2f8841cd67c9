// What is done with an account through every coat, and what is refused.
import { expect } from 'vitest';
import { isApiKey } from '../../src/access/api-key.ts';
import type { ErrorCode } from '../../src/errors.ts';
import {
  type AccountCoat,
  type EndpointWish,
  type KeyWish,
  type Scenario,
  type State,
  URL_OF_MINE,
} from './account-coat.ts';

/** A scenario, and what it leaves of the state: the rest is as the rules leave it. */
export const CHANGES: Readonly<Record<string, readonly [act: Scenario, leaves: Partial<State>]>> = {
  'a key as it is by default': [
    async ({ coat, key }) => {
      expect(isApiKey(await coat.createKey({}))).toBe(true);
      expect(await coat.keyIds()).toContain((await key()).id);
    },
    { keys: [{ name: null, scopes: ['read'], feeds: null, limit: null, expires_at: null, state: 'active' }] },
  ],
  'a key with a name, a limit, registers, scopes and an end': [
    async ({ coat }) => {
      const wish = { name: 'Büro <b>', scopes: ['read', 'webhooks'], feeds: ['laws'], limit: '60/1' };
      await coat.createKey(wish, '2098-12-31');
    },
    {
      keys: [
        {
          ...{ name: 'Büro <b>', scopes: ['read', 'webhooks'], feeds: ['laws'], limit: '60/1' },
          expires_at: '2098-12-31T23:59:59.999Z',
        },
      ],
    },
  ],
  'a key with the longest name and the largest limit': [
    ({ coat }) => coat.createKey({ name: 'x'.repeat(100), limit: '1000000/86400' }),
    { keys: [{ name: 'x'.repeat(100), limit: '1000000/86400' }] },
  ],
  'a key renamed and limited, and then no more': [
    async ({ coat, key }) => {
      await coat.createKey({ name: 'first', feeds: ['laws', 'permits'] });
      const { id } = await key();
      await coat.updateKey(id, { name: 'second', limit: '5/60', scopes: ['account', 'read'] });
      expect(await key()).toMatchObject({ name: 'second', limit: { limit: 5, windowSeconds: 60 } });
      expect(await key()).toMatchObject({ feeds: ['laws', 'permits'], scopes: ['read', 'account'] });
      await coat.updateKey(id, { name: null, limit: null, feeds: null });
    },
    { keys: [{ name: null, limit: null, feeds: null, scopes: ['read', 'account'] }] },
  ],
  'a key that may spend, more of it and on each day, and then nothing': [
    async ({ coat, key, credit, spend }) => {
      await credit(5000);
      await coat.createKey({ name: 'agent', budget: 1000 });
      const { id } = await key();
      expect((await key()).budget).toMatchObject({ budget: 1000, perDay: null });
      await coat.updateKey(id, { budget: 1205, perDay: 50 });
      expect((await key()).budget).toMatchObject({ budget: 1205, perDay: 50 });
      await coat.updateKey(id, { perDay: null });
      await spend(205);
      await coat.updateKey(id, { budget: 205, perDay: 300 });
      await coat.createKey({ name: 'idle', budget: 1, perDay: 1 });
      await coat.updateKey((await key()).id, { budget: null });
    },
    {
      keys: [{ name: 'idle' }, { name: 'agent', budget: { amount: 205, per_day: 300, spent: 205, spent_on_day: 205 } }],
    },
  ],
  'a key replaced at once, and its successor after an hour': [
    async ({ coat, key }) => {
      await coat.createKey({ name: 'kept', scopes: ['webhooks'], limit: '9/1' }, '2090-01-01');
      await coat.rotateKey((await key()).id, 0);
      await coat.rotateKey((await key()).id, 1);
    },
    {
      keys: [
        { name: 'kept', scopes: ['webhooks'], limit: '9/1', expires_at: '2090-01-01T23:59:59.999Z', ends_at: null },
        { name: 'kept', state: 'rotated', ends_at: 'in 1 h' },
        { name: 'kept', state: 'ended', ends_at: 'now' },
      ],
    },
  ],
  'a key replaced with the grace that there is by default': [
    async ({ coat, key }) => {
      await coat.createKey({});
      await coat.rotateKey((await key()).id);
    },
    { keys: [{ ends_at: null }, { ends_at: 'in 24 h' }] },
  ],
  'a key revoked, and revoked again': [
    async ({ coat, key }) => {
      await coat.createKey({ name: 'kept' });
      await coat.createKey({ name: 'gone' });
      const { id } = await key();
      await coat.revokeKey(id);
      await coat.revokeKey(id);
    },
    {
      keys: [
        { name: 'gone', state: 'revoked', revoked_at: 'now' },
        { name: 'kept', state: 'active' },
      ],
    },
  ],
  'an endpoint that hears everything': [
    async ({ coat, endpoint }) => {
      expect(await coat.addEndpoint({ url: URL_OF_MINE })).toMatch(/^whsec_/);
      expect(await coat.endpointIds()).toEqual([await endpoint()]);
    },
    { endpoints: [{ url: URL_OF_MINE, feeds: null, events: null, filters: null, standard_webhooks: false }] },
  ],
  'an endpoint that hears some, changed to hear others, and to hear everything': [
    async ({ coat, endpoint, state }) => {
      const filters = { document_type: ['a=b', 'adopted'] };
      const types = ['record.published'];
      await coat.addEndpoint({ url: URL_OF_MINE, feeds: ['laws'], types, filters, isStandard: true });
      const some = { feeds: ['laws'], events: types, filters, standard_webhooks: true };
      expect((await state()).endpoints).toMatchObject([some]);
      const id = await endpoint();
      await coat.updateEndpoint(id, { url: 'https://8.8.4.4/', filters: { facility_id: ['7'] } });
      const moved = { ...some, url: 'https://8.8.4.4/', filters: { facility_id: ['7'] } };
      expect((await state()).endpoints).toMatchObject([moved]);
      await coat.updateEndpoint(id, { feeds: [], types: [], filters: {}, isStandard: false });
    },
    { endpoints: [{ url: 'https://8.8.4.4/', feeds: null, events: null, filters: null, standard_webhooks: false }] },
  ],
  'an endpoint disabled': [
    async ({ coat, endpoint }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      await coat.setEnabled(await endpoint(), false);
    },
    { endpoints: [{ disabled_at: 'now', disabled_reason: 'operator' }] },
  ],
  'an endpoint disabled and enabled': [
    async ({ coat, endpoint }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      await coat.setEnabled(await endpoint(), false);
      await coat.setEnabled(await endpoint(), true);
    },
    { endpoints: [{ disabled_at: null, disabled_reason: null }] },
  ],
  'an endpoint removed with its deliveries': [
    async ({ coat, endpoint }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      await coat.testEndpoint(await endpoint());
      await coat.removeEndpoint(await endpoint());
    },
    { endpoints: [], deliveries: [] },
  ],
  'a secret prepared twice': [
    async ({ coat, endpoint }) => {
      const first = await coat.addEndpoint({ url: URL_OF_MINE });
      const id = await endpoint();
      expect(new Set([first, await coat.prepareSecret(id), await coat.prepareSecret(id)]).size).toBe(3);
    },
    { endpoints: [{ next_secret_prepared: true, previous_secret_until: null }] },
  ],
  'a secret activated, with both for two hours': [
    async ({ coat, endpoint }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      await coat.prepareSecret(await endpoint());
      await coat.activateSecret(await endpoint(), 2);
    },
    { endpoints: [{ next_secret_prepared: false, previous_secret_until: 'in 2 h' }] },
  ],
  'a test that failed, and every attempt of it': [
    async ({ coat, endpoint, delivery, settle }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      await coat.testEndpoint(await endpoint());
      await settle('failed');
      expect(await coat.deliveryIds(await endpoint())).toEqual([await delivery()]);
      expect(await coat.statuses(await delivery())).toEqual([500]);
    },
    { deliveries: [{ type: 'endpoint.test', state: 'failed', attempts: 1 }] },
  ],
  'one delivery sent again': [
    async ({ coat, endpoint, delivery, settle }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      for (let count = 0; count < 2; count++) await coat.testEndpoint(await endpoint());
      await settle('failed');
      await coat.replayDelivery(await delivery());
    },
    { deliveries: [{ state: 'pending' }, { state: 'failed' }] },
  ],
  'all that failed sent again, since a day, and at all': [
    async ({ coat, endpoint, settle, state }) => {
      await coat.addEndpoint({ url: URL_OF_MINE });
      for (const as of ['acknowledged', 'failed', 'failed'] as const) {
        await coat.testEndpoint(await endpoint());
        await settle(as);
      }
      await coat.replayMissed(await endpoint(), '2098-01-01');
      const before = [{ state: 'failed' }, { state: 'failed' }, { state: 'acknowledged' }];
      expect((await state()).deliveries).toMatchObject(before);
      await coat.replayMissed(await endpoint());
    },
    { deliveries: [{ state: 'pending' }, { state: 'pending' }, { state: 'acknowledged' }] },
  ],
};

/** What is refused of a budget. */
const BUDGET_REFUSALS: readonly (readonly [what: string, wish: KeyWish])[] = [
  ['a budget of nothing', { budget: 0 }],
  ['nothing on a day', { budget: 500, perDay: 0 }],
  ['a day without a budget', { perDay: 5 }],
];

/** What is refused of a key that is made or changed, and of an endpoint. */
const KEY_REFUSALS: readonly (readonly [what: string, code: ErrorCode, wish: KeyWish])[] = [
  ['a name of 101 characters', 'invalid_option', { name: 'x'.repeat(101) }],
  ['a name on two lines', 'invalid_option', { name: 'a\u2028b' }],
  ['a register that does not exist', 'unknown_feed', { feeds: ['permits', 'x'] }],
  ['a scope that does not exist', 'invalid_option', { scopes: ['read', 'write'] }],
  ['a limit of nothing', 'invalid_option', { limit: '0/60' }],
  ['a limit of too much', 'invalid_option', { limit: '1000001/60' }],
  ['a limit for longer than a day', 'invalid_option', { limit: '1/86401' }],
];
const ENDPOINT_REFUSALS: readonly (readonly [what: string, code: ErrorCode, wish: EndpointWish])[] = [
  ['an address of 2,001 characters', 'invalid_option', { url: URL_OF_MINE + '/'.repeat(2001 - URL_OF_MINE.length) }],
  ['an address in the machine itself', 'destination_refused', { url: 'https://127.0.0.1/' }],
  ['an address without https', 'destination_refused', { url: 'http://8.8.8.8/' }],
  ['an address that is none', 'destination_refused', { url: 'hook' }],
  ['a register that does not exist', 'unknown_feed', { feeds: ['x'] }],
  ['a type that does not exist', 'invalid_option', { types: ['record.renamed'] }],
  ['a filter that does not exist', 'invalid_option', { filters: { colour: ['red'] } }],
  ['a filter of a value that is too long', 'invalid_option', { filters: { document_type: ['x'.repeat(1001)] } }],
  ['a filter of a day that does not exist', 'invalid_option', { filters: { published_since: ['2026-02-30'] } }],
];

/** What is refused, and by which code of the rules. */
type Refusal = readonly [what: string, code: ErrorCode, act: Scenario];

/** What an account that has one of each refuses. */
export const REFUSALS: readonly Refusal[] = [
  ...KEY_REFUSALS.flatMap(([what, code, wish]): readonly Refusal[] => [
    [`a new key with ${what}`, code, async ({ coat }) => coat.createKey(wish)],
    [`a key changed to ${what}`, code, async ({ coat, key }) => coat.updateKey((await key()).id, wish)],
  ]),
  ...BUDGET_REFUSALS.flatMap(([what, wish]): readonly Refusal[] => [
    [
      `a new key with ${what}`,
      'invalid_option',
      async ({ coat, credit }) => credit(5000).then(() => coat.createKey(wish)),
    ],
    [
      `a key changed to ${what}`,
      'invalid_option',
      async ({ coat, key, credit }) => credit(5000).then(async () => coat.updateKey((await key()).id, wish)),
    ],
  ]),
  [
    'a budget below what was spent of it',
    'invalid_option',
    async ({ coat, key, credit, spend }) => {
      await credit(5000);
      await spend(7);
      await coat.updateKey((await key()).id, { budget: 6 });
    },
  ],
  ['a new key that has expired', 'invalid_option', async ({ coat }) => coat.createKey({}, '2020-01-01')],
  ['a new key until no time', 'invalid_option', ({ coat }) => coat.createKey({}, '2098-02-30')],
  ['a grace of more than a year', 'invalid_option', async ({ coat, key }) => coat.rotateKey((await key()).id, 8785)],
  ...ENDPOINT_REFUSALS.flatMap(([what, code, wish]): readonly Refusal[] => [
    [`a new endpoint with ${what}`, code, ({ coat }) => coat.addEndpoint({ url: URL_OF_MINE, ...wish })],
    [`an endpoint changed to ${what}`, code, async ({ coat, endpoint }) => coat.updateEndpoint(await endpoint(), wish)],
  ]),
  [
    'a secret that was not prepared',
    'no_next_secret',
    async ({ coat, endpoint }) => coat.activateSecret(await endpoint(), 0),
  ],
  [
    'both secrets for more than a year',
    'invalid_option',
    async ({ coat, endpoint }) => coat.activateSecret(await endpoint(), 8785),
  ],
  [
    'deliveries since no day',
    'invalid_option',
    async ({ coat, endpoint }) => coat.replayMissed(await endpoint(), '2026-02-30'),
  ],
];

/** What is done with an id, of each kind. */
export const NAMING: readonly (readonly [
  kind: 'key' | 'endpoint' | 'delivery',
  what: string,
  act: (coat: AccountCoat, id: string) => Promise<unknown>,
])[] = [
  ['key', 'change', (coat, id) => coat.updateKey(id, { name: 'x' })],
  ['key', 'replace', (coat, id) => coat.rotateKey(id, 0)],
  ['key', 'revoke', (coat, id) => coat.revokeKey(id)],
  ['endpoint', 'change', (coat, id) => coat.updateEndpoint(id, { url: 'https://8.8.4.4/' })],
  ['endpoint', 'disable', (coat, id) => coat.setEnabled(id, false)],
  ['endpoint', 'enable', (coat, id) => coat.setEnabled(id, true)],
  ['endpoint', 'test', (coat, id) => coat.testEndpoint(id)],
  ['endpoint', 'prepare a secret of', (coat, id) => coat.prepareSecret(id)],
  ['endpoint', 'activate a secret of', (coat, id) => coat.activateSecret(id, 0)],
  ['endpoint', 'see the deliveries to', (coat, id) => coat.deliveryIds(id)],
  ['endpoint', 'send again what failed to', (coat, id) => coat.replayMissed(id)],
  ['endpoint', 'remove', (coat, id) => coat.removeEndpoint(id)],
  ['delivery', 'see the attempts of', (coat, id) => coat.statuses(id)],
  ['delivery', 'send again', (coat, id) => coat.replayDelivery(id)],
];

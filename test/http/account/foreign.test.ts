// Every route of the account, asked by the programs of two accounts with every set of scopes: what is another account's is
// refused as what does not exist, and nothing of it changes.
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { KeyScope } from '../../../src/stores/contract/accounts.ts';
import { tries } from '../../effort.ts';
import { type AccountService, accountService, type Ask } from './service.ts';

const SCOPES: readonly (readonly KeyScope[])[] = [
  ...[['read'], ['webhooks'], ['account'], ['read', 'webhooks'], ['read', 'account']],
  ...[
    ['webhooks', 'account'],
    ['read', 'webhooks', 'account'],
  ],
] as KeyScope[][];

const ABSENT = { key: 'key_000000000000', endpoint: `ep_${'0'.repeat(18)}`, delivery: 'dlv_999999' };

/** Every route with an id in its path, and the body that would change something. */
const ROUTES = [
  ['PATCH', 'key', '/account/keys/{}', { name: 'taken over' }],
  ['DELETE', 'key', '/account/keys/{}', undefined],
  ['POST', 'key', '/account/keys/{}/rotate', { grace_hours: 0 }],
  ['GET', 'endpoint', '/account/endpoints/{}', undefined],
  ['PATCH', 'endpoint', '/account/endpoints/{}', { url: 'https://8.8.4.4/', enabled: false }],
  ['DELETE', 'endpoint', '/account/endpoints/{}', undefined],
  ['POST', 'endpoint', '/account/endpoints/{}/test', {}],
  ['POST', 'endpoint', '/account/endpoints/{}/rotate-secret', {}],
  ['POST', 'endpoint', '/account/endpoints/{}/activate-secret', {}],
  ['POST', 'endpoint', '/account/endpoints/{}/replay', { failed: false }],
  ['GET', 'endpoint', '/account/deliveries?endpoint={}', undefined],
  ['GET', 'delivery', '/account/deliveries/{}', undefined],
  ['POST', 'delivery', '/account/deliveries/{}/replay', {}],
] as const;

/** Those without. */
const LISTS = ['/account', '/account/keys', '/account/endpoints', '/account/deliveries'];

const ACCOUNTS = ['acme', 'other'] as const;

let service: AccountService;
let owners: Readonly<Record<string, Ask>>;
let ids: Readonly<Record<string, typeof ABSENT>>;
/** By account and scopes. */
let askers: Readonly<Record<string, Ask>>;

beforeAll(async () => {
  service = await accountService();
  const all = ACCOUNTS.flatMap((account) => SCOPES.map((scopes) => [account, scopes] as const));
  askers = Object.fromEntries(
    await Promise.all(
      all.map(
        async ([account, scopes]) =>
          [`${account} ${scopes.join(' ')}`, await service.asker({ scopes }, account)] as const,
      ),
    ),
  );
  owners = Object.fromEntries(ACCOUNTS.map((account) => [account, askers[`${account} webhooks account`]!]));
  ids = Object.fromEntries(
    await Promise.all(
      ACCOUNTS.map(async (account) => {
        const own = owners[account]!;
        const key = (await own('POST', '/account/keys', { scopes: ['account'] })).body.id as string;
        const endpoint = (await own('POST', '/account/endpoints', { url: 'https://8.8.8.8/' })).body.id as string;
        const delivery = (await own('POST', `/account/endpoints/${endpoint}/test`)).body.id as string;
        return [account, { key, endpoint, delivery }] as const;
      }),
    ),
  );
});

async function everythingOf(account: string): Promise<readonly string[]> {
  const bodies = await Promise.all(LISTS.map(async (path) => (await owners[account]!('GET', path)).text));
  // When keys were used, and how often, is recorded late.
  return bodies.map((text) => text.replaceAll(/"(?:last_used_at|requests)":[^,}]*/g, ''));
}

const asked = fc.record({
  by: fc.constantFrom(...ACCOUNTS),
  scopes: fc.constantFrom(...SCOPES),
  route: fc.constantFrom(...ROUTES),
  name: fc.option(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 12 })),
});

it('is refused as what does not exist, on every route, to every account, with all scopes', async () => {
  const before = await Promise.all(ACCOUNTS.map(everythingOf));
  await fc.assert(
    fc.asyncProperty(asked, async ({ by, scopes, route: [method, what, path, body], name }) => {
      const ask = askers[`${by} ${scopes.join(' ')}`]!;
      const headers: Record<string, string> = name === null ? {} : { 'idempotency-key': name };
      const [foreign, absent] = [ids[by === 'acme' ? 'other' : 'acme']![what], ABSENT[what]];
      const answers = [];
      for (const id of [foreign, absent]) {
        const { status, body: said } = await ask(method, path.replace('{}', id), body, headers);
        const text = JSON.stringify({ ...said, request_id: '' }).replaceAll(id, 'ID');
        answers.push([status, text] as const);
      }
      expect(answers[0]).toEqual(answers[1]);
      const needed = what === 'key' ? 'account' : 'webhooks';
      const isAllowed = scopes.includes(needed) || scopes.includes('account');
      expect(answers[0]![0]).toBe(isAllowed ? 404 : 403);
    }),
    { numRuns: tries(30, 3000) },
  );
  expect(await Promise.all(ACCOUNTS.map(everythingOf))).toEqual(before);
});

it('is in no list', async () => {
  for (const account of ACCOUNTS) {
    const text = (await everythingOf(account)).join('');
    for (const [other, its] of Object.entries(ids)) {
      for (const id of Object.values(its)) expect([id, text.includes(`"${id}"`)]).toEqual([id, other === account]);
    }
  }
});

// The account's routes: what a program can do with its account, what it is refused, and how.
import { beforeAll, describe, expect, it } from 'vitest';
import { at } from '../../contracts/store-register.ts';
import { SAMPLES, world } from '../../world.ts';
import { type AccountService, accountService, type Ask, askerOf } from './service.ts';

const HOOK = 'https://8.8.8.8/hook';

let service: AccountService;
let ask: Ask;

beforeAll(async () => {
  service = await accountService();
  ask = await service.asker();
});

describe('a program with the scope account', () => {
  it('sees until when access runs, and what was used', async () => {
    const { status, headers, body } = await ask('GET', '/account');
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([200, 'private, no-store', null]);
    expect(body).toMatchObject({ id: 'acme', state: 'active', access_until: '2999-01-01T00:00:00.000Z', requests: 0 });
    const head = await ask('HEAD', '/account');
    expect([head.status, head.text]).toEqual([200, '']);
  });

  it('makes a key, which is shown once, names it, limits it, rotates it and revokes it', async () => {
    const made = await ask('POST', '/account/keys', { name: 'Website', limit: '60/60', expires_at: '2027-01-31' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...{ key: expect.stringMatching(/^gz_/) as string, name: 'Website', scopes: ['read'], limit: '60/60' },
      ...{ state: 'active', expires_at: '2027-01-31T23:59:59.999Z', feeds: null },
    });
    const id = made.body.id as string;
    const changed = await ask('PATCH', `/account/keys/${id}`, { name: null, limit: null, feeds: ['permits'] });
    expect(changed.body).toMatchObject({ id, name: null, limit: null, feeds: ['permits'] });
    const rotated = await ask('POST', `/account/keys/${id}/rotate`, { grace_hours: 0 });
    expect(rotated).toMatchObject({ status: 201, body: { replaces: id, feeds: ['permits'], state: 'active' } });
    const revoked = await ask('DELETE', `/account/keys/${rotated.body.id as string}`);
    expect(revoked).toMatchObject({ status: 200, body: { state: 'revoked' } });
    const { keys } = (await ask('GET', '/account/keys')).body as { readonly keys: readonly object[] };
    expect(keys[0]).toMatchObject({ state: 'revoked' });
    expect(keys[1]).toMatchObject({ id, state: 'ended' });
    expect(JSON.stringify(keys)).not.toMatch(/gz_/);
  });

  it('handles endpoints and deliveries', async () => {
    const added = await ask('POST', '/account/endpoints', { url: HOOK, filters: { document_type: ['adopted'] } });
    expect(added).toMatchObject({
      ...{ status: 201, body: { secret: expect.stringMatching(/^whsec_/) as string, events: null } },
    });
    const id = added.body.id as string;
    const path = `/account/endpoints/${id}`;
    expect(
      (await ask('PATCH', path, { events: ['record.updated'], filters: null, enabled: false })).body,
    ).toMatchObject({ events: ['record.updated'], filters: null, disabled_reason: 'operator' });
    expect((await ask('PATCH', path, { enabled: true })).body).toMatchObject({ disabled_at: null });
    expect((await ask('GET', path)).body).toMatchObject({ id, url: HOOK });
    expect(await ask('POST', `${path}/activate-secret`)).toMatchObject({
      status: 409,
      body: { code: 'no_next_secret' },
    });
    expect((await ask('POST', `${path}/rotate-secret`)).body).toMatchObject({ next_secret_prepared: true });
    expect((await ask('POST', `${path}/activate-secret`, { grace_hours: 1 })).body).toMatchObject({
      previous_secret_until: at(120),
    });
    const test = await ask('POST', `${path}/test`, { event: 'record.updated' });
    expect(test).toMatchObject({ status: 201, body: { type: 'record.updated', state: 'pending', last_attempt: null } });
    const one = test.body.id as string;
    expect((await ask('GET', `/account/deliveries?endpoint=${id}&limit=1`)).body).toMatchObject({
      deliveries: [{ id: one }],
    });
    expect((await ask('GET', `/account/deliveries?before=${one}`)).body).toEqual({ deliveries: [] });
    expect((await ask('GET', `/account/deliveries/${one}`)).body).toMatchObject({ id: one, all_attempts: [] });
    expect((await ask('POST', `/account/deliveries/${one}/replay`)).body).toEqual({ replayed: 1 });
    expect((await ask('POST', `${path}/replay`)).body).toEqual({ replayed: 0 });
    expect((await ask('POST', `${path}/replay`, { failed: false, since: '2026-05-01' })).body).toEqual({ replayed: 1 });
    expect((await ask('DELETE', path)).body).toMatchObject({ id });
    expect((await ask('GET', path)).body).toMatchObject({ code: 'unknown_endpoint', status: 404 });
  });

  it('gives no key more than its own has', async () => {
    const small = await service.asker({ scopes: ['account'], feeds: ['permits'] });
    for (const more of [{ scopes: ['read'] }, { feeds: null }, { feeds: [] }]) {
      expect(await small('POST', '/account/keys', { scopes: ['account'], ...more })).toMatchObject({
        ...{ status: 403, body: { code: 'insufficient_scope' } },
      });
    }
    expect((await small('POST', '/account/keys', { scopes: ['webhooks'] })).body).toMatchObject({ feeds: ['permits'] });
  });
});

it.each([
  ['GET', '/account', 'account'],
  ['POST', '/account/keys', 'account'],
  ['PATCH', '/account/keys/key_x', 'account'],
  ['DELETE', '/account/keys/key_x', 'account'],
  ['POST', '/account/keys/key_x/rotate', 'account'],
  ['GET', '/account/endpoints', 'webhooks'],
  ['POST', '/account/endpoints/ep_x/test', 'webhooks'],
  ['GET', '/account/deliveries', 'webhooks'],
  ['POST', '/account/deliveries/dlv_1/replay', 'webhooks'],
] as const)('%s %s needs the scope %s, and a key', async (method, path, scope) => {
  for (const scopes of [['read'], ['read', 'webhooks'], ['webhooks'], ['account']] as const) {
    const { status, body } = await (
      await service.asker({ scopes })
    )(method, path, method === 'GET' ? undefined : { scopes: ['webhooks'] });
    const isAllowed = (scopes as readonly string[]).some((one) => one === scope || one === 'account');
    expect([scopes, status === 403 ? body.code : 'allowed']).toEqual([
      scopes,
      isAllowed ? 'allowed' : 'insufficient_scope',
    ]);
  }
  expect((await service.get(path, { headers: { cookie: 'gazette=x' }, method })).status).toBe(401);
});

it.each([
  ['POST', '/account/keys', '{', 'invalid_body', undefined],
  ['POST', '/account/keys', '[]', 'invalid_body', undefined],
  ['POST', '/account/keys', { nam: 'x' }, 'invalid_body', undefined],
  ['POST', '/account/keys', { name: '' }, 'invalid_body', 'name'],
  ['POST', '/account/keys', { scopes: ['write'] }, 'invalid_body', 'scopes.0'],
  ['POST', '/account/keys', { feeds: ['x'] }, 'invalid_body', 'feeds'],
  ['POST', '/account/keys', { limit: '0/60' }, 'invalid_body', undefined],
  ['POST', '/account/keys', { limit: 'x' }, 'invalid_body', 'limit'],
  ['POST', '/account/keys', { expires_at: 'soon' }, 'invalid_body', 'expires_at'],
  ['POST', '/account/keys?x=1', {}, 'unknown_parameter', 'x'],
  ['PATCH', '/account/keys/key_x', {}, 'unknown_key_id', undefined],
  ['POST', '/account/keys/key_000000000000/rotate', { grace_hours: -1 }, 'invalid_body', 'grace_hours'],
  ['POST', '/account/endpoints', {}, 'invalid_body', 'url'],
  ['POST', '/account/endpoints', { url: 'https://127.0.0.1/' }, 'destination_refused', undefined],
  ['POST', '/account/endpoints', { url: HOOK, filters: { nothing: ['x'] } }, 'invalid_body', 'filter'],
  ['POST', '/account/endpoints/ep_x/replay', { since: 'soon' }, 'unknown_endpoint', undefined],
  ['GET', '/account/deliveries?limit=0', undefined, 'invalid_parameter', 'limit'],
  ['GET', '/account/deliveries?before=x', undefined, 'invalid_parameter', 'before'],
  ['GET', '/account/deliveries?endpoint=x&endpoint=y', undefined, 'invalid_parameter', 'endpoint'],
  ['GET', '/account/deliveries?data.x=1', undefined, 'unknown_parameter', 'data.x'],
  ['PUT', '/account', {}, 'method_not_allowed', undefined],
] as const)('%s %s with %j is refused as %s', async (method, path, body, code, parameter) => {
  const answer = await ask(method, path, body);
  expect(answer.body).toMatchObject({ code, ...(parameter === undefined ? {} : { parameter }) });
  expect(answer.status).toBeLessThan(500);
  expect(service.errors).toEqual([]);
});

it('refuses bodies that are too long or no JSON, and says when it cannot make secrets', async () => {
  expect((await ask('POST', '/account/keys', ' '.repeat(70_000))).status).toBe(413);
  expect((await ask('POST', '/account/keys', 'name=x', { 'content-type': 'text/plain' })).status).toBe(415);
  const without = await world({ samples: SAMPLES });
  const program = askerOf(without, (await without.accounts.createKey('acme', { scopes: ['account'] })).key);
  expect(await program('POST', '/account/endpoints', { url: HOOK })).toMatchObject({
    ...{ status: 501, body: { code: 'no_secrets_key', detail: expect.stringMatching(/no key to encrypt/) as string } },
  });
});

it('says which ids the list of deliveries takes', async () => {
  const { body } = await ask('GET', '/account/deliveries?before=2026-04-01');
  expect(body.detail).toBe('before must be the id of a delivery, dlv_ and a number, got "2026-04-01"');
});

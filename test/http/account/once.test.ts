// Requests with an Idempotency-Key: they take effect once, however often and from wherever they are repeated.
import { beforeAll, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { onceContract } from '../../contracts/once-contract.ts';
import { type AccountService, accountService, type Ask } from './service.ts';

let service: AccountService;
let ask: Ask;
const once = (key: string): Record<string, string> => ({ 'idempotency-key': key });

beforeAll(async () => {
  service = await accountService();
  ask = await service.asker();
});

/** What of two answers must be the same. */
function saidAgain(first: object, name: 'key' | 'secret' | null): object {
  return name === null ? first : { ...first, [name]: null, code: 'shown_once' };
}

describe('a request that is repeated', () => {
  it('is answered as before, without what is shown once, on every route', async () => {
    const key = (await ask('POST', '/account/keys', {})).body.id as string;
    const endpoint = (await ask('POST', '/account/endpoints', { url: 'https://8.8.8.8/' })).body.id as string;
    const delivery = (await ask('POST', `/account/endpoints/${endpoint}/test`)).body.id as string;
    const repeated: readonly (readonly [path: string, body: object, secret: 'key' | 'secret' | null])[] = [
      ['/account/keys', { name: 'Website' }, 'key'],
      [`/account/keys/${key}/rotate`, {}, 'key'],
      ['/account/endpoints', { url: 'https://8.8.8.8/' }, 'secret'],
      [`/account/endpoints/${endpoint}/test`, {}, null],
      [`/account/endpoints/${endpoint}/rotate-secret`, {}, 'secret'],
      [`/account/endpoints/${endpoint}/activate-secret`, { grace_hours: 1 }, null],
      [`/account/endpoints/${endpoint}/replay`, { failed: false }, null],
      [`/account/deliveries/${delivery}/replay`, {}, null],
    ];
    for (const [path, body, secret] of repeated) {
      const first = await ask('POST', path, body, once('a'));
      expect([path, first.status]).toEqual([path, first.status < 300 ? first.status : 'answered']);
      const before = await everything();
      // Later, and by another key of the account.
      service.clock.now += 60_000;
      const other = await service.asker({ scopes: ['webhooks', 'account'] });
      for (const again of [ask, other]) {
        const second = await again('POST', path, body, once('a'));
        expect([path, second.status, second.body]).toEqual([path, first.status, saidAgain(first.body, secret)]);
      }
      const after = await everything();
      expect({ ...after, keys: after.keys - 1 }).toEqual(before);
    }
  });

  it('is another one with another body or path, and refused', async () => {
    expect((await ask('POST', '/account/keys', { name: 'one' }, once('b'))).status).toBe(201);
    const mismatch = { status: 422, body: { code: 'idempotency_mismatch' } };
    expect(await ask('POST', '/account/keys', { name: 'two' }, once('b'))).toMatchObject(mismatch);
    const [first, second] = (await listed('keys')) as readonly { readonly id: string }[];
    expect((await ask('POST', `/account/keys/${first!.id}/rotate`, {}, once('b'))).status).toBe(201);
    expect(await ask('POST', `/account/keys/${second!.id}/rotate`, {}, once('b'))).toMatchObject(mismatch);
  });

  it('is another account’s own with the same key', async () => {
    const theirs = await service.asker({ scopes: ['account'] }, 'other');
    const body = { scopes: ['account'] };
    const [one, other] = [
      await ask('POST', '/account/keys', body, once('c')),
      await theirs('POST', '/account/keys', body, once('c')),
    ];
    expect([one.status, other.status]).toEqual([201, 201]);
    expect(one.body.id).not.toBe(other.body.id);
  });

  it('may be corrected where it was refused', async () => {
    const refused = await ask('POST', '/account/endpoints', { url: 'https://127.0.0.1/' }, once('d'));
    expect(refused.status).toBe(422);
    expect((await ask('POST', '/account/endpoints', { url: 'https://8.8.8.8/' }, once('d'))).status).toBe(201);
  });

  it('is forgotten after a day', async () => {
    const first = await ask('POST', '/account/keys', {}, once('e'));
    service.clock.now += 24 * 3_600_000;
    expect((await ask('POST', '/account/keys', {}, once('e'))).body.id).toBe(first.body.id);
    service.clock.now += 1000;
    expect((await ask('POST', '/account/keys', { name: 'x' }, once('e'))).status).toBe(201);
  });

  it.each(['', ' ', 'ä', 'a'.repeat(256)])('needs a key of visible characters, not %j', async (key) => {
    expect(await ask('POST', '/account/keys', {}, once(key))).toMatchObject({
      ...{ status: 400, body: { code: 'invalid_parameter', parameter: 'Idempotency-Key' } },
    });
  });
});

async function listed(what: 'keys' | 'endpoints' | 'deliveries'): Promise<readonly unknown[]> {
  return (await ask('GET', `/account/${what}`)).body[what] as readonly unknown[];
}

/** What there is, without the times that requests move. */
async function everything(): Promise<{ readonly keys: number }> {
  const [keys, endpoints, deliveries] = await Promise.all([listed('keys'), listed('endpoints'), listed('deliveries')]);
  return { keys: keys.length, ...{ endpoints, deliveries } };
}

onceContract('SQLite', () => {
  const store = SqliteStore.open(':memory:');
  return Promise.resolve({ stores: [store, store], dispose: () => store.close() });
});

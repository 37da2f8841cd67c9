// An account with a limit of its own: its keys share it, and it counts instead of the limit of keys.
import { expect, it } from 'vitest';
import { SAMPLES, world } from '../world.ts';

const LIMITS = { perKey: { limit: 2, windowSeconds: 60 } };

it('is shared by the keys of the account, and holds from the next request on', async () => {
  const { get, pro, accounts } = await world({ samples: SAMPLES, limits: LIMITS });
  const policyOf = (response: Response): string | null => response.headers.get('ratelimit-policy');
  expect(policyOf(await pro('/feeds'))).toBe('"key";q=2;w=60');
  await accounts.setLimit('acme', { limit: 5, windowSeconds: 3600 });
  const { key } = await accounts.createKey('acme');
  const other = (path: string, headers = {}): Promise<Response> =>
    get(path, { headers: { authorization: `Bearer ${key}`, ...headers } });
  const first = await pro('/feeds/permits');
  expect([policyOf(first), first.headers.get('ratelimit')]).toEqual(['"account";q=5;w=3600', '"account";r=4;t=3600']);
  for (const ask of [pro, other, other, pro]) expect((await ask('/feeds/permits')).status).toBe(200);
  for (const ask of [pro, other]) {
    const refused = await ask('/feeds/permits');
    expect([refused.status, policyOf(refused)]).toEqual([429, '"account";q=5;w=3600']);
    expect(await refused.json()).toMatchObject({
      detail: expect.stringMatching(/^at most 5 requests in 3600/) as string,
    });
  }
  await accounts.setLimit('acme', { limit: 8, windowSeconds: 3600 });
  expect((await other('/feeds/permits')).headers.get('ratelimit')).toMatch(/^"account";r=2;/);
  await accounts.setLimit('acme', null);
  expect(policyOf(await other('/feeds/permits'))).toBe('"key";q=2;w=60');
});

it('gives back what a fresh copy is answered, and holds where keys have no limit', async () => {
  const { pro, accounts } = await world({ samples: SAMPLES, limits: { perKey: null } });
  await accounts.setLimit('acme', { limit: 2, windowSeconds: 60 });
  const etag = (await pro('/feeds/permits')).headers.get('etag')!;
  for (let i = 0; i < 4; i++) {
    const response = await pro('/feeds/permits', { headers: { 'if-none-match': etag } });
    expect([response.status, response.headers.get('ratelimit')?.slice(0, 13)]).toEqual([304, '"account";r=1']);
  }
});

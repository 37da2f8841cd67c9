// What others can make a browser send, and what one account can make of another: a property over all pages that change or
// show something of an account, and two accounts.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { SECRETS_KEY } from '../../contracts/full-store.ts';
import { at } from '../../contracts/store-register.ts';
import { tries } from '../../effort.ts';
import { BASE_URL } from '../../world.ts';
import type { Browser, Page } from './browser.ts';
import { type OwnersService, ownersService } from './signed-in.ts';

/** A page, or a form, of somebody signed in. */
interface Target {
  readonly path: string;
  /** The id of the form on the page; absent: the page itself. */
  readonly form?: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** Everything of an account that has these ids. */
function targetsOf({ key, endpoint, delivery }: Ids): readonly Target[] {
  const [keys, endpoints] = ['/account/keys', '/account/endpoints'];
  const [own, hook, sent] = [`${keys}/${key}`, `${endpoints}/${endpoint}`, `/account/deliveries/${delivery}`];
  const forms: readonly (readonly [page: string, form: string, fields?: Readonly<Record<string, string>>])[] = [
    ['/account', 'sign-out-everywhere'],
    ['/account', 'sign-out'],
    [keys, 'new-key', { name: 'planted' }],
    [own, 'key', { name: 'planted' }],
    [own, 'rotate-key'],
    [own, 'revoke-key'],
    [endpoints, 'new-endpoint', { url: 'https://8.8.4.4/planted' }],
    [hook, 'endpoint', { url: 'https://8.8.4.4/planted' }],
    [hook, 'test-endpoint'],
    [hook, 'replay-endpoint'],
    [hook, 'prepare-secret'],
    [hook, 'activate-secret'],
    [hook, 'disable-endpoint'],
    [hook, 'remove-endpoint'],
    [sent, 'replay-delivery'],
  ];
  const pages = [
    '/account',
    keys,
    own,
    endpoints,
    hook,
    '/account/deliveries',
    sent,
    `/account/deliveries?endpoint=${endpoint}`,
  ];
  return [
    ...forms.map(([path, form, fields]): Target => ({ path, form, ...(fields === undefined ? {} : { fields }) })),
    ...pages.map((path) => ({ path })),
  ];
}

interface Ids {
  readonly key: string;
  readonly endpoint: string;
  readonly delivery: string;
}

const idsOf = ({ key, endpoint, delivery }: Ids): readonly string[] => [key, endpoint, delivery];

let service: OwnersService;
let mine: Ids;
let theirs: Ids;
/** Signed in to `acme`. */
let owner: Browser;
/** Signed in to `other`. */
let stranger: Browser;

async function furnish(accountId: string): Promise<Ids> {
  const { accounts, store, signedIn } = service;
  const { entry } = await accounts.createKey(accountId, { name: `key of ${accountId}` });
  const { browser } = await signedIn(accountId);
  const page = await browser.open(`${BASE_URL}/account/endpoints`);
  await browser.submit(page, 'new-endpoint', { url: `https://8.8.8.8/${accountId}` });
  const [endpoint] = await store.deliveries.endpoints(accountId);
  await browser.submit(await browser.open(`${BASE_URL}/account/endpoints/${endpoint!.id}`), 'prepare-secret');
  const delivery = await store.deliveries.createTest(
    endpoint!.id,
    { id: `evt_${accountId}`, type: 'endpoint.test' },
    { at: at(60) },
  );
  return { key: entry.id, endpoint: endpoint!.id, delivery: delivery.id };
}

/** Everything that the store keeps of both accounts. */
async function kept(): Promise<string> {
  const { accounts, deliveries } = service.store;
  const all = await Promise.all(
    ['acme', 'other'].map(async (id) => [
      ...[await accounts.account(id), await accounts.keys(id), await deliveries.endpoints(id)],
      await Promise.all((await deliveries.endpoints(id)).map((one) => deliveries.deliveries(one.id, { limit: 100 }))),
    ]),
  );
  return JSON.stringify(all);
}

beforeAll(async () => {
  service = await ownersService({ endpoints: { box: () => SecretBox.fromHex(SECRETS_KEY) } });
  [mine, theirs] = [await furnish('acme'), await furnish('other')];
  owner = (await service.signedIn('acme')).browser;
  stranger = (await service.signedIn('other')).browser;
});

/** Sends the form of a target as the browser's own page has it, but to another path and with other headers. */
async function send(
  browser: Browser,
  from: Target,
  { to = from.path, headers = {}, fields = {} }: Forged = {},
): Promise<Page> {
  if (from.form === undefined) return browser.open(BASE_URL + to, { headers, isFollowing: false });
  const page = await browser.open(BASE_URL + from.path);
  const form = page.forms.find(({ id }) => id === from.form)!;
  const action = form.action.replace(BASE_URL + from.path, BASE_URL + to);
  const all = new URLSearchParams(form.fields);
  for (const [name, value] of Object.entries({ ...from.fields, ...fields })) {
    all.delete(name);
    if (value !== null) all.set(name, value);
  }
  return browser.post(action, all, { headers, isFollowing: false });
}

interface Forged {
  readonly to?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly fields?: Readonly<Record<string, string | null>>;
}

describe('a form of the account', () => {
  it.each<readonly [string, Forged]>([
    ['without Origin', { headers: { origin: null } }],
    ['of another origin', { headers: { origin: 'https://evil.example' } }],
    ['of no origin', { headers: { origin: 'null' } }],
    ['of the same host over http', { headers: { origin: 'http://example.org' } }],
    ['that the browser says is of another site', { headers: { 'sec-fetch-site': 'cross-site' } }],
    ['that the browser says is of a sister site', { headers: { 'sec-fetch-site': 'same-site' } }],
    ['without a token', { fields: { token: null } }],
    ['with an empty token', { fields: { token: '' } }],
    ['with a token that was guessed', { fields: { token: 'A'.repeat(43) } }],
    ['as plain text', { headers: { 'content-type': 'text/plain' } }],
    ['as JSON', { headers: { 'content-type': 'application/json' } }],
  ])('%s changes nothing', async (_, forged) => {
    const before = await kept();
    for (const target of targetsOf(mine)) {
      if (target.form === undefined) continue;
      const { status } = await send(owner, target, forged);
      expect([403, 415], target.form).toContain(status);
    }
    expect(await kept()).toBe(before);
    expect((await owner.open(`${BASE_URL}/account`)).html).toContain('Sign out everywhere');
  });

  it('with the token of another session changes nothing, even of the same account', async () => {
    const before = await kept();
    const second = (await service.signedIn('acme')).browser;
    const { forms } = await second.open(`${BASE_URL}/account`);
    const token = forms[0]!.fields.get('token')!;
    for (const target of targetsOf(mine)) {
      if (target.form !== undefined) expect((await send(owner, target, { fields: { token } })).status).toBe(403);
    }
    expect(await kept()).toBe(before);
  });

  it('of nobody leads to where one signs in, and changes nothing', async () => {
    const before = await kept();
    for (const { path } of targetsOf(mine)) {
      const page = await service.browser().open(BASE_URL + path, { isFollowing: false });
      expect([page.status, page.headers.get('location')]).toEqual([303, `${BASE_URL}/sign-in`]);
    }
    const posted = await service
      .browser()
      .post(`${BASE_URL}/account/keys`, new URLSearchParams({ name: 'planted' }), { isFollowing: false });
    expect([posted.status, posted.headers.get('location')]).toEqual([303, `${BASE_URL}/sign-in?done=sessionEnded`]);
    expect(await kept()).toBe(before);
  });
});

describe('one account', () => {
  it('neither sees nor changes anything of another, on any page', async () => {
    const before = await kept();
    const secrets = [...idsOf(theirs), 'key of other', 'https://8.8.8.8/other'];
    const targets = targetsOf(mine).filter(({ path }) => idsOf(mine).some((id) => path.includes(id)));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...targets),
        fc.constantFrom(...idsOf(theirs)),
        fc.boolean(),
        async (target, id, isForeign) => {
          const own = idsOf(mine).find((one) => target.path.includes(one))!;
          const to = target.path.replace(own, isForeign ? id : `${own.slice(0, 4)}zzzzzz`);
          const page = await send(owner, target, { to });
          expect(page.status).toBe(404);
          // What there is and what there is not are told by the same words.
          expect(page.html.replaceAll(to, '').replace(/<code>[0-9a-f-]{36}<\/code>/, '')).not.toContain(id);
          for (const secret of secrets) expect(page.html.replaceAll(id, '')).not.toContain(secret);
        },
      ),
      { numRuns: Math.max(60, tries(200)) },
    );
    expect(await kept()).toBe(before);
  });

  it('sees its own on every page that lists something, and nothing of the other', async () => {
    for (const [browser, ids, others] of [
      [owner, mine, theirs],
      [stranger, theirs, mine],
    ] as const) {
      for (const target of targetsOf(ids)) {
        if (target.form !== undefined) continue;
        const page = await browser.open(BASE_URL + target.path);
        expect(page.status, target.path).toBe(200);
        for (const id of idsOf(others)) expect(page.html).not.toContain(id);
      }
    }
  });
});

describe('every page of the account', () => {
  it('may be shown in no frame, stored nowhere, and runs nothing', async () => {
    const link = new URL(await service.link('acme')).pathname;
    for (const path of ['/sign-in', link, ...targetsOf(mine).map((target) => target.path)]) {
      const browser = path.startsWith('/sign-in') ? service.browser() : owner;
      const { headers, html } = await browser.open(BASE_URL + path);
      const policy = headers.get('content-security-policy')!;
      expect(policy, path).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toContain('unsafe-');
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
        ...['private, no-store', 'strict-origin'],
      ]);
      expect(headers.get('vary')).toMatch(/\bCookie\b/);
      expect(html).not.toMatch(/<script|\son[a-z]+=|javascript:/i);
      expect(Buffer.byteLength(html)).toBeLessThan(50_000);
    }
  });

  it.each(['next', 'return_to', 'redirect', 'url', 'continue', 'done', 'lang'])(
    'leads nowhere else by the parameter %s',
    async (name) => {
      for (const value of ['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
        const query = new URLSearchParams({ [name]: value }).toString();
        const link = await service.link('other');
        const browser = service.browser();
        const page = await browser.open(`${link}?${query}`);
        expect(page.html).not.toContain('evil.example');
        const form = page.forms.find(({ id }) => id === 'sign-in')!;
        const answer = await browser.post(`${form.action}?${query}`, form.fields, { isFollowing: false });
        expect([answer.status, answer.headers.get('location')]).toEqual([303, `${BASE_URL}/account`]);
        const out = await browser.open(`${BASE_URL}/account?${query}`);
        expect(out.html).not.toContain('evil.example');
      }
    },
  );

  it('leads nowhere else by a path that looks like another host', async () => {
    for (const prefix of ['//evil.example', '/\\evil.example', '/https://evil.example']) {
      const page = await service.browser().open(`${BASE_URL}${prefix}/account`, { isFollowing: false });
      const location = page.headers.get('location');
      if (location !== null) expect(new URL(location, BASE_URL).origin).toBe(BASE_URL);
      const asked = await service.browser().open(`${BASE_URL}${prefix}/sign-in`, { isFollowing: false });
      for (const { action } of asked.forms) expect(new URL(action).origin).toBe(BASE_URL);
      for (const href of asked.links) expect(new URL(href).origin).toBe(BASE_URL);
    }
  });
});

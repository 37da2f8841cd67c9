// What an owner does on her pages, without a script: keys, endpoints, deliveries. What is shown once is on no other page.
import { describe, expect, it } from 'vitest';
import { createGazette } from '../../../src/service/create-gazette.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { API, BASE_URL, NOW } from '../../world.ts';
import { SECRETS_KEY } from '../../contracts/full-store.ts';
import { at } from '../../contracts/store-register.ts';
import { Browser, type Page } from './browser.ts';
import { type OwnersService, ownersService } from './signed-in.ts';

/** With endpoints at any public address, whose names need not be looked up. */
const ENDPOINTS = {
  endpoints: { box: (): SecretBox => SecretBox.fromHex(SECRETS_KEY), resolve: async () => ['203.0.113.9'] },
};

const HOOK = 'https://8.8.8.8/hook';

function keyIn({ html }: Page): string {
  return /gz_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}/.exec(html)?.[0] ?? '';
}

function secretIn({ html }: Page): string {
  return /whsec_[A-Za-z0-9+/=]+/.exec(html)?.[0] ?? '';
}

/** What an API route answers a key. */
async function statusOf({ fetch }: OwnersService, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(new Request(`${API}/feeds/permits/changes?since=0`, { headers }))).status;
}

async function keysOf(browser: Browser): Promise<Page> {
  return browser.open(`${BASE_URL}/account/keys`);
}

describe('an owner', () => {
  it('creates a key, which is shown once, and works', async () => {
    const service = await ownersService();
    const { browser } = await service.signedIn();
    const made = await browser.submit(await keysOf(browser), 'new-key', { name: 'Website <b>', feeds: 'permits' });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('private, no-store');
    const key = keyIn(made);
    expect(await statusOf(service, key)).toBe(200);
    const list = await keysOf(browser);
    expect(list.html).toContain('Website &lt;b&gt;');
    expect(list.html).not.toContain(key);
  });

  it('gets no second key, and sees nothing, when she loads the answer again', async () => {
    const service = await ownersService();
    const { browser } = await service.signedIn();
    const page = await keysOf(browser);
    const made = await browser.submit(page, 'new-key', { name: 'once' });
    const again = await browser.submit(page, 'new-key', { name: 'once' });
    expect([again.status, keyIn(again)]).toEqual([409, '']);
    expect(again.html).toContain('not shown again');
    // Another process on the same store.
    const elsewhere = new Browser(createGazette({ store: service.store, limits: null, now: () => NOW }).fetch);
    for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value);
    const other = await elsewhere.submit(page, 'new-key', { name: 'once' });
    expect([other.status, keyIn(other)]).toEqual([409, '']);
    expect((await service.accounts.keys('acme')).filter(({ name }) => name === 'once')).toHaveLength(1);
    expect(keyIn(made)).not.toBe('');
    const unnamed = await browser.submit(page, 'new-key', { once: null });
    expect(unnamed.status).toBe(403);
  });

  it('opens no other register with a key, nor sends its events, once the one that was chosen is gone', async () => {
    const service = await ownersService(ENDPOINTS);
    const { browser } = await service.signedIn();
    await browser.submit(await keysOf(browser), 'new-key', { name: 'one', feeds: 'permits' });
    await browser.submit(await browser.open(`${BASE_URL}/account/endpoints`), 'new-endpoint', {
      ...{ url: HOOK, feeds: 'permits' },
    });
    const [key] = await service.store.accounts.keys('acme');
    const [endpoint] = await service.store.deliveries.endpoints('acme');
    await service.store.removeRegister('permits');
    for (const [path, form, changed] of [
      [`keys/${key!.id}`, 'key', { name: 'two' }],
      [`endpoints/${endpoint!.id}`, 'endpoint', { standard: 'yes' }],
    ] as const) {
      const page = await browser.open(`${BASE_URL}/account/${path}`);
      expect((await browser.submit(page, form, changed)).status).toBe(422);
      expect((await browser.submit(page, form, { ...changed, feeds: [] })).status).toBe(200);
    }
  });

  it('limits, renames, replaces and revokes a key', async () => {
    const service = await ownersService();
    const { browser } = await service.signedIn();
    const first = keyIn(await browser.submit(await keysOf(browser), 'new-key', { name: 'first' }));
    const { id } = (await service.accounts.keys('acme'))[0]!;
    const own = await browser.open(`${BASE_URL}/account/keys/${id}`);
    const changed = await browser.submit(own, 'key', {
      name: 'renamed',
      limit: '5',
      seconds: '60',
      scopes: ['read', 'webhooks'],
    });
    expect([changed.status, changed.url]).toEqual([200, `${BASE_URL}/account/keys/${id}?done=saved`]);
    expect(changed.html).toContain('The key is changed.');
    expect((await service.accounts.keys('acme'))[0]).toMatchObject({
      ...{ name: 'renamed', limit: { limit: 5, windowSeconds: 60 }, scopes: ['read', 'webhooks'], feeds: null },
    });
    const replaced = await browser.submit(changed, 'rotate-key', { grace: '1' });
    const second = keyIn(replaced);
    expect(replaced.html).toContain('The old key works until');
    expect([await statusOf(service, first), await statusOf(service, second)]).toEqual([200, 200]);
    service.clock.now += 3_600_000;
    expect([await statusOf(service, first), await statusOf(service, second)]).toEqual([401, 200]);
    const successor = (await service.accounts.keys('acme'))[0]!.id;
    const revoked = await browser.submit(await browser.open(`${BASE_URL}/account/keys/${successor}`), 'revoke-key');
    expect(revoked.html).toContain('The key is revoked.');
    expect(await statusOf(service, second)).toBe(401);
  });

  it.each([
    ['new-key', { scopes: [] as string[] }, 'scopes', 'Choose at least one.'],
    ['new-key', { limit: '5' }, 'limit', 'Write both numbers'],
    ['new-key', { limit: '-5', seconds: '60' }, 'limit', 'Write both numbers'],
    ['new-key', { feeds: 'nothing' }, 'feeds', 'Choose registers that exist.'],
    ['new-key', { expires: 'tomorrow' }, 'expires', 'Write a day'],
    ['new-key', { name: 'x'.repeat(101) }, 'name', 'at most 100 characters'],
  ])('is told beside the field of %s what is wrong with %j', async (form, fields, field, text) => {
    const service = await ownersService();
    const { browser } = await service.signedIn();
    const before = (await service.accounts.keys('acme')).length;
    const page = await browser.submit(await keysOf(browser), form, { name: 'kept', ...fields });
    expect(page.status).toBe(422);
    expect(page.html).toMatch(new RegExp(`id="${form}-${field}-error">[^<]*${text}`));
    expect(page.html).toContain(`<a href="#${form}-${field}">`);
    // What was written is still there.
    const sent = page.forms.find(({ id }) => id === form)!.fields;
    expect(sent.get('name')).toBe('name' in fields ? fields.name : 'kept');
    expect((await service.accounts.keys('acme')).length).toBe(before);
    expect(
      (
        await browser.submit(page, form, {
          name: 'kept',
          feeds: 'permits',
          scopes: 'read',
          limit: '',
          seconds: '',
          expires: '',
        })
      ).status,
    ).toBe(201);
  });

  it('adds an endpoint, changes it, replaces its secret, and sees each secret once', async () => {
    const { signedIn, store } = await ownersService(ENDPOINTS);
    const { browser } = await signedIn();
    const none = await browser.open(`${BASE_URL}/account/endpoints`);
    const added = await browser.submit(none, 'new-endpoint', {
      url: HOOK,
      types: ['record.published'],
      filters: 'document_type=adopted\r\n',
    });
    const secret = secretIn(added);
    expect([added.status, secret.length > 20]).toEqual([201, true]);
    const again = await browser.submit(none, 'new-endpoint', { url: HOOK });
    expect([again.status, secretIn(again)]).toEqual([409, '']);
    const [endpoint] = await store.deliveries.endpoints('acme');
    expect(endpoint).toMatchObject({ url: HOOK, types: ['record.published'], filter: { document_type: ['adopted'] } });
    const address = `${BASE_URL}/account/endpoints/${endpoint!.id}`;
    const own = await browser.open(address);
    expect(secretIn(own)).toBe('');
    const form = own.forms.find(({ id }) => id === 'endpoint')!;
    expect([form.fields.getAll('types'), form.fields.get('filters')]).toEqual([
      ['record.published'],
      'document_type=adopted',
    ]);
    const changed = await browser.submit(own, 'endpoint', { types: [], standard: 'yes' });
    expect(changed.html).toContain('The endpoint is changed.');
    const next = await browser.submit(changed, 'prepare-secret');
    expect(secretIn(next)).not.toBe(secret);
    const waiting = await browser.open(address);
    expect([secretIn(waiting), waiting.html.includes('waits to be activated')]).toEqual(['', true]);
    const active = await browser.submit(waiting, 'activate-secret', { grace: '2' });
    expect(active.html).toContain('The new secret signs from now on.');
    expect((await store.deliveries.endpoints('acme'))[0]).toMatchObject({
      hasNextSecret: false,
      isStandard: true,
      types: null,
    });
    const gone = await browser.submit(await browser.open(address), 'remove-endpoint');
    expect([gone.url, await store.deliveries.endpoints('acme')]).toEqual([
      `${BASE_URL}/account/endpoints?done=removed`,
      [],
    ]);
  });

  it.each([
    [{ url: 'http://example.org/' }, 'url', 'Write an https address'],
    [{ url: 'https://127.0.0.1/' }, 'url', 'Write an https address'],
    [{ feeds: 'nothing' }, 'feeds', 'Choose registers that exist.'],
    [{ types: 'nothing' }, 'types', 'Choose from the list.'],
    [{ filters: 'nothing' }, 'filters', 'Write one filter a line'],
    [{ filters: 'nothing=1' }, 'filters', 'Write one filter a line'],
  ])('is told beside the field of an endpoint what is wrong with %j', async (fields, field, text) => {
    const { signedIn, store } = await ownersService(ENDPOINTS);
    const { browser } = await signedIn();
    const page = await browser.submit(await browser.open(`${BASE_URL}/account/endpoints`), 'new-endpoint', {
      url: HOOK,
      ...fields,
    });
    expect(page.status).toBe(422);
    expect(page.html).toMatch(new RegExp(`id="new-endpoint-${field}-error">[^<]*${text}`));
    expect(await store.deliveries.endpoints('acme')).toEqual([]);
  });

  it('is told that the service cannot keep secrets', async () => {
    const { signedIn } = await ownersService();
    const { browser } = await signedIn();
    const page = await browser.submit(await browser.open(`${BASE_URL}/account/endpoints`), 'new-endpoint', {
      url: HOOK,
    });
    expect([page.status, page.html.includes('cannot keep secrets of endpoints yet')]).toEqual([422, true]);
  });

  it('sends a test, sees the latest outcome and every attempt, and has what failed sent again', async () => {
    const { signedIn, store } = await ownersService(ENDPOINTS);
    const { browser } = await signedIn();
    await browser.submit(await browser.open(`${BASE_URL}/account/endpoints`), 'new-endpoint', { url: HOOK });
    const [endpoint] = await store.deliveries.endpoints('acme');
    const address = `${BASE_URL}/account/endpoints/${endpoint!.id}`;
    const tested = await browser.submit(await browser.open(address), 'test-endpoint');
    expect(tested.html).toContain('A test is on its way.');
    expect(tested.html).toContain('waits');
    const now = '2026-05-01T01:00:01.000Z';
    const claiming = {
      now,
      lease: 'l',
      until: now,
      limit: 9,
      room: new Map(),
      limitPerEndpoint: 9,
      accountRoom: new Map(),
    };
    const [claimed] = await store.deliveries.claim(claiming);
    const attempt = { at: now, durationMs: 1234, status: 500, error: null, response: '<script>alert(1)</script>' };
    const outcome = { id: claimed!.id, lease: 'l', isGone: false, nextAttemptAt: null, reason: 'exhausted' };
    await store.deliveries.settle([{ ...outcome, state: 'failed', attempt }], {
      at: now,
      failingBefore: '2020-01-01T00:00:00.000Z',
    });
    const all = await browser.open(`${BASE_URL}/account/deliveries`);
    expect(all.html).toMatch(/failed[^]*all attempts failed[^]*answered 500/);
    expect((await browser.open(`${BASE_URL}/account`)).html).toContain('among the latest 1');
    const one = await browser.open(`${BASE_URL}/account/deliveries/${claimed!.id}`);
    expect(one.html).toContain('1,234 ms');
    expect(one.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(one.html).not.toContain('<script>alert');
    const replayed = await browser.submit(one, 'replay-delivery');
    expect(replayed.html).toContain('It is sent again.');
    await store.deliveries.claim(claiming);
    await store.deliveries.settle([{ ...outcome, state: 'failed', attempt }], {
      at: now,
      failingBefore: '2020-01-01T00:00:00.000Z',
    });
    const wrong = await browser.submit(await browser.open(address), 'replay-endpoint', { since: 'yesterday' });
    expect([wrong.status, wrong.html.includes('id="replay-endpoint-since-error"')]).toEqual([422, true]);
    const missed = await browser.submit(wrong, 'replay-endpoint', { since: '' });
    expect(missed.html).toContain('1 delivery is sent again.');
    const off = await browser.submit(missed, 'disable-endpoint');
    expect(off.html).toContain('The endpoint is disabled.');
    expect((await browser.submit(off, 'enable-endpoint')).html).toContain('The endpoint is enabled.');
  });

  it('is told on every page of an endpoint that was disabled, until she enables it, and nobody else is', async () => {
    const { signedIn, store } = await ownersService();
    const { browser } = await signedIn();
    const address = 'https://hooks.example.org/troubled';
    await store.deliveries.createEndpoint({
      ...{ id: `ep_${'0'.repeat(18)}`, accountId: 'acme', url: address, feeds: null, types: null, filter: null },
      ...{ createdAt: at(60), secret: Uint8Array.of(1) },
    });
    const pages = ['', '/keys', '/endpoints', '/deliveries', `/endpoints/ep_${'0'.repeat(18)}`];
    const told = async (by = browser): Promise<readonly boolean[]> => {
      const answers = await Promise.all(pages.map((path) => by.open(`${BASE_URL}/account${path}`)));
      return answers.map(({ html }) => html.includes('was disabled because it answered 410'));
    };
    expect(await told()).toEqual(pages.map(() => false));
    await store.deliveries.disableEndpoint(`ep_${'0'.repeat(18)}`, { at: at(60), reason: 'gone' });
    expect(await told()).toEqual(pages.map(() => true));
    expect((await browser.open(`${BASE_URL}/account?lang=de`)).html).toContain('weil er mit 410 geantwortet hat');
    expect(await told((await signedIn('other')).browser)).toEqual(pages.map(() => false));
    await store.deliveries.enableEndpoint(`ep_${'0'.repeat(18)}`);
    expect(await told()).toEqual(pages.map(() => false));
  });

  it('reads German where her browser asks for it, or the address', async () => {
    const { signedIn, browser, link } = await ownersService(ENDPOINTS);
    const german = browser({ language: 'de-AT,de;q=0.9,en;q=0.5' });
    const page = await german.submit(await german.open(await link()), 'sign-in');
    expect([page.html.includes('<html lang="de">'), page.html.includes('Überall abmelden')]).toEqual([true, true]);
    const english = (await signedIn()).browser;
    const keys = await english.open(`${BASE_URL}/account/keys?lang=de`);
    expect(keys.html).toContain('Schlüssel erstellen');
    const made = await english.submit(keys, 'new-key', { name: 'Büro' });
    expect(made.html).toContain('Ihr neuer Schlüssel');
    expect(made.links.filter((href) => href.includes('/account/')).every((href) => href.includes('lang=de'))).toBe(
      true,
    );
  });
});

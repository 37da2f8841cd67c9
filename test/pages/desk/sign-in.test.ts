// The way to the desk: for whom it is open, and what others can make of it.
import { describe, expect, it } from 'vitest';
import { accountSignIns, LINK_MS, SESSION_MS } from '../../../src/operate/sign-in.ts';
import type { Mail } from '../../../src/operate/sign-in-mail.ts';
import { API, BASE_URL, world } from '../../world.ts';
import { Browser, type Page } from '../account/browser.ts';
import { type DeskService, deskService, OPERATOR } from './desk-service.ts';

const DESK = `${BASE_URL}/desk`;

/** Whether somebody signed in sees the page. */
function isSignedIn({ html, url, status }: Page): boolean {
  return status === 200 && new URL(url).pathname.endsWith('/desk') && html.includes('You are signed in as');
}

/** A session that an account began, in the cookie of its own. */
async function ownersBrowser({ store, clock, browser }: DeskService): Promise<Browser> {
  const own = browser();
  const link = await accountSignIns(store, { now: () => clock.now }).createLink('acme');
  await own.submit(await own.open(`${BASE_URL}/sign-in/${link}`), 'sign-in');
  expect(own.cookies.has('__Host-gazette')).toBe(true);
  return own;
}

describe('without a desk', () => {
  it('nothing is served at its addresses, as at any other', async () => {
    const { fetch } = await world({ anyPrefix: false });
    const seen = (page: Page): unknown => [page.status, page.html.replaceAll(/[0-9a-f-]{36}|"\/[\w/-]*"/g, '')];
    const pages = await Promise.all(
      ['/x', '/desk', '/desk/sign-in', '/desk/log', '/desk/sign-out'].map(async (path) => {
        const page = await new Browser(fetch).open(BASE_URL + path);
        return seen({ ...page, html: page.html.replaceAll(path, '') });
      }),
    );
    expect(pages[0]).toEqual([404, expect.any(String)]);
    for (const page of pages) expect(page).toEqual(pages[0]);
  });

  it('a service without pages can have none', async () => {
    await expect(world({ desk: true, pages: false })).rejects.toMatchObject({ code: 'invalid_option' });
  });
});

describe('a link to the desk', () => {
  it('shows a button, which signs the editor in, once', async () => {
    const { browser, link } = await deskService();
    const own = browser();
    const asked = await own.open(await link());
    expect([asked.status, asked.html.includes('<strong>anna</strong>')]).toEqual([200, true]);
    const page = await own.submit(asked, 'sign-in');
    expect([isSignedIn(page), page.url]).toEqual([true, DESK]);
    expect((await own.submit(asked, 'sign-in')).status).toBe(410);
    expect((await browser().open(asked.url)).status).toBe(410);
  });

  it('ends after a quarter of an hour, and with its editor', async () => {
    const { browser, link, clock, editors } = await deskService();
    const url = await link();
    clock.now += LINK_MS;
    expect((await browser().open(url)).status).toBe(410);
    const own = browser();
    const asked = await own.open(await link('ben'));
    await editors.remove('ben', OPERATOR);
    expect((await own.submit(asked, 'sign-in')).status).toBe(410);
  });

  it('is none to an account, nor one of an account to the desk', async () => {
    const service = await deskService();
    const { browser, link, store, clock } = service;
    const secret = (await link()).slice(-40);
    const ofAccount = await accountSignIns(store, { now: () => clock.now }).createLink('acme');
    expect((await browser().open(`${BASE_URL}/sign-in/${secret}`)).status).toBe(410);
    expect((await browser().open(`${DESK}/sign-in/${ofAccount}`)).status).toBe(410);
    // The form of a page of one kind, sent to the other.
    const own = browser();
    const [form] = (await own.open(`${DESK}/sign-in/${secret}`)).forms;
    expect((await own.post(`${BASE_URL}/sign-in/${secret}`, form!.fields)).status).toBe(410);
    expect(own.cookies.has('__Host-gazette')).toBe(false);
    expect((await own.post(form!.action, form!.fields)).status).toBe(200);
  });

  it('is used only with the cookie of the page, its token, and from a page of this service', async () => {
    const { browser, link } = await deskService();
    const own = browser();
    const asked = await own.open(await link());
    const refused = [
      await browser().submit(asked, 'sign-in'),
      await own.submit(asked, 'sign-in', { token: 'A'.repeat(43) }),
      await own.submit(asked, 'sign-in', { token: null }),
      await own.submit(asked, 'sign-in', {}, { headers: { origin: 'https://evil.example' } }),
      await own.submit(asked, 'sign-in', {}, { headers: { origin: null } }),
      await own.submit(asked, 'sign-in', {}, { headers: { 'sec-fetch-site': 'cross-site' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(isSignedIn(await own.submit(asked, 'sign-in'))).toBe(true);
  });

  it('is in no log, and in no address that other pages learn', async () => {
    const { browser, link, lines } = await deskService();
    const url = await link();
    const own = browser();
    const asked = await own.open(url);
    await own.submit(asked, 'sign-in');
    expect(JSON.stringify(lines)).not.toContain(url.slice(-40));
    expect(JSON.stringify(lines)).toContain('/desk/sign-in/{secret}');
    expect(asked.headers.get('referrer-policy')).toBe('strict-origin');
  });
});

describe('a session of the desk', () => {
  it('is in a cookie of its own, which no script and no other host can have', async () => {
    const { signedIn } = await deskService();
    const { setCookies } = (await signedIn()).browser;
    expect(setCookies[1]).toMatch(
      /^__Host-gazette-desk=[0-9a-f]{40}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/,
    );
    const plain = await deskService({ baseUrl: 'http://localhost:8080/registers' });
    const { browser, page } = await plain.signedIn();
    expect(browser.setCookies[1]).toMatch(
      /^gazette-desk=[0-9a-f]{40}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
    );
    expect(isSignedIn(page)).toBe(true);
  });

  it('opens no account, and a session of an account opens no desk, whichever cookie it is in', async () => {
    const service = await deskService();
    const { browser, signedIn } = service;
    const editor = (await signedIn()).browser.cookies.get('__Host-gazette-desk')!;
    const owner = (await ownersBrowser(service)).cookies.get('__Host-gazette')!;
    for (const [path, cookies] of [
      ['/account', { '__Host-gazette-desk': editor, '__Host-gazette': editor }],
      ['/desk', { '__Host-gazette': owner, '__Host-gazette-desk': owner }],
      ['/desk/log', { '__Host-gazette': owner, '__Host-gazette-desk': owner }],
      ['/desk', { 'gazette-desk': editor }],
      ['/desk', { '__Host-gazette-desk': '0'.repeat(40) }],
    ] as const) {
      const own = browser();
      for (const [name, value] of Object.entries(cookies)) own.cookies.set(name, value);
      const page = await own.open(BASE_URL + path, { isFollowing: false });
      const way = path === '/account' ? '/sign-in' : '/desk/sign-in';
      // A cookie of another name is none.
      const ended = 'gazette-desk' in cookies ? '' : '?done=sessionEnded';
      expect([page.status, page.headers.get('location')], path).toEqual([303, BASE_URL + way + ended]);
    }
    const twice = `__Host-gazette-desk=${editor}; __Host-gazette-desk=${editor}`;
    const page = await browser().open(DESK, { headers: { cookie: twice }, isFollowing: false });
    expect(page.status).toBe(303);
  });

  it('opens nothing below /api/v1, and shows no more of a register than anybody sees', async () => {
    const { signedIn, fetch, browser } = await deskService();
    const own = (await signedIn()).browser;
    for (const path of ['/feeds/permits/records/export.csv', '/feeds/permits/changes?since=0', '/account', '/desk']) {
      const answers = await Promise.all(
        [{ cookie: own.cookie }, {}].map((headers) => fetch(new Request(API + path, { headers }))),
      );
      expect(answers[0]!.status, path).toBe(answers[1]!.status);
      expect([401, 404], path).toContain(answers[0]!.status);
    }
    const path = `${BASE_URL}/records/permits:001`;
    // But for the way back to the desk.
    const { html } = await own.open(path);
    expect(html.replace('/desk">The desk', '/account">Sign in')).toBe((await browser().open(path)).html);
  });

  it('ends after half a day', async () => {
    const { signedIn, clock } = await deskService();
    const { browser } = await signedIn();
    clock.now += SESSION_MS - 1;
    expect(isSignedIn(await browser.open(DESK))).toBe(true);
    clock.now += 1;
    expect((await browser.open(DESK)).url).toBe(`${DESK}/sign-in?done=sessionEnded`);
  });

  it.each([
    ['removed', ({ editors }: DeskService) => editors.remove('anna', OPERATOR)],
    ['given other registers', ({ editors }: DeskService) => editors.change('anna', { feeds: ['permits'] }, OPERATOR)],
    ['given another role', ({ editors }: DeskService) => editors.change('anna', { role: 'review' }, OPERATOR)],
  ])('ends at once when the editor is %s, and that of others does not', async (_, act) => {
    const service = await deskService();
    const { browser, page } = await service.signedIn();
    const other = (await service.signedIn('ben')).browser;
    await act(service);
    expect((await browser.open(DESK)).url).toBe(`${DESK}/sign-in?done=sessionEnded`);
    // A form that was open meanwhile leads there, too.
    expect((await browser.submit(page, 'sign-out')).url).toBe(`${DESK}/sign-in?done=sessionEnded`);
    expect((await other.open(DESK)).status).toBe(200);
  });

  it('ends by its button, not by a form of another site or of another session, and not twice', async () => {
    const service = await deskService();
    const { browser, page } = await service.signedIn();
    const theirs = await service.signedIn('ben');
    const owner = await ownersBrowser(service);
    const ofOwner = (await owner.open(`${BASE_URL}/account`)).forms.find(({ id }) => id === 'sign-out')!;
    const mine = page.forms.find(({ id }) => id === 'sign-out')!;
    const refused = [
      await browser.submit(page, 'sign-out', {}, { headers: { origin: 'https://evil.example' } }),
      await browser.submit(page, 'sign-out', {}, { headers: { 'sec-fetch-site': 'same-site' } }),
      await browser.submit(page, 'sign-out', { token: null }),
      await browser.submit(theirs.page, 'sign-out'),
      await browser.post(mine.action, ofOwner.fields),
      await browser.post(mine.action, new URLSearchParams(), { headers: { origin: 'null' } }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    expect((await browser.open(mine.action)).status).toBe(405);
    expect(isSignedIn(await browser.open(DESK))).toBe(true);
    const out = await browser.submit(page, 'sign-out');
    expect([out.url, out.html.includes('You are signed out.')]).toEqual([`${DESK}/sign-in?done=signedOut`, true]);
    expect(browser.cookies.has('__Host-gazette-desk')).toBe(false);
    const again = await browser.submit(page, 'sign-out');
    expect(again.url).toBe(`${DESK}/sign-in?done=sessionEnded`);
    const foreign = await browser.submit(page, 'sign-out', {}, { headers: { origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
    expect((await theirs.browser.open(DESK)).status).toBe(200);
    expect((await owner.open(`${BASE_URL}/account`)).status).toBe(200);
    // Who came with a session that has ended learns it, once.
    await service.editors.remove('ben', { who: 'root', role: 'operator' });
    const ended = await theirs.browser.submit(theirs.page, 'sign-out');
    expect([ended.url, ended.html]).toEqual([
      `${DESK}/sign-in?done=sessionEnded`,
      expect.stringContaining('Your session has ended. What you sent last was not done'),
    ]);
    expect((await theirs.browser.open(DESK)).url).toBe(`${DESK}/sign-in`);
  });
});

describe('who asks for a link to the desk', () => {
  /** A service whose mails are kept. */
  async function mailing(): Promise<
    DeskService & { readonly mails: readonly Mail[]; readonly settled: () => Promise<void> }
  > {
    const mails: Mail[] = [];
    const transport = {
      sendMail(mail: Mail) {
        mails.push(mail);
        return Promise.resolve();
      },
    };
    const service = await deskService({ mail: { transport, from: 'registers@example.org' } });
    return { ...service, mails, settled: () => service.close() };
  }
  const ask = async (browser: Browser, email: string): Promise<Page> => {
    return browser.submit(await browser.open(`${DESK}/sign-in`), 'ask', { email });
  };
  const linksIn = ({ text }: Mail): string[] => text.match(/https:\/\/\S+/g) ?? [];

  it('gets it by mail, and signs in with it', async () => {
    const { browser, mails, settled, editors } = await mailing();
    await editors.add({ name: 'anna-2', email: 'Anna@example.org', role: 'review' }, OPERATOR);
    const own = browser({ language: 'de' });
    expect((await ask(own, ' ANNA@example.org ')).html).toContain('Sehen Sie in Ihr Postfach');
    await settled();
    expect(mails.map(({ to, subject }) => [to.address, subject])).toEqual([
      ['anna@example.org', expect.stringMatching(/^Ihr Link zur Redaktion: /)],
    ]);
    const links = linksIn(mails[0]!);
    expect(links).toEqual([
      expect.stringMatching(/^https:\/\/registers\.example\.org\/desk\/sign-in\/[0-9a-f]{40}$/),
      expect.anything(),
    ]);
    const page = await own.submit(await own.open(links[0]!), 'sign-in');
    expect(page.html).toContain('<strong>anna</strong>');
  });

  it('gets the same answer for an address that nobody has, or an account alone; nothing is sent then', async () => {
    const { browser, mails, settled, accounts, editors } = await mailing();
    await accounts.update('acme', { email: 'owner@example.org' });
    await editors.remove('carla', OPERATOR);
    const all = ['anna@example.org', 'nobody@example.org', 'owner@example.org', 'carla@example.org'];
    const pages = await Promise.all(all.map((email) => ask(browser(), email)));
    const seen = pages.map(({ status, html, url, headers }) => [
      ...[status, html, url, [...headers].filter(([name]) => name !== 'x-request-id')],
    ]);
    expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(seen[0]?.slice(0, 1)).toEqual([200]);
    await settled();
    expect(mails.map(({ to }) => to.address)).toEqual(['anna@example.org']);
  });

  it('gets no link to the desk on the page of accounts, and none to an account here', async () => {
    const { browser, mails, settled, accounts } = await mailing();
    await accounts.update('acme', { email: 'anna@example.org' });
    const own = browser();
    const asked = await own.open(`${DESK}/sign-in`);
    // The form of one, sent to the other.
    const crossed = await own.post(`${BASE_URL}/sign-in`, asked.forms[0]!.fields);
    expect(crossed.status).toBe(403);
    await own.submit(await own.open(`${BASE_URL}/sign-in`), 'ask', { email: 'anna@example.org' });
    await ask(own, 'anna@example.org');
    await settled();
    expect(mails.flatMap(linksIn).map((link) => new URL(link).pathname.replace(/[0-9a-f]{40}$/, ''))).toEqual([
      ...['/sign-in/', '/desk/sign-in/'],
    ]);
  });

  it('gets three in an hour, and is told after twenty wishes of one network', async () => {
    const { browser, mails, settled } = await mailing();
    const own = browser();
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) {
      statuses.push((await ask(own, n < 5 ? 'anna@example.org' : `nobody-${n}@example.org`)).status);
    }
    expect(statuses.slice(0, 20).every((status) => status === 200)).toBe(true);
    expect(statuses[20]).toBe(429);
    expect((await ask(browser({ remoteAddress: '198.51.100.7' }), 'ben@example.org')).status).toBe(200);
    await settled();
    expect(mails.map(({ to }) => to.address)).toEqual([
      ...['anna@example.org', 'anna@example.org', 'anna@example.org', 'ben@example.org'],
    ]);
  });

  it('is told what is no address, and where nothing is sent asks the publisher', async () => {
    const { browser } = await mailing();
    const page = await ask(browser(), 'anna');
    expect([page.status, page.html.includes('aria-invalid="true"')]).toEqual([422, true]);
    const silent = await deskService();
    const without = await silent.browser().open(`${DESK}/sign-in`);
    expect(without.forms).toEqual([]);
    expect(without.html).toContain('Ask the publisher of this service for a link.');
  });
});

it('public pages lead an editor who is signed in to the desk, and errors are offered in other languages', async () => {
  const service = await deskService({ records: 1 });
  const { browser } = await service.signedIn();
  for (const path of ['/', '/feeds/permits', '/records/permits:k1', '/records/permits:none']) {
    const page = await browser.open(`${BASE_URL}${path}`);
    expect(page.html).toMatch(/<li><a href="[^"]*\/desk">The desk<\/a><\/li>/);
    expect(page.html).not.toContain('>Sign in<');
    const nobody = await service.get(`${BASE_URL}${path}`, { headers: { accept: 'text/html' } });
    expect(await nobody.text()).not.toContain('/desk"');
  }
  const missing = await browser.open(`${BASE_URL}/feeds/none`);
  const german = /href="([^"]*lang=de[^"]*)"/.exec(missing.html)![1]!.replaceAll('&amp;', '&');
  expect((await browser.open(new URL(german, BASE_URL).href)).html).toContain('<html lang="de"');
});

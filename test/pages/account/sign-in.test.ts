// Signing in by a link and out again: what a link does, for whom, and what others can make of it.
import { describe, expect, it } from 'vitest';
import { recogniser } from '../../../src/pages/account/session.ts';
import { LINK_MS, SESSION_MS } from '../../../src/operate/sign-in.ts';
import { API, BASE_URL, NOW } from '../../world.ts';
import type { Browser, Page } from './browser.ts';
import { ownersService } from './signed-in.ts';

/** Whether somebody signed in sees the page. */
function isSignedIn({ html, url }: Page): boolean {
  return new URL(url).pathname.endsWith('/account') && html.includes('Sign out everywhere');
}

/** Fetches every address of a page and every address that those have, as scanners of mail do, and sends every form without cookies. */
async function scan(browser: Browser, url: string, hasCookies: boolean): Promise<void> {
  const seen = new Set<string>();
  const waiting = [url];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (seen.has(next) || !next.startsWith(BASE_URL)) continue;
    seen.add(next);
    const page = await browser.open(next);
    waiting.push(...page.links);
    for (const { action, fields } of page.forms) {
      if (!hasCookies) browser.cookies.clear();
      if (!hasCookies) await browser.post(action, fields);
      await browser.open(action);
    }
  }
}

describe('a link to sign in', () => {
  it('shows a button, which signs the owner in', async () => {
    const { browser, link } = await ownersService();
    const own = browser();
    const asked = await own.open(await link());
    expect(asked.status).toBe(200);
    expect(asked.html).toContain('<strong>acme</strong>');
    const page = await own.submit(asked, 'sign-in');
    expect([isSignedIn(page), page.url]).toEqual([true, `${BASE_URL}/account`]);
    expect(page.html).toContain('1 January 2999');
  });

  it('works for its owner once, after a scanner has fetched it and followed everything', async () => {
    const { browser, link, get } = await ownersService();
    const url = await link();
    for (const hasCookies of [true, false]) await scan(browser(), url, hasCookies);
    for (const method of ['HEAD', 'OPTIONS', 'PUT']) await get(url, { method });
    const own = browser();
    const asked = await own.open(url);
    expect(isSignedIn(await own.submit(asked, 'sign-in'))).toBe(true);
    const again = await own.submit(asked, 'sign-in');
    expect(again.status).toBe(410);
    expect(again.html).toContain('does not work any more');
    expect((await browser().open(url)).status).toBe(410);
  });

  it('begins one session when its button is pressed twice at once', async () => {
    const { browser, link } = await ownersService();
    const own = browser();
    const asked = await own.open(await link());
    const pages = await Promise.all([1, 2, 3, 4].map(() => own.submit(asked, 'sign-in', {}, { isFollowing: false })));
    expect(pages.map(({ status }) => status).sort()).toEqual([303, 410, 410, 410]);
  });

  it('ends after a quarter of an hour, and by a newer one', async () => {
    const { browser, link, clock } = await ownersService();
    const [old, latest] = [await link(), await link()];
    expect((await browser().open(old)).status).toBe(410);
    const own = browser();
    const asked = await own.open(latest);
    clock.now += LINK_MS;
    expect((await own.submit(asked, 'sign-in')).status).toBe(410);
    expect((await own.open(latest)).status).toBe(410);
  });

  it.each(['x', '0'.repeat(40), `${'0'.repeat(39)}%00`, '%2e%2e%2faccount', 'sent'])(
    'that nobody made looks as one that has ended: %s',
    async (secret) => {
      const { browser } = await ownersService();
      const page = await browser().open(`${BASE_URL}/sign-in/${secret}`);
      expect(page.status).toBe(410);
      expect(page.html).toContain('does not work any more');
    },
  );

  it('is used only with the cookie of the page, and its token', async () => {
    const { browser, link } = await ownersService();
    const url = await link();
    const own = browser();
    const asked = await own.open(url);
    const thief = browser();
    const stolen = await thief.submit(asked, 'sign-in');
    const otherPage = browser();
    await otherPage.open(`${BASE_URL}/sign-in`);
    const crossed = await otherPage.submit(asked, 'sign-in');
    const guessed = await own.submit(asked, 'sign-in', { token: 'A'.repeat(43) });
    const left = await own.submit(asked, 'sign-in', { token: null });
    expect([stolen, crossed, guessed, left].map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(isSignedIn(await own.submit(asked, 'sign-in'))).toBe(true);
  });

  it('is in no log, and in no address that other pages learn', async () => {
    const { browser, link, lines } = await ownersService();
    const url = await link();
    const own = browser();
    const asked = await own.open(url);
    await own.submit(asked, 'sign-in');
    expect(JSON.stringify(lines)).not.toContain(url.slice(-40));
    expect(asked.headers.get('referrer-policy')).toBe('strict-origin');
    expect(asked.headers.get('x-robots-tag')).toBe('noindex');
  });
});

describe('a session', () => {
  it('is in a cookie that no script and no other host can have', async () => {
    const { signedIn } = await ownersService();
    const { browser } = await signedIn();
    const [page, session] = browser.setCookies;
    expect(page).toMatch(/^__Host-gazette-page=[0-9a-f]{40}; Path=\/; Max-Age=900; HttpOnly; SameSite=Strict; Secure$/);
    expect(session).toMatch(/^__Host-gazette=[0-9a-f]{40}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('is in a cookie without the prefix where the service is not published over HTTPS', async () => {
    const { signedIn, browser } = await ownersService({ baseUrl: 'http://localhost:8080/registers' });
    const own = (await signedIn()).browser;
    expect(own.setCookies[1]).toMatch(/^gazette=[0-9a-f]{40}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/);
    // The other name opens nothing there.
    const other = browser();
    other.cookies.set('__Host-gazette', own.cookies.get('gazette')!);
    expect(isSignedIn(await other.open('http://localhost:8080/registers/account'))).toBe(false);
    expect(isSignedIn(await own.open('http://localhost:8080/registers/account'))).toBe(true);
  });

  it('has a new secret, whatever the browser brought', async () => {
    const { browser, link, signedIn } = await ownersService();
    const attacker = (await signedIn('other')).browser;
    const planted = attacker.cookies.get('__Host-gazette')!;
    for (const fixed of [planted, '0'.repeat(40)]) {
      const victim = browser();
      victim.cookies.set('__Host-gazette', fixed);
      const page = await victim.submit(await victim.open(await link('acme')), 'sign-in');
      expect(page.html).toContain('<code>acme</code>');
      expect(victim.cookies.get('__Host-gazette')).not.toBe(fixed);
      const again = browser();
      again.cookies.set('__Host-gazette', fixed);
      expect(isSignedIn(await again.open(`${BASE_URL}/account`))).toBe(false);
    }
  });

  it('is nobody’s if its cookie comes twice', async () => {
    const { signedIn } = await ownersService();
    const { browser } = await signedIn();
    const cookie = `__Host-gazette=${browser.cookies.get('__Host-gazette')!}`;
    const headers = { cookie: `${cookie}; ${cookie}` };
    const page = await browser.open(`${BASE_URL}/account`, { headers, isFollowing: false });
    expect([page.status, page.headers.get('location')]).toEqual([303, `${BASE_URL}/sign-in`]);
  });

  it('ends after half a day', async () => {
    const { signedIn, clock } = await ownersService();
    const { browser } = await signedIn();
    clock.now += SESSION_MS - 1;
    expect(isSignedIn(await browser.open(`${BASE_URL}/account`))).toBe(true);
    clock.now += 1;
    const page = await browser.open(`${BASE_URL}/account`);
    expect([isSignedIn(page), page.url]).toEqual([false, `${BASE_URL}/sign-in?done=sessionEnded`]);
  });

  it('ends by one button, and all of them by another', async () => {
    const { signedIn } = await ownersService();
    const [one, other, third] = [await signedIn(), await signedIn(), await signedIn('other')];
    const secret = one.browser.cookies.get('__Host-gazette')!;
    const out = await one.browser.submit(one.page, 'sign-out');
    expect(out.html).toContain('You are signed out.');
    expect(one.browser.cookies.has('__Host-gazette')).toBe(false);
    one.browser.cookies.set('__Host-gazette', secret);
    expect(isSignedIn(await one.browser.open(`${BASE_URL}/account`))).toBe(false);
    expect(isSignedIn(await other.browser.open(`${BASE_URL}/account`))).toBe(true);
    const fourth = await signedIn();
    await fourth.browser.submit(fourth.page, 'sign-out-everywhere');
    expect(isSignedIn(await other.browser.open(`${BASE_URL}/account`))).toBe(false);
    expect(isSignedIn(await third.browser.open(`${BASE_URL}/account`))).toBe(true);
  });

  it('opens nothing below /api/v1', async () => {
    const { signedIn, fetch } = await ownersService();
    const { browser } = await signedIn();
    const cookie = `__Host-gazette=${browser.cookies.get('__Host-gazette')!}`;
    for (const path of ['/feeds/permits/records/export.csv', '/feeds/permits/changes?since=0', '/account']) {
      const answers = await Promise.all([{ cookie }, {}].map((headers) => fetch(new Request(API + path, { headers }))));
      expect(answers[0]!.status, path).toBe(answers[1]!.status);
      expect([401, 404]).toContain(answers[0]!.status);
      expect(answers[0]!.headers.get('vary')).not.toMatch(/cookie/i);
    }
  });

  it('reads as the account may: what is paid for while it is active, as the public once it has lapsed or is suspended', async () => {
    const { signedIn, accounts, signIns } = await ownersService();
    const { browser } = await signedIn();
    const recognise = recogniser(signIns, () => NOW);
    const tiers: unknown[] = [];
    const note = async (): Promise<void> => {
      const { headers } = await browser.open(`${BASE_URL}/`);
      expect([headers.get('cache-control'), headers.get('vary')?.split(', ')[0]]).toEqual([
        ...['private, no-store', 'Cookie'],
      ]);
      const request = new Request(BASE_URL, { headers: { cookie: browser.cookie } });
      const { tier, account } = await recognise({ request, api: API });
      tiers.push([tier, account?.id]);
    };
    await note();
    await accounts.extend('acme', '2020-01-01');
    await note();
    expect((await browser.open(`${BASE_URL}/account`)).html).toContain('ended on <time');
    await accounts.extend('acme', '2030-01-01');
    await accounts.suspend('acme');
    await note();
    expect((await browser.open(`${BASE_URL}/account`)).html).toContain('suspended by the publisher');
    expect(tiers).toEqual([
      ['pro', 'acme'],
      ['public', 'acme'],
      ['public', 'acme'],
    ]);
  });
});

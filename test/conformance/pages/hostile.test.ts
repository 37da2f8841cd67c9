// Records whose every text attacks the page that shows it: it is shown as text, it never runs, and the layout holds at the
// narrowest width. What got into the page is looked for in its elements, because the page's policy would keep it from running.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { overflow, PAGE_BYTES, violations } from './audit.ts';
import { type Chromium, launch, noChromium, type Page, type Watched, watch } from './chromium.ts';
import { fillHostile } from './registers.ts';
import { type PagesService, startPages } from './service.ts';

/** Runs in a page: elements and attributes that its templates never write. */
const FOREIGN = `(() => {
  const found = [];
  if (window.ran !== undefined) found.push('a script ran');
  for (const element of document.querySelectorAll('*')) {
    const name = element.tagName.toLowerCase();
    if (name === 'script' && element.type !== 'application/ld+json') found.push('script');
    if (['iframe', 'object', 'embed', 'base', 'style', 'img', 'video'].includes(name)) found.push(name);
    if (name === 'meta' && element.httpEquiv !== '') found.push('meta ' + element.httpEquiv);
    for (const { name: attribute, value } of element.attributes) {
      if (/^on|^style$|^srcdoc$/.test(attribute)) found.push(name + ' ' + attribute);
      const isAddress = ['href', 'src', 'action', 'formaction', 'xlink:href'].includes(attribute);
      if (isAddress && !/^(https?|mailto):$/.test(new URL(value, location.href).protocol)) found.push(name + ' ' + attribute + '=' + value.slice(0, 40));
      if (attribute === 'action' && new URL(value, location.href).origin !== location.origin) found.push('a form for ' + value);
    }
  }
  return found;
})()`;

/** Runs in a page: where its list's links lead. */
const RECORD_LINKS = `[...document.querySelectorAll('.sheet tbody th a')].map((link) => link.getAttribute('href'))`;

/** The registers of such records. */
const FEEDS = ['hostile', 'attacks'] as const;

/** So many keys of an account, so that its page has room for them. */
const KEYS = 40;

/** So many faults tell enough. */
const MANY = 12;

/** White space and characters that HTML cannot have, as a reader sees them. */
const READ = /[\s\u0000-\u001f\u007f-\u009f\ufffd\ufffe\uffff]+/g;

describe.skipIf(noChromium !== null)(`hostile records (${noChromium ?? 'in Chromium'})`, () => {
  let service: PagesService;
  let browser: Chromium;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startPages({}, fillHostile), launch()]);
    watched = await watch(browser, service.origin, { viewport: { width: 320, height: 700 } });
    page = await watched.open();
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  beforeEach(() => {
    watched.complaints.length = 0;
  });

  /** Opens a page and says what is wrong with it. */
  async function open(path: string): Promise<readonly string[]> {
    const answer = await page.goto(service.origin + path);
    const found = [...(await page.evaluate<readonly string[]>(FOREIGN)), ...(await overflow(page))];
    if (answer!.status() !== 200) found.push(`answered ${answer!.status()}`);
    const { length } = await answer!.body();
    if (length >= PAGE_BYTES) found.push(`takes ${length} bytes`);
    return found.map((line) => `${path}: ${line}`);
  }

  /** Opens a list and all pages after it. @returns what is wrong with them, and the records that they have */
  async function walk(
    path: string,
  ): Promise<{ readonly found: readonly string[]; readonly listed: readonly string[] }> {
    const found: string[] = [];
    const listed: string[] = [];
    for (let next: string | null = path; next !== null;) {
      found.push(...(await open(next)));
      const links = await page.evaluate<readonly string[]>(RECORD_LINKS);
      listed.push(...links.map((href) => decodeURIComponent(href.slice('/records/'.length))));
      const link = page.locator('a[rel=next]');
      next = (await link.count()) === 0 ? null : await link.first().getAttribute('href');
    }
    return { found, listed };
  }

  async function records(feedId: string): Promise<readonly RegisterRecord[]> {
    const all: RegisterRecord[] = [];
    for (;;) {
      const path = `/api/v1/feeds/${feedId}/records?limit=100&offset=${all.length}`;
      const answer = await fetch(service.origin + path, { headers: { authorization: `Bearer ${service.key}` } });
      const page = ((await answer.json()) as { readonly records: readonly RegisterRecord[] }).records;
      if (page.length === 0) return all;
      all.push(...page);
    }
  }

  it('are more than the 228 that were promised', async () => {
    const counts = await Promise.all(FEEDS.map(async (feedId) => (await records(feedId)).length));
    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(228);
  });

  it.each(FEEDS)('are listed as text: %s', async (feedId) => {
    const ids = (await records(feedId)).map(({ id }) => id);
    expect(await walk(`/feeds/${feedId}`)).toEqual({ found: [], listed: ids });
    await page.goto(`${service.origin}/feeds/${feedId}`);
    expect((await violations(page)).slice(0, MANY)).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  it('are found as text', async () => {
    const inKeys = { hostile: ['danger*'], attacks: ['attack*', 'html*'] };
    for (const feedId of FEEDS) {
      const left = new Map((await records(feedId)).map(({ id, title }) => [id, title]));
      const find = async (words: string): Promise<void> => {
        const { found, listed } = await walk(`/feeds/${feedId}?q=${encodeURIComponent(words)}`);
        expect(found).toEqual([]);
        for (const id of listed) left.delete(id);
      };
      for (const words of inKeys[feedId]) {
        await find(words);
        expect(await open(`/?q=${words}`)).toEqual([]);
      }
      for (const title of [...left.values()]) await find(`"${title}"`);
      expect([...left]).toEqual([]);
    }
    expect(watched.complaints).toEqual([]);
  });

  it.each(FEEDS)('are shown as text: %s', async (feedId) => {
    const found: string[] = [];
    for (const { id, title } of await records(feedId)) {
      found.push(...(await open(`/records/${id}`)));
      const heading = (await page.locator('h1').textContent())!.replaceAll(READ, ' ').trim();
      const said = title.replaceAll(READ, ' ').trim();
      // A title as long as a book may be cut short.
      const begun = heading.replace(/\s*…$/, '');
      if (said !== heading && (begun.length < 200 || !said.startsWith(begun)))
        found.push(`${id}: reads ${JSON.stringify(heading.slice(0, 80))}`);
    }
    expect(found.slice(0, MANY)).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  it('are accessible pages all the same', async () => {
    const found: string[] = [];
    for (const { id } of (await records('attacks')).filter((_, index) => index % 16 === 0)) {
      await open(`/records/${id}`);
      found.push(...(await violations(page)).map((line) => `${id}: ${line}`));
    }
    expect(found.slice(0, MANY)).toEqual([]);
  });

  it('whose texts are names of keys are text on the pages of accounts', async () => {
    const all = (await Promise.all(FEEDS.map(records))).flat();
    const names = all
      .map(({ title, summary, content }) =>
        `${title} ${summary ?? content ?? ''}`.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' '),
      )
      .map((text) =>
        text
          .slice(0, 100)
          .replace(/[\ud800-\udbff]$/, '')
          .trim(),
      )
      .filter((name) => name !== '');
    for (let from = 0; from < names.length; from += KEYS) {
      const account = `hostile-${from}`;
      await service.accounts.add(account, '2099-01-01T00:00:00Z');
      const given = names.slice(from, from + KEYS);
      for (const name of given) await service.accounts.createKey(account, { name });
      await page.goto(`${service.origin}/sign-in/${await accountSignIns(service.store).createLink(account)}`);
      await page.locator('form#sign-in button').click();
      expect(await open('/account/keys')).toEqual([]);
      const shown = await page.locator('.cards h2 a').allInnerTexts();
      expect(shown.map((name) => name.replaceAll(READ, ' ').trim()).sort()).toEqual(
        given.map((name) => name.replaceAll(READ, ' ').trim()).sort(),
      );
      // The newest of them, on the page of its own.
      expect(await open((await page.locator('.cards h2 a').first().getAttribute('href'))!)).toEqual([]);
    }
    expect(watched.complaints).toEqual([]);
  });

  it('search for attacks finds them, and shows the words as text', async () => {
    const asked = encodeURIComponent('"><script>window.ran=true</script>');
    expect(await open(`/feeds/attacks?q=${asked}`)).toEqual([]);
    expect(await open(`/?q=${asked}`)).toEqual([]);
    for (const path of [`/feeds/${asked}`, `/records/attacks:${asked}`, `/${asked}`]) {
      await page.goto(service.origin + path);
      expect(await page.evaluate<readonly string[]>(FOREIGN)).toEqual([]);
      expect(await overflow(page)).toEqual([]);
    }
    expect(watched.complaints).toEqual([]);
  });
});

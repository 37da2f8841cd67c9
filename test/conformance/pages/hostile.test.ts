// Records whose every text attacks the page that shows it: it is shown as text, it never runs, and the layout holds at the
// narrowest width. What got into the page is looked for in its elements, because the page's policy would keep it from running.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

  async function records(feedId: string): Promise<readonly RegisterRecord[]> {
    const answer = await fetch(`${service.origin}/api/v1/feeds/${feedId}/records?limit=100`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    return ((await answer.json()) as { readonly records: readonly RegisterRecord[] }).records;
  }

  it.each(['hostile', 'attacks'])('are listed as text: %s', async (feedId) => {
    const found: string[] = [];
    for (let next: string | null = `/feeds/${feedId}`; next !== null;) {
      found.push(...(await open(next)));
      found.push(...(await violations(page)));
      const link = page.locator('a[rel=next]');
      next = (await link.count()) === 0 ? null : await link.first().getAttribute('href');
    }
    expect(found.slice(0, MANY)).toEqual([]);
    expect(watched.complaints).toEqual([]);
  });

  it.each(['hostile', 'attacks'])('are shown as text: %s', { timeout: 120_000 }, async (feedId) => {
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
    for (const { id } of (await records('attacks')).filter((_, index) => index % 8 === 0)) {
      await open(`/records/${id}`);
      found.push(...(await violations(page)).map((line) => `${id}: ${line}`));
    }
    expect(found.slice(0, MANY)).toEqual([]);
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

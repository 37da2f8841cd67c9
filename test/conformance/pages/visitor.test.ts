// A visitor's way through the pages for readers, with and without JavaScript: search, filter, open a record, read what changed, follow the
// source, subscribe.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../until.ts';
import { type Chromium, launch, noChromium, type Page, type Watched, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';

describe.skipIf(noChromium !== null)(`a visitor (${noChromium ?? 'in Chromium'})`, () => {
  let service: PagesService;
  let browser: Chromium;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startPages(), launch()]);
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  describe.each([true, false])('with JavaScript: %s', (javaScriptEnabled) => {
    let watched: Watched;
    let page: Page;

    beforeAll(async () => {
      watched = await watch(browser, service.origin, { javaScriptEnabled, locale: 'de-DE' });
      page = await watched.open();
    });

    it('searches all registers, and opens one of them', async () => {
      await page.goto(`${service.origin}/`);
      await page.getByRole('searchbox').fill('Sohlgleite Zeuthen');
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(/[?&]q=Sohlgleite/);
      expect(await page.locator('ol.records > li').count()).toBeGreaterThan(0);
      await page.getByRole('link', { name: 'Register', exact: true }).first().click();
      await page.getByRole('link', { name: 'Öffentliche Bekanntmachungen der Gewässeraufsicht' }).click();
      expect(page.url()).toMatch(/\/feeds\/bekanntmachungen$/);
    });

    it('searches in it, filters, takes a filter away, and turns the page', async () => {
      await page.goto(`${service.origin}/feeds/bekanntmachungen`);
      await page.getByRole('searchbox').fill('Finowkanal');
      await page.getByRole('searchbox').press('Enter');
      await page.waitForURL(/[?&]q=Finowkanal/);
      await page.locator('input[type=checkbox][value=Widerruf]').check();
      await page.locator('.filters button, button[form=find]').last().click();
      await page.waitForURL(/document_type=Widerruf/);
      const titles = await page.locator('.sheet tbody th').allInnerTexts();
      expect(titles.length).toBeGreaterThan(0);
      for (const title of titles) expect(title).toMatch(/^Widerruf.*Finowkanal/);
      await page.locator('.chosen a').filter({ hasText: 'Widerruf' }).click();
      expect(page.url()).not.toContain('document_type');
      expect(page.url()).toContain('q=Finowkanal');
      await page.locator('a[rel=next]').click();
      expect(page.url()).toMatch(/[?&]offset=\d+/);
      expect(await page.locator('.sheet tbody tr').count()).toBe(20);
    });

    it('opens a record, reads what changed, and follows the source', async () => {
      await page.goto(`${service.origin}/feeds/bekanntmachungen`);
      await page.locator('.sheet tbody th a').first().click();
      expect(page.url()).toContain('/records/bekanntmachungen:');
      expect(await page.locator('.versions > li').count()).toBe(3);
      expect((await page.locator('.diff del').allInnerTexts()).join()).not.toBe('');
      expect((await page.locator('.diff ins').allInnerTexts()).join(' ')).toMatch(/12[.]?345,60/);
      // On a narrow screen the name of a changed field has a line of its own.
      await page.setViewportSize({ width: 320, height: 700 });
      const share = `Math.min(...[...document.querySelectorAll('.diff tbody th')].map((th) => th.clientWidth / th.parentElement.clientWidth))`;
      // The size of the window may reach the page later than the answer that it was set.
      await until('names over the whole width', async () => (await page.evaluate<number>(share)) > 0.9);
      await watched.elsewhere('https://wasser.musterlandkreis.example/**', '<title>Der Bescheid</title>');
      await page.locator('.source a').click();
      expect(await page.title()).toBe('Der Bescheid');
      expect(watched.complaints).toEqual([]);
    });

    it('subscribes: the page names feeds that exist, and OPML names the register', async () => {
      await page.goto(`${service.origin}/feeds/bekanntmachungen?document_type=Widerruf`);
      const feeds = page.locator('link[rel=alternate][type="application/atom+xml"]');
      const address = new URL((await feeds.first().getAttribute('href'))!, service.origin);
      const feed = await fetch(address);
      expect([feed.status, feed.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^application\/atom\+xml/),
      ]);
      const entries = (await feed.text()).match(/<title[^>]*>[^<]*/g)!.slice(1);
      expect(entries.length).toBeGreaterThan(10);
      for (const title of entries) expect(title).toContain('Widerruf');
      const opml = await page.locator('footer a').filter({ hasText: 'OPML' }).getAttribute('href');
      expect(await (await fetch(new URL(opml!, service.origin))).text()).toContain('export.atom');
    });
  });
});

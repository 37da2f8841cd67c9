// Every page that people read, in Chromium: axe-core finds nothing, nothing sticks out, nobody else is asked, and the keyboard
// reaches everything; in both colour schemes, at three widths, in English and in German.
//
// With GAZETTE_SCREENSHOTS=folder each page is also painted into that folder, to be looked at.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signAll } from '../../wings/signs.ts';
import { faults, keyboard, onPaper, PAGE_BYTES, readyInAll } from './audit.ts';
import { type Chromium, launch, noChromium, type Page, type Watched, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';

/** The pages for readers. */
const PAGES: readonly { readonly name: string; readonly path: string; readonly status?: number }[] = [
  { name: 'home', path: '/' },
  { name: 'home-found', path: '/?q=Wasser' },
  { name: 'register', path: '/feeds/permits' },
  { name: 'register-german', path: '/feeds/bekanntmachungen' },
  { name: 'found', path: '/feeds/bekanntmachungen?q=Finowkanal&document_type=Erlaubnis' },
  { name: 'found-nothing', path: '/feeds/permits?q=zeppelin' },
  { name: 'figures', path: '/feeds/bekanntmachungen/figures?by=document_type&by=published_at:month' },
  { name: 'figures-public', path: '/feeds/permits/figures?measure=max:published_at&by=document_type' },
  { name: 'record', path: '/records/bekanntmachungen:2026~2F03000' },
  { name: 'record-preview', path: '/records/permits:24~2F0005' },
  { name: 'proof', path: '/records/bekanntmachungen:2026~2F03000/proof' },
  { name: 'proof-public', path: '/records/permits:24~2F0005/proof' },
  { name: 'record-withdrawn', path: '/records/bekanntmachungen:2026~2F02998', status: 410 },
  { name: 'guide', path: '/guide' },
  { name: 'guide-choice', path: '/guide?register=permits' },
  { name: 'no-word', path: '/feeds/permits?q=%22' },
  { name: 'missing', path: '/nothing', status: 404 },
  { name: 'wrong', path: '/feeds/permits?limit=x', status: 400 },
];

const LANGUAGES = ['en-GB', 'de-DE'] as const;

describe.skipIf(noChromium !== null)(`pages (${noChromium ?? 'in Chromium'})`, () => {
  let service: PagesService;
  let browser: Chromium;

  beforeAll(async () => {
    [service, browser] = await Promise.all([startPages(), launch()]);
    for (const id of ['permits', 'bekanntmachungen']) await signAll(service.store, id);
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  describe.each(LANGUAGES)('for a reader of %s', (locale) => {
    let watched: Watched;
    let page: Page;

    beforeAll(async () => {
      watched = await watch(browser, service.origin, { locale });
      await readyInAll(watched.context);
      page = await watched.open();
    });

    afterAll(() => watched.context.close());

    beforeEach(() => {
      watched.complaints.length = 0;
    });

    it.each(PAGES)('$name: is accessible and fits', async ({ name, path, status = 200 }) => {
      const answer = await page.goto(service.origin + path);
      expect(answer!.status()).toBe(status);
      const { 'content-security-policy': policy = 'none' } = answer!.headers();
      expect(policy).not.toMatch(/none$|unsafe-/);
      expect((await answer!.body()).length).toBeLessThan(PAGE_BYTES);
      expect(await faults(page, `${name}-${locale.slice(0, 2)}`)).toEqual([]);
      // What can be reached with it, and how that is shown, depends on no language.
      if (locale === 'en-GB') expect(await keyboard(page)).toEqual([]);
      expect(await onPaper(page)).toEqual([]);
      expect(watched.complaints).toEqual([]);
    });
  });
});

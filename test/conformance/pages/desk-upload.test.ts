// A file is uploaded in Chromium, with the page's script and without any: the proposal is shown, or why there is none.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Editors } from '../../../src/operate/desk/editors.ts';
import { editorSignIns } from '../../../src/operate/sign-in.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { faults, keyboard } from './audit.ts';
import { type Chromium, launch, noChromium, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';

const MAX_BYTES = 1_000_000;

const FILE = `id,title,published_at,source_url
901,Permit 901,2026-05-01,https://example.org/901
902,<script>alert(1)</script>,2026-05-02,https://example.org/902
`;

describe.skipIf(noChromium !== null)(`an upload (${noChromium ?? 'in Chromium'})`, () => {
  let service: PagesService;
  let browser: Chromium;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
    const uploads = { folder: join(folder, 'uploads'), maxBytes: MAX_BYTES };
    [service, browser] = await Promise.all([
      startPages({ desk: true, uploads }, async (store) => {
        await store.createRegister(permits());
        await store.apply('permits', [say('a')], { recordedAt: at(1) });
      }),
      launch(),
    ]);
    await new Editors(service.store).add(
      { name: 'anna', email: 'anna@example.org' },
      { who: 'root', role: 'operator' },
    );
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['with its script, in English', true, 'en-GB'],
    ['without a script, in German', false, 'de-DE'],
  ])('works %s', async (_, javaScriptEnabled, locale) => {
    const watched = await watch(browser, service.origin, { locale, javaScriptEnabled });
    const page = await watched.open();
    const look = async (what: string): Promise<void> => {
      if (!javaScriptEnabled) return;
      expect([what, await faults(page, `upload-${what}`), await keyboard(page)]).toEqual([what, [], []]);
    };
    await page.goto(`${service.origin}/desk/sign-in/${await editorSignIns(service.store).createLink('anna')}`);
    await page.locator('main form button').last().click();
    await page.waitForURL(`${service.origin}/desk`);
    const upload = async (name: string, text: string): Promise<void> => {
      await page.goto(`${service.origin}/desk/feeds/permits/upload`);
      await page.locator('#upload-file').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
      await page.locator('form#upload button').click();
    };
    await page.goto(`${service.origin}/desk/feeds/permits/upload`);
    await look('form');
    await upload(`week 17 <b>.csv`, FILE.replaceAll('90', javaScriptEnabled ? '91' : '92'));
    await page.waitForURL(/\/desk\/feeds\/permits\/imports\/\d+/);
    expect(await page.locator('main').innerText()).toContain('week 17 <b>.csv');
    await upload('a.pdf', '%PDF-1.7\n');
    await page.locator('main .note.warn').waitFor();
    expect(await page.locator('main').innerText()).toContain('a.pdf is a PDF document');
    await look('failed');
    await upload('large.csv', 'a'.repeat(MAX_BYTES + 200_000));
    if (javaScriptEnabled) {
      await page.locator('#upload-large').waitFor();
      await look('large');
    }
    expect(watched.complaints.filter((line) => !/413|Failed to load/.test(line))).toEqual([]);
    expect(service.errors).toEqual([]);
    await watched.context.close();
  });
});

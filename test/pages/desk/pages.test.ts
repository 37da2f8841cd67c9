// What an editor sees at the desk, of which registers, and how it is answered.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parse } from 'parse5';
import { actorOf, type DeskRight } from '../../../src/operate/desk/editors.ts';
import { registerFor } from '../../../src/pages/desk/answers.ts';
import type { ImportCounts } from '../../../src/stores/contract/imports/counts.ts';
import { at, permits } from '../../contracts/store-register.ts';
import { BASE_URL } from '../../world.ts';
import { elements, type Page, textOf } from '../account/browser.ts';
import { type DeskService, deskService } from './desk-service.ts';

const DESK = `${BASE_URL}/desk`;

const NONE: ImportCounts = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0, withdrawn: 0, refused: 0 };

/** Notes an import, as one that took a file in would. */
async function logImport(
  { store }: DeskService,
  feedId: string,
  file: string,
  counts: Partial<ImportCounts> | null,
  error: string | null = null,
): Promise<void> {
  const begun = { file, cause: 'source_change', who: 'clerk', begunAt: at(1) } as const;
  const { number } = await store.imports.begin(feedId, begun, { key: randomBytes(32) });
  if (counts === null) return;
  await store.imports.end(number, { counts: { ...NONE, ...counts }, endedAt: at(2), error, digest: null });
}

/** The text of an element of a page, its spaces as one. */
function text(page: Page, name = 'main'): string {
  return elements(parse(page.html), name).map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}

describe('the desk', () => {
  it('shows the registers, how many records each has, when it changed, and what was last taken in', async () => {
    const service = await deskService();
    await logImport(service, 'permits', 'old.csv', { added: 5 });
    await logImport(service, 'permits', 'week 17.csv', { added: 1200, changed: 2, refused: 1 });
    await logImport(service, 'permits', 'same.csv', { unchanged: 5 });
    await logImport(service, 'permits', 'broken.csv', {}, 'invalid_input');
    await logImport(service, 'notices', 'killed.csv', null);
    const { page } = await service.signedIn();
    const said = text(page);
    expect(said).toContain('You are signed in as anna and work on these registers.');
    expect(said).toMatch(
      /Environmental permits permits · 5 records · last changed 1 May 2026, \S+ UTC · last taken in 1 May 2026, \S+ UTC/,
    );
    expect(said).toContain('week 17.csv: 1,200 added, 2 changed, 1 refused');
    expect(said).toContain('same.csv: nothing changed');
    expect(said).toMatch(/broken\.csv: nothing changed failed 1 May 2026, \S+ UTC · import 4 · clerk/);
    expect(said).not.toContain('old.csv');
    expect(said).toMatch(/never changed Latest imports killed\.csv: nothing changed interrupted/);
  });

  it('says of a register that it is overdue', async () => {
    const service = await deskService();
    await logImport(service, 'permits', 'week 17.csv', { added: 5 });
    await service.store.updateRegister({ ...permits(), every: '1w' }, { recordedAt: at(3) });
    service.clock.now = Date.parse(at(2)) + 7 * 86_400_000;
    const { browser, page } = await service.signedIn();
    expect(text(page)).not.toContain('overdue');
    service.clock.now += 60_000;
    expect(text(await browser.open(DESK))).toMatch(
      /last taken in 1 May 2026, \S+ UTC · overdue: expected every 7 days/,
    );
  });

  it('says when a file was last taken in, whatever else was done since, and what that was', async () => {
    const service = await deskService();
    const { imports } = service.store;
    await logImport(service, 'permits', 'week 17.csv', { added: 5 });
    const begun = { cause: 'extraction_correction', who: 'anna', begunAt: at(3) } as const;
    const options = { key: randomBytes(32) };
    for (let n = 0; n < 4; n++) {
      const hand = await imports.begin('permits', { ...begun, kind: 'hand', file: 'permits:001' }, options);
      await imports.end(hand.number, { counts: { ...NONE, changed: 1 }, endedAt: at(4), error: null, digest: null });
    }
    await imports.begin('permits', { ...begun, kind: 'undo', undoes: 1, file: 'week 17.csv' }, options);
    const said = text((await service.signedIn()).page);
    expect(said).toMatch(/5 records · last changed [^·]+ · last taken in 1 May 2026, 00:02 UTC Latest/);
    expect(said).toContain('Import 1 taken back: nothing changed');
    expect(said).toContain('By hand, permits:001: 1 changed');
    expect(said).not.toContain('week 17.csv');
  });

  it('shows an editor of some registers these alone, and a reviewer what she is there for', async () => {
    const service = await deskService();
    await logImport(service, 'notices', 'notices.csv', { added: 1 });
    const [ben, carla] = [(await service.signedIn('ben')).page, (await service.signedIn('carla')).page];
    const own = (page: Page): string[] => page.links.filter((link) => link.includes('/feeds/'));
    expect(own(ben)).toEqual([`${DESK}/feeds/permits`]);
    const notices = `${DESK}/feeds/notices`;
    expect(own(carla)).toEqual([notices, `${notices}/imports/1`]);
    expect(text(ben)).toContain('as ben and approve what others propose');
    expect(text(ben)).not.toContain('notices');
    await service.store.removeRegister('permits');
    const after = await (await service.signedIn('ben')).browser.open(DESK);
    expect([after.status, text(after).includes('There is no register yet.')]).toEqual([200, true]);
  });

  it('gives pages the register that they are about, where the editor may do what they do', async () => {
    const { store, editors } = await deskService();
    const codeOf = async (name: string, right: DeskRight, feedId: string): Promise<unknown> => {
      const editor = await editors.find(name);
      return registerFor({ editor }, { store }, right, feedId).then(
        ({ definition }) => definition.id,
        (error: unknown) => (error as { readonly code: unknown }).code,
      );
    };
    expect(await codeOf('anna', 'change', 'permits')).toBe('permits');
    expect(await codeOf('ben', 'approve', 'permits')).toBe('permits');
    expect(await codeOf('ben', 'change', 'permits')).toBe('editor_refused');
    expect(await codeOf('carla', 'see', 'permits')).toBe('unknown_feed');
    expect(await codeOf('anna', 'see', 'none')).toBe('unknown_feed');
  });

  it('shows twenty registers on a page', async () => {
    const service = await deskService();
    for (let n = 0; n < 23; n++) await service.store.createRegister(permits(`a-${n}`));
    const { browser, page } = await service.signedIn();
    const next = page.links.find((link) => link.includes('offset='))!;
    expect(next).toBe(`${DESK}?offset=20`);
    const second = await browser.open(next);
    expect(elements(parse(second.html), 'h2')).toHaveLength(5);
    expect(second.links).toContain(DESK);
    expect((await browser.open(`${DESK}?offset=40`)).status).toBe(404);
  });

  it('says what was done by the editor and to her registers, newest first', async () => {
    const service = await deskService();
    const { editors } = service;
    const [anna, ben] = [actorOf({ name: 'anna', role: 'edit' }), actorOf({ name: 'ben', role: 'review' })];
    const { browser } = await service.signedIn('ben');
    await editors.note(anna, 'editor_changed', { feed: 'permits', subject: 'permits:001' });
    await editors.note(anna, 'editor_changed', { feed: 'notices', subject: 'notices:001' });
    const page = await browser.open(`${DESK}/log`);
    const rows = elements(parse(page.html), 'li').map((row) => textOf(row).replaceAll(/\s+/g, ' ').trim());
    expect(rows.filter((row) => row.includes('by '))).toEqual([
      expect.stringMatching(/^Editor changed permits permits:001 .* by anna, editor$/),
      expect.stringMatching(/^Signed in .* by ben, reviewer$/),
    ]);
    for (let n = 0; n < 60; n++) await editors.note(ben, 'signed_out', { subject: `n${n}` });
    const first = await browser.open(`${DESK}/log`);
    expect(first.html).toContain('>n59<');
    const older = first.links.find((link) => link.includes('before='))!;
    const second = await browser.open(older);
    expect([second.html.includes('>n9<'), second.html.includes('permits:001')]).toEqual([true, true]);
    expect(second.links.filter((link) => /before=\d+$/.test(link))).toEqual([]);
    for (const before of ['0', 'x', '1e9', '-1']) {
      expect((await browser.open(`${DESK}/log?before=${before}`)).html).toContain('>n59<');
    }
  });

  it('shows what people wrote as text: names of files, titles and ids are no markup', async () => {
    const service = await deskService();
    const { definition } = (await service.store.register('permits'))!;
    const evil = '<script>alert(1)</script><img src=x onerror=y>"\'&';
    await service.store.updateRegister({ ...definition, title: evil }, { recordedAt: at(9) });
    await logImport(service, 'permits', `${evil}\u202e\n.csv`, { added: 1 });
    await service.editors.note(actorOf({ name: 'anna', role: 'edit' }), 'signed_out', {
      feed: 'permits',
      subject: evil,
    });
    const { browser, page } = await service.signedIn();
    for (const one of [page, await browser.open(`${DESK}/log`)]) {
      const root = parse(one.html);
      expect([elements(root, 'script'), elements(root, 'img')]).toEqual([[], []]);
      expect(text(one)).toContain('<script>alert(1)</script>');
    }
  });

  it('speaks German to who reads German', async () => {
    const service = await deskService();
    await logImport(service, 'permits', 'a.csv', { added: 1 });
    const { browser, page } = await service.signedIn('anna', { language: 'de' });
    expect(page.html).toContain('<html lang="de">');
    expect(text(page)).toMatch(/Ihre Register .* a\.csv: 1 neu/);
    expect(text(await browser.open(`${DESK}/log`))).toMatch(/Angemeldet .* von anna, Redaktion/);
  });

  it('is stored nowhere, shown in no frame, found by no search engine, and runs no script', async () => {
    const service = await deskService();
    const { browser } = await service.signedIn();
    const pages = [
      ...[await browser.open(DESK), await browser.open(`${DESK}/log`)],
      ...[await service.browser().open(`${DESK}/sign-in`), await service.browser().open(await service.link('ben'))],
      await service.browser().open(`${DESK}/sign-in/${'0'.repeat(40)}`),
    ];
    for (const { headers, html, url } of pages) {
      expect(headers.get('cache-control'), url).toBe('private, no-store');
      expect(headers.get('x-robots-tag'), url).toBe('noindex');
      expect(headers.get('etag'), url).toBeNull();
      expect(headers.get('referrer-policy'), url).toBe('strict-origin');
      expect(headers.get('content-security-policy'), url).toContain("default-src 'none'");
      expect(headers.get('content-security-policy'), url).toContain("frame-ancestors 'none'");
      expect(html, url).not.toMatch(/<script|\son\w+=|javascript:/);
    }
    const head = await service.get(DESK, { method: 'HEAD', headers: { cookie: browser.cookie } });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await service.get(DESK, { method, headers: { cookie: browser.cookie } })).status).toBe(405);
    }
  });

  it('is in no navigation of the pages for readers', async () => {
    const service = await deskService();
    for (const path of ['/', '/feeds/permits', '/guide', '/account', '/sitemap.xml', '/robots.txt']) {
      expect((await service.browser().open(BASE_URL + path)).html, path).not.toContain('/desk');
    }
  });
});

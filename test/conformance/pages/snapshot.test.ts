// The pages of a snapshot in Chromium: opened from a disk, and moved below another address, under the policy that the folder
// itself states for its host.
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeSnapshot } from '../../../src/snapshot/run.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { faults, keyboard, onPaper, PAGE_BYTES } from './audit.ts';
import { type Chromium, launch, type Locator, noChromium, type Page, watch } from './chromium.ts';
import { fillRegisters } from './registers.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

describe.skipIf(noChromium !== null)(`the pages of a snapshot (${noChromium ?? 'in Chromium'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-snapshot-pages-'));
  let site = join(folder, 'site');
  let browser: Chromium;
  let server: Server | null = null;

  beforeAll(async () => {
    const store = SqliteStore.open(':memory:');
    await fillRegisters(store);
    const feeds = ['permits', 'hostile', 'attacks'];
    await writeSnapshot({ store, out: site, baseUrl: 'https://registers.example.org/somewhere', feeds });
    await store.close();
    browser = await launch();
  });

  afterAll(async () => {
    await browser.close();
    server?.close();
    rmSync(folder, { recursive: true });
  });

  /** Follows a link, until what it leads to is there whole. */
  async function follow(page: Page, link: Locator): Promise<void> {
    const place = new URL((await link.getAttribute('href'))!, page.url()).href;
    await link.click();
    await page.waitForURL(place);
  }

  /** Follows the way of a reader from the list of registers to the oldest record. @returns the pages that were seen */
  async function walk(page: Page, start: string): Promise<readonly string[]> {
    await page.goto(start);
    await follow(page, page.getByRole('link', { name: 'Environmental permit decisions' }));
    const seen = [page.url()];
    for (const older = page.locator('a[rel=next]'); (await older.count()) > 0;) {
      await follow(page, older);
      seen.push(page.url());
    }
    expect(await page.getByText('No record', { exact: true }).count()).toBe(0);
    await follow(page, page.locator('nav.crumbs a'));
    expect(page.url()).toBe(start);
    return seen.map((url) => url.slice(url.lastIndexOf('/permits/') + 1));
  }

  const WALK = [
    'permits/index.html',
    'permits/pages/000003.html',
    'permits/pages/000002.html',
    'permits/pages/000001.html',
  ];

  it('work from a disk, and look as those of the service', async () => {
    const watched = await watch(browser, 'file://');
    const page = await watched.open();
    expect(await walk(page, `file://${site}/index.html`)).toEqual(WALK);
    // The style sheet is in force, as soon as it is read.
    await expect
      .poll(() => page.evaluate<string>(`getComputedStyle(document.querySelector('header.site')).borderBottomStyle`))
      .toBe('solid');
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });

  it.each(['index', 'permits/index', 'permits/pages/000001', 'hostile/index', 'attacks/index'])(
    'are accessible, fit, and show any text as text: %s',
    async (name) => {
      const watched = await watch(browser, 'file://');
      const page = await watched.open();
      await page.goto(`file://${site}/${name}.html`);
      const found = [...(await faults(page, `snapshot-${name.replaceAll('/', '-')}`))];
      if (name === 'permits/index') found.push(...(await keyboard(page)), ...(await onPaper(page)));
      expect(found.slice(0, 10)).toEqual([]);
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(readFileSync(join(site, `${name}.html`)).length).toBeLessThan(PAGE_BYTES);
      expect(watched.complaints).toEqual([]);
      await watched.context.close();
    },
  );

  it('work below any address that the folder is moved to, under the policy of its own headers', async () => {
    const moved = join(folder, 'moved');
    renameSync(site, moved);
    site = moved;
    const policy = /Content-Security-Policy: (.*)/.exec(readFileSync(join(moved, '_headers'), 'utf8'))![1]!;
    server = createServer(({ url = '' }, response) => {
      const name = url.replace('/any/mount/', '');
      response.writeHead(200, {
        'content-type': TYPES[extname(name)] ?? 'text/plain',
        'content-security-policy': policy,
      });
      response.end(readFileSync(join(moved, name)));
    });
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const watched = await watch(browser, origin, { javaScriptEnabled: false });
    const page = await watched.open();
    expect(await walk(page, `${origin}/any/mount/index.html`)).toEqual(WALK);
    expect(watched.asked.map(({ url }) => url).filter((url) => !url.startsWith(`${origin}/any/mount/`))).toEqual([]);
    expect(watched.complaints).toEqual([]);
    await watched.context.close();
  });
});

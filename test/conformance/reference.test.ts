// The interactive reference in a browser people use, opened from `gazette serve`: it works, it complains of nothing, and
// it asks nobody but the service.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensurePermits } from '../../fixtures/permits/import.ts';
import { Accounts } from '../../src/operate/accounts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { start } from '../cli/run.ts';
import { keyboard, overflow, painted, SCHEMES, violations } from './pages/audit.ts';
import { type Chromium, launch, noChromium, type Page, type Scheme, type Watched, watch } from './pages/chromium.ts';

describe.skipIf(noChromium !== null)(`the reference (${noChromium ?? 'in Chromium'})`, () => {
  let folder: string;
  let server: ReturnType<typeof start>;
  let origin: string;
  let key: string;
  let browser: Chromium;
  let watched: Watched;
  /** What a reader uses, from one test to the next: it takes seconds to draw. */
  let page: Page;
  /** As a phone opens it where the system is dark, and only looked at. */
  let dark: Page;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gazette-reference-'));
    const path = join(folder, 'gazette.db');
    const store = SqliteStore.open(path);
    await ensurePermits(store);
    const accounts = new Accounts(store, { product: 'gazette' });
    await accounts.add('demo', '2099-01-01T00:00:00Z');
    ({ key } = await accounts.createKey('demo'));
    await store.close();

    server = start(['serve', '--store', path, '--port', '0']);
    let said = '';
    for await (const chunk of server.stderr as AsyncIterable<Buffer>) {
      said += chunk.toString();
      // With its last line, because nobody reads any more then, and a program that writes to nobody ends.
      const address = /(http:\/\/127\.0\.0\.1:\d+)\/api\/v1[^]*the guide: .*\n/.exec(said);
      if (address === null) continue;
      origin = address[1]!;
      break;
    }
    browser = await launch({ runsLong: true });
    watched = await watch(browser, origin);
  });

  afterAll(async () => {
    await browser.close();
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => {
    watched.asked.length = 0;
    watched.complaints.length = 0;
  });

  async function open(width: number, colorScheme: Scheme): Promise<Page> {
    const opened = await watched.open();
    await opened.setViewportSize({ width, height: 900 });
    await opened.emulateMedia({ colorScheme });
    await opened.goto(`${origin}/api/v1/reference`);
    await opened.locator('#operations-Records-listRecords').waitFor();
    return opened;
  }

  /** Opens an operation, sends its request as it stands there, and gives the status and the body that are shown. */
  async function tryIt(operation: string): Promise<{ readonly status: string; readonly shown: string }> {
    const block = page.locator(`#operations-${operation}`);
    if ((await block.locator('.execute').count()) === 0) await block.locator('.opblock-summary-control').click();
    // What was answered before goes first.
    if ((await block.locator('.btn-clear').count()) > 0) await block.locator('.btn-clear').click();
    await block.locator('.execute').click();
    const answer = block.locator('.live-responses-table tr.response');
    await answer.waitFor();
    const status = await answer.locator('.response-col_status').innerText();
    return { status: status.trim(), shown: await answer.locator('.response-col_description').innerText() };
  }

  it('opens without a complaint, and asks nobody but the service', async () => {
    page = await open(1280, 'light');
    expect(watched.asked.map(({ url }) => new URL(url).pathname).sort()).toEqual([
      '/api/v1/openapi.json',
      '/api/v1/reference',
      '/api/v1/reference/reference.css',
      '/api/v1/reference/start.js',
      '/api/v1/reference/swagger-ui-bundle.js',
      '/api/v1/reference/swagger-ui.css',
    ]);
    expect(new Set(watched.asked.map(({ url }) => new URL(url).origin))).toEqual(new Set([origin]));
    expect(watched.complaints).toEqual([]);
  });

  it('has a padlock where a key is needed, and nowhere else', async () => {
    const padlocks = (operation: string): Promise<number> =>
      page.locator(`#operations-${operation} .authorization__btn`).count();
    expect([await padlocks('Records-listRecords'), await padlocks('Exports-downloadRegister')]).toEqual([0, 1]);
  });

  it('sends a real request for the list, and shows the records that come', async () => {
    const { status, shown } = await tryIt('Records-listRecords');
    expect([status, watched.asked.at(-1)]).toEqual([
      '200',
      { url: `${origin}/api/v1/feeds/permits/records?limit=50&offset=0`, method: 'GET' },
    ]);
    expect(shown).toContain('"id": "permits:2026-0191"');
    expect(watched.complaints).toEqual([]);
  });

  it('shows a refusal as it comes', async () => {
    const { status, shown } = await tryIt('Exports-exportRecords');
    expect(status).toBe('401');
    expect(shown).toContain('"code": "credentials_required"');
  });

  it('sends the key of its dialogue with a request for an export, in the header alone', async () => {
    await page.locator('.btn.authorize').click();
    await page.locator('.auth-container input').fill(key);
    await page.locator('.auth-btn-wrapper button.authorize').click();
    await page.locator('.auth-btn-wrapper .btn-done').click();
    const { status, shown } = await tryIt('Exports-exportRecords');
    expect(status).toBe('200');
    expect(shown).toMatch(/content-disposition: attachment; filename="permits-0001\.csv"/);
    expect(watched.asked.at(-1)!.url).toBe(`${origin}/api/v1/feeds/permits/records/export.csv?limit=100&offset=0`);
    expect(new Set(watched.asked.map(({ url }) => new URL(url).origin))).toEqual(new Set([origin]));
    expect(watched.complaints).toEqual([]);
  });

  it('is stopped by its policy from asking anybody else', async () => {
    const asked = await page.evaluate<string>(
      `new Promise((resolve) => {
        addEventListener('securitypolicyviolation', (event) => resolve(event.violatedDirective));
        fetch('http://127.0.0.1:9/elsewhere').catch(() => undefined);
      })`,
    );
    expect(asked).toBe('connect-src');
    expect(watched.complaints.join()).toContain('Content Security Policy');
    await page.close();
  });

  it('fits a phone, and is dark where the system is', async () => {
    dark = await open(390, 'dark');
    for (const [scheme, isDark] of [
      ['dark', true],
      ['light', false],
    ] as const) {
      await dark.emulateMedia({ colorScheme: scheme });
      await painted(dark);
      expect(await dark.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
      const ink = await dark.evaluate<string>(`getComputedStyle(document.querySelector('.info .title')).color`);
      expect([scheme, Number(/\d+/.exec(ink)![0]) > 128]).toEqual([scheme, isDark]);
    }
    expect(watched.complaints).toEqual([]);
  });

  it('is accessible in both schemes, narrow and wide', async () => {
    for (const width of [320, 1600]) {
      for (const scheme of SCHEMES) {
        await dark.setViewportSize({ width, height: 900 });
        await dark.emulateMedia({ colorScheme: scheme });
        await painted(dark);
        const found = await violations(dark, scheme === 'light' ? 'all' : 'colours');
        expect([width, scheme, found, await overflow(dark)]).toEqual([width, scheme, [], []]);
      }
    }
    // Swagger UI has some controls twice, and leaves one of each to the pointer.
    expect((await keyboard(dark)).filter((found) => found !== 'is never reached: button ""')).toEqual([]);
    await dark.close();
  });
});

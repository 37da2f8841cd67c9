// An owner's way through the pages of the account, in Chromium: in by a link, keys, endpoints, deliveries, out everywhere. Every page
// on the way is looked at as those for readers are.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { wordingIn } from '../../../src/templates/wording.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../../src/webhooks/send/destination.ts';
import { SecretBox } from '../../../src/webhooks/send/secret-box.ts';
import { WebhookSender } from '../../../src/webhooks/send/sender.ts';
import { ensurePermits } from '../../../fixtures/permits/import.ts';
import { until } from '../../until.ts';
import { faults, keyboard, PAGE_BYTES } from './audit.ts';
import { type Chromium, launch, noChromium, type Page, type Watched, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';

/** Pages for readers, which show more to somebody who is signed in. */
const READERS = [
  ['reader-home', '/'],
  ['reader-found', '/?q=waste'],
  ['reader-register', '/feeds/permits'],
  ['reader-record', '/records/permits:24~2F0005'],
  ['reader-guide', '/guide'],
] as const;

const BOX = SecretBox.fromHex('0f'.repeat(32));

/** The tests of it in one language. Each language has a file of its own, because they take long. */
export function ownersWay(locale: 'en-GB' | 'de-DE'): void {
  describe.skipIf(noChromium !== null)(`an owner of ${locale} (${noChromium ?? 'in Chromium'})`, () => {
    const isGerman = locale === 'de-DE';
    const texts = wordingIn(locale.slice(0, 2)).account.deliveries.states;
    let service: PagesService;
    let browser: Chromium;
    let watched: Watched;
    let page: Page;
    let receiver: Server;
    let answer = 500;
    const stop = new AbortController();
    let sending: Promise<void>;

    beforeAll(async () => {
      receiver = createServer((request, response) => {
        request.resume().on('end', () => response.writeHead(answer).end('said so'));
      }).listen(0, '127.0.0.1');
      const endpoints = { box: () => BOX, rules: DEVELOPMENT_DESTINATIONS };
      [service, browser] = await Promise.all([
        startPages({ endpoints, limits: {} }, async (store) => {
          await ensurePermits(store);
        }),
        launch(),
      ]);
      const sender = new WebhookSender({
        ...{ store: service.store, baseUrl: service.origin, box: BOX, rules: DEVELOPMENT_DESTINATIONS },
        ...{ schedule: [0], pollMs: 20 },
      });
      sending = sender.run(stop.signal);
      watched = await watch(browser, service.origin, { locale });
      page = await watched.open();
    });

    afterAll(async () => {
      stop.abort();
      await sending;
      await browser.close();
      await service.close();
      receiver.close();
    });

    /** Looks at the page that is open. */
    async function look(name: string): Promise<void> {
      const found = [...(await faults(page, `account-${name}-${locale.slice(0, 2)}`))];
      // What can be reached with it, and how that is shown, depends on no language.
      if (!isGerman) found.push(...(await keyboard(page)));
      const html = await page.content();
      if (html.length >= PAGE_BYTES) found.push(`takes ${html.length} characters`);
      expect([name, found]).toEqual([name, []]);
      expect([name, await page.evaluate<string>('document.documentElement.lang')]).toEqual([name, locale.slice(0, 2)]);
      expect([name, watched.complaints]).toEqual([name, []]);
    }

    const press = (form: string): Promise<void> => page.locator(`form#${form} button`).last().click();
    const secret = (): Promise<string> => page.locator('.secret code').innerText();
    const records = async (key: string): Promise<number> => {
      const path = '/api/v1/feeds/permits/records/export.csv?limit=1';
      const { status } = await fetch(service.origin + path, { headers: { authorization: `Bearer ${key}` } });
      return status;
    };

    /** A click on a secret and two keys copy it, without a script; pasted into the reference, it works there. */
    async function useInReference(key: string): Promise<void> {
      await page.locator('.secret code').click();
      await page.keyboard.press('Control+C');
      await page.goto(`${service.origin}/api/v1/reference`);
      await page.locator('.btn.authorize').click();
      await page.locator('.auth-container input').click();
      await page.keyboard.press('Control+V');
      expect(await page.locator('.auth-container input').inputValue()).toBe(key);
      await page.locator('.auth-btn-wrapper button.authorize').click();
      await page.locator('.auth-btn-wrapper .btn-done').click();
      const operation = page.locator('#operations-Exports-exportRecords');
      await operation.locator('.opblock-summary-control').click();
      await operation.locator('.execute').click();
      expect(await operation.locator('.live-responses-table tr.response .response-col_status').innerText()).toMatch(
        /^200/,
      );
    }

    /** Opens a page, sends one of its forms, and waits until the answer says what was done. */
    async function done(url: string, form: string): Promise<void> {
      await page.goto(url);
      await press(form);
      await page.getByRole('status').waitFor();
    }

    /** Waits until the newest deliveries that a page lists have these outcomes. */
    const outcomes = (url: string, expected: readonly string[]): Promise<true> =>
      until(`the outcomes ${expected.join(', ')}`, async () => {
        await page.goto(url);
        const shown = await page.locator('.rows .badge').allInnerTexts();
        return JSON.stringify(shown) === JSON.stringify(expected);
      });

    it('is asked to sign in, and signs in by a link that works once', async () => {
      await page.goto(`${service.origin}/account`);
      await look('sign-in');
      const link = `${service.origin}/sign-in/${await accountSignIns(service.store).createLink('acme')}`;
      // What a mail scanner does first changes nothing.
      expect((await fetch(link)).status).toBe(200);
      await page.goto(link);
      await look('confirm');
      await press('sign-in');
      expect(new URL(page.url()).pathname).toBe('/account');
      await look('overview');
      const cookie = (await watched.context.cookies()).find(({ name }) => name === 'gazette')!;
      expect([cookie.httpOnly, ['Lax', 'Strict'].includes(cookie.sameSite)]).toEqual([true, true]);
      await page.goto(link);
      await look('ended');
    });

    it('reads the pages for readers as somebody who is signed in', async () => {
      for (const [name, path] of READERS) {
        await page.goto(service.origin + path);
        expect([name, await page.locator('header.site a[href="/account"]').innerText()]).toEqual([
          name,
          isGerman ? 'Konto' : 'Account',
        ]);
        await look(name);
      }
      // Everything that the account opens: the register's months, and a record that the public sees a preview of.
      await page.goto(`${service.origin}/feeds/permits`);
      expect(await page.locator('.chart').count()).toBe(1);
      expect(await page.locator('.note').count()).toBe(0);
    });

    it('creates a key, copies it once, uses it, limits, replaces and revokes it', async () => {
      await page.goto(`${service.origin}/account/keys`);
      await page.locator('#new-key input[name=name]').fill('Nightly <b>copy</b>');
      await look('keys');
      await press('new-key');
      const key = await secret();
      await look('new-key');
      expect(await records(key)).toBe(200);
      // The reference has one language.
      if (!isGerman) await useInReference(key);

      // It is shown on no other page; the guide knows its end.
      await page.goto(`${service.origin}/guide`);
      expect(await page.locator('#keys ~ p code').allInnerTexts()).toContain(`…${key.slice(-4)}`);
      expect(await page.content()).not.toContain(key);
      await page.goto(`${service.origin}/account/keys`);
      expect(await page.content()).not.toContain(key);
      await page.getByRole('link', { name: 'Nightly <b>copy</b>' }).click();
      await look('key');
      const path = page.url();
      await page.locator('#key input[name=limit]').fill('1');
      await page.locator('#key input[name=seconds]').fill('86400');
      await press('key');
      await look('key-changed');
      expect([await records(key), await records(key)]).toContain(429);

      await page.goto(path);
      await page.locator('#rotate-key input[name=grace]').fill('0');
      await press('rotate-key');
      const replacement = await secret();
      await look('replaced');
      expect(await records(key)).toBe(401);
      await page.goto(`${service.origin}/account/keys`);
      await page.locator('.cards a').filter({ hasText: 'Nightly' }).first().click();
      await press('revoke-key');
      await look('revoked');
      expect(await records(replacement)).toBe(401);
    });

    it('adds an endpoint, sends a test, sees each outcome and attempt, and replays what failed', async () => {
      await page.goto(`${service.origin}/account/endpoints`);
      await look('endpoints');
      await page.locator('#new-endpoint input[name=url]').fill('http://10.0.0.1/internal');
      await press('new-endpoint');
      await look('endpoint-refused');
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
      await page.locator('#new-endpoint input[name=url]').fill(url);
      await press('new-endpoint');
      expect(await secret()).toMatch(/^whsec_/);
      await look('secret');
      await page.locator('main a.button').click();
      const path = page.url();
      // Two tests fail. One of them is sent again alone, the other with all that failed.
      await done(path, 'test-endpoint');
      await done(path, 'test-endpoint');
      await outcomes(path, [texts.failed, texts.failed]);
      expect(await page.locator('.rows').innerText()).toContain('500');
      await look('endpoint');
      answer = 204;
      const newest = new URL((await page.locator('.rows a').first().getAttribute('href'))!, path).href;
      await done(newest, 'replay-delivery');
      await outcomes(path, [texts.acknowledged, texts.failed]);
      await done(path, 'replay-endpoint');
      await look('replayed');
      const list = `${service.origin}/account/deliveries`;
      await outcomes(list, [texts.acknowledged, texts.acknowledged]);
      await look('deliveries');
      await page.locator('.rows a').first().click();
      await look('delivery');
      const attempts = await page.locator('ol.rows > li').allInnerTexts();
      expect(attempts.map((attempt) => /\b(204|500)\b/.exec(attempt)?.[0]).sort()).toEqual(['204', '500']);
      expect(attempts.join()).toContain('said so');
      await page.goto(path);
      await press('disable-endpoint');
      await look('disabled');
      await press('remove-endpoint');
      await look('removed');
    });

    it('signs out everywhere', async () => {
      await page.goto(`${service.origin}/account`);
      const other = await watched.open();
      await other.goto(`${service.origin}/account`);
      await page.locator('form[action*="sign-out"] button').last().click();
      await look('signed-out');
      await other.goto(`${service.origin}/account`);
      expect(await other.locator('.owner-bar').count()).toBe(0);
      expect(service.errors).toEqual([]);
    });
  });
}

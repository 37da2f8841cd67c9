// Links to sign in by e-mail: a real mail server gets them, the owner alone, so many in an hour, and those who ask learn
// nothing of which addresses there are.
import nodemailer from 'nodemailer';
import { afterEach, describe, expect, it } from 'vitest';
import { createGazette } from '../../../src/service/create-gazette.ts';
import { signInMail } from '../../../src/templates/account/sign-in-mail.ts';
import { wordingIn } from '../../../src/templates/wording.ts';
import { DelegatingStore } from '../../contracts/delegating-store.ts';
import { BASE_URL, NOW } from '../../world.ts';
import { until } from '../../until.ts';
import { Browser, type Page } from './browser.ts';
import { type OwnersService, ownersService } from './signed-in.ts';
import { type SmtpServer, smtpServer } from './smtp-server.ts';

const OWNER = 'anna@example.org';

let server: SmtpServer | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

/** A service that sends mails, whose account `acme` has an address. */
async function mailing(
  options: Parameters<typeof ownersService>[0] & { readonly refuses?: boolean } = {},
): Promise<OwnersService & { readonly server: SmtpServer; readonly settled: () => Promise<void> }> {
  const { refuses = false, ...rest } = options;
  server = await smtpServer({ refuses });
  const mail = { transport: nodemailer.createTransport(server.url), from: 'registers@example.org' };
  const service = await ownersService({ baseUrl: BASE_URL, mail, ...rest });
  await service.accounts.update('acme', { email: OWNER });
  return { ...service, server, settled: () => service.close() };
}

async function ask(browser: Browser, email: string): Promise<Page> {
  return browser.submit(await browser.open(`${BASE_URL}/sign-in`), 'ask', { email });
}

/** The addresses in a mail. */
function linksIn(source: string): string[] {
  return source.replaceAll('=\n', '').match(/https:\/\/registers\.example\.org\/sign-in\/[0-9a-f]{40}/g) ?? [];
}

describe('an owner who asks for a link', () => {
  it('gets it as plain text, and signs in with it', async () => {
    const { browser, server, settled } = await mailing();
    const own = browser();
    const asked = await ask(own, ' Anna@Example.ORG ');
    expect([asked.status, asked.html.includes('Look into your mailbox')]).toEqual([200, true]);
    await settled();
    const [mail] = server.mails;
    expect([mail!.from, mail!.to]).toEqual(['registers@example.org', [OWNER]]);
    expect(mail!.source).toMatch(/^Content-Type: text\/plain; charset=utf-8$/m);
    expect(mail!.source).toMatch(/^Auto-Submitted: auto-generated$/m);
    expect(mail!.source).toContain('Your link to sign in');
    const [link] = linksIn(mail!.source);
    const page = await own.submit(await own.open(link!), 'sign-in');
    expect(page.url).toBe(`${BASE_URL}/account`);
  });

  it('reads it in her language', async () => {
    const { browser, server, settled } = await mailing();
    await ask(browser({ language: 'de' }), OWNER);
    await settled();
    expect(server.mails[0]!.source).toContain('Guten Tag,');
  });

  it('gets one mail for all accounts of her address', async () => {
    const { browser, server, settled, accounts } = await mailing();
    await accounts.update('other', { email: OWNER });
    await ask(browser(), OWNER);
    await settled();
    expect(server.mails.map(({ source }) => linksIn(source).length)).toEqual([2]);
  });

  it('gets three in an hour, by whichever process they are asked for', async () => {
    const first = await mailing();
    for (let n = 0; n < 2; n++) await ask(first.browser(), OWNER);
    await first.settled();
    expect(first.server.mails).toHaveLength(2);
    // Another process on the same store.
    const mail = { transport: nodemailer.createTransport(first.server.url), from: 'registers@example.org' };
    const other = createGazette({ store: first.store, baseUrl: BASE_URL, mail, limits: null, now: () => NOW });
    for (let n = 0; n < 3; n++) await ask(new Browser(other.fetch), OWNER);
    await other.close();
    expect(first.server.mails).toHaveLength(3);
    // The latest works, those before do not.
    const links = first.server.mails.flatMap(({ source }) => linksIn(source));
    const statuses = await Promise.all(links.map(async (link) => (await first.browser().open(link)).status));
    expect(statuses).toEqual([410, 410, 200]);
  });
});

describe('somebody who asks for a link', () => {
  it('gets the same answer for an address that nobody has, and nothing is sent', async () => {
    const { browser, server, settled } = await mailing();
    const pages = [await ask(browser(), OWNER), await ask(browser(), 'nobody@example.org')];
    const [known, unknown] = pages.map(({ status, html, url, headers }) => [
      ...[status, html, url, [...headers].filter(([name]) => name !== 'x-request-id')],
    ]);
    expect(known).toEqual(unknown);
    await settled();
    expect(server.mails).toHaveLength(1);
  });

  it('has the same work done before the answer, whether an account has the address or not', async () => {
    /** Counts what a store is asked. */
    class CountingStore extends DelegatingStore {
      readonly calls: string[] = [];

      override get accounts(): DelegatingStore['accounts'] {
        return this.#counted('accounts', super.accounts);
      }

      override get signIns(): DelegatingStore['signIns'] {
        return this.#counted('signIns', super.signIns);
      }

      #counted<Part extends object>(name: string, part: Part): Part {
        const { calls } = this;
        return new Proxy(part, {
          get(target, key) {
            calls.push(`${name}.${String(key)}`);
            return Reflect.get(target, key) as unknown;
          },
        });
      }
    }
    const store = new CountingStore();
    const { browser, settled } = await mailing({ store });
    const done: string[][] = [];
    const own = browser();
    for (const email of [OWNER, 'nobody@example.org']) {
      const page = await own.open(`${BASE_URL}/sign-in`);
      store.calls.length = 0;
      const answer = own.submit(page, 'ask', { email }, { isFollowing: false });
      expect((await answer).status).toBe(303);
      done.push([...store.calls]);
      await settled();
    }
    expect(done[0]).toEqual(done[1]);
    expect(done[0]).not.toContain('accounts.accountsOfEmail');
    expect(store.calls).toContain('accounts.accountsOfEmail');
  });

  it.each([
    'anna@example.org\r\nBcc: eve@evil.example',
    'anna@example.org\nTo: eve@evil.example',
    'anna@example.org,eve@evil.example',
    'anna@example.org;eve@evil.example',
    'anna@example.org eve@evil.example',
    '"anna@example.org" <eve@evil.example>',
    'eve@evil.example, anna@example.org',
    'anna@example.org\0@evil.example',
    'anna',
    '@example.org',
    '',
    `${'a'.repeat(400)}@example.org`,
  ])('cannot write into a mail: %j', async (email) => {
    const { browser, server, settled } = await mailing();
    const page = await ask(browser(), email);
    expect([page.status, page.html.includes('Write one e-mail address')]).toEqual([422, true]);
    await settled();
    expect(server.mails).toEqual([]);
  });

  it('cannot write into a mail by the host that is asked', async () => {
    const { browser, server, settled } = await mailing();
    const own = browser();
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };
    await own.submit(await own.open(`${BASE_URL}/sign-in`), 'ask', { email: OWNER }, { headers });
    await settled();
    const [mail] = server.mails;
    const [head = ''] = mail!.source.split('\n\n');
    expect([mail!.to, head.match(/^(?:To|Bcc|Cc): .*$/gim)]).toEqual([[OWNER], [`To: ${OWNER}`]]);
    expect([linksIn(mail!.source).length, mail!.source.includes('evil')]).toEqual([1, false]);
  });

  it('finds one line in the subject, whatever the service is called', () => {
    const links = [{ id: 'acme', url: BASE_URL }];
    const service = 'Permits\r\nBcc: eve@evil.example\r\n\r\nHi \u202e\u0000';
    for (const language of ['en', 'de']) {
      const { subject } = signInMail(wordingIn(language).account.mail, { service, links });
      expect(subject).toMatch(/: Permits Bcc: eve@evil\.example Hi$/);
      expect(subject).not.toMatch(/\p{C}/u);
    }
  });

  it('is told after twenty wishes of one network in an hour, whatever the addresses are', async () => {
    const { browser } = await mailing();
    const own = browser();
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) statuses.push((await ask(own, `a${n}@example.org`)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect((await ask(browser({ remoteAddress: '198.51.100.9' }), OWNER)).status).toBe(200);
  });
});

describe('a service', () => {
  it('reports a mail that could not be sent, and goes on', async () => {
    const { browser, errors, settled } = await mailing({ refuses: true });
    await ask(browser(), OWNER);
    await until('the failure', () => errors.length === 1);
    await ask(browser(), OWNER);
    await settled();
    expect(errors).toHaveLength(2);
  });

  it('sends no links without an address of its own: a request may name any host', async () => {
    const mail = { transport: { sendMail: () => Promise.resolve() }, from: 'registers@example.org' };
    await expect(ownersService({ mail })).rejects.toMatchObject({
      code: 'invalid_option',
      details: { option: 'mail' },
    });
  });

  it('that sends no mails says who has links', async () => {
    const { browser } = await ownersService({ contact: 'help@example.org' });
    const page = await browser().open(`${BASE_URL}/sign-in`);
    expect([page.status, page.html.includes('mailto:help@example.org')]).toEqual([200, true]);
    expect(page.forms).toEqual([]);
  });
});

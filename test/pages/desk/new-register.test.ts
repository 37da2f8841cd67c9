// A register is made of a file at the desk: looked at, changed, made or proposed; what is not made leaves nothing.
import { createDesk } from '../../../src/service/desk.ts';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import type { Mail } from '../../../src/operate/sign-in-mail.ts';
import { letPass, until as untilIt } from '../../until.ts';
import { BASE_URL } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { actionOf, ended, send, text, until, type UploadingDesk, uploading } from './uploading.ts';

const NEW = `${BASE_URL}/desk/new`;

const FILE = `Nummer;Betreff;Straße;Datum;Betrag
A-1;Balkon;Gasse 1;01.05.2026;1.234,50
A-2;Garage;Gasse 2;02.05.2026;99,00
A-3;Zaun;Gasse 3;03.05.2026;7,25
A-4;Tor;Gasse 4;04.05.2026;8,25
`;

/** Uploads a file, and gives the page of what was found in it. */
async function found(
  service: UploadingDesk,
  browser: Browser,
  file = FILE,
  name = 'Bauanträge 2026.csv',
): Promise<Page> {
  const page = await ended(browser, await send(service, browser, file, { at: NEW, name }));
  expect(page.status).toBe(200);
  return page;
}

/** Sends the form of a register, and gives the page that comes of it. */
async function sent(
  browser: Browser,
  page: Page,
  changed: Readonly<Record<string, string>>,
  form = 'register',
): Promise<Page> {
  const answer = await browser.submit(page, form, changed, { isFollowing: false });
  if (answer.status !== 303) return answer;
  const url = answer.headers.get('location')!;
  return until(
    () => browser.open(url, { isFollowing: false }),
    ({ headers }) => headers.get('refresh') === null,
  );
}

/** The number of a drop-down's choice, by its text. */
function choice(page: Page, name: string, shown: string): string {
  const [select] = elements(parse(page.html), 'select').filter(({ attrs }) =>
    attrs.some((one) => one.name === 'name' && one.value === name),
  );
  const option = elements(select!, 'option').find(
    (one) => text({ ...page, html: `<main>${shownOf(one)}</main>` }) === shown,
  );
  return option!.attrs.find((one) => one.name === 'value')!.value;
}

function shownOf(option: ReturnType<typeof elements>[number]): string {
  return option.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
}

async function files(service: UploadingDesk): Promise<readonly string[]> {
  return (await service.left()).filter((name) => name.endsWith('file'));
}

async function list(service: UploadingDesk): Promise<string> {
  const answer = await service.fetch(new Request(`${BASE_URL}/api/v1/feeds`));
  return answer.text();
}

describe('a register that is made of a file', () => {
  it('is shown as it would be, and made with all of its records', async () => {
    const service = await uploading();
    const { browser, page: overview } = await service.signedIn();
    expect(overview.links).toContain(NEW);
    const page = await found(service, browser);
    for (const said of [/Bauanträge 2026/, /4 records/, /Balkon/, /1,234\.5/, /Garage/, /Zaun/, /Straße/])
      expect(text(page)).toMatch(said);
    expect((await service.store.registers()).map(({ definition }) => definition.id)).toEqual(['notices', 'permits']);
    const made = await sent(browser, page, { do: 'make' });
    expect(made.headers.get('location')).toBe(`${BASE_URL}/desk/feeds/bauantraege-2026/imports/1`);
    const entry = (await service.store.register('bauantraege-2026'))!;
    expect(entry).toMatchObject({ total: 4, definition: { title: 'Bauanträge 2026', access: 'open', language: null } });
    expect(await service.store.imports.find('bauantraege-2026', 1)).toMatchObject({
      ...{ state: 'completed', who: 'anna', decidedBy: 'anna', file: 'Bauanträge 2026.csv' },
    });
    expect(await files(service)).toEqual([]);
    expect((await service.editors.log({ limit: 3 })).map(({ action, feed }) => [action, feed])).toEqual([
      ['import_approved', 'bauantraege-2026'],
      ['register_made', 'bauantraege-2026'],
      ['uploaded', null],
    ]);
  });

  it('is changed by drop-downs, and looked at before it is made', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await found(service, browser);
    const change = { 'register-title': 'Anträge', feed: 'antraege', language: 'de', access: 'tiered' };
    const otherTitle = { 'of-title': choice(page, 'of-title', 'Straße') };
    const changed = await sent(browser, page, { ...change, ...otherTitle, do: 'make' });
    // What was changed is shown first, and nothing is made of it yet.
    expect(text(changed)).toContain('You changed something');
    expect(await service.store.register('antraege')).toBeNull();
    const titles = (one: Page): readonly string[] =>
      elements(parse(one.html), 'h3').map((each) => text({ ...one, html: `<main>${shownOf(each)}</main>` }));
    expect(titles(changed)).toEqual(['Gasse 1', 'Gasse 2', 'Gasse 3']);
    const without = await sent(browser, changed, { 'of-published_at': 'none', decimal: 'point', do: 'look' });
    expect(text(without)).not.toMatch(/1,234\.5/);
    await sent(browser, without, { do: 'make' });
    const { definition, total } = (await service.store.register('antraege'))!;
    expect([definition.title, definition.access, definition.language, total]).toEqual(['Anträge', undefined, 'de', 4]);
    const { records } = await (await service.store.source('antraege')).page({ offset: 0, limit: 9 });
    expect(records.map(({ title, published_at }) => [title, published_at])).toEqual(
      ['Gasse 4', 'Gasse 3', 'Gasse 2', 'Gasse 1'].map((title) => [title, null]),
    );
  });

  it('is not read again where nothing else was chosen, and says so', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const same = await sent(browser, await found(service, browser), { do: 'look' });
    expect(text(await browser.open(same.url))).toContain('You changed nothing');
  });

  it('keeps what was found where a choice does not fit the file, and says why', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await found(service, browser);
    const wrong = await sent(browser, page, { delimiter: '|', encoding: 'utf-16le', do: 'look' });
    expect(text(wrong)).toMatch(/could not be read as you chose|No record can be published|Look at this/);
    const again = await browser.open(page.url);
    expect(again.status).toBe(200);
    expect(await files(service)).toHaveLength(1);
  });

  it.each([
    ['no id', { feed: '-x' }, /Write an id/],
    ['the id of another register', { feed: 'permits' }, /There is a register with this id/],
    ['no title', { 'register-title': ' ' }, /Write a title/],
    ['what was not read', { digest: '0'.repeat(64) }, /read otherwise by now/],
  ])('is not made with %s', async (_, fields, said) => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await found(service, browser);
    const answer = await sent(browser, page, { ...fields, do: 'make' });
    expect([answer.status, said.test(text(answer))]).toEqual([422, true]);
    expect(await service.store.registers()).toHaveLength(2);
  });

  it('keeps all that was chosen where something of it is refused', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await found(service, browser);
    const chosen = { 'of-title': choice(page, 'of-title', 'Straße'), delimiter: '|', decimal: 'point', language: 'de' };
    const refused = await sent(browser, page, { ...chosen, feed: '-x', do: 'look' });
    expect(refused.status).toBe(422);
    const kept = Object.fromEntries(refused.forms.find(({ id }) => id === 'register')!.fields);
    expect(kept).toMatchObject({ ...chosen, feed: '-x', order: '' });
    const outdated = await sent(browser, page, { ...chosen, digest: '0'.repeat(64), do: 'look' });
    expect(outdated.forms.find(({ id }) => id === 'register')!.fields.get('of-title')).toBe('');
    await sent(browser, refused, { feed: 'antraege', delimiter: '', do: 'look' });
    const made = await sent(browser, await browser.open(page.url), { do: 'make' });
    expect(made.headers.get('location')).toMatch(/\/antraege\/imports\/1$/);
    const { records } = await (await service.store.source('antraege')).page({ offset: 0, limit: 1 });
    expect(records[0]!.title).toBe('Gasse 4');
  });

  it('leaves nothing where it is discarded, fails, or the service stops', async () => {
    let fails = false;
    const begun = Promise.withResolvers<undefined>();
    const service = await uploading({
      stage: (_, { signal }) => {
        if (fails) return Promise.reject(new Error('the disk is full'));
        begun.resolve(undefined);
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('stopped'));
          });
        });
      },
    });
    const { browser } = await service.signedIn();
    const first = await found(service, browser);
    const discarded = await browser.submit(first, 'discard');
    expect(text(discarded)).toContain('The file was deleted');
    expect(await service.left()).toEqual([]);
    fails = true;
    const second = await found(service, browser);
    const failed = await sent(browser, second, { do: 'make' });
    expect(failed.status).toBe(200);
    expect(await service.store.registers()).toHaveLength(2);
    fails = false;
    await browser.submit(await browser.open(failed.url), 'register', { do: 'make' });
    await begun.promise;
    expect(await service.store.registers()).toHaveLength(3);
    await service.close();
    expect(await service.store.registers()).toHaveLength(2);
  });

  it('leaves out rows that do not fit, and says how many', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await found(service, browser, `${FILE}A-4;doppelt;Gasse 4;04.05.2026;8,25\n`);
    const other = { 'of-id': choice(page, 'of-id', 'Nummer') };
    const changed = await sent(browser, page, { ...other, do: 'look' });
    expect(text(changed)).toContain('4 records · 1 row does not fit and is left out');
    await sent(browser, changed, { do: 'make' });
    expect((await service.store.register('bauantraege-2026'))!.total).toBe(4);
    expect((await service.store.imports.find('bauantraege-2026', 1)).counts).toMatchObject({ added: 4, refused: 1 });
  });
});

describe('under four eyes', () => {
  it('another editor makes it: until then there is nothing to read', async () => {
    const mails: Mail[] = [];
    // Who closes waits for it.
    const sendMail = (mail: Mail) => letPass(20, 'a mail server takes a while').then(() => mails.push(mail));
    const mail = { transport: { sendMail }, from: 'registers@example.org' };
    const service = await uploading({}, { approve: 'other', mail });
    const { editors } = service;
    await editors.add({ name: 'dora', email: 'd@example.org', role: 'review' }, { who: 'root', role: 'operator' });
    const { browser } = await service.signedIn();
    const first = await found(service, browser);
    // The register's title is not that of its records.
    const chosen = { 'register-title': 'Bauanträge', 'of-author': choice(first, 'of-author', 'Straße') };
    const page = await browser.open((await sent(browser, first, { ...chosen, do: 'look' })).url);
    expect(text(page)).toContain('Propose the register');
    const before = await list(service);
    const asked = await sent(browser, page, { do: 'make' });
    expect(text(asked)).toContain('Other editors can make the register now');
    expect([await list(service), await service.store.registers()]).toEqual([
      before,
      expect.objectContaining({ length: 2 }),
    ]);
    // Those who can make it are told.
    await untilIt('the mail', () => mails.length > 0);
    expect(mails.map(({ to }) => to.address)).toEqual(['d@example.org']);
    expect(mails[0]!.text).toContain(`\n${page.url}\n`);
    // Once a day, while it waits.
    const told: number[] = [];
    const { now } = service.clock;
    for (const hours of [0, 24, 0, 24]) {
      service.clock.now += hours * 3_600_000;
      const other = createDesk({
        ...{ store: service.store, now: () => service.clock.now, mail, approve: 'other', uploadReading: undefined },
        ...{ uploads: { folder: service.folder }, service: { title: 'Registers', baseUrl: BASE_URL } },
        onError: (error) => service.errors.push(error),
      });
      await other.close();
      told.push(mails.length);
    }
    expect(told).toEqual([1, 2, 2, 3]);
    service.clock.now = now;
    // Who proposed it cannot make it.
    const { digest } = Object.fromEntries(page.forms.find(({ id }) => id === 'register')!.fields);
    const token = asked.forms.find(({ id }) => id === 'discard')!.fields.get('token')!;
    const forced = await browser.post(page.url, new URLSearchParams({ token, digest: digest!, do: 'make' }), {
      isFollowing: false,
    });
    expect(forced.status).toBe(403);
    // Those of single registers do not see it.
    const { browser: ben } = await service.signedIn('ben');
    expect((await ben.open(page.url, { isFollowing: false })).headers.get('location')).toBe(`${BASE_URL}/desk`);
    const { browser: dora, page: desk } = await service.signedIn('dora');
    expect(text(desk)).toContain('Bauanträge 2026.csv waits for you');
    const shown = await dora.open(page.url);
    expect(text(shown)).toContain('Editor anna proposes this register');
    expect(elements(parse(shown.html), 'select')).toEqual([]);
    // How the file is read, and which of it was chosen.
    for (const said of [
      /Key of a record ?Nummer/,
      /Encoding of the text ?utf-8/,
      /Amounts ?decimal comma/,
      /Dates ?DD\.MM\.YYYY/,
    ])
      expect(text(shown)).toMatch(said);
    const changed = elements(parse(shown.html), 'dd')
      .map(textOf)
      .filter((one) => one.includes('changed by'));
    expect(changed).toEqual(['Straße changed by anna']);
    expect(text(await dora.open(`${BASE_URL}/desk/log`))).toMatch(
      /New register proposed bauantraege-2026 Bauanträge 2026\.csv .* by anna, editor/,
    );
    const made = await sent(dora, shown, { do: 'make' });
    expect(made.headers.get('location')).toBe(`${BASE_URL}/desk/feeds/bauantraege-2026/imports/1`);
    expect(await service.store.imports.find('bauantraege-2026', 1)).toMatchObject({
      ...{ state: 'completed', who: 'anna', decidedBy: 'dora' },
    });
    expect((await service.store.register('bauantraege-2026'))!.total).toBe(4);
  });
});

describe('who makes no register', () => {
  it('is refused before a byte is kept: editors of single registers, reviewers, other sites, no token', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const token = new URL(await actionOf(browser, NEW)).searchParams.get('form')!;
    const own = async (of: Browser): Promise<string> =>
      (await of.open(`${BASE_URL}/desk`)).forms[0]!.fields.get('token')!;
    const [ben, carla] = [(await service.signedIn('ben')).browser, (await service.signedIn('carla')).browser];
    for (const each of [ben, carla]) {
      const page = await each.open(`${BASE_URL}/desk`);
      expect(page.links).not.toContain(NEW);
      expect((await each.open(NEW)).status).toBe(403);
    }
    const refused: readonly (readonly [string, Browser, Parameters<typeof send>[3], number])[] = [
      ['a reviewer', ben, { form: await own(ben) }, 403],
      ['an editor of one register', carla, { form: await own(carla) }, 403],
      ['another site', browser, { form: token, headers: { origin: 'https://evil.example' } }, 403],
      ['no token', browser, { form: null }, 403],
      ['nobody', service.browser(), { form: token }, 303],
    ];
    for (const [what, by, other, status] of refused) {
      let isRead = false;
      const body = new ReadableStream(
        {
          pull(controller) {
            isRead = true;
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { 'content-type': 'multipart/form-data; boundary=x', ...other!.headers };
      const answer = await send(service, by, FILE, { ...other, at: NEW, body, headers });
      expect([answer.status, isRead], what).toEqual([status, false]);
    }
    expect(await service.left()).toEqual([]);
  });

  it('sees no file of another editor, and cannot change, make or discard it', async () => {
    const service = await uploading();
    await service.editors.add({ name: 'emil', email: 'e@example.org' }, { who: 'root', role: 'operator' });
    const { browser } = await service.signedIn();
    const page = await found(service, browser);
    const { browser: emil, page: desk } = await service.signedIn('emil');
    expect(text(desk)).not.toContain('Bauanträge');
    expect((await emil.open(page.url, { isFollowing: false })).headers.get('location')).toBe(`${BASE_URL}/desk`);
    const fields = new URLSearchParams(page.forms.find(({ id }) => id === 'register')!.fields);
    fields.set('token', desk.forms[0]!.fields.get('token')!);
    for (const what of ['look', 'make']) {
      fields.set('do', what);
      const answer = await emil.post(page.url, fields, { isFollowing: false });
      expect(answer.status).toBe(303);
    }
    expect((await emil.post(`${page.url}/discard`, fields, { isFollowing: false })).status).toBe(404);
    expect([await service.store.registers(), await files(service)]).toEqual([
      expect.objectContaining({ length: 2 }),
      expect.objectContaining({ length: 1 }),
    ]);
  });

  it('is shown names and contents as text', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const evil = '<img src=x onerror=alert(1)>';
    const page = await found(
      service,
      browser,
      `nr,${evil},<script>x</script>\n1,${evil} a,b\n2,${evil} c,d\n`,
      `${evil}"'&\u202e.csv`,
    );
    const german = await browser.open(`${page.url}?lang=de`);
    for (const each of [page, german, await browser.open(`${BASE_URL}/desk`)]) {
      const root = parse(each.html);
      expect([elements(root, 'img'), elements(root, 'script')]).toEqual([[], []]);
    }
    expect(text(german)).toContain('Noch ist nichts veröffentlicht');
  });
});

it('keeps five files of an editor, and the oldest goes for the sixth', async () => {
  const service = await uploading();
  const { browser } = await service.signedIn();
  const pages: Page[] = [];
  for (let n = 0; n < 6; n++) pages.push(await found(service, browser, FILE, `a${n}.csv`));
  expect(await files(service)).toHaveLength(5);
  const gone = await sent(browser, pages[0]!, { 'register-title': 'Other', do: 'look' });
  expect(gone.headers.get('location')).toBe(`${BASE_URL}/desk`);
  const last = await sent(browser, pages[5]!, { 'register-title': 'Other', do: 'look' });
  expect(text(last)).toContain('a5.csv');
});

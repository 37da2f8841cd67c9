// The desk in Chromium: the way in, and every page of an editor, with whatever files are called and registers are titled.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { actorOf, Editors } from '../../../src/operate/desk/editors.ts';
import { WorkByHand } from '../../../src/operate/registers/hand.ts';
import { changeSettings, settingsOf } from '../../../src/operate/registers/settings.ts';
import { editorSignIns } from '../../../src/operate/sign-in.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { AFTER, BEFORE, type Row, takeRows, type Taking } from '../../pages/desk/taking.ts';
import { faults, keyboard, PAGE_BYTES } from './audit.ts';
import { type Chromium, launch, noChromium, watch } from './chromium.ts';
import { type PagesService, startPages } from './service.ts';

/** A file with a long name, a long column, and a row that does not fit. */
const FILE = `Nummer;Betreff;Straße;Datum;Betrag;${'W'.repeat(300)}
A-1;Balkon <b>;Gasse 1;01.05.2026;1.234,50;${'W'.repeat(300)}
A-2;Garage;Gasse 2;02.05.2026;99,00;x
A-3;Zaun;Gasse 3;03.05.2026;7,25;
A-3;Tor;Gasse 4;04.05.2026;8,25;
`;

/** Every page for who is signed in. */
const PAGES = [
  ['overview', '/desk', 200],
  ['overview-more', '/desk?offset=20', 200],
  ['log', '/desk/log', 200],
  ['new', '/desk/new', 200],
  ['missing', '/desk/none', 404],
] as const;

describe.skipIf(noChromium !== null)(`the desk (${noChromium ?? 'in Chromium'})`, () => {
  let service: PagesService;
  let browser: Chromium;
  let folder: string;
  /** The pages of a register and of its imports. */
  let imports: readonly (readonly [what: string, path: string, status: number])[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
    const uploads = { folder: join(folder, 'uploads') };
    [service, browser] = await Promise.all([
      startPages({ desk: true, approve: 'other', uploads }, async (store) => {
        for (let n = 0; n < 22; n++) await store.createRegister(permits(`register-${n}`));
        await store.createRegister({ ...permits(), title: `Permits <b>${'W'.repeat(120)}</b>` });
        const odd = {
          title: 'W'.repeat(300),
          data: { amount: 12.5, applicant: `a\n${'W'.repeat(300)}`, conditions: [1] },
        };
        await store.apply('permits', [say('a'), say('b'), say('odd', odd)], { recordedAt: at(1) });
        await store.createRegister(permits('taken'));
      }),
      launch(),
    ]);
    const { store } = service;
    for (const [file, error] of [
      ['permits.csv', null],
      [`${'W'.repeat(200)}<script>.csv`, 'invalid_input'],
      ['week 17.xlsx', null],
    ] as const) {
      const begun = { file, cause: 'source_change', who: 'clerk', begunAt: at(1) } as const;
      for (const feedId of ['permits', 'register-0']) {
        const { number } = await store.imports.begin(feedId, begun, { key: randomBytes(32) });
        const counts = { added: 1200, changed: 3, unchanged: 5, restored: 1, redacted: 1, withdrawn: 2, refused: 4 };
        await store.imports.end(number, { counts, endedAt: at(2), error, digest: null });
      }
    }
    const take = async (rows: readonly Row[], how: Partial<Taking> = {}): Promise<string> => {
      const { number } = await takeRows(rows, { store, now: Date.now, feedId: 'taken', ...how });
      return `/desk/feeds/taken/imports/${number}`;
    };
    const long = BEFORE.map((row) => ({ ...row, applicant: `Abel ${'W'.repeat(300)}`, amount: row.amount! / 100 }));
    await take(BEFORE);
    const done = await take(AFTER);
    const hand = new WorkByHand(store);
    await hand.correct('taken:k5', new Map([['title', `By hand ${'W'.repeat(300)}`]]), { who: 'anna' });
    await hand.withdraw('taken:k6', { who: 'anna' });
    const waits = await take(long, { isProposed: true, file: `${'W'.repeat(200)}<script>.json` });
    const own = await take(BEFORE, { isProposed: true, who: 'anna' });
    const few = await take([...BEFORE.slice(0, 4), BEFORE[0]!], { isProposed: true });
    const discarded = await take(BEFORE, { isProposed: true });
    await store.imports.proposals.discard('taken', Number(discarded.split('/').at(-1)), { who: 'ben', at: at(3) });
    const settings = await settingsOf(store, (await store.register('taken'))!);
    const { number } = await changeSettings(
      store,
      'taken',
      {
        ...settings,
        description: 'W'.repeat(300),
        filterable: ['amount'],
        findings: { ...settings.findings, factor: 'warn' },
      },
      { who: 'anna', propose: true },
    );
    const set = `/desk/feeds/taken/imports/${number}`;
    const other = AFTER.map((row) => (row.id === 'k5' ? { ...row, title: `Otherwise ${'W'.repeat(300)}` } : row));
    const asked = await take(other, { isProposed: true });
    const going = await take(BEFORE, { isProposed: true });
    await store.imports.proposals.approve('taken', Number(going.split('/').at(-1)), { who: 'ben' });
    imports = [
      ['register', '/desk/feeds/taken', 200],
      ['register-of-files', '/desk/feeds/permits', 200],
      ...Object.entries({ done, waits, own, few, asked, discarded, going }).map(
        ([what, path]) => [what, path, 200] as const,
      ),
      ['changes', `${waits}/changes`, 200],
      ['changes-done', `${done}/changes`, 200],
      ['no-import', '/desk/feeds/taken/imports/99', 404],
      ['record', '/desk/records/taken:k3', 200],
      ['record-odd', `/desk/records/permits:odd`, 200],
      ['record-gone', '/desk/records/taken:k19', 200],
      ['erase', '/desk/records/taken:k3/erase', 200],
      ['settings', '/desk/feeds/taken/settings', 200],
      ['settings-change', set, 200],
      ['records', '/desk/feeds/taken/records', 200],
      ['records-found', '/desk/feeds/taken/records?record=permit', 200],
      ['records-none', '/desk/feeds/permits/records?record=zebra', 200],
    ];
    const editors = new Editors(service.store);
    const operator = { who: 'root', role: 'operator' } as const;
    const anna = await editors.add({ name: 'anna', email: 'anna@example.org' }, operator);
    const ben = {
      name: 'b'.repeat(64),
      email: 'ben@example.org',
      feeds: ['permits', 'taken'],
      role: 'review',
    } as const;
    for (const editor of [anna, await editors.add(ben, operator)]) {
      await editors.note(actorOf(editor), 'signed_in', { feed: 'permits', subject: `permits:${'W'.repeat(200)}` });
    }
  });

  afterAll(async () => {
    await browser.close();
    await service.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['en-GB', 'anna'],
    ['de-DE', 'anna'],
    ['en-GB', 'b'.repeat(64)],
  ])('is accessible and fits, in %s, for %s', async (locale, name) => {
    const watched = await watch(browser, service.origin, { locale });
    // A page of what is going on asks for itself again: it stays while it is looked at, however long that takes.
    await watched.context.route('**/desk/feeds/*/imports/*', async (route) => {
      const response = await route.fetch();
      const headers = Object.entries(response.headers()).filter(([name]) => name !== 'refresh');
      await route.fulfill({ response, headers: Object.fromEntries(headers) });
    });
    const page = await watched.open();
    const look = async (what: string): Promise<void> => {
      const found = [
        ...(await faults(page, `desk-${what}-${locale.slice(0, 2)}-${name[0]!}`)),
        ...(await keyboard(page)),
      ];
      expect([what, found]).toEqual([what, []]);
      expect((await page.content()).length).toBeLessThan(PAGE_BYTES);
      expect(await page.evaluate<string>('document.documentElement.lang')).toBe(locale.slice(0, 2));
    };
    await page.goto(`${service.origin}/desk`);
    expect(new URL(page.url()).pathname).toBe('/desk/sign-in');
    await look('sign-in');
    const link = `${service.origin}/desk/sign-in/${await editorSignIns(service.store).createLink(name)}`;
    await page.goto(link);
    await look('confirm');
    await page.locator('main form button').click();
    await page.waitForURL(`${service.origin}/desk`);
    const cookie = (await watched.context.cookies()).find((one) => one.name === 'gazette-desk')!;
    expect([cookie.httpOnly, cookie.sameSite]).toEqual([true, 'Lax']);
    const upload = async (path: string, until: string): Promise<void> => {
      await page.goto(service.origin + path);
      const file = { name: `${'W'.repeat(200)}.csv`, mimeType: 'text/csv', buffer: Buffer.from(FILE) };
      await page.locator('#upload-file').setInputFiles(file);
      await page.locator('form#upload button').click();
      await page.locator(until).first().waitFor();
    };
    if (name === 'anna') {
      await upload('/desk/new', 'form#register select');
      await look('new-found');
      await upload('/desk/feeds/register-1/upload', 'form#read select');
      await look('reading');
    }
    for (const [what, path, status] of [...PAGES, ...imports]) {
      if (name !== 'anna' && ['overview-more', 'erase', 'settings', 'new'].includes(what)) continue;
      expect((await page.goto(service.origin + path))!.status()).toBe(status);
      await look(what);
    }
    await page.goto(`${service.origin}/desk`);
    await page.locator('form#sign-out button').click();
    await page.getByRole('status').waitFor();
    await look('signed-out');
    await page.goto(link);
    await look('ended');
    // A browser says of every page that is not there, or gone, that it is not.
    expect(watched.complaints.filter((line) => !/404|410/.test(line))).toEqual([]);
    await watched.context.close();
  });
});

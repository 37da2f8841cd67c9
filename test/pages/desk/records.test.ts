// What editors do with single records: how one is found, corrected, withdrawn, restored and erased, and what others can make of the
// forms.
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { Imports } from '../../../src/operate/registers/imports.ts';
import type { Mail } from '../../../src/operate/sign-in-mail.ts';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { holdRegister } from '../../../src/stores/lease/hold-register.ts';
import { at, permits } from '../../contracts/store-register.ts';
import { BASE_URL, type WorldOptions } from '../../world.ts';
import { elements, type Page, textOf } from '../account/browser.ts';
import { type DeskService, deskService, OPERATOR } from './desk-service.ts';
import { AFTER, BEFORE, takeRows } from './taking.ts';
import { ended, send, uploading } from './uploading.ts';

const RECORD = `${BASE_URL}/desk/records/permits:k3`;
const RECORDS = `${BASE_URL}/desk/feeds/permits/records`;

/** A register with twenty records. */
async function taken(options: WorldOptions = {}): Promise<DeskService> {
  const service = await deskService({ records: 0, ...options });
  await service.editors.add({ name: 'dora', email: 'dora@example.org' }, OPERATOR);
  await takeRows(BEFORE, { store: service.store, now: () => service.clock.now });
  return service;
}

/** The text of a page, with a space behind each cell. */
function text({ html }: Page): string {
  const spaced = html.replaceAll(/<\/(?:d[td]|t[dh]|option)>/g, ' $&');
  return elements(parse(spaced), 'main').map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}

function ids({ forms }: Page): readonly string[] {
  return forms.map(({ id }) => id);
}

function fieldsOf(page: Page, id = 'correct'): URLSearchParams {
  return page.forms.find((form) => form.id === id)!.fields;
}

/** What the record says, and its newest version. */
async function said({ store }: DeskService, key = 'k3'): Promise<readonly unknown[]> {
  const [newest] = (await store.history(`permits:${key}`, { offset: 0, limit: 1 }))!;
  const { amount, applicant } = newest!.record?.data ?? {};
  return [newest!.version, newest!.cause, newest!.record?.title, amount, applicant];
}

const UNTOUCHED = [1, 'first_observed', 'Permit 3', 1253, 'Abel & Söhne'];
const MISREAD = { cause: 'extraction_correction' };

describe('a record', () => {
  it('is found by its key, its id, or words that it has', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const register = await browser.open(`${BASE_URL}/desk/feeds/permits`);
    expect(register.links).toContain(RECORDS);
    for (const given of ['k3', 'permits:k3', ' k3 ']) {
      expect((await browser.open(`${RECORDS}?record=${encodeURIComponent(given)}`)).url, given).toBe(RECORD);
    }
    const found = await browser.open(`${RECORDS}?record=${encodeURIComponent('permit 13')}`);
    expect(text(found)).toMatch(
      /Records with these words Permit 13 amount: 1,263 · applicant: Abel & Söhne · permits:k13/,
    );
    expect(found.links).toContain(`${BASE_URL}/desk/records/permits:k13`);
    expect(text(await browser.open(RECORDS))).toContain('The newest Permit 19');
    for (const none of ['zebra', '<b>', '"', '%00', 'x'.repeat(3000), '-', 'notices:k3']) {
      const page = await browser.open(`${RECORDS}?record=${encodeURIComponent(none)}`);
      expect([page.status, text(page).includes('No record has this key')], none).toEqual([200, true]);
    }
    await service.store.withdraw('permits', ['permits:k3'], { recordedAt: at(70) });
    expect(text(await browser.open(`${RECORDS}?record=k3`))).toContain('State withdrawn');
  });

  it('is corrected by a form of its fields: what was not touched stays, and the log names it', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const page = await browser.open(RECORD);
    expect(Object.fromEntries(fieldsOf(page))).toMatchObject({
      ...{ title: 'Permit 3', 'data.amount': '1253', 'data.applicant': 'Abel & Söhne', read: '1' },
    });
    const done = await browser.submit(page, 'correct', { 'data.amount': '12.5', ...MISREAD });
    expect([done.url, text(done).includes('You corrected the record.')]).toEqual([`${RECORD}?done=correct`, true]);
    expect(await said(service)).toEqual([2, 'extraction_correction', 'Permit 3', 12.5, 'Abel & Söhne']);
    await browser.submit(done, 'correct', { title: 'Permit three', 'data.applicant': '', cause: 'source_change' });
    expect(await said(service)).toEqual([3, 'source_change', 'Permit three', 12.5, null]);
    expect(text(await browser.open(`${BASE_URL}/desk/log`))).toMatch(
      /Record corrected permits permits:k3 .* by anna, editor Record corrected/,
    );
    const shown = text(await browser.open(RECORD));
    expect(shown).toContain('Set by hand amount, applicant, Title');
    await browser.submit(await browser.open(RECORD), 'withdraw');
    expect(text(await browser.open(RECORD))).toContain('Set by hand withdrawn, amount, applicant, Title');
    await browser.submit(await browser.open(RECORD), 'restore');
    expect(text(await browser.open(RECORD.replace('k3', 'k4')))).not.toContain('Set by hand');
    // A file that says nothing new does not take it back.
    await takeRows(BEFORE, { store: service.store, now: () => service.clock.now });
  });

  it('keeps texts of several lines, quotes and markup that nobody touched', async () => {
    const service = await taken();
    const odd = 'a\nb\r\n<script>alert(1)</script>"\' \u202e';
    const store = { store: service.store, now: () => service.clock.now };
    await takeRows([{ id: 'odd', title: 'Odd', applicant: odd }], { ...store, isWhole: false });
    const { browser } = await service.signedIn();
    const page = await browser.open(`${BASE_URL}/desk/records/permits:odd`);
    expect(elements(parse(page.html), 'script')).toEqual([]);
    const applicant = fieldsOf(page).get('data.applicant')!.replaceAll(/\r?\n/g, '\r\n');
    await browser.submit(page, 'correct', { 'data.applicant': applicant, title: 'Even', ...MISREAD });
    expect(await said(service, 'odd')).toEqual([2, 'extraction_correction', 'Even', null, odd]);
  });

  it.each([
    ['a number that is none', { 'data.amount': 'much' }, 'data.amount', 'Write a number such as 1234.5.'],
    ['no title', { title: '' }, 'title', 'This must not be empty.'],
    ['an address that is none', { source_url: 'x y' }, 'source_url', 'begins with https:// or http://'],
    ['a day that there is not', { published_at: '2026-02-31' }, 'published_at', 'Write a date such as 2026-04-17'],
    ['JSON that is none', { 'data.conditions': '{a' }, 'data.conditions', 'Write JSON'],
    ['no reason', { cause: '', title: 'Other' }, 'cause', 'Choose why the record is corrected.'],
    ['nothing new', {}, null, 'the record says this already'],
  ])(
    'is not corrected with %s: the error stands at the field, and nothing typed is lost',
    async (_, typed, field, why) => {
      const service = await taken();
      const { browser } = await service.signedIn();
      const sent = { ...MISREAD, ...typed, 'data.applicant': field === null ? 'Abel & Söhne' : 'typed <i>' };
      const page = await browser.submit(await browser.open(RECORD), 'correct', sent);
      expect([page.status, text(page).includes(why)]).toEqual([field === null ? 409 : 422, true]);
      expect(Object.fromEntries(fieldsOf(page))).toMatchObject(sent);
      if (field !== null) expect(page.html).toContain(`id="correct-${field}-error"`);
      expect(text(page)).not.toMatch(/must be|got /);
      expect(await said(service)).toEqual(UNTOUCHED);
    },
  );

  it('that somebody changed meanwhile is not overwritten: both are shown, and what was not touched is theirs', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const page = await browser.open(RECORD);
    const dora = (await service.signedIn('dora')).browser;
    await dora.submit(await dora.open(RECORD), 'correct', {
      ...{ 'data.amount': '7', 'data.applicant': 'Theirs', ...MISREAD },
    });
    const conflict = await browser.submit(page, 'correct', { 'data.amount': '8', ...MISREAD });
    expect([conflict.status, text(conflict).includes('somebody changed this record')]).toEqual([409, true]);
    expect(text(conflict)).toContain('Somebody changed this meanwhile. It says now: 7');
    expect(Object.fromEntries(fieldsOf(conflict))).toMatchObject({
      ...{ read: '2', 'data.amount': '8', 'data.applicant': 'Theirs' },
    });
    expect(await said(service)).toEqual([2, 'extraction_correction', 'Permit 3', 7, 'Theirs']);
    await browser.submit(conflict, 'correct', MISREAD);
    expect(await said(service)).toEqual([3, 'extraction_correction', 'Permit 3', 8, 'Theirs']);
    const late = await browser.submit(page, 'withdraw');
    expect([late.status, await said(service)]).toEqual([409, [3, 'extraction_correction', 'Permit 3', 8, 'Theirs']]);
  });

  it('is withdrawn and restored, once', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const live = await browser.open(RECORD);
    const gone = await browser.submit(live, 'withdraw');
    expect(text(gone)).toContain('You withdrew the record.');
    expect([ids(gone), (await service.store.record('permits:k3'))!.state]).toEqual([
      ['sign-out', 'restore'],
      'withdrawn',
    ]);
    expect((await browser.submit(live, 'withdraw')).status).toBe(409);
    await browser.submit(gone, 'restore');
    expect(await said(service)).toEqual([3, 'restored', 'Permit 3', 1253, 'Abel & Söhne']);
    expect((await browser.submit(gone, 'restore')).status).toBe(409);
    expect(text(await browser.open(`${BASE_URL}/desk/log`))).toMatch(/Record restored .* Record withdrawn/);
  });

  it('waits its turn where somebody works on the register', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const page = await browser.open(RECORD);
    const erase = await browser.open(`${RECORD}/erase`);
    await holdRegister(service.store, 'permits', { what: 'import other.csv' }, async () => {
      const busy = await browser.submit(page, 'correct', { title: 'Other', ...MISREAD });
      expect([busy.status, text(busy).includes('somebody works on this register')]).toEqual([409, true]);
      expect(fieldsOf(busy).get('title')).toBe('Other');
      const later = await browser.submit(erase, 'erase', { confirmed: 'yes' });
      expect(text(later)).toContain('somebody works on this register');
    });
    expect(await said(service)).toEqual(UNTOUCHED);
  });

  it('leaves out what is too long for a page, and says so', async () => {
    const service = await taken();
    const store = { store: service.store, now: () => service.clock.now };
    await takeRows([{ id: 'long', title: 'Long', applicant: 'ü'.repeat(30_000) }], { ...store, isWhole: false });
    const { browser } = await service.signedIn();
    const page = await browser.open(`${BASE_URL}/desk/records/permits:long`);
    expect([page.html.length < 60_000, fieldsOf(page).has('data.applicant')]).toEqual([true, false]);
    expect(text(page)).toContain('Too long to be changed on a page: applicant.');
    await browser.submit(page, 'correct', { title: 'Longer', ...MISREAD });
    expect(await said(service, 'long')).toEqual([2, 'extraction_correction', 'Longer', null, 'ü'.repeat(30_000)]);
  });

  it('has no two fields of one name, and no address where its source is not known', async () => {
    const service = await taken();
    const { definition } = (await service.store.register('permits'))!;
    const fields = [...definition.fields, { name: 'titel', label: 'Titel', type: 'text' } as const];
    await service.store.updateRegister({ ...definition, fields }, { recordedAt: at(70) });
    const store = { store: service.store, now: () => service.clock.now };
    const row = { id: 'x', title: 'X', source_url: 'https://source-unknown.invalid/permits/x' };
    await takeRows([row], { ...store, isWhole: false });
    const { browser } = await service.signedIn('anna', { language: 'de' });
    const page = await browser.open(`${BASE_URL}/desk/records/permits:x`);
    const labels = elements(parse(page.html), 'label').map(textOf);
    expect(labels.filter((label) => label.startsWith('Titel'))).toEqual(['Titel (des Eintrags)', 'Titel']);
    expect(page.html).not.toContain('source-unknown');
    const done = await browser.submit(page, 'correct', { title: 'Y', ...MISREAD });
    expect(text(done)).toContain('Sie haben den Eintrag berichtigt.');
    expect((await service.store.record('permits:x'))!.record!.source_url).toBe(row.source_url);
    await browser.submit(done, 'correct', { source_url: 'https://example.org/x', ...MISREAD });
    const diff = text(await browser.open(`${BASE_URL}/desk/feeds/permits/imports/4`));
    expect([diff.includes('Die Quelle ist nicht bekannt'), diff.includes('source-unknown')]).toEqual([true, false]);
  });

  it('speaks German, and reads numbers and dates as they are written there', async () => {
    const service = await taken();
    const { browser } = await service.signedIn('anna', { language: 'de' });
    const typed = { 'data.amount': '1.234,5', published_at: '17.04.2026', ...MISREAD };
    const done = await browser.submit(await browser.open(RECORD), 'correct', typed);
    expect(text(done)).toContain('Sie haben den Eintrag berichtigt.');
    expect(fieldsOf(done).get('data.amount')).toBe('1234,5');
    const { record } = (await service.store.record('permits:k3'))!;
    expect([record!.data.amount, record!.published_at]).toEqual([1234.5, '2026-04-17']);
    const refused = await browser.submit(done, 'correct', { 'data.amount': 'viel', ...MISREAD });
    expect(text(refused)).toContain('Geben Sie eine Zahl ein, zum Beispiel 1234,5.');
  });
});

describe('a record that is erased', () => {
  it('is asked about twice, says what goes, and cannot come back', async () => {
    const service = await taken();
    const waits = await takeRows(AFTER, { store: service.store, now: () => service.clock.now, isProposed: true });
    const { browser } = await service.signedIn();
    const first = await browser.open(RECORD);
    expect(ids(first)).not.toContain('erase');
    const page = await browser.open(first.links.find((link) => link.endsWith('/erase'))!);
    expect(text(page)).toContain('Nobody can undo this.');
    const unsure = await browser.submit(page, 'erase');
    expect([unsure.status, text(unsure).includes('confirm that you mean it')]).toEqual([422, true]);
    expect(await said(service)).toEqual(UNTOUCHED);
    const done = await browser.submit(page, 'erase', { confirmed: 'yes' });
    expect(text(done)).toContain('Proposals that had it, or may have had it, were discarded: import 2.');
    const why = 'was discarded because a record was erased that is in it';
    expect(text(await browser.open(`${BASE_URL}/desk/feeds/permits/imports/2`))).toContain(why);
    expect([ids(done), done.html.includes('Permit 3')]).toEqual([['sign-out'], false]);
    expect((await service.store.record('permits:k3'))!.state).toBe('redacted');
    expect((await service.store.imports.find('permits', waits.number!)).state).toBe('discarded');
    expect(text(await browser.open(`${BASE_URL}/desk/log`))).toMatch(
      /Proposal discarded permits import 2 .* Content of a record erased permits permits:k3/,
    );
    expect((await browser.open(`${RECORD}/erase`)).url).toBe(RECORD);
    const ben = (await service.signedIn('ben')).browser;
    expect(text(await ben.open(`${BASE_URL}/desk/feeds/permits`))).toMatch(
      /Erased lately Content of a record erased permits permits:k3 .* by anna, editor$/,
    );
    for (const id of ['withdraw', 'correct'] as const) {
      expect((await browser.submit(first, id, { title: 'Back', ...MISREAD })).status, id).toBe(409);
    }
  });

  it('ends proposals whose files have it unchanged, with the files, and says which', async () => {
    const service = await uploading({}, { records: 0 });
    const { store, clock } = service;
    await takeRows(BEFORE, { store, now: () => clock.now });
    const { browser } = await service.signedIn();
    const file = JSON.stringify([
      ...BEFORE.map((row) => ({ source_url: 'https://example.org/', ...row })),
      { id: 'new', title: 'N' },
    ]);
    await ended(browser, await send(service, browser, file, { name: 'next.json' }));
    expect((await store.imports.find('permits', 2)).state).toBe('proposed');
    const done = await browser.submit(await browser.open(`${RECORD}/erase`), 'erase', { confirmed: 'yes' });
    expect(text(done)).toContain('were discarded: import 2.');
    expect((await service.left()).filter((name) => name.endsWith('file'))).toEqual([]);
  });

  it('is told in the log alone where no mail is sent, and the page says so', async () => {
    const service = await taken({ approve: 'other' });
    const page = await (await service.signedIn()).browser.open(`${RECORD}/erase`);
    expect(text(page)).toContain('This service sends no mail about it. Other editors see on the page of the register');
    expect(text(page)).not.toContain('by mail');
  });

  it('is erased at once also with four eyes, and all who approve are told, but the one who did it', async () => {
    const mails: Mail[] = [];
    let isDown = true;
    const sendMail = (mail: Mail): Promise<void> => {
      if (isDown) {
        isDown = false;
        return Promise.reject(new Error('down'));
      }
      mails.push(mail);
      return Promise.resolve();
    };
    const mail = { transport: { sendMail }, from: 'registers@example.org' };
    const service = await taken({ approve: 'other', mail });
    const { browser } = await service.signedIn();
    const page = await browser.open(`${RECORD}/erase`);
    expect(text(page)).toContain('all who approve changes of this register are told by mail');
    await browser.submit(page, 'erase', { confirmed: 'yes' });
    expect((await service.store.record('permits:k3'))!.state).toBe('redacted');
    // What no mail server took is sent again later.
    service.clock.now += 11 * 60_000;
    await browser.submit(await browser.open(`${BASE_URL}/desk/records/permits:k4/erase`), 'erase', {
      confirmed: 'yes',
    });
    await service.close();
    expect(mails.map(({ to }) => to.address)).toEqual([
      ...['ben@example.org', 'dora@example.org', 'ben@example.org', 'dora@example.org'],
    ]);
    expect(mails[0]!.text).toContain(`anna erased the content of the record permits:k3 permanently`);
    expect(mails[0]!.text).toContain(`\n${RECORD}\n`);
    expect(mails.map((one) => one.text).join()).not.toContain('Permit 3');
  });
});

it('with four eyes every change of a record is a proposal that another editor approves', async () => {
  const service = await taken({ approve: 'other' });
  const { browser } = await service.signedIn();
  const page = await browser.open(RECORD);
  expect(text(page)).toContain('What you do here is a proposal');
  const waits = await browser.submit(page, 'correct', { 'data.amount': '7', ...MISREAD });
  expect(waits.url).toBe(`${BASE_URL}/desk/feeds/permits/imports/2?done=waits`);
  expect(text(waits)).toMatch(/Nothing is written before another editor approves it\. .*amount .* 1,253 7/);
  expect([ids(waits), await said(service)]).toEqual([['sign-out', 'discard'], UNTOUCHED]);
  const token = page.forms[0]!.fields.get('token')!;
  const { digest } = await service.store.imports.proposals.find('permits', 2);
  const own = new URLSearchParams({ token, digest: Buffer.from(digest).toString('hex') });
  expect((await browser.post(`${waits.url.split('?')[0]}/approve`, own)).status).toBe(403);
  const ben = (await service.signedIn('ben')).browser;
  const read = await ben.open(waits.url);
  expect(text(read)).toContain('Record Permit 3 permits:k3 Reason we had misread the source State');
  await ben.submit(read, 'approve');
  expect(await said(service)).toEqual([2, 'extraction_correction', 'Permit 3', 7, 'Abel & Söhne']);
  const gone = await browser.submit(await browser.open(RECORD), 'withdraw');
  expect([gone.url, (await service.store.record('permits:k3'))!.state]).toEqual([
    `${BASE_URL}/desk/feeds/permits/imports/3?done=waits`,
    'live',
  ]);
  await new Imports(service.store).approve('permits', 3, { who: 'root' });
  expect((await browser.submit(await browser.open(RECORD), 'restore')).url).toContain('/imports/4');
});

describe('the forms of records', () => {
  it('are for the editors of the register who do not only review', async () => {
    const service = await taken();
    await service.store.createRegister(permits('other'));
    const [anna, ben, carla] = [
      await service.signedIn(),
      await service.signedIn('ben'),
      await service.signedIn('carla'),
    ];
    const page = await anna.browser.open(RECORD);
    const reviewed = await ben.browser.open(RECORD);
    expect([ids(reviewed), text(reviewed).includes('You approve what others propose.')]).toEqual([['sign-out'], true]);
    expect((await ben.browser.open(`${RECORD}/erase`)).status).toBe(403);
    for (const address of [RECORD, `${RECORD}/erase`, RECORDS, `${RECORDS}?record=k3`]) {
      expect((await carla.browser.open(address)).status, address).toBe(404);
    }
    for (const action of ['correct', 'withdraw', 'restore', 'erase']) {
      const fields = new URLSearchParams(fieldsOf(page));
      fields.set('cause', 'source_change');
      fields.set('title', 'Stolen');
      fields.set('confirmed', 'yes');
      for (const [who, status] of [
        [ben, 403],
        [carla, 404],
      ] as const) {
        fields.set('token', who.page.forms[0]!.fields.get('token')!);
        expect((await who.browser.post(`${RECORD}/${action}`, fields)).status, action).toBe(status);
      }
    }
    for (const id of ['permits:none', 'other:k3', 'none:k3', 'k3', '%00', 'permits:', 'permits:k3%2f..']) {
      expect((await anna.browser.open(`${BASE_URL}/desk/records/${id}`)).status, id).toBe(404);
    }
    expect(await said(service)).toEqual(UNTOUCHED);
  });

  it('are refused from other sites, without their token or version, and without a session of the desk', async () => {
    const service = await taken();
    const { browser } = await service.signedIn();
    const [page, erase] = [await browser.open(RECORD), await browser.open(`${RECORD}/erase`)];
    const dora = (await service.signedIn('dora')).page;
    const owner = service.browser();
    const link = await accountSignIns(service.store, { now: () => service.clock.now }).createLink('acme');
    await owner.submit(await owner.open(`${BASE_URL}/sign-in/${link}`), 'sign-in');
    const given = { title: 'Stolen', confirmed: 'yes', ...MISREAD };
    for (const [of, id] of [
      [page, 'correct'],
      [page, 'withdraw'],
      [erase, 'erase'],
    ] as const) {
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect((await browser.submit(of, id, given, { headers: foreign })).status).toBe(403);
      for (const token of [null, '', dora.forms[0]!.fields.get('token')!]) {
        expect((await browser.submit(of, id, { ...given, token })).status).toBe(403);
      }
      for (const other of [service.browser(), owner]) {
        const answer = await other.submit(of, id, given, { isFollowing: false });
        expect([answer.status, answer.headers.get('location')]).toEqual([
          303,
          `${BASE_URL}/desk/sign-in?done=sessionEnded`,
        ]);
      }
    }
    for (const read of [null, '', '0', '-1', '1.5', 'x']) {
      expect((await browser.submit(page, 'withdraw', { read })).status).toBe(403);
    }
    for (const read of ['2', '99']) {
      expect((await browser.submit(page, 'correct', { ...given, read })).status).toBe(409);
    }
    expect((await browser.open(`${RECORD}/correct`)).status).toBe(405);
    expect(await said(service)).toEqual(UNTOUCHED);
    // Names that are none of a field set nothing.
    await browser.submit(page, 'correct', {
      title: 'Mine',
      'data.__proto__': 'x',
      read: '1',
      id: 'permits:k4',
      ...MISREAD,
    });
    expect(await said(service)).toEqual([2, 'extraction_correction', 'Mine', 1253, 'Abel & Söhne']);
  });
});

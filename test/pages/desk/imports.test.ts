// What editors do with imports: what a proposal says, who approves it, and what others can make of its forms.
import { describe, expect, it } from 'vitest';
import { parse } from 'parse5';
import type { ImportResult } from '../../../src/import/import-options.ts';
import { FINDINGS } from '../../../src/import/proposals/finding-codes.ts';
import { Records } from '../../../src/operate/records.ts';
import { changeSettings } from '../../../src/operate/registers/settings.ts';
import { Imports } from '../../../src/operate/registers/imports.ts';
import type { Mail } from '../../../src/operate/sign-in-mail.ts';
import { accountSignIns } from '../../../src/operate/sign-in.ts';
import { NO_COUNTS } from '../../../src/stores/contract/imports/counts.ts';
import { holdRegister } from '../../../src/stores/lease/hold-register.ts';
import { BASE_URL, type WorldOptions } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { type DeskService, deskService, OPERATOR } from './desk-service.ts';
import { AFTER, BEFORE, type Row, takeRows, type Taking } from './taking.ts';

const REGISTER = `${BASE_URL}/desk/feeds/permits`;

/** Takes rows in, or proposes it, a minute later. */
function take({ store, clock }: DeskService, rows: readonly Row[], how: Partial<Taking> = {}): Promise<ImportResult> {
  clock.now += 60_000;
  return takeRows(rows, { store, now: () => clock.now, ...how });
}

/** A register that has been taken in, and what the next file would make of it, proposed. */
async function proposed(options: WorldOptions = {}, who = 'clerk'): Promise<DeskService & { readonly url: string }> {
  const service = await deskService({ records: 0, ...options });
  await service.editors.add({ name: 'dora', email: 'dora@example.org' }, OPERATOR);
  await take(service, BEFORE);
  const { number } = await take(service, AFTER, { isProposed: true, who });
  return { ...service, url: `${REGISTER}/imports/${number}` };
}

/** The text of a page, with a space behind each cell. */
function text({ html }: Page): string {
  const spaced = html.replaceAll(/<\/(?:d[td]|t[dh])>/g, ' $&');
  return elements(parse(spaced), 'main').map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}

/** A page again until nothing goes on any more. */
async function settled(browser: Browser, page: Page): Promise<Page> {
  let shown = page;
  while (shown.headers.has('refresh')) shown = await browser.open(shown.url);
  return shown;
}

/** How many records readers see. */
async function total({ store }: DeskService): Promise<number> {
  return (await store.register('permits'))!.total;
}

/** The amount of a record. */
async function amountOf({ store }: DeskService, key: string): Promise<unknown> {
  return (await store.record(`permits:${key}`))?.record?.data.amount;
}

function ids(page: Page): readonly string[] {
  return page.forms.map(({ id }) => id);
}

describe('a proposal', () => {
  it('stands first at the desk and in its register, and says how many wait', async () => {
    const service = await proposed();
    const { browser, page } = await service.signedIn();
    expect(text(page)).toContain('1 proposal waits');
    const register = await browser.open(page.links.find((link) => link === REGISTER)!);
    expect(text(register)).toMatch(
      /Waiting to be approved week 17\.json: 1 added, 2 changed, 1 withdrawn proposed .* import 2 · clerk Records Find a record .* Latest imports week 17\.json: 20 added/,
    );
    await take(service, AFTER.slice(1), { isProposed: true });
    const figures = await service.metrics.registry.metrics();
    expect(figures).toContain('gazette_proposals_waiting{register="permits"} 2');
    expect(text(await browser.open(`${BASE_URL}/desk`))).toContain('2 proposals wait');
    expect(text((await service.signedIn('ben')).page)).toContain('2 proposals wait');
    expect(text((await service.signedIn('carla')).page)).not.toContain('wait');
  });

  it('says what it would do: the greatest change of a number first, examples of every field, and what comes and goes', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    const said = text(page);
    expect(said).toContain('Import 2: week 17.json Nothing is written yet.');
    expect(said).toContain('What it would do added 1 changed 2 withdrawn 1 unchanged 17');
    expect(said).toMatch(
      /Differences amount changes in 1 record · the largest change: from 1,253 to 12\.53 \(a hundredth of it\) Record Before After permits:k3 1,253 12\.53 .*applicant changes in 1 record Record Before After permits:k4 Abel & Söhne Abel & Töchter <b>/,
    );
    expect(said).toContain('New or live again, for example Permit <i>new</i> permits:new');
    expect(said).toContain('Withdrawn, for example Permit 19 permits:k19');
    expect(elements(parse(page.html), 'ins').map(textOf)).toEqual(['12.53', 'Töchter <b>']);
    expect([ids(page), elements(parse(page.html), 'b')]).toEqual([['sign-out', 'approve', 'discard'], []]);
  });

  it('is done when it is approved: exactly what it says, by whom, in the log of the desk too', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn('ben');
    const done = await browser.submit(await browser.open(service.url), 'approve');
    expect(text(done)).toContain('You approved the import.');
    const after = text(await settled(browser, done));
    expect(after).toContain('State done By clerk');
    expect(after).toContain('Decided by ben');
    expect(after).toContain('What it did added 1 changed 2 withdrawn 1');
    expect(after).toMatch(/amount changes in 1 record .* permits:k3 1,253 12\.53/);
    expect([await amountOf(service, 'k3'), await total(service)]).toEqual([12.53, 20]);
    expect(text(await browser.open(`${BASE_URL}/desk/log`))).toMatch(
      /Import approved permits import 2 .* by ben, reviewer/,
    );
  });

  it('is gone when it is discarded, and nothing was written', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    const done = await browser.submit(page, 'discard');
    expect(text(done)).toContain('You discarded the proposal.');
    // What it would have done stays, in numbers; nothing that a record says.
    expect(text(done)).toMatch(
      /added 1 changed 2 withdrawn 1 .*amount changes in 1 record applicant changes in 1 record$/,
    );
    expect(done.html).not.toMatch(/Töchter|12\.53|k3|new/);
    await new Records(service.store).erase('permits:k1');
    expect(text(await browser.open(done.url))).not.toContain('amount');
    expect([await amountOf(service, 'k3'), ids(done)]).toEqual([1253, ['sign-out']]);
    expect(text(await browser.open(`${BASE_URL}/desk/log`))).toMatch(
      /Proposal discarded permits import 2 .* by anna, editor/,
    );
    const again = await browser.submit(page, 'discard');
    expect([again.status, again.url, text(again).includes('You discarded')]).toEqual([200, done.url, true]);
    const late = await browser.submit(page, 'approve');
    expect([late.status, text(late).includes('was discarded already, by anna')]).toEqual([409, true]);
  });

  it('that a finding stopped says so, with its sentence, and is approved by who says that it is meant', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    const { number } = await take(service, BEFORE.slice(0, 5), { isProposed: true });
    const { browser } = await service.signedIn();
    const page = await browser.open(`${REGISTER}/imports/${number}`);
    expect(text(page)).toMatch(
      /What was found Many records are absent stops the import Published records that are not in the file: 15 of 20\./,
    );
    expect(text(page)).not.toContain('--');
    expect(text(page)).toContain('It is meant so: approve the import');
    await settled(browser, await browser.submit(page, 'approve'));
    expect(await total(service)).toBe(5);
  });

  it('says of refused rows where they are, and why', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    const twice = [...BEFORE, { ...BEFORE[0]!, title: 'twice' }];
    const { number } = await take(service, twice, { isProposed: true });
    const { browser } = await service.signedIn();
    const said = text(await browser.open(`${REGISTER}/imports/${number}`));
    expect(said).toMatch(/Refused \[20\]: Another row of the file has the same key: .*k0/);
    // Also at the button: nobody approves a part of a file for the whole.
    expect(said).toMatch(
      /Decide 1 row of the file was refused and is not taken in\. If it is of a published record, that stays as it is\. .*Approve .*If it is discarded, nothing is written/,
    );
  });

  it('says how many of the refused rows it lists', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    const again = Array.from({ length: 25 }, (_, n) => ({ ...BEFORE[0]!, title: `again ${n}` }));
    const { number } = await take(service, [...BEFORE, ...again], { isProposed: true });
    const { browser } = await service.signedIn();
    const page = await browser.open(`${REGISTER}/imports/${number}`);
    expect(text(page)).toContain('Refused The first 20 of 25.');
  });

  it('of another digest than was read is not approved, and the page says what it is now', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    const other = await browser.submit(page, 'approve', { digest: 'ab'.repeat(32) });
    expect([other.status, text(other).includes('has changed since you read it')]).toEqual([409, true]);
    for (const digest of [null, '', 'x', 'AB'.repeat(32)]) {
      expect((await browser.submit(page, 'approve', { digest })).status).toBe(403);
    }
    expect([await amountOf(service, 'k3'), ids(other)]).toEqual([1253, ['sign-out', 'approve', 'discard']]);
  });

  it('offers no approval to who opens it after the register has changed', async () => {
    const service = await proposed();
    await take(service, [...BEFORE, { id: 'late', title: 'Late' }]);
    const { browser } = await service.signedIn('ben');
    const page = await browser.open(service.url);
    expect(text(page)).toContain('it cannot be approved any more. Discard it and upload the file again');
    expect(ids(page)).toEqual(['sign-out', 'discard']);
    for (const url of [service.url, REGISTER, `${BASE_URL}/desk`]) {
      const said = text(await browser.open(url));
      expect([said.includes('cannot be approved any more'), / proposed|waits to be approved/.test(said)]).toEqual([
        true,
        false,
      ]);
    }
  });

  it('that waited for thirty days says that it did', async () => {
    const service = await proposed();
    const days = new Date(service.clock.now + 31 * 24 * 3_600_000).toISOString();
    await service.store.imports.proposals.tidy(days);
    const { browser } = await service.signedIn();
    expect(text(await browser.open(service.url))).toContain('The proposal waited for 30 days and was discarded.');
  });

  it('says how many records are not in its file and stay, where it need not have all', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    const { number } = await take(service, AFTER, { isProposed: true, isWhole: false });
    const { browser } = await service.signedIn();
    expect(text(await browser.open(`${REGISTER}/imports/${number}`))).toContain(
      '1 record of the register is not in the file, and stays published.',
    );
  });

  it('says the place and the reason of a row that was refused, each once', async () => {
    const service = await deskService({ records: 0 });
    const { number } = await take(service, [...BEFORE, { id: 'bad', title: '' }], { isProposed: true });
    const { browser } = await service.signedIn();
    const said = text(await browser.open(`${REGISTER}/imports/${number}`));
    expect(said).toContain('Refused [20]: Title is empty How the file was read');
    expect(said.split('[20]')).toHaveLength(2);
  });

  it('is not approved where the register has changed since it was read', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    await take(service, [...BEFORE.slice(0, 19), { id: 'k19', title: 'Another title' }]);
    const refused = await browser.submit(page, 'approve');
    expect([refused.status, text(refused).includes('has changed since you read it')]).toEqual([409, true]);
    expect(text(refused)).toContain('discard the proposal and upload the file again');
    expect([await amountOf(service, 'k3'), await total(service)]).toEqual([1253, 20]);
  });

  it('is not carried out twice by a form that is sent again, nor while somebody works on the register', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    await holdRegister(service.store, 'permits', { what: 'import other.csv' }, async () => {
      const busy = await browser.submit(page, 'approve');
      expect([busy.status, text(busy).includes('somebody works on this register')]).toEqual([409, true]);
    });
    await settled(browser, await browser.submit(page, 'approve'));
    const before = (await service.store.register('permits'))!.change;
    const again = await browser.submit(page, 'approve');
    expect([again.status, text(again)]).toEqual([200, expect.stringContaining('You approved the import.')]);
    const late = await browser.submit(page, 'discard');
    expect([late.status, text(late)]).toEqual([
      409,
      expect.stringMatching(/was approved already, by anna, and carried out on [^.]*2026/),
    ]);
    expect((await service.store.register('permits'))!.change).toBe(before);
  });

  it('that failed while it was carried out is not said to be done', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    const { imports } = service.store;
    await imports.proposals.approve('permits', 2, { who: 'anna' });
    const endedAt = new Date(service.clock.now).toISOString();
    await imports.end(2, { counts: NO_COUNTS, endedAt, error: 'store_busy', digest: null });
    const late = text(await browser.submit(page, 'discard'));
    expect([late.includes('was approved already, by anna.'), late.includes('carried out on')]).toEqual([true, false]);
  });

  it('that was begun is finished by whoever works on the register next, and until then its page asks again', async () => {
    const service = await proposed();
    const { proposals } = service.store.imports;
    await proposals.approve('permits', 2, { who: 'anna' });
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    expect([page.headers.get('refresh'), ids(page)]).toEqual(['5', ['sign-out']]);
    expect(text(page)).toContain('is being carried out. You may leave this page');
    await take(service, AFTER);
    const after = await browser.open(service.url);
    expect([after.headers.get('refresh'), text(after).includes('State done')]).toEqual([null, true]);
  });
});

describe('an import that is taken back', () => {
  it('is a proposal first, once, and then as if it had not been', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    await take(service, AFTER);
    const { browser } = await service.signedIn();
    const page = await browser.open(`${REGISTER}/imports/2`);
    const undo = await settled(browser, await browser.submit(page, 'undo'));
    expect(undo.url).toContain('/imports/3');
    expect(text(undo)).toContain('Import 3: import 2 taken back');
    expect(text(undo)).toMatch(/permits:k3 12\.53 1,253/);
    expect(text(undo)).toContain('New or live again, for example Permit 19 permits:k19');
    expect(text(undo)).toContain('Withdrawn, for example Permit <i>new</i> permits:new');
    expect(await amountOf(service, 'k3')).toBe(12.53);
    const again = await browser.submit(page, 'undo');
    expect(again.url).toBe(undo.url);
    await settled(browser, await browser.submit(undo, 'approve'));
    expect([await amountOf(service, 'k3'), await total(service)]).toEqual([1253, 20]);
    const log = text(await browser.open(`${BASE_URL}/desk/log`));
    expect(log).toMatch(/Import approved permits import 3 .* Import proposed permits import 3/);
    // It says so, and is not offered to be taken back once more.
    const back = await browser.open(page.url);
    expect([text(back).includes('Taken back by import 3'), ids(back)]).toEqual([true, ['sign-out']]);
    const late = await browser.submit(page, 'undo');
    expect([late.status, text(late).includes('could still be taken back')]).toEqual([409, true]);
    // What takes it back can be taken back: then it stands again.
    const redo = await settled(browser, await browser.submit(await browser.open(undo.url.split('?')[0]!), 'undo'));
    await settled(browser, await browser.submit(redo, 'approve'));
    const stands = await browser.open(page.url);
    expect([text(stands).includes('Taken back by'), ids(stands)]).toEqual([false, ['sign-out', 'undo']]);
    expect(await amountOf(service, 'k3')).toBe(12.53);
  });

  it('says which settings it put back, once it is done', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    const { browser } = await service.signedIn();
    const { title, description, language, rights } = (await service.store.register('permits'))!.definition;
    const given = { title: 'Another title', description, language, rights, filterable: [], findings: FINDINGS };
    await changeSettings(service.store, 'permits', given, { who: 'clerk' });
    const undo = await settled(browser, await browser.submit(await browser.open(`${REGISTER}/imports/2`), 'undo'));
    await settled(browser, await browser.submit(undo, 'approve'));
    expect(text(await browser.open(undo.url.split('?')[0]!))).toMatch(
      new RegExp(`State done .* Title Another title ${title}`),
    );
  });

  it('can be taken back once more, as far as a later one was in the way that was taken back since', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    await take(service, AFTER);
    const { browser } = await service.signedIn();
    const undo = async (number: number): Promise<void> => {
      const page = await browser.open(`${REGISTER}/imports/${number}`);
      const proposal = await settled(browser, await browser.submit(page, 'undo'));
      await settled(browser, await browser.submit(proposal, 'approve'));
    };
    const left: number[] = [];
    for (const number of [1, 2, 1]) {
      await undo(number);
      left.push(await total(service));
    }
    expect(left).toEqual([3, 3, 0]);
    expect(ids(await browser.open(`${REGISTER}/imports/1`))).toEqual(['sign-out']);
  });

  it('of which nothing is left to be taken back is not approved as if it were', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE.slice(0, 1));
    await take(service, [{ ...BEFORE[0]!, title: 'Other' }]);
    await take(service, [{ ...BEFORE[0]!, title: 'Third' }]);
    const { browser } = await service.signedIn();
    const page = await browser.open(`${REGISTER}/imports/2`);
    const undo = await settled(browser, await browser.submit(page, 'undo'));
    expect([text(undo).includes('there is nothing left that could be taken back'), ids(undo)]).toEqual([
      true,
      ['sign-out', 'discard'],
    ]);
  });

  it('is told to the editors by mail', async () => {
    const mails: Mail[] = [];
    const sendMail = (mail: Mail): Promise<void> => {
      mails.push(mail);
      return Promise.resolve();
    };
    const service = await deskService({ records: 0, mail: { transport: { sendMail }, from: 'registers@example.org' } });
    await take(service, BEFORE);
    const { browser } = await service.signedIn();
    await settled(browser, await browser.submit(await browser.open(`${REGISTER}/imports/1`), 'undo'));
    await service.close();
    expect(mails.map(({ to }) => to.address)).toEqual(['anna@example.org', 'ben@example.org']);
    expect(mails[0]!.text).toContain(`\n${REGISTER}/imports/2\n`);
  });

  it('is none that has written nothing', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    expect(ids(page)).not.toContain('undo');
    const fields = new URLSearchParams({ token: page.forms[0]!.fields.get('token')! });
    const refused = await browser.post(`${service.url}/undo`, fields);
    expect([refused.status, text(refused).includes('has written nothing')]).toEqual([409, true]);
  });
});

describe('with four eyes', () => {
  it('who proposed sees no button, is refused if she sends the form, and somebody else approves', async () => {
    const service = await proposed({ approve: 'other' }, 'anna');
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    expect(ids(page)).toEqual(['sign-out', 'discard']);
    expect(text(page)).toContain('You proposed this import. Another editor has to approve it.');
    const other = (await service.signedIn('dora')).browser;
    const theirs = await other.open(service.url);
    const fields = new URLSearchParams(theirs.forms.find(({ id }) => id === 'approve')!.fields);
    fields.set('token', page.forms[0]!.fields.get('token')!);
    const refused = await browser.post(`${service.url}/approve`, fields);
    expect([refused.status, text(refused)]).toEqual([403, expect.stringContaining('another editor approves it')]);
    expect(await amountOf(service, 'k3')).toBe(1253);
    await settled(other, await other.submit(theirs, 'approve'));
    expect(await amountOf(service, 'k3')).toBe(12.53);
  });

  it('binds an undo, too; the command line is not bound, and logged', async () => {
    const service = await deskService({ records: 0, approve: 'other' });
    await take(service, BEFORE);
    await take(service, AFTER);
    const { browser } = await service.signedIn();
    const undo = await settled(browser, await browser.submit(await browser.open(`${REGISTER}/imports/2`), 'undo'));
    expect(ids(undo)).toEqual(['sign-out', 'discard']);
    await new Imports(service.store).approve('permits', 3, { who: 'anna' });
    expect((await service.store.imports.find('permits', 3)).decidedBy).toBe('anna');
  });
});

describe('the forms of imports', () => {
  it('are for the editors of the register, and to propose for those who do not only review', async () => {
    const service = await deskService({ records: 0 });
    await take(service, BEFORE);
    await take(service, AFTER);
    const [ben, carla] = [await service.signedIn('ben'), await service.signedIn('carla')];
    const token = (page: Page): string => page.forms[0]!.fields.get('token')!;
    const url = `${REGISTER}/imports/2`;
    const reviewed = await ben.browser.open(url);
    expect(ids(reviewed)).toEqual(['sign-out']);
    const undo = await ben.browser.post(`${url}/undo`, new URLSearchParams({ token: token(reviewed) }));
    expect([undo.status, text(undo).includes('the role review only approves')]).toEqual([403, true]);
    for (const address of [REGISTER, url]) expect((await carla.browser.open(address)).status).toBe(404);
    for (const action of ['approve', 'discard', 'undo']) {
      const fields = new URLSearchParams({ token: token(carla.page), digest: 'ab'.repeat(32) });
      expect((await carla.browser.post(`${url}/${action}`, fields)).status).toBe(404);
      // The number of an import of another register opens nothing.
      const own = `${BASE_URL}/desk/feeds/notices/imports/2`;
      expect((await carla.browser.post(`${own}/${action}`, fields)).status).toBe(404);
    }
    expect((await service.store.imports.list('permits', { limit: 10 })).length).toBe(2);
  });

  it('are refused from other sites, without their token, and without a session of the desk', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    const page = await browser.open(service.url);
    const dora = (await service.signedIn('dora')).page;
    const owner = service.browser();
    const link = await accountSignIns(service.store, { now: () => service.clock.now }).createLink('acme');
    await owner.submit(await owner.open(`${BASE_URL}/sign-in/${link}`), 'sign-in');
    for (const id of ['approve', 'discard']) {
      const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect((await browser.submit(page, id, {}, { headers: foreign })).status).toBe(403);
      for (const token of [null, '', dora.forms[0]!.fields.get('token')!]) {
        expect((await browser.submit(page, id, { token })).status).toBe(403);
      }
      for (const other of [service.browser(), owner]) {
        const answer = await other.submit(page, id, {}, { isFollowing: false });
        expect([answer.status, answer.headers.get('location')]).toEqual([
          303,
          `${BASE_URL}/desk/sign-in?done=sessionEnded`,
        ]);
      }
      const { action } = page.forms.find((form) => form.id === id)!;
      expect((await browser.open(action)).status).toBe(405);
    }
    for (const address of [REGISTER, service.url]) {
      expect((await service.browser().open(address)).url).toBe(`${BASE_URL}/desk/sign-in`);
      expect((await owner.open(address)).url).toBe(`${BASE_URL}/desk/sign-in`);
    }
    expect((await service.store.imports.find('permits', 2)).state).toBe('proposed');
  });

  it('lead nowhere for numbers that are none', async () => {
    const service = await proposed();
    const { browser } = await service.signedIn();
    for (const number of ['0', '-1', '1e3', '99', 'x', '9'.repeat(30), '%00', '2%2f..']) {
      expect((await browser.open(`${REGISTER}/imports/${number}`)).status, number).toBe(404);
    }
  });
});

it('shows names of files and contents as text, however large, within a page’s size', async () => {
  const service = await deskService({ records: 0 });
  const evil = '<script>alert(1)</script><img src=x onerror=y>"\'&';
  await take(service, BEFORE);
  const long = 'W'.repeat(40_000);
  const rows = BEFORE.map((row) => ({ ...row, title: `${evil}${row.id}`, applicant: `${evil}${long}` }));
  const { number } = await take(service, rows, { isProposed: true, file: `${evil}\u202e.json` });
  const { browser } = await service.signedIn();
  for (const url of [`${REGISTER}/imports/${number}`, REGISTER]) {
    const page = await browser.open(url);
    const root = parse(page.html);
    expect([elements(root, 'script'), elements(root, 'img')]).toEqual([[], []]);
    expect(text(page)).toContain('<script>alert(1)</script>');
    expect(page.html.length).toBeLessThan(60_000);
    expect(page.headers.get('cache-control')).toBe('private, no-store');
  }
});

it('speaks German', async () => {
  const service = await proposed();
  const { browser } = await service.signedIn('anna', { language: 'de' });
  const said = text(await browser.open(service.url));
  expect(said).toContain('Noch ist nichts geschrieben.');
  expect(said).toMatch(/sind: 1 von 1, die andere sind als bisher\. .*Dezimalkomma .*amount \(1 Eintrag\)/);
  expect(said).toContain('die größte Änderung: von 1.253 auf 12,53 (ein Hundertstel davon)');
});

it.each([
  [1250, 125_000, 'from 1,250 to 125,000 (100 times as much)'],
  [1250, 125, 'from 1,250 to 125 (a tenth of it)'],
  [1250, 1.25, 'from 1,250 to 1.25 (a thousandth of it)'],
  [1200, 211, 'from 1,200 to 211 (−82.4 %)'],
  [1250, 1300, 'from 1,250 to 1,300 (+4 %)'],
  [1250, -2500, 'from 1,250 to -2,500 Record'],
])('says of %d that becomes %d both, and by how much', async (was, is, change) => {
  const service = await deskService({ records: 0 });
  await take(service, [{ id: 'a', title: 'A', amount: was }]);
  const { number } = await take(service, [{ id: 'a', title: 'A', amount: is }], { isProposed: true });
  const { browser } = await service.signedIn();
  const said = text(await browser.open(`${REGISTER}/imports/${number}`));
  expect(said).toContain(`the largest change: ${change}`);
});

it('says of rows and of failed imports in the reader’s language what was wrong, and names no error of the store', async () => {
  const service = await deskService({ records: 0 });
  const rows = [...BEFORE, { id: 'bad', title: 'Bad', amount: 'much' as never }];
  const { number } = await take(service, rows, { isProposed: true });
  const failed = await service.store.imports.begin(
    'permits',
    { file: 'a.csv', cause: 'source_change', who: null, begunAt: new Date(service.clock.now).toISOString() },
    { key: new Uint8Array(32) },
  );
  const endedAt = new Date(service.clock.now).toISOString();
  await service.store.imports.end(failed.number, { counts: NO_COUNTS, endedAt, error: 'store_busy', digest: null });
  const { browser } = await service.signedIn('anna', { language: 'de' });
  expect(text(await browser.open(`${REGISTER}/imports/${number}`))).toContain(
    'amount ist keine Zahl (dort steht: "much")',
  );
  const page = text(await browser.open(`${REGISTER}/imports/${failed.number}`));
  expect([page.includes('der Speicher war beschäftigt'), page.includes('store_busy')]).toEqual([true, false]);
});

// How the file of a proposal was read is said on its page, and can be changed there; what was chosen is kept for the next file.
import ExcelJS from 'exceljs';
import { parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { GazetteError } from '../../../src/errors.ts';
import { stageUpload } from '../../../src/operate/desk/stage-upload.ts';
import type { UploadReading } from '../../../src/operate/desk/upload-work.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { BASE_URL } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { ended, send, text, until, type UploadingDesk, uploading } from './uploading.ts';

const head = 'Nummer;Betreff;Vorhaben;Datum;Betrag\n';
const FILE = `${head}A-1;Balkon;Gasse 1;01.05.2026;1.234,50\nA-2;Garage;Gasse 2;02.05.2026;99,00\n`;
const NEXT = `${head}A-1;Balkon;Gasse 1;01.05.2026;1.234,50\nA-3;Zaun;Gasse 3;03.05.2026;7,25\n`;

/** Uploads a file for `notices`, and gives the page of its proposal. */
async function proposed(service: UploadingDesk, browser: Browser, file = FILE): Promise<Page> {
  const answer = await send(service, browser, new Blob([Buffer.from(file, 'latin1')]), { feed: 'notices' });
  const page = await ended(browser, answer);
  return browser.open(page.headers.get('location')!);
}

/** Chooses something, and gives the page of the proposal that comes of it. */
async function read(browser: Browser, page: Page, chosen: Readonly<Record<string, string>>): Promise<Page> {
  const answer = await browser.submit(page, 'read', chosen, { isFollowing: false });
  const url = answer.headers.get('location')!;
  const state = await until(
    () => browser.open(url, { isFollowing: false }),
    ({ headers }) => headers.get('refresh') === null,
  );
  const location = state.headers.get('location');
  return location === null ? state : browser.open(location);
}

function value(page: Page, name: string, shown: string): string {
  const isNamed = (one: ReturnType<typeof elements>[number], key: string, is: string): boolean =>
    one.attrs.some((each) => each.name === key && each.value === is);
  const select = elements(parse(page.html), 'select').find((one) => isNamed(one, 'name', name));
  const option = elements(select!, 'option').find((one) => textOf(one) === shown);
  return option!.attrs.find((one) => one.name === 'value')!.value;
}

describe('the page of a proposal', () => {
  it('says how its file was read, and has it read otherwise, which is kept for the next file', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await proposed(service, browser);
    expect(text(page)).toMatch(/How the file was read/);
    expect(value(page, 'delimiter', ';')).toBe('');
    expect(value(page, 'decimal', 'decimal comma (1.234,56)')).toBe('');
    const other = await read(browser, page, { 'of-title': value(page, 'of-title', 'Vorhaben') });
    expect(other.url).toBe(`${BASE_URL}/desk/feeds/notices/imports/2`);
    expect(await service.store.imports.find('notices', 1)).toMatchObject({ state: 'discarded' });
    expect(text(other)).toContain('Gasse 1');
    await browser.submit(other, 'approve');
    const { records } = await (await service.store.source('notices')).page({ offset: 0, limit: 9 });
    expect(records.map(({ title }) => title)).toEqual(['Gasse 2', 'Gasse 1']);
    const next = await proposed(service, browser, NEXT);
    expect(value(next, 'of-title', 'Vorhaben')).toBe('');
    expect((await service.store.imports.find('notices', 3)).counts).toMatchObject({ added: 1, changed: 0 });
  });

  it('withdraws what the file lacks where that is chosen, as the next file then does', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    await browser.submit(await proposed(service, browser), 'approve');
    const page = await proposed(service, browser, NEXT);
    expect(text(page)).toContain('1 record of the register is not in the file, and stays published');
    const chosen = value(page, 'missing', 'are withdrawn');
    const other = await read(browser, page, { missing: chosen });
    expect((await service.store.imports.find('notices', 3)).counts).toMatchObject({ added: 1, withdrawn: 1 });
    await browser.submit(other, 'approve');
    const next = await proposed(service, browser);
    expect((await service.store.imports.find('notices', 4)).counts).toMatchObject({ restored: 1, withdrawn: 1 });
    await read(browser, next, { missing: value(next, 'missing', 'stay published') });
    expect((await service.store.imports.find('notices', 5)).counts).toMatchObject({ restored: 1, withdrawn: 0 });
  });

  it('leaves out columns that no field shows where that is chosen, of later files too', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    await browser.submit(await proposed(service, browser), 'approve');
    const noted = (day: string): string =>
      FILE.split('\n')
        .map((line, at) => (line === '' ? '' : `${line};${at === 0 ? 'Abruf;Vermerk' : `${day};intern`}`))
        .join('\n');
    const counts = async (number: number): Promise<object> =>
      (await service.store.imports.find('notices', number)).counts;
    const page = await proposed(service, browser, noted('Montag'));
    expect(await counts(2)).toMatchObject({ changed: 2 });
    const kept = (...names: readonly string[]): string => `are kept, and go out with proofs: ${names.join(', ')}`;
    expect(value(page, 'unshown', kept('Vorhaben', 'Betrag', 'Abruf', 'Vermerk'))).toBe('');
    const one = await read(browser, page, {
      unshown: value(page, 'unshown', 'Abruf is left out, of later files too'),
    });
    expect(await counts(3)).toMatchObject({ changed: 2 });
    expect(value(one, 'unshown', kept('Vorhaben', 'Betrag', 'Vermerk'))).toBe('');
    const other = await read(browser, one, { unshown: value(one, 'unshown', 'are left out, of later files too') });
    expect(await counts(4)).toMatchObject({ changed: 0, unchanged: 2 });
    expect(text(other)).not.toContain('Columns that no field shows');
    if (other.forms.some(({ id }) => id === 'approve')) await browser.submit(other, 'approve');
    expect((await service.store.imports.basis('notices')).ignored).toEqual(['Abruf', 'Betrag', 'Vermerk', 'Vorhaben']);
    await proposed(service, browser, `${noted('Dienstag')}A-9;Neu;Gasse 9;04.05.2026;1,00;Dienstag;neu\n`);
    expect(await counts(5)).toMatchObject({ added: 1, changed: 0, unchanged: 2 });
    // A file without these columns is no fault.
    await proposed(service, browser, NEXT);
    expect(await counts(6)).toMatchObject({ added: 1 });
  });

  it('says which sheet of a workbook was read, and reads another, also in the next file, unless that lacks it', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const upload = async (sheets: Readonly<Record<string, readonly string[]>>): Promise<Page> => {
      const workbook = new ExcelJS.Workbook();
      for (const [name, numbers] of Object.entries(sheets)) {
        const rows = numbers.map((one) => [one, `Fall ${one}`, '2026-05-01']);
        workbook.addWorksheet(name).addRows([['Nummer', 'Betreff', 'Datum'], ...rows]);
      }
      const blob = new Blob([await workbook.xlsx.writeBuffer()]);
      const page = await ended(browser, await send(service, browser, blob, { feed: 'notices', name: 'a.xlsx' }));
      return browser.open(page.headers.get('location')!);
    };
    const many = { Alt: ['A-1', 'A-2', 'A-3'] };
    const page = await upload({ ...many, Neu: ['A-8', 'A-9'] });
    expect(value(page, 'sheet', 'Alt')).toBe('');
    const other = await read(browser, page, { sheet: value(page, 'sheet', 'Neu') });
    expect((await service.store.imports.find('notices', 2)).counts).toMatchObject({ added: 2 });
    await browser.submit(other, 'approve');
    expect(value(await upload({ ...many, Neu: ['A-7'] }), 'sheet', 'Neu')).toBe('');
    expect(value(await upload({ ...many, Mai: ['A-7'] }), 'sheet', 'Alt')).toBe('');
  });

  it('says that nothing was changed where nothing else was chosen, or the file is gone', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await proposed(service, browser);
    const same = await browser.submit(page, 'read');
    expect([same.url.split('?')[0], text(same).includes('Nothing was changed: you chose nothing else')]).toEqual([
      page.url,
      true,
    ]);
    await browser.submit(page, 'discard');
    const gone = await browser.submit(page, 'read', { order: 'by-date' });
    expect(text(gone)).toContain('Nothing was changed: the file is not there any more');
  });

  it('keeps its proposal where the file cannot be read so, and says why', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await proposed(service, browser);
    const failed = await read(browser, page, { encoding: 'utf-16le' });
    expect(failed.url).toBe(page.url);
    expect(text(failed)).toContain('The file could not be read as you chose');
    expect(await service.store.imports.find('notices', 1)).toMatchObject({ state: 'proposed' });
  });

  it.each(['', 'week 17.csv: all 2 records were refused, the first: '])(
    'says nothing of the command line: %s',
    async (why) => {
      const store = SqliteStore.open(':memory:');
      const reason = 'line 2: published_at must be a date, got "1. Mai"';
      const stage: UploadReading['stage'] = (upload, work) => {
        if (Object.keys(upload.chosen).length === 0) return stageUpload(store, upload, { usual: null, ...work });
        throw new GazetteError('invalid_input', `${why}${reason}; give --date-format to read dates in this form`);
      };
      const service = await uploading({ stage }, { store });
      const { browser } = await service.signedIn();
      const failed = await read(browser, await proposed(service, browser), { encoding: 'utf-16le' });
      expect([text(failed).includes(reason), text(failed).includes('--')]).toEqual([true, false]);
    },
  );

  it('has no form where the file is gone, for reviewers, and under another proposal', async () => {
    const service = await uploading({}, { approve: 'other' });
    await service.editors.add(
      { name: 'dora', email: 'd@example.org', role: 'review' },
      { who: 'root', role: 'operator' },
    );
    const { browser } = await service.signedIn();
    const page = await proposed(service, browser);
    const { browser: dora } = await service.signedIn('dora');
    const shown = await dora.open(page.url);
    expect(shown.forms.map(({ id }) => id)).not.toContain('read');
    expect(text(shown)).toContain('How the file was read');
    const fields = new URLSearchParams({ order: 'by-date', token: shown.forms[0]!.fields.get('token')! });
    expect((await dora.post(`${page.url}/read`, fields, { isFollowing: false })).status).toBe(403);
    // Who chooses proposes: she cannot approve it herself.
    const { browser: carla } = await service.signedIn('carla');
    const other = await read(carla, await carla.open(page.url), { order: 'newest-first' });
    expect(await service.store.imports.find('notices', 2)).toMatchObject({ who: 'carla' });
    expect(other.forms.map(({ id }) => id)).not.toContain('approve');
  });

  it('takes a column under another name than the one that was chosen before', async () => {
    const service = await uploading();
    const { browser } = await service.signedIn();
    const page = await proposed(service, browser);
    const other = await read(browser, page, { 'of-title': value(page, 'of-title', 'Vorhaben') });
    await browser.submit(other, 'approve');
    const renamed = await proposed(service, browser, NEXT.replace('Vorhaben', 'Projekt'));
    expect((await service.store.imports.find('notices', 3)).counts).toMatchObject({ added: 1 });
    expect(text(renamed)).toContain('Projekt');
  });
});

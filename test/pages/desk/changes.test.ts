// All that one import changes, record by record and page by page, before it is approved and afterwards; and what is kept of what was
// found in its file.
import { parse } from 'parse5';
import { describe, expect, it, vi } from 'vitest';
import { Records } from '../../../src/operate/records.ts';
import { Imports } from '../../../src/operate/registers/imports.ts';
import { WorkByHand } from '../../../src/operate/registers/hand.ts';
import { BASE_URL } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { deskService } from './desk-service.ts';
import { AFTER, BEFORE, type Row, takeRows } from './taking.ts';

const REGISTER = `${BASE_URL}/desk/feeds/permits`;
const WHO = { who: 'clerk' } as const;

/** The text of a page, with a space behind each cell. */
function text({ html }: Page): string {
  const spaced = html.replaceAll(/<\/(?:d[td]|t[dh]|span|h2)>/g, ' $&');
  return elements(parse(spaced), 'main').map(textOf).join(' ').replaceAll(/\s+/g, ' ').trim();
}

/** All pages from the first. */
async function pages(browser: Browser, url: string): Promise<readonly Page[]> {
  const found = [await browser.open(url)];
  for (;;) {
    const next = /<a rel="next" href="([^"]+)"/.exec(found.at(-1)!.html)?.[1];
    if (next === undefined) return found;
    found.push(await browser.open(new URL(next, url).href));
  }
}

/** A register that was taken in, of which a file is proposed. */
async function proposed(before: readonly Row[], after: readonly Row[]) {
  const service = await deskService({ records: 0 });
  const taking = { store: service.store, now: () => service.clock.now };
  await takeRows(before, taking);
  const { number } = await takeRows(after, { ...taking, isProposed: true });
  const { browser } = await service.signedIn();
  return { ...service, browser, number: number!, url: `${REGISTER}/imports/${number}` };
}

describe('all changes of an import', () => {
  it('are the same before it is approved and afterwards: what is another, what new records say, and what goes', async () => {
    const { store, browser, number, url } = await proposed(BEFORE, AFTER);
    const page = await browser.open(url);
    const [shown, ...others] = await pages(
      browser,
      page.links.find((link) => link.endsWith('/changes'))!,
    );
    const said = text(shown!);
    expect(others).toEqual([]);
    expect(said).toMatch(/Import 2: all changes What the import would do with each record, in this order\. import 2/);
    expect(said).toMatch(/Permit 3 changed permits:k3 Field Before After amount 1,253 12\.53/);
    expect(said).toMatch(/Permit 4 changed permits:k4 Field Before After applicant Abel & Söhne Abel & Töchter <b>/);
    expect(said).toMatch(/Permit <i>new<\/i> added permits:new What it says Title Permit <i>new<\/i>/);
    expect(said).toMatch(/Permit 19 withdrawn permits:k19/);
    expect(elements(parse(shown!.html), 'b')).toEqual([]);
    await new Imports(store).approve('permits', number, WHO);
    const done = text(await browser.open((await browser.open(url)).links.find((link) => link.endsWith('/changes'))!));
    expect(done.replace('did with', 'would do with')).toBe(said);
  });

  it('are a hundred on a page, each once, in the order in which they are written', async () => {
    const rows = Array.from({ length: 250 }, (_, n) => ({ id: `p${n}`, title: `Paged ${n}` }));
    const { store, browser, number, url } = await proposed([], rows);
    for (const isDone of [false, true]) {
      if (isDone) await new Imports(store).approve('permits', number, WHO);
      const found = await pages(browser, `${url}/changes`);
      const titles = found.map((page) => elements(parse(page.html), 'h2').map(textOf));
      expect(titles.map(({ length }) => length)).toEqual([100, 100, 50]);
      expect(titles.flat()).toEqual(rows.map(({ title }) => title));
    }
  });

  it('say which records are set by hand, and stay unless who approves says otherwise', async () => {
    const service = await deskService({ records: 0 });
    const taking = { store: service.store, now: () => service.clock.now };
    await takeRows(BEFORE, taking);
    await new WorkByHand(service.store).correct('permits:k1', new Map([['title', 'By hand']]), WHO);
    const next = BEFORE.map((row) => (row.id === 'k1' ? { ...row, title: 'Of the file' } : row));
    const { number } = await takeRows(next, { ...taking, isProposed: true });
    const { browser } = await service.signedIn();
    expect(text(await browser.open(`${REGISTER}/imports/${number}/changes`))).toMatch(
      /Of the file changed set by hand: who approves says which of the two holds .* Title By hand Of the file/,
    );
  });

  it('are not said to be none while they are carried out, and once they are discarded', async () => {
    const { store, browser, number, url } = await proposed(BEFORE, AFTER);
    await store.imports.proposals.approve('permits', number, WHO);
    expect(text(await browser.open(`${url}/changes`))).toContain('is being carried out');
    const other = await proposed(BEFORE, AFTER);
    await new Imports(other.store).discard('permits', number, WHO);
    const said = text(await other.browser.open(`${url}/changes`));
    expect([said.includes('The proposal was discarded.'), said.includes('no changes here')]).toEqual([true, false]);
  });

  it.each(['isOutdated', 'records'] as const)(
    'are those that were made, where it is approved meanwhile: %s',
    async (name) => {
      const { store, browser, number, url } = await proposed(BEFORE, AFTER);
      const { proposals } = store.imports;
      const ask = proposals[name].bind(proposals) as (...given: unknown[]) => unknown;
      const approving = async (...given: unknown[]): Promise<unknown> => {
        Object.assign(proposals, { [name]: ask });
        await new Imports(store).approve('permits', number, WHO);
        return ask(...given);
      };
      Object.assign(proposals, { [name]: approving });
      const page = await browser.open(`${url}/changes`);
      expect([page.status, text(page)]).toEqual([
        200,
        expect.stringMatching(/did with .* Permit 3 changed permits:k3/),
      ]);
    },
  );

  it('are read a page at a time', async () => {
    const { store, browser, number, url } = await proposed(BEFORE, AFTER);
    await new Imports(store).approve('permits', number, WHO);
    const made = vi.spyOn(store.imports, 'made');
    await browser.open(`${url}/changes`);
    expect(made.mock.calls.map(([, , { limit }]) => limit)).toEqual([100, 100]);
  });

  it('have nothing of a record that was erased since, and are for the editors of the register', async () => {
    const { store, browser, number, url, signedIn } = await proposed(BEFORE, AFTER);
    await new Imports(store).approve('permits', number, WHO);
    await new Records(store).erase('permits:k4');
    const said = text(await browser.open(`${url}/changes`));
    expect([said.includes('erased since'), /Töchter|Permit 4 /.test(said)]).toEqual([true, false]);
    expect((await (await signedIn('carla')).browser.open(`${url}/changes`)).status).toBe(404);
    expect((await browser.open(`${url}/changes?after=x`)).status).toBe(200);
  });
});

describe('what was found in a file', () => {
  it('is told with what had stopped it, once it was approved, until a record is erased', async () => {
    const { store, browser, number, url } = await proposed(BEFORE, BEFORE.slice(0, 5));
    expect(text(await browser.open(url))).toMatch(/Many records are absent stops the import .*They would be withdrawn/);
    await new Imports(store).approve('permits', number, WHO);
    expect(text(await browser.open(url))).toMatch(
      /Many records are absent stopped the import Published records that are not in the file: 15 of 20\. The file is much/,
    );
    await new Records(store).erase('permits:k1');
    expect(text(await browser.open(url))).not.toContain('Many records are absent');
  });

  it('is told of an import of the command line, which was told that it is meant', async () => {
    const service = await deskService({ records: 0 });
    const taking = { store: service.store, now: () => service.clock.now };
    await takeRows(BEFORE, taking);
    const { number } = await takeRows(BEFORE.slice(0, 5), taking);
    const { browser } = await service.signedIn();
    expect(text(await browser.open(`${REGISTER}/imports/${number}`))).toContain('Many records are absent stopped');
  });
});

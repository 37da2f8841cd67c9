// The search of a snapshot in Chromium: a folder on a plain static server, below another address than the one it was made for,
// under the policies that it states itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PublishedRecord } from '../../../src/stores/contract/prepared-record.ts';
import { findFormat } from '../../../src/formats/index.ts';
import { writeSnapshot } from '../../../src/snapshot/run.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { faults } from './audit.ts';
import { type Chromium, launch, noChromium, type Page, watch, type Watched } from './chromium.ts';
import { hostFolder, type StaticHost } from './static-host.ts';

/** How many records one index takes, and one more, which makes an index for each year. */
const MANY = 10_001;

const WORDS = ['Kläranlage', 'Lärmschutzwand', 'Straße', 'Abwasserbehandlungsanlagen', 'Wärmepumpe'];

/** A notice of the German register: the newest of a year has the last days of it. */
function notice(index: number): PublishedRecord {
  const [word, other] = [WORDS[index % 5]!, WORDS[(index + 2) % 5]!];
  const day = `${2022 + (index % 4)}-0${1 + (index % 9)}-${10 + (index % 19)}`;
  return say(
    `${index}`,
    {
      title: `Bescheid ${index} über die ${word}`,
      summary: `Daneben steht eine ${other}.${index === 4321 ? ' Zwiebelfisch.' : ''}`,
      document_type: index % 2 === 0 ? 'Genehmigung' : 'Untersagung',
      published_at: day,
      data: {},
    },
    'bescheide',
  );
}

describe.skipIf(noChromium !== null)(`the search of a snapshot (${noChromium ?? 'in Chromium'})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-search-pages-'));
  const site = join(folder, 'site');
  let browser: Chromium;
  let host: StaticHost;
  let origin: string;
  let watched: Watched;
  let page: Page;

  beforeAll(async () => {
    const store = SqliteStore.open(':memory:');
    await store.createRegister(permits());
    const permit = (index: number): PublishedRecord =>
      say(String(index), {
        title: `Permit ${index}`,
        summary: index === 7 ? 'A heron colony was inspected.' : 'Granted.',
      });
    await store.apply(
      'permits',
      Array.from({ length: 150 }, (_, index) => permit(index + 1)),
      { recordedAt: at(1) },
    );
    await store.createRegister({
      ...permits('bescheide'),
      uuid: null,
      title: 'Bescheide',
      language: 'de-DE',
      access: 'open',
    });
    const all = Array.from({ length: MANY }, (_, index) => notice(index + 1));
    for (let from = 0; from < MANY; from += 1000) {
      await store.apply('bescheide', all.slice(from, from + 1000), { recordedAt: at(2) });
    }
    const formats = [findFormat('atom'), findFormat('rss')];
    await writeSnapshot({
      store,
      out: site,
      baseUrl: 'https://registers.example.org/somewhere',
      formats,
      search: true,
    });
    await store.close();
    host = await hostFolder(site);
    ({ origin } = host);
    browser = await launch({ runsLong: true });
    watched = await watch(browser, origin);
    page = await watched.open();
  });

  afterAll(async () => {
    await browser.close();
    host.close();
    rmSync(folder, { recursive: true });
  });

  interface Found {
    readonly count: string;
    readonly titles: readonly string[];
    readonly facts: readonly string[];
  }

  /** What a page shows of an address. */
  async function find(name: string, asked: Readonly<Record<string, string>>): Promise<Found> {
    await page.goto(`${host.addressOf('')}${name}?${new URLSearchParams(asked).toString()}`);
    return found();
  }

  async function found(): Promise<Found> {
    await page.locator('#results').waitFor();
    expect(watched.complaints).toEqual([]);
    return {
      count: await page.locator('.matched').innerText(),
      titles: await page.locator('.records h3').allInnerTexts(),
      facts: await page.locator('.records .facts').allInnerTexts(),
    };
  }

  const numbered = (titles: readonly string[]): readonly number[] =>
    titles.map((title) => Number(/\d+/.exec(title)![0]));

  it.each([
    ['a rare word', 'Zwiebelfisch', /Zwiebelfisch/, /^/],
    ['a number', '4711', /\b4711\b/, /^/],
    ['a number that there is not', '47110', /\b47110\b/, /^/],
    ['a common word', 'Bescheid', /Bescheid/, /^/],
    ['two words, of which one is in one year alone', 'kläranlage zwiebelfisch', /Zwiebelfisch/, /Kläranlage/],
    ['two words in other forms', 'wärmepumpen straßen', /Wärmepumpe/, /Straße/],
    ['a compound in its singular', 'Abwasserbehandlungsanlage', /Abwasserbehandlungsanlagen/, /^/],
    ['the beginning of a compound', 'Abwasserbehandlung', /Abwasserbehandlungsanlagen/, /^/],
    ['a word without its umlaut', 'klaranlage', /Kläranlage/, /^/],
  ])('finds %s in a large German register', async (_, q, one, other) => {
    const matching = Array.from({ length: MANY }, (__, index) => notice(index + 1)).filter(({ title, summary }) => {
      const text = `${title} ${summary}`;
      return one.test(text) && other.test(text);
    });
    const count = matching.length;
    const { count: shown, titles } = await find('bescheide/index.html', { q });
    const many = `${count.toLocaleString('de-DE')} Einträge`;
    expect(shown).toBe(count === 0 ? 'Kein Eintrag passt.' : count === 1 ? '1 Eintrag' : many);
    expect(titles).toHaveLength(Math.min(count, 20));
    const expected = new Set(matching.map(({ title }) => title));
    expect(titles.filter((title) => !expected.has(title))).toEqual([]);
  });

  it('filters, has the newest publication first through all years, and goes on', async () => {
    const matching = Array.from({ length: MANY }, (_, index) => ({ index: index + 1, ...notice(index + 1) }))
      .filter(
        ({ title, summary, document_type: type }) => `${title} ${summary}`.includes('Straße') && type === 'Genehmigung',
      )
      .sort((a, b) => b.published_at!.localeCompare(a.published_at!) || b.index - a.index)
      .map(({ index }) => index);
    const asked = { q: 'straße', document_type: 'Genehmigung', order: 'date' };
    expect(numbered((await find('bescheide/index.html', asked)).titles)).toEqual(matching.slice(0, 20));
    await page.getByRole('link', { name: 'Weitere Treffer' }).click();
    await page.getByRole('link', { name: 'Vorherige Treffer' }).waitFor();
    expect(numbered((await found()).titles)).toEqual(matching.slice(20, 40));
    // Where one year ends and the next begins.
    const years = matching.filter((index) => index % 4 === 3).length;
    const last = Math.floor(years / 20);
    const { titles } = await find('bescheide/index.html', { ...asked, page: String(last + 1) });
    expect(numbered(titles)).toEqual(matching.slice(last * 20, last * 20 + 20));
  });

  it('is used by its form, and leads to the record, whose dates and source it says', async () => {
    await page.goto(host.addressOf('permits/index.html'));
    expect(await page.getByText('in a browser that runs scripts').isVisible()).toBe(false);
    await page.getByLabel('Search this register').fill('herons');
    await page.getByLabel('Search this register').press('Enter');
    const { titles, facts } = await found();
    expect(titles).toEqual(['Permit 7']);
    expect(facts).toEqual([expect.stringMatching(/^Published Apr 17, 2026 · First seen .* · Source: example\.org$/)]);
    expect(page.url()).toBe(host.addressOf('permits/index.html?q=herons'));
    await page.getByRole('link', { name: 'Permit 7', exact: true }).click();
    await page.waitForURL(/\/any\/mount\/permits\/pages\/000001\.html/);
    await page.goBack();
    expect((await found()).titles).toEqual(['Permit 7']);
  });

  it('searches all registers from their list, in their languages', async () => {
    const { titles, facts } = await find('index.html', { q: 'herons' });
    expect(titles).toEqual(['Permit 7']);
    expect(facts[0]).toMatch(/^Environmental permits · Published /);
    expect((await find('index.html', { q: 'wärmepumpen' })).titles[0]).toMatch(/^Bescheid /);
  });

  it.each(['permits/index.html?q=granted', 'index.html?q=permit', 'permits/index.html'])(
    'is accessible: %s',
    async (name) => {
      await page.goto(`${host.addressOf('')}${name}`);
      if (name.includes('?')) await found();
      expect((await faults(page, `search-${name.replaceAll(/\W/g, '-')}`)).slice(0, 10)).toEqual([]);
    },
  );

  it.each([
    ['from a disk', true],
    ['without a script', false],
  ])('says %s where one can search', async (_, javaScriptEnabled) => {
    const place = javaScriptEnabled ? `file://${site}` : `${origin}/any/mount`;
    const other = await watch(browser, javaScriptEnabled ? 'file://' : origin, { javaScriptEnabled });
    const plain = await other.open();
    for (const name of ['index.html', 'permits/index.html']) {
      await plain.goto(`${place}/${name}`);
      const where = plain.locator('.search a');
      expect(await where.isVisible()).toBe(true);
      expect(await where.getAttribute('href')).toBe(`https://registers.example.org/somewhere/${name}`);
      expect(await plain.locator('.search form').isVisible()).toBe(false);
    }
    expect(other.complaints).toEqual([]);
    await other.context.close();
  });
});

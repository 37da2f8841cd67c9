// Every page of the desk, in German: nothing on it is English but what says of itself that it is.
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { BASE_URL } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { OPERATOR } from './desk-service.ts';
import { BEFORE, takeRows } from './taking.ts';
import { ended, send, uploading } from './uploading.ts';

const DESK = `${BASE_URL}/desk`;
const PERMITS = `${DESK}/feeds/permits`;
const RECORD = `${DESK}/records/permits:k3`;

/** Words that German sentences do not have. */
const ENGLISH = /\b(?:[Tt]he|and|with|which|records?|is|are|of|[Tt]his|that|not|nothing|by|for|from)\b/;

type Element = ReturnType<typeof elements>[number];

/** What a page says in its own language: publishers' texts and what is said to be in another are left out. */
function germanOf(page: Page): string {
  const said = (node: Element): string => {
    const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
    if (attributes.get('dir') === 'auto' || (attributes.has('lang') && node.tagName !== 'html')) return '';
    if (node.tagName === 'code' || (attributes.get('class') ?? '').split(' ').includes('long')) return '';
    return node.childNodes.map((child) => ('tagName' in child ? said(child) : `${textOf(child)} `)).join('');
  };
  return elements(parse(page.html), 'main').map(said).join(' ').replaceAll(/\s+/g, ' ');
}

/** What a page says in English. */
function englishOf(page: Page): readonly string[] {
  const isEnglish = ({ attrs }: Element): boolean => attrs.some(({ name, value }) => name === 'lang' && value === 'en');
  return ['p', 'span', 'li', 'ul'].flatMap((name) => elements(parse(page.html), name).filter(isEnglish).map(textOf));
}

it('speaks German on every page, in every notice and error', async () => {
  const service = await uploading({}, { records: 0 });
  const { store, clock, editors } = service;
  await editors.add({ name: 'dora', email: 'd@example.org', role: 'review' }, OPERATOR);
  const { browser } = await service.signedIn('anna', { language: 'de' });
  const pages: Page[] = [];
  const see = (page: Page): Page => {
    pages.push(page);
    return page;
  };
  const open = async (url: string, by: Browser = browser): Promise<Page> => see(await by.open(url));
  const submit = async (page: Page, id: string, fields: Record<string, string> = {}): Promise<Page> =>
    see(await browser.submit(page, id, fields));
  await takeRows(BEFORE, { store, now: () => clock.now });
  const odd = [...BEFORE.slice(0, 4), { id: 'x', title: '' }, { id: 'y', title: 'Y', amount: 'much' as never }];
  const twice = [...odd, { ...BEFORE[0]!, title: 'Zweimal' }, { id: 'K1', title: 'Fast' }];
  await takeRows(twice, { store, now: () => clock.now, isProposed: true });
  for (const path of ['', '/log', '/new', '/feeds/permits', '/feeds/permits/upload', '/feeds/permits/settings'])
    await open(DESK + path);
  for (const path of ['/feeds/permits/records', '/feeds/permits/records?record=nichts', '/feeds/permits/imports/1'])
    await open(DESK + path);
  const proposal = await open(`${PERMITS}/imports/2`);
  await submit(proposal, 'discard');
  await submit(proposal, 'approve');
  const record = await open(RECORD);
  await submit(record, 'correct', { 'data.amount': 'viel', cause: 'source_change' });
  await submit(record, 'correct', { title: 'Anders', cause: 'source_change' });
  await submit(record, 'withdraw');
  await submit(await open(RECORD), 'withdraw');
  await submit(await open(RECORD), 'restore');
  await submit(await open(`${PERMITS}/imports/1`), 'undo');
  const settings = await open(`${PERMITS}/settings`);
  await submit(settings, 'settings', { title: '' });
  await submit(settings, 'settings', { title: 'Anträge' });
  await submit(settings, 'settings', { title: 'Andere' });
  const erase = await open(`${RECORD}/erase`);
  await submit(erase, 'erase');
  await submit(erase, 'erase', { confirmed: 'yes' });
  await open(PERMITS);
  const csv = 'Nr;Betreff;Beginn;Ende\n1;Tor;01.02.2026;03.02.2026\n2;Zaun;05.02.2026;01.02.2026\n';
  const found = see(await ended(browser, await send(service, browser, csv, { at: `${DESK}/new`, name: 'a.csv' })));
  await submit(found, 'register', { feed: '-x', do: 'look' });
  await submit(found, 'register', { do: 'look' });
  for (const [file, name] of [
    ['', 'leer.csv'],
    ['%PDF-1.7', 'a.csv'],
    ['{"a":', 'a.json'],
  ] as const)
    see(await ended(browser, await send(service, browser, file, { name })));
  const { browser: dora } = await service.signedIn('dora', { language: 'de' });
  await open(`${PERMITS}/settings`, dora);
  await open(`${DESK}/feeds/none`);
  await open(`${BASE_URL}/records/permits:k3`);
  expect(pages.length).toBeGreaterThan(35);
  for (const page of pages) {
    const said = germanOf(page);
    expect([page.url, ENGLISH.exec(said)?.[0] ?? null, said]).toEqual([page.url, null, said]);
  }
  // What there are no German words for: what a file is that is none, and addresses that lead nowhere.
  const english = new Set(pages.flatMap(englishOf));
  expect([...english].map((one) => one.replace(/["'].*/s, '').replace(/ (?:document|line).*/s, '')).sort()).toEqual([
    'a.csv is a PDF',
    'a.json:',
    'editor ',
    'there is no register ',
  ]);
});

// What an editor decides where a file says something else than was set by hand: which of the two holds; the rest is taken in.
import { parse } from 'parse5';
import { expect, it } from 'vitest';
import { WorkByHand } from '../../../src/operate/registers/hand.ts';
import { BASE_URL, type WorldOptions } from '../../world.ts';
import { type Browser, elements, type Page, textOf } from '../account/browser.ts';
import { type DeskService, deskService } from './desk-service.ts';
import { BEFORE, type Row, takeRows, type Taking } from './taking.ts';

const CLERK = { who: 'clerk' } as const;

/** What the next file says: k1 by another title, k2, which was withdrawn, and not k3; k4 has another amount, and one is new. */
const NEXT: readonly Row[] = [
  ...BEFORE.filter(({ id }) => id !== 'k3').map((row) => ({
    ...row,
    ...(row.id === 'k1' && { title: 'Permit 1 of the file' }),
    ...(row.id === 'k2' && { title: 'Permit 2 again' }),
    ...(row.id === 'k4' && { amount: 1260 }),
  })),
  { id: 'new', title: 'Permit new' },
];

/** Takes in a file, sets three records by hand, and proposes the next file. */
async function proposed(options: WorldOptions = {}): Promise<DeskService & { readonly url: string }> {
  const service = await deskService({ records: 0, ...options });
  const now = (): number => service.clock.now;
  const take = (rows: readonly Row[], how: Partial<Taking> = {}) =>
    takeRows(rows, { store: service.store, now, ...CLERK, ...how });
  await take(BEFORE);
  const hand = new WorkByHand(service.store, { now });
  await hand.correct('permits:k1', new Map([['title', 'Permit 1 <b>by hand</b>']]), CLERK);
  await hand.withdraw('permits:k2', CLERK);
  await hand.correct('permits:k3', new Map([['title', 'Permit 3 by hand']]), CLERK);
  const { number } = await take(NEXT, { isProposed: true });
  return { ...service, url: `${BASE_URL}/desk/feeds/permits/imports/${number}` };
}

/** The texts of some elements of a page. */
function texts({ html }: Page, name: string): readonly string[] {
  return elements(parse(html), 'main')
    .flatMap((main) => elements(main, name))
    .map((one) => textOf(one).replaceAll(/\s+/g, ' ').trim());
}

async function settled(browser: Browser, page: Page): Promise<Page> {
  let shown = page;
  while (shown.headers.has('refresh')) shown = await browser.open(shown.url);
  return shown;
}

/** The titles of the records about which the editor is asked; null for one that is withdrawn. */
async function titles({ store }: DeskService): Promise<readonly (string | null)[]> {
  const stored = await Promise.all(['k1', 'k2', 'k3'].map((key) => store.record(`permits:${key}`)));
  return stored.map((one) => (one?.state === 'live' ? one.record!.title : null));
}

const BY_HAND = ['Permit 1 <b>by hand</b>', null, 'Permit 3 by hand'];

it.each([
  ['en', 'Set by hand', 'What the file says', ['withdrawn', 'has the record'], ['published', 'lacks the record']],
  [
    'de',
    'Von Hand gesetzt',
    'Was die Datei sagt',
    ['zurückgezogen', 'hat den Eintrag'],
    ['veröffentlicht', 'hat den Eintrag nicht'],
  ],
])('says in %s what was set by hand beside what the file says, and asks which holds', async (language, ...words) => {
  const [set, file, comes, goes] = words;
  const service = await proposed();
  const { browser } = await service.signedIn('anna', { language });
  const page = await browser.open(service.url);
  const head = texts(page, 'th').slice(0, 3);
  expect(head.slice(1)).toEqual([set, file]);
  expect(texts(page, 'td').slice(0, 6)).toEqual([
    ...goes,
    ...['Permit 1 <b>by hand</b>', 'Permit 1 of the file'],
    ...comes,
  ]);
  const buttons = texts(page, 'button');
  expect(buttons.slice(1, 3)).toEqual(
    language === 'en'
      ? ['Approve, and keep what was set by hand', 'Approve, and take what the file says']
      : ['Genehmigen und behalten, was von Hand gesetzt wurde', 'Genehmigen und übernehmen, was die Datei sagt'],
  );
  expect(page.html).not.toContain('<b>by hand');
});

it('keeps what was set by hand, takes the rest, remembers it, and logs it', async () => {
  const service = await proposed();
  const { browser } = await service.signedIn();
  const page = await browser.open(service.url);
  const done = await settled(browser, await browser.submit(page, 'approve', { hand: 'keep' }));
  expect(texts(done, 'strong').slice(0, 3)).toEqual(['1', '1', '18']);
  expect(await titles(service)).toEqual(BY_HAND);
  expect((await service.store.record('permits:k4'))!.record!.data.amount).toBe(1260);
  expect(texts(await browser.open(`${BASE_URL}/desk/log`), 'ol')[0]).toMatch(
    /^Import approved, and kept what was set by hand permits import 5 .* by anna, editor/,
  );
  const again = await takeRows(NEXT, { store: service.store, now: () => service.clock.now, isProposed: true });
  expect([again.keptByHand, again.refusal, again.isProposal]).toEqual([3, null, false]);
});

it('takes what the file says where that was chosen', async () => {
  const service = await proposed();
  const { browser } = await service.signedIn();
  const page = await browser.open(service.url);
  await settled(browser, await browser.submit(page, 'approve', { hand: 'take' }));
  expect(await titles(service)).toEqual(['Permit 1 of the file', 'Permit 2 again', null]);
  expect(texts(await browser.open(`${BASE_URL}/desk/log`), 'ol')[0]).toMatch(/^Import approved permits import 5/);
});

it('under four eyes takes the choice of who approves, for the proposal that was read', async () => {
  const service = await proposed({ approve: 'other' });
  const { browser } = await service.signedIn('ben');
  const page = await browser.open(service.url);
  const other = await browser.submit(page, 'approve', { hand: 'keep', digest: '0'.repeat(64) });
  expect([other.status, await titles(service)]).toEqual([409, BY_HAND]);
  await settled(browser, await browser.submit(page, 'approve', { hand: 'keep' }));
  expect(await titles(service)).toEqual(BY_HAND);
  expect((await service.store.imports.find('permits', 5)).decidedBy).toBe('ben');
});

// A file's way over a desk on PostgreSQL: uploaded, read otherwise, discarded, approved by another editor; and how it was read, kept.
import pg from 'pg';
import { afterAll, expect, inject, it, onTestFinished } from 'vitest';
import { BASE_URL, type WorldOptions } from '../../world.ts';
import { emptiedStores } from '../../stores/postgres/emptied-store.ts';
import type { Browser, Page } from '../account/browser.ts';
import { OPERATOR } from './desk-service.ts';
import { ended, send, text, until, type UploadingDesk, uploading } from './uploading.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const open = emptiedStores(pool, 'uploads');

afterAll(() => pool.end());

const rows = (...numbers: readonly number[]): string =>
  ['Nummer;Betreff;Vorhaben', ...numbers.map((one) => `A-${one};Antrag ${one};Gasse ${one}`), ''].join('\n');

async function desk(options: WorldOptions = {}): Promise<UploadingDesk> {
  const { store, dispose } = await open();
  // Behind the service, which is closed first.
  onTestFinished(dispose);
  return uploading({}, { store, ...options });
}

async function uploaded(service: UploadingDesk, browser: Browser, file: string): Promise<Page> {
  const page = await ended(browser, await send(service, browser, file, { feed: 'notices' }));
  return browser.open(page.headers.get('location')!);
}

const isStill = ({ headers }: Page): boolean => headers.get('refresh') === null;

async function readOtherwise(browser: Browser, page: Page, chosen: Readonly<Record<string, string>>): Promise<Page> {
  const { headers } = await browser.submit(page, 'read', chosen, { isFollowing: false });
  const state = await until(() => browser.open(headers.get('location')!, { isFollowing: false }), isStill);
  return browser.open(state.headers.get('location')!);
}

it('is read again, discarded and approved, and the next file is read as was chosen', async () => {
  const service = await desk();
  const { browser } = await service.signedIn();
  const { imports } = service.store;
  await browser.submit(await uploaded(service, browser, rows(1, 2)), 'discard');
  const second = await uploaded(service, browser, rows(1, 2));
  const third = await readOtherwise(browser, second, { 'of-title': 'c2', missing: 'withdrawn' });
  await browser.submit(third, 'approve');
  const list = await imports.list('notices', { limit: 9 });
  expect(list.map(({ state }) => state)).toEqual(['completed', 'discarded', 'discarded']);
  expect(JSON.parse((await imports.basis('notices')).reading!)).toMatchObject({ withdrawMissing: true });
  expect((await service.store.record('notices:A-1'))!.record).toMatchObject({ title: 'Gasse 1' });
  await browser.submit(await uploaded(service, browser, rows(2, 3)), 'approve');
  expect((await imports.list('notices', { limit: 1 }))[0]!.counts).toMatchObject({ added: 1, withdrawn: 1 });
  expect(text(await uploaded(service, browser, rows(2, 3)))).toContain('The file has nothing new');
});

it('waits for another editor where two have to look, and is a new register only then', async () => {
  const service = await desk({ approve: 'other' });
  await service.editors.add({ name: 'dora', email: 'dora@example.org' }, OPERATOR);
  const [{ browser: anna }, { browser: dora }] = [await service.signedIn(), await service.signedIn('dora')];
  const page = await uploaded(service, anna, rows(1, 2));
  expect(page.forms.map(({ id }) => id)).not.toContain('approve');
  await dora.submit(await dora.open(page.url), 'approve');
  expect(await service.store.imports.find('notices', 1)).toMatchObject({ who: 'anna', decidedBy: 'dora' });
  expect((await service.store.register('notices'))!.total).toBe(2);
  const at = `${BASE_URL}/desk/new`;
  const made = await ended(anna, await send(service, anna, rows(1, 2, 3), { at, name: 'antraege.csv' }));
  await anna.submit(made, 'register', { do: 'make' });
  expect(await service.store.register('antraege')).toBeNull();
  const answer = await dora.submit(await dora.open(made.url), 'register', { do: 'make' }, { isFollowing: false });
  const done = await until(() => dora.open(answer.headers.get('location')!, { isFollowing: false }), isStill);
  await until(() => dora.open(done.headers.get('location')!), isStill);
  expect((await service.store.register('antraege'))!.total).toBe(3);
});

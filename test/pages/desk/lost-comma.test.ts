// One decimal comma that was lost among all the records of a register is the first thing to be seen of a proposal. How long that takes
// from the end of the upload, `npm run prove` says.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'parse5';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { measured, tried, tries } from '../../effort.ts';
import { elements, textOf } from '../account/browser.ts';
import { ended, send, uploading } from './uploading.ts';

/** A register, as a file with a decimal comma. @param amount of a record, in cents */
function file(count: number, amount: (n: number) => string): Blob {
  const parts: string[] = ['id;title;source_url;amount\n'];
  for (let n = 0; n < count; n++) parts.push(`k${n};Permit ${n};https://example.org/${n};${amount(n)}\n`);
  return new Blob(parts);
}

const written = (cents: number): string => `${Math.floor(cents / 100)},${String(cents % 100).padStart(2, '0')}`;

it('is seen first, with the record that it is in', async () => {
  const count = tries(2000, 1_000_000);
  const lost = Math.floor((count * 2) / 3);
  const cents = (n: number): number => 100_000 + ((n * 7919) % 900_000) + 1;
  const folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  const store = SqliteStore.open(join(folder, 'store.db'));
  const service = await uploading({}, { store, records: 0 });
  onTestFinished(() => rm(folder, { recursive: true }));
  const { browser } = await service.signedIn();
  const first = await ended(
    browser,
    await send(
      service,
      browser,
      file(count, (n) => written(cents(n))),
    ),
  );
  let page = await browser.submit(await browser.open(first.headers.get('location')!), 'approve');
  while (page.headers.has('refresh')) page = await browser.open(page.url);
  expect((await store.register('permits'))!.total).toBe(count);
  // An honest change in one of a hundred, and one comma that is not there.
  const next = file(count, (n) => {
    if (n === lost) return written(cents(n)).replace(',', '');
    return written(n % 100 === 0 ? Math.round(cents(n) * 1.1) : cents(n));
  });
  const answer = await send(service, browser, next);
  const begun = performance.now();
  const proposal = await browser.open((await ended(browser, answer)).headers.get('location')!);
  measured('a lost decimal comma was on the page, after the upload’s end', [performance.now() - begun]);
  tried(count);
  const [row] = elements(parse(proposal.html), 'tr').slice(1);
  expect(textOf(row!)).toContain(`permits:k${lost}`);
  expect(proposal.html).toContain('100 times as much');
});

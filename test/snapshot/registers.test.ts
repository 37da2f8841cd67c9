// Several registers in one snapshot, and runs that were broken off between two states.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GazetteError } from '../../src/errors.ts';
import { proveLog } from '../../src/wings/proofs/mirror/log.ts';
import { folderLogs } from '../../src/wings/proofs/mirror/log-source.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { checkPages } from '../../src/wings/proofs/snapshot/proved-pages.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { keyAt, statementAt } from '../world.ts';
import { sign } from '../wings/proofs/signing.ts';
import { at, permits } from '../contracts/store-register.ts';
import { add, correct, digests, folder, publish, SITE, storeOf } from './published.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

/** A store whose disk breaks after so many pages, until it is mended; and in which things happen between two pages. */
class BreakingStore extends DelegatingStore {
  pagesLeft = Infinity;
  onPage: () => Promise<unknown> = () => Promise.resolve();

  override async source(feedId: string): Promise<RegisterSource> {
    const source = await super.source(feedId);
    return {
      definition: source.definition,
      page: async (query) => {
        if (this.pagesLeft-- > 0) {
          const page = await source.page(query);
          await this.onPage();
          return page;
        }
        throw new GazetteError('store_busy', 'the disk is gone');
      },
    };
  }
}

describe('a snapshot of several registers', () => {
  it('lists them for feed readers and for people, each in a folder of its own', async () => {
    const out = await folder();
    const store = await storeOf(3);
    await store.createRegister({ ...permits('notices'), title: 'Notices & <more>' });
    await publish(store, out);
    const outline = `text="Notices &amp; &lt;more&gt;" title="Notices &amp; &lt;more&gt;" xmlUrl="${SITE}/notices/index.atom"`;
    expect(await readFile(join(out, 'opml.xml'), 'utf8')).toContain(outline);
    expect(await readFile(join(out, 'index.html'), 'utf8')).toContain('<a href="permits/index.html">');
    expect(await readFile(join(out, 'index.html'), 'utf8')).toContain('<a href="opml.xml">');
    const page = await readFile(join(out, 'notices/index.html'), 'utf8');
    const links = page.matchAll(/<link rel="alternate" href="([^"]*)" type="([^"]*)" title="([^"]*)">/g);
    expect(Array.from(links, ([, ...link]) => link)).toEqual([
      ['../notices/index.atom', 'application/atom+xml', 'Notices &amp; &lt;more&gt; (Atom)'],
      ['../notices/index.rss', 'application/rss+xml', 'Notices &amp; &lt;more&gt; (RSS)'],
      ['../notices/changes.atom', 'application/atom+xml', 'Notices &amp; &lt;more&gt;: corrected and withdrawn'],
    ]);
    expect(await verifySnapshot(out)).toMatchObject({ registers: 2, records: 3, findings: [] });
  });

  it('leaves the others as they are where one is asked for, and drops one that the store no longer has', async () => {
    const out = await folder();
    const store = await storeOf(3);
    await store.createRegister(permits('notices'));
    await publish(store, out);
    const before = await digests(out);
    await store.apply('notices', [statementAt(1, 1, 'notices')], { recordedAt: at(1) });
    await add(store, 4, 4);
    await publish(store, out, { feeds: ['notices'] });
    const after = await digests(out);
    expect(after.get('permits/index.atom')).toBe(before.get('permits/index.atom'));
    expect(after.get('notices/index.atom')).not.toBe(before.get('notices/index.atom'));
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', registers: 2, records: 4, findings: [] });
    await store.removeRegister('notices');
    await publish(store, out);
    expect(existsSync(join(out, 'notices'))).toBe(false);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', registers: 1, records: 4, findings: [] });
  });

  it('is whole to the letter though the register is written to while its pages are read', async () => {
    const out = await folder();
    const store = new BreakingStore();
    await store.createRegister(permits());
    await add(store, 1, 350);
    // The store gives out a page, and loses a record of another before that one is asked for.
    store.onPage = () => store.withdraw('permits', [`permits:${keyAt(250)}`], { recordedAt: at(400) });
    await publish(store, out, { tier: 'pro' });
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: 349, findings: [] });
    const written = await digests(out);
    await publish(store, out, { tier: 'pro' });
    const fresh = await folder();
    await publish(store, fresh, { tier: 'pro' });
    expect(await digests(out)).toEqual(await digests(fresh));
    expect(await digests(out)).not.toEqual(written);
  });

  it('is what its log says, but for what changed while its pages were read', async () => {
    const out = await folder();
    const store = new BreakingStore();
    await store.createRegister(permits());
    await add(store, 1, 350);
    await sign(store, 'permits');
    const { vkey } = await logsOf(store).of('permits');
    const unsigned = async (): Promise<number> => {
      const { feedId, size, positions } = await proveLog(folderLogs(out), { vkey: vkey!, kept: null, now: Date.now });
      return checkPages(out, { feedId, size, positions: positions! });
    };
    store.onPage = () => store.withdraw('permits', [`permits:${keyAt(250)}`], { recordedAt: at(400) });
    await publish(store, out);
    expect(await unsigned()).toBe(1);
    await sign(store, 'permits');
    await publish(store, out);
    expect(await unsigned()).toBe(0);
  });

  it('reads no page that did not change, however many there are', async () => {
    const out = await folder();
    const store = new BreakingStore();
    await store.createRegister(permits());
    await add(store, 1, 3050);
    await publish(store, out);
    await correct(store, 150, 2150);
    await add(store, 3051, 3150);
    let pages = 0;
    store.onPage = () => Promise.resolve(pages++);
    const { written } = await publish(store, out);
    // Two with a corrected record, one that filled up, the newest with its 150 records; and the public window.
    expect(pages).toBe(2 + 1 + 2 + 1);
    // Four pages, the changes, what names the pages, and the lists of registers, which say how many records there are, and since when.
    expect(written).toBe(4 * 7 + 4);
    const fresh = await folder();
    await publish(store, fresh);
    expect(await digests(out)).toEqual(await digests(fresh));
  });

  it.each(['permits/pages', 'permits/manifest.json', 'permits'])(
    'writes again what somebody removed: %s',
    async (removed) => {
      const out = await folder();
      const store = await storeOf(150);
      await publish(store, out);
      const before = await digests(out);
      await rm(join(out, removed), { recursive: true });
      await publish(store, out);
      expect(await digests(out)).toEqual(before);
    },
  );

  it('takes nothing over that a run which was broken off may have changed', async () => {
    const out = await folder();
    const store = new BreakingStore();
    await store.createRegister(permits());
    await add(store, 1, 1450);
    await publish(store, out, { tier: 'pro' });
    const before = await digests(out);
    // Enough pages for a first batch of files under the other address.
    store.pagesLeft = 12;
    const elsewhere = { tier: 'pro', baseUrl: 'https://elsewhere.example.org' } as const;
    await expect(publish(store, out, elsewhere)).rejects.toMatchObject({ code: 'store_busy' });
    store.pagesLeft = Infinity;
    expect(await readFile(join(out, 'permits/pages/000001.atom'), 'utf8')).not.toContain(SITE);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', tier: 'pro', findings: [] });
    await publish(store, out, { tier: 'pro' });
    expect(await digests(out)).toEqual(before);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
  });

  it('has named in its journal what it moved, whenever the next file cannot be moved', async () => {
    const out = await folder();
    const store = await storeOf(350);
    const inTheWay = join(out, 'permits/pages/000002.csv');
    await mkdir(inTheWay, { recursive: true });
    await writeFile(join(inTheWay, 'somebody.txt'), 'else’s');
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'output_failed' });
    expect(existsSync(join(out, 'permits/pages/000002.atom'))).toBe(true);
    expect(await verifySnapshot(out)).toMatchObject({
      state: 'interrupted',
      findings: [{ path: 'permits/pages/000002.csv/somebody.txt', problem: 'extra' }],
    });
    await rm(inTheWay, { recursive: true });
    await publish(store, out);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: 350, findings: [] });
  });

  it('says which tier a first run, broken off, was to hold, and lets no other into its folder', async () => {
    const out = await folder();
    const store = new BreakingStore();
    await store.createRegister(permits());
    await add(store, 1, 150);
    store.pagesLeft = 1;
    await expect(publish(store, out, { tier: 'pro' })).rejects.toMatchObject({ code: 'store_busy' });
    store.pagesLeft = Infinity;
    expect(await verifySnapshot(out)).toMatchObject({ state: 'interrupted', tier: 'pro', findings: [] });
    await expect(publish(store, out)).rejects.toMatchObject({ code: 'invalid_option' });
  });

  it('is ended by its signal, and completed by the next run', async () => {
    const out = await folder();
    const store = await storeOf(250);
    const stop = new AbortController();
    stop.abort();
    await expect(publish(store, out, { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' });
    expect((await verifySnapshot(out)).state).toBe('interrupted');
    await publish(store, out);
    expect((await verifySnapshot(out)).state).toBe('whole');
  });
});

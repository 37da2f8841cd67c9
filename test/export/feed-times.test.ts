// When feeds say that their entries and they themselves were updated: a head is never older than an entry.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { walkExportPages } from '../../src/export/walk.ts';
import { encode } from '../../src/formats/encode.ts';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import { referenceAtom } from '../../src/formats/reference/atom.ts';
import { referenceRss } from '../../src/formats/reference/rss.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { ATOM, instant, readAtomWithSaxes, readRssWithSaxes, rfc822Instant } from '../contracts/feed-entries.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from '../contracts/sample-register.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { childOf, parseXml, textOf } from '../contracts/xml-tree.ts';
import { gazette } from '../cli/run.ts';
import { folder, publish } from '../snapshot/published.ts';

const URL_OF = new URL('https://example.org/api/v1/feeds/permits/records/export');
const COUNT = 250;
/** A record that is not in the first page, nor in the last, and long after the others. */
const LATE = 120;
const LATE_AT = '2031-01-01T00:00:00+01:00';
const observedAt = (n: number): string => (n === LATE ? LATE_AT : at(n));

/** When the feed was updated, and the latest of its entries; RSS has whole seconds in its head. */
function timesOf(document: Buffer): { readonly head: number; readonly entries: number; readonly count: number } {
  const root = parseXml(document);
  const isRss = root.name === 'rss';
  const built = isRss ? textOf(childOf(root, 'channel')!, 'lastBuildDate') : textOf(root, `${ATOM}updated`);
  const entries = (isRss ? readRssWithSaxes : readAtomWithSaxes)(document).map(({ updated }) => updated!);
  return {
    head: (isRss ? rfc822Instant(built) : instant(built))!,
    entries: Math.max(0, ...entries.map((time) => (isRss ? Math.floor(time / 1000) * 1000 : time))),
    count: entries.length,
  };
}

/** A source with a late record, which does not say when it last changed. */
function undated(): RegisterSource {
  const source = embedded();
  return {
    definition: { ...SAMPLE_DEFINITION, created_at: '2000-01-01T00:00:00Z' },
    page: (query) => source.page(query),
  };
}

function embedded(): RegisterSource {
  const inputs = sampleRecords(COUNT).map((record, n) => ({ ...record, observed_at: observedAt(n), updated_at: null }));
  return fromRecords(SAMPLE_DEFINITION, inputs, { order: 'newest-first' });
}

async function stored(): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(permits());
  const batch = Array.from({ length: COUNT }, (_, n) => say(String(n), { observed_at: observedAt(n) }));
  await store.apply('permits', batch, { recordedAt: at(COUNT) });
  return store;
}

describe.each([atom, rss])('the head of $name', (format) => {
  it.each<[string, () => RegisterSource | Promise<RegisterSource>]>([
    ['records of an array', embedded],
    ['a source that does not know when it changed', undated],
    ['a store', async () => (await stored()).source('permits')],
  ])('is not older than an entry, for %s', async (_, open) => {
    const source = await open();
    const whole = timesOf(Buffer.concat(await Array.fromAsync(exportRegister(source, format))));
    expect(whole).toEqual({ head: Date.parse(LATE_AT), entries: Date.parse(LATE_AT), count: COUNT });
    let late = 0;
    for await (const page of walkExportPages(source, format, { url: URL_OF })) {
      const { head, entries } = timesOf(Buffer.from(page.body));
      expect(head).toBeGreaterThanOrEqual(entries);
      if (head === Date.parse(LATE_AT)) late++;
    }
    expect(late).toBeGreaterThan(0);
  });

  it('is not older than an entry, for a file', async () => {
    const records = Array.from({ length: COUNT }, (_, n) => ({
      id: n,
      title: 'A',
      source_url: 'https://example.org/',
      observed_at: observedAt(n),
    }));
    for (const order of ['newest-first', 'oldest-first']) {
      const args = ['export', '-', '--authority', 'example.org,2026', '--format', format.name, '--order', order];
      const { stdout, stderr } = await gazette(args, JSON.stringify(records));
      expect(stderr).toBe('');
      expect(timesOf(stdout)).toEqual({ head: Date.parse(LATE_AT), entries: Date.parse(LATE_AT), count: COUNT });
    }
  });

  it('is that of a late record in an archive of a snapshot', async () => {
    const out = await folder();
    await publish(await stored(), out);
    const names = (await readdir(out, { recursive: true })).filter((name) => name.endsWith(`.${format.extension}`));
    const heads = await Promise.all(
      names.map(async (name) => {
        const { head, entries } = timesOf(await readFile(join(out, name)));
        expect(head, name).toBeGreaterThanOrEqual(entries);
        return head;
      }),
    );
    expect(heads).toContain(Date.parse(LATE_AT));
  });
});

describe.each([atom, rss, referenceAtom, referenceRss])('an entry', (format) => {
  it.each<[string, { version: number; observed_at: string; updated_at: string | null }, string]>([
    ['was updated when it was observed in version 1', { version: 1, observed_at: at(1), updated_at: at(9) }, at(1)],
    ['was updated when its version was recorded', { version: 2, observed_at: at(1), updated_at: at(9) }, at(9)],
    ['was updated when it was observed, if later', { version: 2, observed_at: at(9), updated_at: at(1) }, at(9)],
    [
      'has times of any precision',
      { version: 3, observed_at: '2026-05-02', updated_at: '2026-05-01T23:30:00-01:00' },
      '2026-05-02T00:30:00Z',
    ],
    [
      'may have no time but the observed one',
      { version: 4, observed_at: '2026-05-02', updated_at: null },
      '2026-05-02T00:00:00Z',
    ],
  ])(`of ${format.name} %s`, async (_, times, expected) => {
    const page = { records: [{ ...sampleRecord(1), ...times }], nextOffset: null, asOf: null };
    const document = Buffer.concat(
      await Array.fromAsync(encode([page], format, { ...SAMPLE_HEAD, lastChange: at(0) })),
    );
    expect(timesOf(document).entries).toBe(Date.parse(expected));
  });
});

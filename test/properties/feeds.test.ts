import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atom } from '../../src/formats/feeds/atom.ts';
import type { DocumentHead, Format } from '../../src/formats/format.ts';
import { referenceAtom } from '../../src/formats/reference/atom.ts';
import { referenceRss } from '../../src/formats/reference/rss.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import {
  comparable,
  type EntryReader,
  expectedEntry,
  html,
  readAtomWithFeedsmith,
  readAtomWithSaxes,
  type ReadEntry,
  readRssWithFeedsmith,
  readRssWithSaxes,
} from '../contracts/feed-entries.ts';
import { encodeAll } from '../contracts/readers.ts';
import { registers, RUNS } from './arbitraries.ts';

/** The package `feed` turns dates into UTC with Date, whose years go on after 9999. */
const isBeyond9999 = (record: RegisterRecord): boolean =>
  [record.published_at, record.updated_at ?? record.observed_at].some(
    (time) => time !== null && Date.parse(time) >= Date.UTC(10_000, 0),
  );

const WRITERS: readonly (readonly [title: string, name: 'rss' | 'atom', format: Format, read: EntryReader])[] = [
  ['RSS of the native writer, read by saxes', 'rss', rss, readRssWithSaxes],
  ['RSS of the native writer, read by feedsmith', 'rss', rss, readRssWithFeedsmith],
  ['RSS of the reference writer, read by saxes', 'rss', referenceRss, readRssWithSaxes],
  ['RSS of the reference writer, read by feedsmith', 'rss', referenceRss, readRssWithFeedsmith],
  ['Atom of the native writer, read by saxes', 'atom', atom, readAtomWithSaxes],
  ['Atom of the native writer, read by feedsmith', 'atom', atom, readAtomWithFeedsmith],
];

/** feedsmith knows no vocabulary but its own, so that `observedAt` is saxes's to read. */
const found = (read: EntryReader, entry: ReadEntry): ReadEntry =>
  read === readRssWithSaxes || read === readAtomWithSaxes ? entry : { ...entry, observed: undefined };

describe.each(WRITERS)('%s', (_, name, format, read) => {
  it('gives back every record of every register', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ records, head, pages }) => {
        fc.pre(format !== referenceRss || !records.some(isBeyond9999));
        const entries = read(await encodeAll(format, head, pages));
        const secondsOnly = name === 'rss';
        expect(entries.map((entry) => comparable(entry, secondsOnly))).toEqual(
          records.map((record) => comparable(found(read, expectedEntry(name, head, record)), secondsOnly)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

describe('Atom of the reference writer, read by saxes', () => {
  it('gives back what the package has elements for', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ records, head, pages }) => {
        fc.pre(!records.some(isBeyond9999));
        const entries = readAtomWithSaxes(await encodeAll(referenceAtom, head, pages));
        const expected = records.map((record) => ({
          ...expectedEntry('atom', head, record),
          // Its texts are HTML, the summary with a link to the source in it, as in RSS.
          title: html(expectedEntry('atom', head, record).title!),
          summary: expectedSummary(head, record),
          ...NOT_IN_THE_PACKAGE,
        }));
        expect(entries.map((entry) => comparable(entry, false))).toEqual(
          expected.map((entry) => comparable(entry, false)),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

/** The package has no link to the source, no Dublin Core, no vocabulary of ours and no precision of a day. */
const NOT_IN_THE_PACKAGE = { via: undefined, source: undefined, issued: null, observed: null } as const;

function expectedSummary(head: DocumentHead, record: RegisterRecord): string | null {
  const { summary, content } = expectedEntry('rss', head, record);
  return content !== null && expectedEntry('atom', head, record).summary === null ? null : summary;
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atom } from '../../src/formats/feeds/atom.ts';
import type { DocumentHead, Format } from '../../src/formats/format.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { referenceAtom } from '../../src/formats/reference/atom.ts';
import { referenceRss } from '../../src/formats/reference/rss.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import {
  comparable,
  type EntryReader,
  expectedEntry,
  html,
  isBeyond9999,
  readAtomWithSaxes,
  readRssWithSaxes,
} from '../contracts/feed-entries.ts';
import { encodeAll } from '../contracts/readers.ts';
import { registers, RUNS } from './arbitraries.ts';

const WRITERS: readonly (readonly [title: string, name: 'rss' | 'atom', format: Format, read: EntryReader])[] = [
  ['RSS of the native writer, read by saxes', 'rss', rss, readRssWithSaxes],
  ['RSS of the reference writer, read by saxes', 'rss', referenceRss, readRssWithSaxes],
  ['Atom of the native writer, read by saxes', 'atom', atom, readAtomWithSaxes],
];

describe.each(WRITERS)('%s', (_, name, format, read) => {
  it('gives back every record of every register', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ records, head, pages }) => {
        fc.pre(format !== referenceRss || !records.some(isBeyond9999));
        const entries = read(await encodeAll(format, head, pages));
        const secondsOnly = name === 'rss';
        expect(entries.map((entry) => comparable(entry, secondsOnly))).toEqual(
          records.map((record) => comparable(expectedEntry(name, head, record), secondsOnly)),
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
const NOT_IN_THE_PACKAGE = { via: undefined, source: undefined, issued: null, observed: null, key: null } as const;

/** As in RSS, where the summary is HTML, for a record whose own fields are in its content already. */
function expectedSummary(head: DocumentHead, record: RegisterRecord): string | null {
  const { summary, content } = expectedEntry('atom', head, record);
  if (content !== null && summary === null) return null;
  const bare = { ...head, definition: { ...head.definition, fields: [] } };
  return expectedEntry('rss', bare, { ...record, content }).summary;
}

import { describe, expect, it } from 'vitest';
import { referenceAtom } from '../../../src/formats/reference/atom.ts';
import { referenceRss } from '../../../src/formats/reference/rss.ts';
import { comparable, readAtomWithSaxes, readRssWithSaxes } from '../../contracts/feed-entries.ts';
import type { SkippableFormatTest } from '../../../src/testing/format-contract.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';
import { expectedFeed, FEED_CASES } from '../feeds/cases.ts';
import { FEED_CHANGES, FEED_REFUSALS } from '../feeds/refusals.ts';

const WHOLE = 'feed builds the whole document when it closes: nothing can be handed over before';
const SKIPS: Partial<Record<SkippableFormatTest, string>> = {
  'first bytes': WHOLE,
  'slow reader': WHOLE,
  'leaving reader': WHOLE,
  signal: 'the first bytes are the whole document; what fires before them, while the pages are read, stops it as all',
};

describeFormat('the reference rss', referenceRss, {
  countRecords: (document) => readRssWithSaxes(document).length,
  changes: FEED_CHANGES,
  skips: SKIPS,
});

describeFormat('the reference atom', referenceAtom, {
  countRecords: (document) => readAtomWithSaxes(document).length,
  changes: FEED_CHANGES,
  skips: SKIPS,
});

describe('the reference RSS writer', () => {
  const examples = FEED_CASES.filter(({ name }) => name !== 'dates');

  it.each(examples)('says what fixtures/expected/rss says in the document $name', async ({ name, head, records }) => {
    const read = (document: Buffer): unknown => readRssWithSaxes(document).map((entry) => comparable(entry, true));
    const expected = Buffer.from(await expectedFeed('rss', name));
    expect(read(await encodeAll(referenceRss, head, pagesOfSize(records)))).toEqual(read(expected));
  });

  it('is refused by validators for dates after 9999 in UTC, which the package writes with five digits', async () => {
    const record = sampleRecord(7, { published_at: '9999-12-31T23:59:59-14:00' });
    const document = await encodeAll(referenceRss, SAMPLE_HEAD, pagesOfSize([record]));
    expect(document.toString()).toContain('<pubDate>Sat, 01 Jan 10000 13:59:59 GMT</pubDate>');
  });
});

describe.each([
  ['RSS', referenceRss],
  ['Atom', referenceAtom],
] as const)('the reference %s writer', (_, format) => {
  it.each(FEED_REFUSALS)('refuses %s, naming the record and the field', async (_title, changes, field) => {
    const record = { ...sampleRecord(7), ...changes };
    await expect(encodeAll(format, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
      code: 'invalid_record',
      details: { id: 'permits:2026-0007', field },
    });
  });

  it('needs a uuid or an authority for permanent ids', async () => {
    const definition = { ...SAMPLE_HEAD.definition, uuid: null, authority: null, year: null };
    await expect(encodeAll(format, { ...SAMPLE_HEAD, definition }, [])).rejects.toMatchObject({
      code: 'authority_required',
    });
  });
});

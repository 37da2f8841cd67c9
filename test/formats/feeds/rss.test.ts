import { describe, expect, it } from 'vitest';
import { rfc822 } from '../../../src/formats/feeds/text.ts';
import type { DocumentHead } from '../../../src/formats/format.ts';
import { rss } from '../../../src/formats/feeds/rss.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { ATOM, DC, readRssWithSaxes } from '../../contracts/feed-entries.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';
import { childOf, parseXml, textOf } from '../../contracts/xml-tree.ts';
import { expectedFeed, FEED_CASES } from './cases.ts';
import { FEED_CHANGES, FEED_REFUSALS } from './refusals.ts';

describeFormat('rss', rss, {
  countRecords: (document) => readRssWithSaxes(document).length,
  changes: FEED_CHANGES,
});

describe('the RSS writer', () => {
  it.each(FEED_CASES)('writes the bytes of the document $name in fixtures/expected/rss', async (example) => {
    const document = await encodeAll(rss, example.head, pagesOfSize(example.records));
    expect(document.toString()).toBe(await expectedFeed('rss', example.name));
  });

  it.each(FEED_REFUSALS)('refuses %s, naming the record and the field', async (_, changes, field) => {
    const record = { ...sampleRecord(7), ...changes };
    await expect(encodeAll(rss, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
      code: 'invalid_record',
      details: { id: 'permits:2026-0007', field },
    });
  });

  it('needs a uuid or an authority for permanent ids', async () => {
    const definition = { ...SAMPLE_HEAD.definition, uuid: null, authority: null, year: null };
    await expect(encodeAll(rss, { ...SAMPLE_HEAD, definition }, [])).rejects.toMatchObject({
      code: 'authority_required',
    });
  });

  it('makes permanent ids of the UUID where there is no authority', async () => {
    const uuid = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
    const definition = { ...SAMPLE_HEAD.definition, uuid, authority: null, year: null };
    const head = { ...SAMPLE_HEAD, definition };
    const document = parseXml(await encodeAll(rss, head, pagesOfSize([sampleRecord(7, { id: 'www.example.com' })])));
    const channel = childOf(document, 'channel')!;
    expect(textOf(channel, `${ATOM}id`)).toBe(`urn:uuid:${uuid}`);
    expect(textOf(childOf(channel, 'item')!, 'guid')).toBe('urn:uuid:2ed6657d-e927-568b-95e1-2665a8aea6a2');
    const filtered = parseXml(await encodeAll(rss, { ...head, filter: { document_type: 'adopted' } }, []));
    const changes = parseXml(await encodeAll(rss, { ...head, part: 'changes' }, []));
    const ids = [document, filtered, changes].map((feed) => textOf(childOf(feed, 'channel')!, `${ATOM}id`));
    expect(new Set(ids).size).toBe(3);
    const unlinked = await encodeAll(rss, { ...head, definition: { ...definition, homepage: null } }, []);
    expect(textOf(childOf(parseXml(unlinked), 'channel')!, 'link')).toBe(`urn:uuid:${uuid}`);
  });
});

describe('the author of a channel', () => {
  it.each([null, '', ' ', '\u0085'])('is the register itself where nobody can be seen: %j', async (author) => {
    const head = { ...SAMPLE_HEAD, definition: { ...SAMPLE_HEAD.definition, author } };
    const channel = childOf(parseXml(await encodeAll(rss, head, [])), 'channel')!;
    expect(textOf(channel, `${DC}creator`)).toBe('Environmental permits');
  });
});

describe('the link of a channel', () => {
  const links = {
    alternate: 'https://example.org/feed-page',
    list: 'https://example.org/records',
    self: 'https://example.org/export.rss',
  };
  const homepage = 'https://example.org/permits';

  it.each<[string, DocumentHead['links'], string | null, string]>([
    ['the page for people', links, homepage, 'https://example.org/feed-page'],
    ['else the register’s home page', { list: links.list, self: links.self }, homepage, homepage],
    ['else the list, which has the whole register', { list: links.list, self: links.self }, null, links.list],
    ['else the feed itself', { self: links.self }, null, links.self],
    ['else the domain of the authority', undefined, null, 'https://example.net/'],
    ['written as a URI', { self: 'https://example.org/漢' }, null, 'https://example.org/%E6%BC%A2'],
  ])('is %s', async (_, given, page, expected) => {
    const definition = { ...SAMPLE_HEAD.definition, homepage: page, authority: 'office@example.net' };
    const head = { ...SAMPLE_HEAD, definition, ...(given === undefined ? {} : { links: given }) };
    const channel = childOf(parseXml(await encodeAll(rss, head, [])), 'channel')!;
    expect(textOf(channel, 'link')).toBe(expected);
  });
});

describe('a date in RSS', () => {
  it.each([
    ['2026-04-17', 'Fri, 17 Apr 2026 00:00:00 GMT'],
    ['2024-02-29', 'Thu, 29 Feb 2024 00:00:00 GMT'],
    ['2000-03-01', 'Wed, 01 Mar 2000 00:00:00 GMT'],
    ['1900-02-28', 'Wed, 28 Feb 1900 00:00:00 GMT'],
    ['0001-01-01', 'Mon, 01 Jan 0001 00:00:00 GMT'],
    ['9999-12-31', 'Fri, 31 Dec 9999 00:00:00 GMT'],
    ['2026-04-17T08:12:44Z', 'Fri, 17 Apr 2026 08:12:44 GMT'],
    ['2026-04-17T08:12:44.999Z', 'Fri, 17 Apr 2026 08:12:44 GMT'],
    ['2026-04-17T00:12:44+02:00', 'Thu, 16 Apr 2026 22:12:44 GMT'],
    ['2026-12-31T20:00:00-05:30', 'Fri, 01 Jan 2027 01:30:00 GMT'],
    ['0001-01-01T00:00:00+14:00', 'Sun, 31 Dec 0000 10:00:00 GMT'],
    ['9999-12-31T23:59:59-01:30', 'Fri, 31 Dec 9999 23:59:59 -0130'],
  ])('%s is %s', (time, expected) => {
    expect(rfc822(time)).toBe(expected);
  });
});

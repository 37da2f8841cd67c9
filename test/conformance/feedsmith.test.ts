// Feeds of arbitrary registers, read by feedsmith.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { atom } from '../../src/formats/feeds/atom.ts';
import { rss } from '../../src/formats/feeds/rss.ts';
import type { Format } from '../../src/formats/format.ts';
import { referenceRss } from '../../src/formats/reference/rss.ts';
import {
  comparable,
  DOCUMENT_TYPE,
  type EntryReader,
  expectedEntry,
  FACILITY,
  instant,
  isBeyond9999,
  rfc822Instant,
} from '../contracts/feed-entries.ts';
import { encodeAll } from '../contracts/readers.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { loadJudge } from './tools.ts';

interface Link {
  readonly rel?: string;
  readonly href?: string;
}

interface DublinCore {
  readonly sources?: readonly string[];
  readonly creators?: readonly string[];
}

interface Terms {
  readonly issued?: readonly string[];
}

/** What is used of the package. */
interface Feedsmith {
  parseRssFeed(text: string): {
    readonly items?: readonly {
      readonly guid?: { readonly value?: string };
      readonly title?: string;
      readonly link?: string;
      readonly atom?: { readonly links?: readonly Link[]; readonly updated?: string };
      readonly dc?: DublinCore;
      readonly dcterms?: Terms;
      readonly pubDate?: string;
      readonly categories?: readonly { readonly domain?: string; readonly name?: string }[];
      readonly description?: string;
      readonly content?: { readonly encoded?: string };
    }[];
  };
  parseAtomFeed(text: string): {
    readonly entries?: readonly {
      readonly id?: string;
      readonly title?: { readonly value?: string };
      readonly links?: readonly Link[];
      readonly dc?: DublinCore;
      readonly dcterms?: Terms;
      readonly published?: string;
      readonly updated?: string;
      readonly authors?: readonly { readonly name?: string }[];
      readonly categories?: readonly { readonly scheme?: string; readonly term?: string }[];
      readonly summary?: { readonly value?: string };
      readonly content?: { readonly value?: string };
    }[];
  };
}

let smith: Feedsmith;
beforeAll(async () => {
  smith = await loadJudge<Feedsmith>('feedsmith');
});

const readRss: EntryReader = (document) =>
  (smith.parseRssFeed(document.toString('utf8')).items ?? []).map((item) => ({
    id: item.guid?.value,
    title: item.title,
    link: item.link,
    via: item.atom?.links?.find(({ rel }) => rel === 'via')?.href,
    source: item.dc?.sources?.[0],
    published: rfc822Instant(item.pubDate ?? null),
    issued: item.dcterms?.issued?.[0] ?? null,
    updated: instant(item.atom?.updated ?? null),
    author: item.dc?.creators?.[0] ?? null,
    documentType: item.categories?.find(({ domain }) => domain === DOCUMENT_TYPE)?.name ?? null,
    facility: item.categories?.find(({ domain }) => domain === FACILITY)?.name ?? null,
    summary: item.description ?? null,
    content: item.content?.encoded ?? null,
  }));

const readAtom: EntryReader = (document) =>
  (smith.parseAtomFeed(document.toString('utf8')).entries ?? []).map((entry) => ({
    id: entry.id,
    title: entry.title?.value,
    link: entry.links?.find(({ rel }) => rel === undefined || rel === 'alternate')?.href,
    via: entry.links?.find(({ rel }) => rel === 'via')?.href,
    source: entry.dc?.sources?.[0],
    published: instant(entry.published ?? null),
    issued: entry.dcterms?.issued?.[0] ?? null,
    updated: instant(entry.updated ?? null),
    author: entry.authors?.[0]?.name ?? null,
    documentType: entry.categories?.find(({ scheme }) => scheme === DOCUMENT_TYPE)?.term ?? null,
    facility: entry.categories?.find(({ scheme }) => scheme === FACILITY)?.term ?? null,
    summary: entry.summary?.value ?? null,
    content: entry.content?.value ?? null,
  }));

describe.each<readonly [title: string, name: 'rss' | 'atom', format: Format, read: EntryReader]>([
  ['RSS of the native writer', 'rss', rss, readRss],
  ['RSS of the reference writer', 'rss', referenceRss, readRss],
  ['Atom of the native writer', 'atom', atom, readAtom],
])('%s, read by feedsmith', (_, name, format, read) => {
  it('gives back every record of every register', async () => {
    await fc.assert(
      fc.asyncProperty(registers({ large: false }), async ({ records, head, pages }) => {
        fc.pre(format !== referenceRss || !records.some(isBeyond9999));
        const entries = read(await encodeAll(format, head, pages));
        const secondsOnly = name === 'rss';
        expect(entries.map((entry) => comparable(entry, secondsOnly))).toEqual(
          records.map((record) =>
            // It knows no vocabulary but its own, so that `observedAt` and `key` are saxes's to read.
            comparable({ ...expectedEntry(name, head, record), observed: undefined, key: undefined }, secondsOnly),
          ),
        );
      }),
      { numRuns: RUNS },
    );
  });
});

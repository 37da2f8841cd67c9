// The reference RSS writer, on `feed` (optional peer), which builds the whole document when it closes: for documents of
// a page. What the package has no name for goes in as extensions; its own `author`, which needs an e-mail address, and
// its own order of links are left alone.
import { Feed, type Item } from 'feed';
import { recordUri } from '../../register/identity.ts';
import type { Page } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { VERSION } from '../../version.ts';
import { checkText, checkTime } from '../check-value.ts';
import {
  ATOM_NAMESPACE,
  CONTENT_NAMESPACE,
  DC_NAMESPACE,
  DCTERMS_NAMESPACE,
  DOCUMENT_TYPE_SCHEME,
  FACILITY_SCHEME,
  feedAuthor,
  feedDescription,
  feedId,
  feedTitle,
  feedUpdated,
  isBlank,
  itemSource,
  itemSummary,
  itemTitle,
  toUri,
} from '../feed-text.ts';
import type { FeedHead, Format, FormatOptions, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import { channelLink, rss, RSS_DOCS } from '../rss.ts';
import type { Replacements } from '../xml-text.ts';
import { REGISTER_NAMESPACE } from '../xml.ts';
import {
  contentHtml,
  markAttribute,
  markCdata,
  markText,
  resolveMarks,
  sourceHtml,
  toHtmlParagraph,
} from './feed-marks.ts';

type Extension = NonNullable<Item['extensions']>[number];

/** The namespaces of the extensions: the package declares some of its own, and only when it feels the need. */
const NAMESPACES = {
  'xmlns:atom': ATOM_NAMESPACE,
  'xmlns:content': CONTENT_NAMESPACE,
  'xmlns:dc': DC_NAMESPACE,
  'xmlns:dcterms': DCTERMS_NAMESPACE,
  'xmlns:register': REGISTER_NAMESPACE,
};

/**
 * The RSS writer on `feed`.
 *
 * @throws GazetteError as the native writer does.
 */
export const referenceRss: Format = {
  ...rss,
  engine: null,
  open: (out, head, options) => new ReferenceRssSink(out, head, options),
};

class ReferenceRssSink implements Sink {
  readonly #out: Output;
  readonly #head: FeedHead;
  readonly #report: Report | undefined;
  readonly #feed: Feed;

  constructor(out: Output, head: FeedHead, options: FormatOptions | undefined) {
    this.#out = out;
    this.#head = head;
    this.#report = options?.report;
    const { definition, links } = head;
    const noted: Replacements = { isReplaced: false };
    this.#feed = new Feed({
      title: markText(feedTitle(head), noted),
      description: markText(feedDescription(head), noted),
      link: channelLink(head),
      updated: new Date(feedUpdated(head)),
      docs: RSS_DOCS,
      generator: `gazette ${VERSION}`,
      ...(definition.language === null ? {} : { language: markText(definition.language, noted) }),
      ...(isBlank(definition.rights) ? {} : { copyright: markText(definition.rights!, noted) }),
    });
    const pages = (['self', 'first', 'next'] as const).flatMap((rel) => {
      const href = links?.[rel];
      return href === undefined ? [] : [{ rel, type: 'application/rss+xml', href: markAttribute(toUri(href), noted) }];
    });
    for (const extension of [
      { name: '_attributes', objects: NAMESPACES },
      element('atom:id', feedId(head)),
      element('dc:creator', markText(feedAuthor(head), noted)),
      atomLinks(pages),
    ]) {
      this.#feed.addExtension(extension);
    }
    if (noted.isReplaced) this.#report?.add('replaced_characters', null);
  }

  write(page: Page): void {
    for (const record of page.records) {
      const noted: Replacements = { isReplaced: false };
      this.#feed.addItem(this.#item(record, noted));
      if (noted.isReplaced) this.#report?.add('replaced_characters', record.id);
    }
  }

  close(): void {
    this.#out.text(resolveMarks(this.#feed.rss2()));
  }

  #item(record: RegisterRecord, noted: Replacements): Item {
    const source = itemSource(record);
    const summary = itemSummary(record);
    const content = contentHtml(record, source);
    const observed = checkTime(record, 'observed_at', record.observed_at);
    const updated = record.updated_at === null ? observed : checkTime(record, 'updated_at', record.updated_at);
    const published = record.published_at === null ? null : checkTime(record, 'published_at', record.published_at);
    const isLast = summary === null || content === null;
    const description = [
      ...(summary === null ? [] : [toHtmlParagraph(summary)]),
      ...(isLast ? [sourceHtml(source)] : []),
    ];
    const page = this.#head.recordUrl?.(record);
    const item: Omit<Item, 'date'> = {
      title: markCdata(itemTitle(record), noted),
      link: toUri(source),
      guid: markText(recordUri(this.#head.definition, record.id), noted),
      description: markCdata(description.join('\n'), noted),
      ...(content === null ? {} : { content: markCdata(content, noted) }),
      ...(published === null ? {} : { published: new Date(toDateTime(published)) }),
      category: [
        ...category(record, 'document_type', DOCUMENT_TYPE_SCHEME, noted),
        ...category(record, 'facility_id', FACILITY_SCHEME, noted),
      ],
      extensions: [
        ...(isBlank(record.author)
          ? []
          : [element('dc:creator', markText(checkText(record, 'author', record.author), noted))]),
        atomLinks([
          ...(page === undefined
            ? []
            : [{ rel: 'alternate', type: 'text/html', href: markAttribute(toUri(page), noted) }]),
          { rel: 'via', href: markAttribute(toUri(source), noted) },
        ]),
        element('atom:updated', toDateTime(updated)),
        element('dc:source', markText(source, noted)),
        ...(published === null ? [] : [element('dcterms:issued', published)]),
        element('register:observedAt', observed),
      ],
    };
    // The package's type demands a date, which its code does without: an unknown publication date stays unknown.
    return item as Item;
  }
}

function element(name: string, text: string): Extension {
  return { name, objects: { _text: text } };
}

/** Several elements of one name are one extension: a second one of the same name would take the first one's place. */
function atomLinks(links: readonly Readonly<Record<string, string>>[]): Extension {
  return {
    name: 'atom:link',
    objects: links.map((_attributes) => ({ _attributes })) as unknown as Extension['objects'],
  };
}

function category(
  record: RegisterRecord,
  field: 'document_type' | 'facility_id',
  domain: string,
  noted: Replacements,
): NonNullable<Item['category']> {
  if (isBlank(record[field])) return [];
  return [{ name: markText(checkText(record, field, record[field]), noted), domain }];
}

// The reference RSS writer, on `feed` (optional peer). Elements that the package does not know become extensions. Its
// own `author`, which needs an e-mail address, is not used, and its order of links is not changed.
import { Feed, type Item } from 'feed';
import { recordUri } from '../../register/identity.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { toUri } from '../../register/url.ts';
import { VERSION } from '../../version.ts';
import {
  ATOM_NAMESPACE,
  CONTENT_NAMESPACE,
  DC_NAMESPACE,
  DCTERMS_NAMESPACE,
  feedAuthor,
  feedId,
  itemSource,
  itemTimes,
  itemTitle,
  readable,
} from '../feeds/text.ts';
import type { DocumentHead, Format } from '../format.ts';
import { channelLink, rss, RSS_DOCS } from '../feeds/rss.ts';
import type { Replacements } from '../xml/text.ts';
import { REGISTER_NAMESPACE } from '../xml/xml.ts';
import type { CleanHtml } from '../feeds/html-policy.ts';
import {
  contentHtml,
  markAttribute,
  markCdata,
  markText,
  ownFieldsHtml,
  sourceHtml,
  toHtmlParagraph,
} from './feed-marks.ts';
import { categoriesOf, type CommonOptions, type PackageMarkup, ReferenceFeedSink } from './feed-sink.ts';

type Extension = NonNullable<Item['extensions']>[number];

/** The namespaces of the extensions, since the package declares some itself, but only in some cases. */
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
  encoderVersion: null,
  open: (out, head, options) => new ReferenceFeedSink(MARKUP, out, head, options),
};

const MARKUP: PackageMarkup = { feed: channel, item, write: (feed) => feed.rss2() };

function channel(head: DocumentHead, common: CommonOptions, noted: Replacements): Feed {
  const { definition, links } = head;
  const feed = new Feed({
    ...common,
    link: channelLink(head),
    docs: RSS_DOCS,
    generator: `gazette ${VERSION}`,
    ...(definition.language === null ? {} : { language: markText(definition.language, noted) }),
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
    feed.addExtension(extension);
  }
  return feed;
}

function item(record: RegisterRecord, head: DocumentHead, noted: Replacements, cleanHtml: CleanHtml | null): Item {
  const source = itemSource(record);
  const summary = readable(record.summary);
  const author = readable(record.author);
  const content = contentHtml(record, cleanHtml, noted);
  const own = ownFieldsHtml(record, head.definition);
  const { published, observed, updated } = itemTimes(record);
  const isLast = summary === null || content === null;
  const description = [
    ...(summary === null ? [] : [toHtmlParagraph(summary)]),
    ...(content === null ? own : []),
    ...(isLast ? [sourceHtml(source)] : []),
  ];
  const page = head.recordUrl?.(record);
  const made: Omit<Item, 'date'> = {
    title: markCdata(itemTitle(record), noted),
    link: toUri(source),
    guid: markText(recordUri(head.definition, record.id), noted),
    description: markCdata(description.join('\n'), noted),
    ...(content === null ? {} : { content: markCdata([content, ...own, sourceHtml(source)].join('\n'), noted) }),
    ...(published === null ? {} : { published: new Date(toDateTime(published)) }),
    category: categoriesOf(record, ({ scheme }, text) => ({ name: markText(text, noted), domain: scheme })),
    extensions: [
      ...(author === null ? [] : [element('dc:creator', markText(author, noted))]),
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
      element('register:key', markText(record.key, noted)),
    ],
  };
  // The package's type requires a date, but its code does not: an unknown publication date stays unknown.
  return made as Item;
}

function element(name: string, text: string): Extension {
  return { name, objects: { _text: text } };
}

/** Several elements of the same name form one extension, because a second extension would replace the first. */
function atomLinks(links: readonly Readonly<Record<string, string>>[]): Extension {
  return {
    name: 'atom:link',
    objects: links.map((_attributes) => ({ _attributes })) as unknown as Extension['objects'],
  };
}

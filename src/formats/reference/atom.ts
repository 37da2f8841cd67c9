// The reference Atom writer, on `feed` (optional peer). The package has no xml:lang, no paging links, no link to the
// source and no elements of other namespaces, and writes dates only in milliseconds UTC; summaries and titles are HTML.
import { Feed, type Item } from 'feed';
import { recordUri } from '../../register/identity.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { atom } from '../feeds/atom.ts';
import { feedAuthor, feedId, itemSource, itemTimes, itemTitle, readable } from '../feeds/text.ts';
import type { DocumentHead, Format } from '../format.ts';
import type { Replacements } from '../xml/text.ts';
import type { CleanHtml } from '../feeds/html-policy.ts';
import {
  contentHtml,
  markAttribute,
  markCdata,
  markText,
  ownFieldsHtml,
  sourceHtml,
  toHtml,
  toHtmlParagraph,
} from './feed-marks.ts';
import { categoriesOf, type PackageMarkup, ReferenceFeedSink } from './feed-sink.ts';

/**
 * The Atom writer on `feed`.
 *
 * @throws GazetteError as the native writer does.
 */
export const referenceAtom: Format = {
  ...atom,
  encoderVersion: null,
  open: (out, head, options) => new ReferenceFeedSink(MARKUP, out, head, options),
};

const MARKUP: PackageMarkup = {
  feed: (head, common, noted) =>
    new Feed({
      ...common,
      id: feedId(head),
      author: { name: markText(feedAuthor(head), noted) },
      generator: 'gazette',
      ...(head.links?.alternate === undefined ? {} : { link: head.links.alternate }),
      ...(head.links?.self === undefined ? {} : { feed: head.links.self }),
    }),
  item: entry,
  write: (feed) => feed.atom1(),
};

function entry(record: RegisterRecord, head: DocumentHead, noted: Replacements, cleanHtml: CleanHtml | null): Item {
  const source = itemSource(record);
  const summary = readable(record.summary);
  const author = readable(record.author);
  const own = ownFieldsHtml(record, head.definition);
  const text = contentHtml(record, cleanHtml, noted);
  const content = [...(text === null ? [] : [text]), ...own];
  const { published, updated } = itemTimes(record);
  const description = [
    ...(summary === null ? [] : [toHtmlParagraph(summary)]),
    ...(content.length === 0 ? [sourceHtml(source)] : []),
  ];
  return {
    id: recordUri(head.definition, record.id),
    title: markCdata(toHtml(itemTitle(record)), noted),
    link: head.recordUrl?.(record) ?? source,
    date: new Date(toDateTime(updated)),
    category: categoriesOf(record, ({ scheme, label }, text) => {
      const term = markAttribute(text, noted);
      return { name: `${label}: ${term}`, scheme, term };
    }),
    ...(description.length === 0 ? {} : { description: markCdata(description.join('\n'), noted) }),
    ...(content.length === 0 ? {} : { content: markCdata([...content, sourceHtml(source)].join('\n'), noted) }),
    ...(author === null ? {} : { author: [{ name: markText(author, noted) }] }),
    ...(published === null ? {} : { published: new Date(toDateTime(published)) }),
  };
}

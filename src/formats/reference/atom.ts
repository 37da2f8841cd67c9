// The reference Atom writer, on `feed` (optional peer), which builds the whole document when it closes: for documents of
// a page. The package has no xml:lang, no paging links, no link to the source, no elements of other namespaces, and
// dates in milliseconds UTC only; summaries and titles are HTML.
import { Feed, type Item } from 'feed';
import { recordUri } from '../../register/identity.ts';
import type { Page } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { toDateTime } from '../../register/time.ts';
import { atom } from '../atom.ts';
import { checkText, checkTime } from '../check-value.ts';
import {
  DOCUMENT_TYPE_LABEL,
  DOCUMENT_TYPE_SCHEME,
  FACILITY_LABEL,
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
} from '../feed-text.ts';
import type { FeedHead, Format, FormatOptions, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import type { Replacements } from '../xml-text.ts';
import {
  contentHtml,
  markAttribute,
  markCdata,
  markText,
  resolveMarks,
  sourceHtml,
  toHtml,
  toHtmlParagraph,
} from './feed-marks.ts';

/**
 * The Atom writer on `feed`.
 *
 * @throws GazetteError as the native writer does.
 */
export const referenceAtom: Format = {
  ...atom,
  engine: null,
  open: (out, head, options) => new ReferenceAtomSink(out, head, options),
};

class ReferenceAtomSink implements Sink {
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
      id: feedId(head),
      title: markText(feedTitle(head), noted),
      description: markText(feedDescription(head), noted),
      updated: new Date(feedUpdated(head)),
      author: { name: markText(feedAuthor(head), noted) },
      generator: 'gazette',
      ...(isBlank(definition.rights) ? {} : { copyright: markText(definition.rights!, noted) }),
      ...(links?.alternate === undefined ? {} : { link: links.alternate }),
      ...(links?.self === undefined ? {} : { feed: links.self }),
    });
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
    this.#out.text(resolveMarks(this.#feed.atom1()));
  }

  #item(record: RegisterRecord, noted: Replacements): Item {
    const source = itemSource(record);
    const summary = itemSummary(record);
    const content = contentHtml(record, source);
    const observed = checkTime(record, 'observed_at', record.observed_at);
    const updated = record.updated_at === null ? observed : checkTime(record, 'updated_at', record.updated_at);
    const description = [
      ...(summary === null ? [] : [toHtmlParagraph(summary)]),
      ...(content === null ? [sourceHtml(source)] : []),
    ];
    return {
      id: recordUri(this.#head.definition, record.id),
      title: markCdata(toHtml(itemTitle(record)), noted),
      link: this.#head.recordUrl?.(record) ?? source,
      date: new Date(toDateTime(updated)),
      category: [
        ...category(record, 'document_type', DOCUMENT_TYPE_SCHEME, DOCUMENT_TYPE_LABEL, noted),
        ...category(record, 'facility_id', FACILITY_SCHEME, FACILITY_LABEL, noted),
      ],
      ...(description.length === 0 ? {} : { description: markCdata(description.join('\n'), noted) }),
      ...(content === null ? {} : { content: markCdata(content, noted) }),
      ...(isBlank(record.author)
        ? {}
        : { author: [{ name: markText(checkText(record, 'author', record.author), noted) }] }),
      ...(record.published_at === null
        ? {}
        : { published: new Date(toDateTime(checkTime(record, 'published_at', record.published_at))) }),
    };
  }
}

function category(
  record: RegisterRecord,
  field: 'document_type' | 'facility_id',
  scheme: string,
  label: string,
  noted: Replacements,
): NonNullable<Item['category']> {
  if (isBlank(record[field])) return [];
  const term = markAttribute(checkText(record, field, record[field]), noted);
  return [{ name: `${label}: ${term}`, scheme, term }];
}

// The sink of both reference feeds, on `feed` (optional peer), which builds the whole document when it closes: for
// documents of a page. What goes into the package is rss.ts's and atom.ts's.
import type { Feed, FeedOptions, Item } from 'feed';
import type { Page } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { checkItem, feedDescription, feedTitle, feedUpdated, isBlank, readable } from '../feeds/text.ts';
import type { DocumentHead, FormatOptions, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import type { Replacements } from '../xml/text.ts';
import { markText, resolveMarks } from './feed-marks.ts';

/** What makes a feed of the package RSS or Atom. */
export interface PackageMarkup {
  /** The feed without its items; what both kinds say of it comes in `common`. */
  feed(head: DocumentHead, common: CommonOptions, noted: Replacements): Feed;
  item(record: RegisterRecord, head: DocumentHead, noted: Replacements): Item;
  /** The whole document. */
  write(feed: Feed): string;
}

/** What both kinds of feed say of themselves. */
export type CommonOptions = Pick<FeedOptions, 'title' | 'description' | 'updated'> & Partial<FeedOptions>;

/** Writes a feed through the package. */
export class ReferenceFeedSink implements Sink {
  readonly #markup: PackageMarkup;
  readonly #out: Output;
  readonly #head: DocumentHead;
  readonly #report: Report | undefined;
  readonly #feed: Feed;

  constructor(markup: PackageMarkup, out: Output, head: DocumentHead, options: FormatOptions | undefined) {
    this.#markup = markup;
    this.#out = out;
    this.#head = head;
    this.#report = options?.report;
    const { rights } = head.definition;
    this.#feed = this.#noting(null, (noted) => {
      const common = {
        title: markText(feedTitle(head), noted),
        description: markText(feedDescription(head), noted),
        updated: new Date(feedUpdated(head)),
        ...(isBlank(rights) ? {} : { copyright: markText(rights!, noted) }),
      };
      return markup.feed(head, common, noted);
    });
  }

  write(page: Page): void {
    for (const record of page.records) {
      checkItem(record);
      this.#feed.addItem(this.#noting(record.id, (noted) => this.#markup.item(record, this.#head, noted)));
    }
  }

  close(): void {
    this.#out.text(resolveMarks(this.#markup.write(this.#feed)));
  }

  /** What `make` makes; a replacement it notes is reported. */
  #noting<T>(recordId: string | null, make: (noted: Replacements) => T): T {
    const noted: Replacements = { isReplaced: false };
    const made = make(noted);
    if (noted.isReplaced) this.#report?.add('replaced_characters', recordId);
    return made;
  }
}

/** The categories of a record, each as `make` makes it. */
export function categoriesOf(
  record: RegisterRecord,
  make: (field: 'document_type' | 'facility_id', text: string) => NonNullable<Item['category']>[number],
): NonNullable<Item['category']> {
  return (['document_type', 'facility_id'] as const).flatMap((field) => {
    const text = readable(record[field]);
    return text === null ? [] : [make(field, text)];
  });
}

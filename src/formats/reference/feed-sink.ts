// The sink of both reference feeds, on `feed` (optional peer). The package builds the whole document on close, so use
// it for documents of one page. rss.ts and atom.ts decide what goes into the package.
import type { Feed, FeedOptions, Item } from 'feed';
import type { Page } from '../../register/page.ts';
import { hasHtml, type RegisterRecord } from '../../register/record.ts';
import type { CleanHtml } from '../feeds/html-policy.ts';
import { loadCleanHtml } from '../feeds/sink.ts';
import {
  CATEGORIES,
  type Category,
  checkItem,
  feedDescription,
  feedTitle,
  feedUpdated,
  isBlank,
  readable,
} from '../feeds/text.ts';
import type { DocumentHead, FormatOptions, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import type { Replacements } from '../xml/text.ts';
import { markText, resolveMarks } from './feed-marks.ts';

/** The parts in which RSS and Atom differ. */
export interface PackageMarkup {
  /** The feed without its items; `common` has the metadata that both feeds share. */
  feed(head: DocumentHead, common: CommonOptions, noted: Replacements): Feed;
  item(record: RegisterRecord, head: DocumentHead, noted: Replacements, cleanHtml: CleanHtml | null): Item;
  /** The whole document. */
  write(feed: Feed): string;
}

/** Metadata that both feeds share. */
export type CommonOptions = Pick<FeedOptions, 'title' | 'description' | 'updated'> & Partial<FeedOptions>;

/** Writes a feed with the package. */
export class ReferenceFeedSink implements Sink {
  readonly #markup: PackageMarkup;
  readonly #out: Output;
  readonly #head: DocumentHead;
  readonly #report: Report | undefined;
  readonly #feed: Feed;
  #cleanHtml: CleanHtml | null = null;

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

  async write(page: Page): Promise<void> {
    if (page.records.some(hasHtml)) this.#cleanHtml ??= await loadCleanHtml();
    for (const record of page.records) {
      checkItem(record);
      const item = (noted: Replacements): Item => this.#markup.item(record, this.#head, noted, this.#cleanHtml);
      this.#feed.addItem(this.#noting(record.id, item));
    }
  }

  close(): void {
    this.#out.text(resolveMarks(this.#markup.write(this.#feed)));
  }

  /** Calls `make` and reports any replacement that it notes. */
  #noting<T>(recordId: string | null, make: (noted: Replacements) => T): T {
    const noted: Replacements = { isReplaced: false };
    const made = make(noted);
    if (noted.isReplaced) this.#report?.add('replaced_characters', recordId);
    return made;
  }
}

/** The categories of a record, each created by `make`. */
export function categoriesOf(
  record: RegisterRecord,
  make: (category: Category, text: string) => NonNullable<Item['category']>[number],
): NonNullable<Item['category']> {
  return CATEGORIES.flatMap((category) => {
    const text = readable(category.valueIn(record));
    return text === null ? [] : [make(category, text)];
  });
}

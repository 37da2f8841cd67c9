// The sink of both feeds: a head, an item for each record, an end. The markup comes from rss.ts and atom.ts.
import { recordUris } from '../../register/identity.ts';
import type { Page } from '../../register/page.ts';
import type { RegisterRecord } from '../../register/record.ts';
import type { CleanHtml } from './clean-html.ts';
import { type FieldRow, fieldRows } from './content.ts';
import { checkItem } from './text.ts';
import type { DocumentHead, FormatOptions, Output, Sink } from '../format.ts';
import { XmlWriter } from '../xml/writer.ts';

/** The parts in which RSS and Atom differ. */
export interface FeedMarkup {
  /** Everything before the first item: readers expect the feed's metadata first. */
  head(head: DocumentHead, xml: XmlWriter): string;
  /** Writes an item for a checked record, except its end tag, which it returns. */
  item(record: RegisterRecord, feed: OpenFeed): string;
  readonly end: string;
}

/** What an item needs to know about the open feed. */
export interface OpenFeed {
  readonly xml: XmlWriter;
  /** The permanent id of the item with this record id. */
  readonly uriOf: (id: string) => string;
  readonly recordUrl: DocumentHead['recordUrl'];
  /** The register's own fields. */
  readonly rows: readonly FieldRow[];
  /** Loaded before the first item whose content is HTML. */
  readonly cleanHtml: CleanHtml | null;
}

/** Whether a page has content that has to be cleaned. */
export function needsCleaning({ records }: Page): boolean {
  return records.some(({ content, content_type }) => content !== null && content_type === 'html');
}

/** Loads the cleaner and its parser, which most documents do not need. */
export async function loadCleanHtml(): Promise<CleanHtml> {
  return (await import('./clean-html.ts')).cleanHtml;
}

/** Writes a feed. The constructor throws GazetteError `authority_required`. */
export class FeedSink implements Sink, OpenFeed {
  readonly xml: XmlWriter;
  readonly uriOf: (id: string) => string;
  readonly recordUrl: DocumentHead['recordUrl'];
  readonly rows: readonly FieldRow[];
  cleanHtml: CleanHtml | null = null;
  readonly #markup: FeedMarkup;

  constructor(markup: FeedMarkup, out: Output, head: DocumentHead, options: FormatOptions | undefined) {
    this.xml = new XmlWriter(out, options?.report);
    this.uriOf = recordUris(head.definition);
    this.recordUrl = head.recordUrl;
    this.rows = fieldRows(head.definition, this.xml);
    this.#markup = markup;
    this.xml.text(markup.head(head, this.xml));
    this.xml.end(null);
  }

  write(page: Page): void | Promise<void> {
    if (this.cleanHtml === null && needsCleaning(page)) return this.#loadAndWrite(page);
    this.#write(page);
  }

  async #loadAndWrite(page: Page): Promise<void> {
    this.cleanHtml = await loadCleanHtml();
    this.#write(page);
  }

  #write(page: Page): void {
    for (const record of page.records) {
      checkItem(record);
      this.xml.text(this.#markup.item(record, this));
      this.xml.end(record.id);
    }
  }

  close(): void {
    this.xml.text(this.#markup.end);
  }
}

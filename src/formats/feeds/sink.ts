// The sink of both feeds: a head, an item for each record, an end. The markup comes from rss.ts and atom.ts.
import { recordUris } from '../../register/identity.ts';
import type { Page } from '../../register/page.ts';
import { hasHtml, type RegisterRecord } from '../../register/record.ts';
import { type FieldRow, fieldRows, parsedHtml } from './content.ts';
import type { CleanHtml } from './html-policy.ts';
import { cleanSimpleHtml } from './simple-html.ts';
import { checkItem } from './text.ts';
import type { DocumentHead, FormatOptions, Output, Sink } from '../format.ts';
import { XmlWriter } from '../xml/writer.ts';

/** The parts in which RSS and Atom differ. */
export interface FeedMarkup {
  /** Everything before the first item: readers expect the feed's metadata first. */
  head(head: DocumentHead, xml: XmlWriter): string;
  /**
   * Writes an item for a checked record, except its end tag, which it returns. `html` is its cleaned content, or null if that
   * is plain text.
   */
  item(record: RegisterRecord, html: string | null, feed: OpenFeed): string;
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
  readonly #markup: FeedMarkup;
  #cleanHtml: CleanHtml | null = null;

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
    return this.#write(page.records, 0);
  }

  /** Waits only before the first record whose HTML needs the parser. */
  #write(records: readonly RegisterRecord[], first: number): void | Promise<void> {
    for (let at = first; at < records.length; at++) {
      const record = records[at]!;
      checkItem(record);
      let html: string | null = null;
      if (hasHtml(record)) {
        html = cleanSimpleHtml(record.content, record.source_url);
        if (html === null) {
          if (this.#cleanHtml === null) return this.#loadAndWrite(records, at);
          html = parsedHtml(record.content, record.source_url, this.#cleanHtml, this.xml);
        }
      }
      this.xml.text(this.#markup.item(record, html, this));
      this.xml.end(record.id);
    }
  }

  async #loadAndWrite(records: readonly RegisterRecord[], first: number): Promise<void> {
    this.#cleanHtml = await loadCleanHtml();
    return this.#write(records, first);
  }

  close(): void {
    this.xml.text(this.#markup.end);
  }
}

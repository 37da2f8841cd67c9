// The interface of every format: pages in, bytes out. A format does not know HTTP, storage or tiers, and its output
// depends only on its input: no clock, no random id, no locale, no time zone.
import type { Filter } from '../register/finding/filter.ts';
import type { AsOf, Page } from '../register/page.ts';
import type { RegisterDefinition, RegisterRecord } from '../register/record.ts';
import type { ByteRows } from '../register/sources/byte-rows.ts';
import type { Report } from './report.ts';

/** Where a sink writes its bytes. The driver (`encode.ts`) owns it; a sink never keeps what it has written. */
export interface Output {
  /** Appends text as UTF-8. A lone surrogate becomes U+FFFD. */
  text(text: string): void;
  /** Appends bytes. Up to 64 KiB are copied; larger arrays belong to the output from then on. */
  bytes(bytes: Uint8Array<ArrayBuffer>): void;
}

/** Everything a document says besides its records. */
export interface DocumentHead {
  /** The register the records belong to. */
  readonly definition: RegisterDefinition;
  /**
   * When the register last changed, RFC 3339; null if nothing has happened yet (feeds then use `created_at`). In feeds it must not
   * be older than a record's `observed_at` or `updated_at`.
   */
  readonly lastChange: string | null;
  /** The view the records were read in; null when the source has none. */
  readonly asOf: AsOf | null;
  /** Which records the document contains. Default: all. */
  readonly filter?: Filter;
  /**
   * Which fields the document has, in this order: core ones by their names, own ones as `data.NAME`, all own ones as `data`.
   * `id` always comes. XML has them in the order of its schema. Refused (`invalid_parameter`): a name that no field has, and a
   * format that does not take them, such as RSS and Atom. Default: all.
   */
  readonly fields?: readonly string[];
  /**
   * The name of a feed that is not the register's own, such as `changes`: its permanent id is another one (RFC 4287
   * 4.2.6).
   */
  readonly part?: string;
  /** URLs of the document and its neighbours. */
  readonly links?: DocumentLinks;
  /** The absolute URL of a record's page for people. Without it, feeds link to the source. */
  readonly recordUrl?: (record: RegisterRecord) => string;
  /**
   * Whether a feed's set of entries will never grow: the feed then says so (`fh:archive`, RFC 5005 4). Default false.
   */
  readonly isArchive?: boolean;
  /** What a feed's description says about the other records. Default: the list endpoint has all of them. */
  readonly pagingNote?: string;
  /** Withdrawn records, of which only the id and the time are published. Only Atom lists them, as tombstones (RFC 6721). */
  readonly withdrawn?: readonly {
    /** The id of the record. */
    readonly recordId: string;
    /** RFC 3339 date-time. */
    readonly at: string;
  }[];
}

/** Absolute URLs that a document can contain. Missing ones are left out. */
export interface DocumentLinks {
  /** URL of this document. */
  readonly self?: string;
  /** The newest page (RFC 5005 3). */
  readonly first?: string;
  /** The page after this one, if there is one (RFC 5005 3). */
  readonly next?: string;
  /** The feed in which new entries appear; archives link to it (RFC 5005 4). */
  readonly current?: string;
  /** The archive of the preceding entries (RFC 5005 4). */
  readonly prevArchive?: string;
  /** The page for people. */
  readonly alternate?: string;
  /** The list endpoint, which has the complete register. */
  readonly list?: string;
  /** The XML schema that the register's XML validates against: a URL, or a reference relative to the document. */
  readonly schema?: string;
}

/** Options of every format; each format adds its own. */
export interface FormatOptions {
  /** Collects everything the format had to change. */
  readonly report?: Report;
}

/** An open document. Calls do not overlap: each is awaited before the next one. */
export interface Sink {
  /** Writes a page of any number of records. */
  write(page: Page): void | Promise<void>;
  /**
   * Writes records as a store keeps them, from a byte on. Optional: {@link Format.takesRows}.
   *
   * @returns where it stopped: at the end, or at a record that has to be given to `write()`
   * @internal
   */
  writeRows?(rows: ByteRows, from: number): number;
  /** Ends the document. Nothing follows. */
  close(): void | Promise<void>;
  /**
   * Frees the sink's resources when the document will not be completed. Called at most once, never after `close()`
   * returned.
   */
  abort?(reason: unknown): void | Promise<void>;
}

/**
 * A file format. One stateless object serves all its documents. Anyone can write one.
 *
 * @example
 * const ids: Format = {
 *   name: 'ids',
 *   mediaType: 'text/plain; charset=utf-8',
 *   extension: 'txt',
 *   open: (out) => ({
 *     write: ({ records }) => {
 *       for (const { id } of records) out.text(`${id}\n`);
 *     },
 *     close: () => undefined,
 *   }),
 * };
 */
export interface Format<Options extends FormatOptions = FormatOptions> {
  /** Lower-case letters, digits and `-`, beginning with a letter. The URL of an export ends with it. */
  readonly name: string;
  /** The value of `Content-Type`, with parameters. */
  readonly mediaType: string;
  /** File extension without the dot: lower-case letters and digits. */
  readonly extension: string;
  /** Names of its own options: `encode()` refuses others. Without this list it accepts any. */
  readonly optionNames?: readonly string[];
  /**
   * Whether a document's head says when the last of its records changed, as in feeds. A whole register is then read twice.
   * Default false.
   */
  readonly isDated?: boolean;
  /**
   * Whether a document can have some fields alone (`head.fields`, `columnsOf()`). `encode()` refuses them otherwise. Default
   * false.
   */
  readonly takesFields?: boolean;
  /**
   * Whether its sinks write records from a store's bytes, where a document has all fields. Default false.
   *
   * @internal
   */
  readonly takesRows?: boolean;
  /**
   * What a whole register must have to be written, for people, and whether one has it. Others are refused with `unknown_format`,
   * and have no link to it. Default: nothing.
   *
   * @internal
   */
  readonly needs?: { readonly text: string; readonly has: (definition: RegisterDefinition) => boolean };
  /**
   * A text that changes whenever the writer may produce different bytes for the same input; null when the format cannot
   * know, for example because it uses a package of any version. With a text, pages get an entity tag without being written,
   * and a snapshot rewrites its pages after a change. Otherwise entity tags are digests of the bytes. Default null.
   */
  readonly encoderVersion?: string | null;
  /**
   * Begins a document. Text of the head may be written immediately.
   *
   * @throws GazetteError `authority_required` (RSS, Atom), `invalid_option`.
   */
  open(out: Output, head: DocumentHead, options?: Options): Sink;
}

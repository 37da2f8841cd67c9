// The seam of every format: pages in, bytes out. A format knows neither HTTP nor storage nor tiers, and its output is a
// function of its input: no clock, no random id, no locale, no time zone.
import type { AsOf, Filter, Page } from '../register/page.ts';
import type { RegisterDefinition, RegisterRecord } from '../register/record.ts';
import type { Report } from './report.ts';

/** Where a sink puts its bytes. Owned by the driver (`encode.ts`); a sink never keeps what it has written. */
export interface Output {
  /** Appends text as UTF-8. A lone surrogate becomes U+FFFD. */
  text(text: string): void;
  /** Appends bytes. Up to 64 KiB they are copied; more than that the output owns from then on. */
  bytes(bytes: Uint8Array<ArrayBuffer>): void;
}

/** Everything a document's head says that is not in its records. */
export interface DocumentHead {
  /** The register the records belong to. */
  readonly definition: RegisterDefinition;
  /** When the register last changed, RFC 3339; null while nothing has happened (feeds then say `created_at`). */
  readonly lastChange: string | null;
  /** The view the records were read in; null when the source has none. */
  readonly asOf: AsOf | null;
  /** Which records the document has; absent: all. */
  readonly filter?: Filter;
  /** Where the document and its neighbours are found. */
  readonly links?: DocumentLinks;
  /** The absolute URL of a record's page for people; without it feeds link to the source. */
  readonly recordUrl?: (record: RegisterRecord) => string;
  /** Whether a feed's set of entries will never grow: it says so then (`fh:archive`, RFC 5005 4). Default false. */
  readonly isArchive?: boolean;
  /** What a feed's description says of where the other records are. Default: that the list endpoint has all of them. */
  readonly pagingNote?: string;
  /** Records that were withdrawn, told in Atom alone: it has tombstones (RFC 6721). */
  readonly withdrawn?: readonly Withdrawal[];
}

/** A record that was withdrawn, of which nothing more is told. */
export interface Withdrawal {
  /** The id of the record. */
  readonly recordId: string;
  /** RFC 3339 date-time. */
  readonly at: string;
}

/** Absolute URLs a document can carry. Those that are absent are left out. */
export interface DocumentLinks {
  /** Where this document is found. */
  readonly self?: string;
  /** The newest page (RFC 5005 3). */
  readonly first?: string;
  /** The page after this one, while there is one (RFC 5005 3). */
  readonly next?: string;
  /** The feed that new entries appear in, told by its archives (RFC 5005 4). */
  readonly current?: string;
  /** The archive of the entries before these (RFC 5005 4). */
  readonly prevArchive?: string;
  /** The page for people. */
  readonly alternate?: string;
  /** The list endpoint, which has the complete register. */
  readonly list?: string;
}

/** What every format takes; each adds its own. */
export interface FormatOptions {
  /** Filled with whatever the format had to change. */
  readonly report?: Report;
}

/** An open document. Calls do not overlap: each is awaited before the next. */
export interface Sink {
  /** Writes a page of any number of records. */
  write(page: Page): void | Promise<void>;
  /** Ends the document. Nothing follows. */
  close(): void | Promise<void>;
  /** Frees what the sink holds when the document will not be ended. Called at most once, never after `close()` returned. */
  abort?(reason: unknown): void | Promise<void>;
}

/**
 * A file format: one for all its documents, without state. Anybody can write one.
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
  /** Lower-case letters, digits and `-`, beginning with a letter: an export's address ends in it. */
  readonly name: string;
  /** With parameters, as `Content-Type` carries it. */
  readonly mediaType: string;
  /** Without the dot: lower-case letters and digits. */
  readonly extension: string;
  /** The names of its own options: `encode()` refuses others. Without them it takes any. */
  readonly optionNames?: readonly string[];
  /**
   * Begins a document. Text of the head may be written at once.
   *
   * @throws GazetteError `authority_required` (RSS, Atom), `invalid_option`.
   */
  open(out: Output, head: DocumentHead, options?: Options): Sink;
}

/**
 * A format that can say when its writer changes. A page's entity tag is then made without writing the page, and a snapshot
 * makes its pages again after a change. The entity tags of other formats are digests of the bytes.
 */
export interface VersionedFormat<Options extends FormatOptions = FormatOptions> extends Format<Options> {
  /**
   * A text that changes whenever the writer may give other bytes for the same input; null when it cannot tell, as on a
   * package of any version.
   */
  readonly encoderVersion: string | null;
}

/** The version of a format's writer; null where it does not say. */
export function encoderVersionOf<Options extends FormatOptions>(
  format: Format<Options> | VersionedFormat<Options>,
): string | null {
  return 'encoderVersion' in format ? format.encoderVersion : null;
}

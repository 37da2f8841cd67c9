// `manifest.json`: the files in a folder of a snapshot. It is written last, so that a folder with a manifest and
// without a journal is complete. It ends with its own digest, so that it cannot be changed by accident.
import { createHash, hash } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { Tier, TierOptions } from '../../register/tier.ts';
import type { CataloguedDefinition } from '../../templates/catalogues/catalog.ts';

/** The version of the manifest format. */
const MANIFEST_VERSION = 1;

/** One file. Files without records have only the members about their bytes. */
export interface FileEntry {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
  readonly records?: number;
  /** The lowest and the highest position the file covers. */
  readonly positions?: readonly [from: number, to: number];
  readonly tier?: Tier;
  /** The position at which its view ends. */
  readonly as_of?: number;
  /** The first and the last change the file has. */
  readonly changes?: readonly [first: number, last: number];
}

/** The files of a folder by their names in it. */
export type Files = Readonly<Record<string, FileEntry>>;

/** The first members of every manifest. */
export interface ManifestHead {
  readonly gazette_snapshot: typeof MANIFEST_VERSION;
  readonly tier: Tier;
  readonly base_url: string;
}

/** The members of the manifest of a register's folder, other than its files; what the lists of registers say of it among them. */
export interface RegisterManifestHead extends ManifestHead, CataloguedDefinition {
  readonly feed_id: string;
  readonly last_change: string | null;
  /** The highest position. */
  readonly as_of: number;
  /** The number of the last change in these files. */
  readonly change: number;
  /** The number of the register's last change when all pages had been read; absent where that is the same. */
  readonly read_to?: number;
  /** The name of the log that change numbers belong to. */
  readonly log: string;
  /** The signed checkpoint of its log, whose files are here; absent where the log is not signed. */
  readonly checkpoint?: string;
  /** What its pages were made by, besides the records; absent where nothing proves those. */
  readonly definition?: RegisterDefinition;
  /** What its previews were made by; absent with the definition, and where nothing was said. */
  readonly tiers?: TierOptions;
  /** Which version of gazette's writers made the pages, by extension; absent with the definition. */
  readonly encoders?: Readonly<Record<string, string>>;
  /** Distinguishes that change from the same number in a register that was removed and created again. */
  readonly change_mark: string | null;
  /** Distinguishes these files from those of another definition, version or address. */
  readonly shape: string;
  /** The number of live records. */
  readonly total: number;
  /** The indexes of its search; absent where it has none. */
  readonly search?: readonly SearchIndex[];
  /** The pages that together contain every record once, newest first, without file extensions. */
  readonly walk: readonly string[];
}

/** An index of a register's search. */
export interface SearchIndex {
  /** Its folder in that of the search: `all`, a year of publication, or `undated`. */
  readonly name: string;
  /** As Pagefind knows languages. */
  readonly language: string;
  /** Of all that the index was made of. */
  readonly digest: string;
  readonly records: number;
}

/** The members of the root's manifest, other than its files. */
export interface RootHead extends ManifestHead {
  /** The registers, each in the folder with its name. */
  readonly feeds: readonly string[];
  /** The signed checkpoint of the log of logs, whose files are here; absent where it is not signed. */
  readonly checkpoint?: string;
}

/** The manifest of a register's folder. */
export interface RegisterManifest extends RegisterManifestHead {
  readonly files: Files;
}

/** The manifest at the root. */
export interface RootManifest extends RootHead {
  readonly files: Files;
}

/** The first members of a manifest. */
export function manifestHead(tier: Tier, baseUrl: string): ManifestHead {
  return { gazette_snapshot: MANIFEST_VERSION, tier, base_url: baseUrl };
}

/** The SHA-256 of bytes or a text, in hex. */
export function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** A manifest as it is in its file. */
export function manifestText({ files, ...head }: RegisterManifest | RootManifest): string {
  const lines = Object.entries(files).map(([name, entry]) => fileLine(name, entry));
  return Buffer.concat(joinManifest(head, [Buffer.from(lines.join(LINE_END))]).parts).toString();
}

/** One file of a manifest. */
export function fileLine(name: string, entry: FileEntry): string {
  return `  ${JSON.stringify(name)}: ${JSON.stringify(entry)}`;
}

/**
 * The bytes of a manifest, and its own entry. Each file has its own line, so that unchanged files are copied as bytes
 * and a manifest of seventy thousand files is never parsed as a whole.
 *
 * @param lines of files, each part one or several of them
 */
export function joinManifest(head: ManifestHead, lines: readonly Buffer[]): ManifestParts {
  const parts: Buffer[] = [Buffer.from(JSON.stringify(head, null, 1).slice(0, -2) + FILES_START)];
  const digest = createHash('sha256').update(parts[0]!);
  let bytes = parts[0]!.length;
  const push = (part: Buffer): void => {
    parts.push(part);
    digest.update(part);
    bytes += part.length;
  };
  for (const [index, part] of lines.entries()) {
    push(index === 0 ? LINE_START : BETWEEN_LINES);
    push(part);
  }
  push(Buffer.from(FILES_END));
  // The text without its own digest begins with the same bytes as the complete file.
  const own = digest.copy().update('\n}').digest('hex');
  push(Buffer.from(`${DIGEST_START}${own}${DIGEST_END}`));
  return { parts, entry: { sha256: digest.digest('hex'), bytes } };
}

/** A manifest to be written. */
export interface ManifestParts {
  /** Its bytes, in parts: many of them are shared with the previous manifest. */
  readonly parts: readonly Buffer[];
  /** Its entry in another manifest. */
  readonly entry: FileEntry;
}

// JSON texts contain no raw line feed, so none of these can occur in a title.
const FILES_START = ',\n "files": {';
const FILES_END = '\n }';

/** The separator between two files. */
export const LINE_END = ',\n';

const LINE_START = Buffer.from('\n');
const BETWEEN_LINES = Buffer.from(LINE_END);

const DIGEST_START = ',\n "sha256": "';
const DIGEST_END = '"\n}\n';
const TRAILER_LENGTH = DIGEST_START.length + 64 + DIGEST_END.length;

/** A line's name without its extension, as {@link stemOf} has it. */
const STEM = /^ {2}"([^"]*?)(?:\.proof\.ndjson|(?:\.[^"./]*)?(?:\.gz)?)": \{/;

/**
 * The part of a name that a page's files share. A dot in the name of a folder ends no stem: `tile/0/000` and
 * `tile/0/000.p/12` are files of their own. That a file is packed, or proves a page, is no part of it.
 */
export function stemOf(name: string): string {
  const plain = name.replace(/\.gz$|\.proof(?=\.ndjson$)/, '');
  const dot = plain.lastIndexOf('.');
  return dot <= plain.lastIndexOf('/') ? plain : plain.slice(0, dot);
}

/** A parsed manifest: its head, and its files as bytes. */
export class ManifestBytes<Head extends ManifestHead> {
  readonly head: Head;
  readonly bytes: Buffer;
  readonly #filesAt: number;
  readonly #filesEnd: number;
  #ranges: ReadonlyMap<string, readonly [start: number, end: number]> | null = null;

  /**
   * @throws GazetteError `damaged_snapshot` when the bytes are not exactly what {@link joinManifest} makes; `path` is
   *   for the message.
   */
  constructor(bytes: Buffer, path: string) {
    const body = bytes.subarray(0, Math.max(bytes.length - TRAILER_LENGTH, 0));
    const filesAt = body.indexOf(FILES_START);
    const digest = createHash('sha256').update(body).update('\n}').digest('hex');
    let head: Head | null = null;
    try {
      head = JSON.parse(`${body.toString('utf8', 0, filesAt)}\n}`) as Head | null;
    } catch {
      // Reported below: text that is not JSON is not a manifest.
    }
    const isWhole =
      bytes.toString('latin1', body.length) === `${DIGEST_START}${digest}${DIGEST_END}` &&
      head?.gazette_snapshot === MANIFEST_VERSION;
    if (!isWhole) {
      throw new GazetteError(
        'damaged_snapshot',
        `${path} is not as gazette wrote it: remove it, and the next run writes it anew, or use another folder`,
        { details: { path } },
      );
    }
    this.head = head!;
    this.bytes = bytes;
    this.#filesAt = filesAt + FILES_START.length + 1;
    this.#filesEnd = body.length - FILES_END.length;
  }

  /** The positions of the lines of each stem, in their order. */
  get ranges(): ReadonlyMap<string, readonly [start: number, end: number]> {
    this.#ranges ??= this.#findRanges();
    return this.#ranges;
  }

  /** The files of this stem, by name; empty if there are none. */
  entries(stem: string): Files {
    const range = this.ranges.get(stem);
    return range === undefined ? {} : (JSON.parse(`{${this.bytes.toString('utf8', ...range)}}`) as Files);
  }

  /** All files, by name. */
  files(): Files {
    return JSON.parse(`{${this.bytes.toString('utf8', this.#filesAt, this.#filesEnd)}}`) as Files;
  }

  /** The names of the files of a folder whose files come last. */
  namesWithin(folder: string): readonly string[] {
    const at = this.bytes.indexOf(`\n  "${folder}/`, this.#filesAt - 1);
    return at < 0 ? [] : this.#namesFrom(at);
  }

  /** The names of the files that are not in a folder whose files come first. */
  namesBehind(folder: string): readonly string[] {
    const last = this.bytes.lastIndexOf(`\n  "${folder}/`);
    return this.#namesFrom(last < 0 ? this.#filesAt : this.#endOfLine(last + 1) + LINE_END.length);
  }

  #namesFrom(at: number): readonly string[] {
    return Object.keys(JSON.parse(`{${this.bytes.toString('utf8', at, this.#filesEnd)}}`) as Files);
  }

  #findRanges(): ReadonlyMap<string, readonly [start: number, end: number]> {
    const ranges = new Map<string, readonly [start: number, end: number]>();
    const { bytes } = this;
    let end: number;
    for (let from = this.#filesAt; from < this.#filesEnd; from = end + LINE_END.length) {
      const name = bytes.toString('latin1', from, Math.min(from + MAX_NAME, this.#filesEnd));
      const stem = STEM.exec(name)?.[1] ?? '';
      // The lines of one stem begin with the same bytes: most need not be read.
      const beginning = bytes.subarray(from, from + name.indexOf(stem) + stem.length + 1);
      end = this.#endOfLine(from);
      for (let next = end + LINE_END.length; next < this.#filesEnd; next = end + LINE_END.length) {
        if (bytes.compare(beginning, 0, beginning.length, next, next + beginning.length) !== 0) break;
        end = this.#endOfLine(next);
      }
      ranges.set(stem, [from, end]);
    }
    return ranges;
  }

  /** The end of a line, without the comma. */
  #endOfLine(start: number): number {
    const lineFeed = this.bytes.indexOf(LINE_FEED, start);
    return lineFeed >= this.#filesEnd ? this.#filesEnd : lineFeed - 1;
  }
}

const LINE_FEED = 0x0a;

/** The number of bytes within which a line's name ends: a feed id has at most 64 characters. */
const MAX_NAME = 128;

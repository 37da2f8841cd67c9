// `manifest.json`: what a folder of a snapshot holds, file by file. Written last, so that a folder with a manifest and
// without a journal is whole. It ends with its own digest: whoever changes it has to mean to.
import { createHash, hash } from 'node:crypto';
import { GazetteError } from '../../errors.ts';
import type { Tier } from '../../register/tier.ts';

/** The name of the manifest, in a register's folder and at the root. */
export const MANIFEST_FILE = 'manifest.json';

/** The number of the manifest's own form. */
const MANIFEST_VERSION = 1;

/** One file. Those without records say only what they are made of. */
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
}

/** The files of a folder by their names in it. */
export type Files = Readonly<Record<string, FileEntry>>;

/** What every manifest begins with. */
export interface ManifestHead {
  readonly gazette_snapshot: typeof MANIFEST_VERSION;
  readonly tier: Tier;
  readonly base_url: string;
}

/** What the manifest of a register's folder says besides its files. */
export interface RegisterManifestHead extends ManifestHead {
  readonly feed_id: string;
  readonly title: string;
  /** The highest position. */
  readonly as_of: number;
  /** The number of the last change that is in these files. */
  readonly change: number;
  /** Tells that change from one of the same number in a register that was made anew. */
  readonly change_mark: string | null;
  /** Tells these files from those that another definition, version or address gives. */
  readonly shape: string;
  /** Live records. */
  readonly total: number;
  /** The pages that together hold every record once, newest first, without their endings. */
  readonly walk: readonly string[];
}

/** What the manifest at the root says besides its files. */
export interface RootHead extends ManifestHead {
  /** The registers, each in a folder of its name. */
  readonly feeds: readonly string[];
}

/** The manifest of a register's folder. */
export interface RegisterManifest extends RegisterManifestHead {
  readonly files: Files;
}

/** The manifest at the root. */
export interface RootManifest extends RootHead {
  readonly files: Files;
}

/** The members a manifest begins with. */
export function manifestHead(tier: Tier, baseUrl: string): ManifestHead {
  return { gazette_snapshot: MANIFEST_VERSION, tier, base_url: baseUrl };
}

/** The SHA-256 of bytes or a text, in hex. */
export function digestOf(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** A manifest as its file holds it. */
export function manifestText({ files, ...head }: RegisterManifest | RootManifest): string {
  const lines = Object.entries(files).map(([name, entry]) => fileLine(name, entry));
  return Buffer.concat(joinManifest(head, [Buffer.from(lines.join(LINE_END))]).parts).toString();
}

/** One file of a manifest. */
export function fileLine(name: string, entry: FileEntry): string {
  return `  ${JSON.stringify(name)}: ${JSON.stringify(entry)}`;
}

/**
 * The bytes of a manifest, and its own entry. Each file has a line of its own, so that what stays the same is taken over as bytes and a
 * manifest of seventy thousand files is never taken apart.
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
  // The text without its own digest, and the file with it, begin with the same bytes.
  const own = digest.copy().update('\n}').digest('hex');
  push(Buffer.from(`${DIGEST_START}${own}${DIGEST_END}`));
  return { parts, entry: { sha256: digest.digest('hex'), bytes } };
}

/** A manifest as it is written. */
export interface ManifestParts {
  /** Its bytes: many of them stand elsewhere already. */
  readonly parts: readonly Buffer[];
  /** What another manifest says of it. */
  readonly entry: FileEntry;
}

// No text in JSON holds a raw line feed: none of these can stand in a title.
const FILES_START = ',\n "files": {';
const FILES_END = '\n }';

/** What stands between two files. */
export const LINE_END = ',\n';

const LINE_START = Buffer.from('\n');
const BETWEEN_LINES = Buffer.from(LINE_END);

const DIGEST_START = ',\n "sha256": "';
const DIGEST_END = '"\n}\n';
const TRAILER_LENGTH = DIGEST_START.length + 64 + DIGEST_END.length;

/** A line's name, up to the last dot in it. */
const STEM = /^ {2}"([^"]*?)(?:\.[^".]*)?": \{/;

/** The part of a name that a page's files share. */
export function stemOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? name : name.slice(0, dot);
}

/** A manifest that was read: its head, and its files as the bytes that name them. */
export class ManifestBytes<Head extends ManifestHead> {
  readonly head: Head;
  readonly bytes: Buffer;
  readonly #filesAt: number;
  readonly #filesEnd: number;
  #ranges: ReadonlyMap<string, readonly [start: number, end: number]> | null = null;

  /** @throws GazetteError `damaged_snapshot` when it is not, to the byte, what {@link joinManifest} made; `path` says where. */
  constructor(bytes: Buffer, path: string) {
    const body = bytes.subarray(0, Math.max(bytes.length - TRAILER_LENGTH, 0));
    const filesAt = body.indexOf(FILES_START);
    const digest = createHash('sha256').update(body).update('\n}').digest('hex');
    let head: Head | null = null;
    try {
      head = JSON.parse(`${body.toString('utf8', 0, filesAt)}\n}`) as Head | null;
    } catch {
      // Said below: no JSON is no manifest either.
    }
    const isWhole =
      bytes.toString('latin1', body.length) === `${DIGEST_START}${digest}${DIGEST_END}` &&
      head?.gazette_snapshot === MANIFEST_VERSION;
    if (!isWhole) {
      throw new GazetteError('damaged_snapshot', `${path} is not as gazette wrote it`, { details: { path } });
    }
    this.head = head!;
    this.bytes = bytes;
    this.#filesAt = filesAt + FILES_START.length + 1;
    this.#filesEnd = body.length - FILES_END.length;
  }

  /** Where the lines of each stem stand, in their order. */
  get ranges(): ReadonlyMap<string, readonly [start: number, end: number]> {
    this.#ranges ??= this.#findRanges();
    return this.#ranges;
  }

  /** The files of this stem, by name; none where there is none. */
  entries(stem: string): Files {
    const range = this.ranges.get(stem);
    return range === undefined ? {} : (JSON.parse(`{${this.bytes.toString('utf8', ...range)}}`) as Files);
  }

  /** All files, by name. */
  files(): Files {
    return JSON.parse(`{${this.bytes.toString('utf8', this.#filesAt, this.#filesEnd)}}`) as Files;
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

  /** Where a line ends, the comma left out. */
  #endOfLine(start: number): number {
    const lineFeed = this.bytes.indexOf(LINE_FEED, start);
    return lineFeed >= this.#filesEnd ? this.#filesEnd : lineFeed - 1;
  }
}

const LINE_FEED = 0x0a;

/** Bytes of a line within which its name ends: a feed id has at most 64 characters. */
const MAX_NAME = 128;

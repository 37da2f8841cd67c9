// Where `gazette import` finds files: a path, a folder, or an address. Each tells what is new there since it was looked at.
import { createWriteStream, statSync, type Stats } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../../client/trouble.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { outputFailed, systemReason } from '../../../files/output-failed.ts';
import { VERSION } from '../../../version.ts';

/** A file to import. */
export interface FoundFile {
  readonly path: string;
  /** What messages and the log of imports call it. */
  readonly name: string;
  /** When it last changed at its place, in milliseconds since 1970; null: nobody knows. */
  readonly changedMs: number | null;
  /** It is told again only once it has changed. */
  readonly take: () => void;
}

/** A place with files. */
export interface Place {
  /** What messages call it: of an address, without its query and its password, which are secrets. */
  readonly name: string;
  /** How often it is looked at, in milliseconds. */
  readonly everyMs: number;
  /** Whether its files follow each other, so that none is taken before the one that stands in front of it. */
  readonly isInOrder: boolean;
  /** The files that were not taken yet as they are now. @throws GazetteError `request_refused`, `request_failed`, `output_failed` */
  found(): AsyncIterable<FoundFile>;
}

/** A look at a folder costs a few questions of the file system. */
const FILES_EVERY_MS = 2000;

/** Publishers change files once an hour at most, as a rule; who has not changed is asked with its tag. */
const ADDRESS_EVERY_MS = 60_000;

/** Files that nobody means: hidden ones, those that are being written, and what stands beside files. */
const NOT_MEANT = /^(?:[.~].*|datapackage\.json|.*\.(?:part|tmp|crdownload)|.*\.rejects\.ndjson)$/i;

/** Whether a file is named by its address. */
export function isAddress(file: string): boolean {
  return /^https?:\/\//i.test(file);
}

/** The place that a name means. @throws GazetteError `invalid_input` where there is none */
export function placeOf(file: string, signal: AbortSignal): Place {
  if (isAddress(file)) return new AddressPlace(file, signal);
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (cause) {
    throw new GazetteError('invalid_input', `${file}: ${systemReason(cause)}`, { cause, details: { input: file } });
  }
  const isFolder = stats.isDirectory();
  if (!isFolder && !stats.isFile())
    throw new GazetteError('invalid_input', `${file} must be a file or a folder`, { details: { input: file } });
  return new FilesPlace(file, isFolder);
}

/** A file, or the files of a folder, those of its folders not. */
class FilesPlace implements Place {
  readonly name: string;
  readonly everyMs: number = FILES_EVERY_MS;
  readonly isInOrder: boolean;
  /** What files were when they were looked at last, and when they were taken. */
  readonly #seen = new Map<string, string>();
  readonly #taken = new Map<string, string>();

  constructor(path: string, isFolder: boolean) {
    this.name = path;
    this.isInOrder = isFolder;
  }

  async *found(): AsyncGenerator<FoundFile, void, undefined> {
    for (const path of await this.#paths()) {
      // Who removes one does so between two questions.
      const stats = await stat(path).catch(() => null);
      if (stats?.isFile() !== true) continue;
      const state = [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
      const isWhole = this.#seen.get(path) === state;
      this.#seen.set(path, state);
      if (this.#taken.get(path) === state) continue;
      // Who writes it has not ended, perhaps: those that come behind it wait, too.
      if (!isWhole) return;
      yield { path, name: path, changedMs: stats.ctimeMs, take: () => void this.#taken.set(path, state) };
    }
  }

  async #paths(): Promise<readonly string[]> {
    if (!this.isInOrder) return [this.name];
    const names = await readdir(this.name).catch(() => []);
    const meant = names.filter((name) => !NOT_MEANT.test(name));
    return meant.sort(new Intl.Collator('en', { numeric: true }).compare).map((name) => join(this.name, name));
  }
}

/** What an address answers. */
class AddressPlace implements Place {
  readonly name: string;
  readonly everyMs: number = ADDRESS_EVERY_MS;
  readonly isInOrder: boolean = false;
  readonly #url: URL;
  readonly #signal: AbortSignal;
  readonly #fields: Readonly<Record<string, string>>;
  /** With which it is asked whether it has changed (RFC 9110 13.1). */
  #known: Readonly<Record<string, string>> = {};

  constructor(address: string, signal: AbortSignal) {
    const url = URL.parse(address);
    if (url === null) throw new GazetteError('usage', `the address of a file must be a URL, got ${quote(address)}`);
    const { username, password } = url;
    const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.#fields = {
      'User-Agent': `gazette/${VERSION}`,
      ...(username + password !== '' && { Authorization: `Basic ${secret}` }),
    };
    [url.username, url.password] = ['', ''];
    this.name = url.origin + url.pathname;
    this.#url = url;
    this.#signal = signal;
  }

  async *found(): AsyncGenerator<FoundFile, void, undefined> {
    const response = await this.#ask();
    if (response === null) return;
    const folder = await mkdtemp(join(tmpdir(), 'gazette-import-'));
    try {
      const path = join(folder, basename(decodeURIComponent(this.#url.pathname)) || 'file');
      await this.#write(response, path);
      const [etag, date] = [response.headers.get('etag'), response.headers.get('last-modified')];
      const known = {
        ...(etag !== null && { 'If-None-Match': etag }),
        ...(etag === null && date !== null && { 'If-Modified-Since': date }),
      };
      yield { path, name: this.name, changedMs: null, take: () => void (this.#known = known) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Null: it has not changed. */
  async #ask(): Promise<Response | null> {
    const headers = { ...this.#fields, ...this.#known };
    const response = await fetch(this.#url, { headers, signal: this.#signal }).catch((cause: unknown) => {
      throw this.#failed(cause);
    });
    if (response.status === 200 && response.body !== null) return response;
    await response.body?.cancel();
    const { status } = response;
    if (status === 304) return null;
    const isPassing = status === 429 || status >= 500;
    throw new GazetteError(isPassing ? 'request_failed' : 'request_refused', `${quote(this.name)} answered ${status}`, {
      details: { status },
    });
  }

  async #write({ body }: Response, path: string): Promise<void> {
    await pipeline(Readable.fromWeb(body!), createWriteStream(path), { signal: this.#signal }).catch(
      (cause: unknown) => {
        throw cause instanceof Error && 'syscall' in cause ? outputFailed(path, cause) : this.#failed(cause);
      },
    );
  }

  #failed(cause: unknown): GazetteError {
    if (this.#signal.aborted) return new GazetteError('aborted', 'the download was ended', { cause });
    const why = cause instanceof Error ? messageOf(cause) : String(cause);
    return new GazetteError('request_failed', `${quote(this.name)} could not be read: ${why}`, { cause });
  }
}

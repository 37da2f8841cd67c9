// Where `gazette import` finds files: a path, a folder, or an address. Each tells what is new there since it was looked at.
import { createHash } from 'node:crypto';
import { createWriteStream, statSync, type Stats } from 'node:fs';
import { lstat, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isPassing, messageOf } from '../../../client/trouble.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { outputFailed, systemReason } from '../../../files/output-failed.ts';
import { VERSION } from '../../../version.ts';

/** A file, and what messages and the log of imports call it. Default: its path. */
export interface NamedFile {
  readonly path: string;
  readonly name?: string;
}

/** A file to import. */
export interface FoundFile {
  readonly path: string;
  /** What messages and the log of imports call it. */
  readonly name: string;
  /** When it last changed at its place, in milliseconds since 1970; null: nobody knows. */
  readonly changedMs: number | null;
  /** It is told again only once it has changed. @param isRefused whether it could not be taken in */
  readonly take: (isRefused: boolean) => void;
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

/** So much of a long address's end names its file. */
const LONGEST_NAME = 100;

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
  // The log of imports names a folder's files: whoever starts in another folder knows them again.
  return new FilesPlace(isFolder ? resolve(file) : file, isFolder);
}

/** Takes in the file of a path or an address, once. @throws GazetteError those of the place and of taking it in */
export async function takeFrom(
  file: string,
  take: (found: NamedFile) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  if (!isAddress(file)) return take({ path: file });
  for await (const found of placeOf(file, signal).found()) await take(found);
}

/** A file, or the files of a folder, those of its folders not. */
class FilesPlace implements Place {
  readonly name: string;
  readonly everyMs: number = FILES_EVERY_MS;
  readonly isInOrder: boolean;
  /** What files were when they were looked at last, and when they were taken. */
  #seen: ReadonlyMap<string, FileState> = new Map();
  readonly #taken = new Map<string, string>();

  constructor(path: string, isFolder: boolean) {
    this.name = path;
    this.isInOrder = isFolder;
  }

  async *found(): AsyncGenerator<FoundFile, void, undefined> {
    const before = this.#seen;
    this.#seen = await this.#states();
    for (const [path, { state }] of this.#seen) {
      if (this.#taken.get(path) === state) continue;
      // Who writes it has not ended, perhaps: those that come behind it wait, too.
      if (before.get(path)?.state !== state) return;
      const now = await stateOf(path);
      if (now === null) continue;
      if (now.state !== state) return;
      yield { path, name: path, changedMs: now.changedMs, take: () => void this.#taken.set(path, state) };
    }
  }

  async #states(): Promise<ReadonlyMap<string, FileState>> {
    const states = new Map<string, FileState>();
    for (const path of await this.#paths()) {
      const state = await stateOf(path);
      if (state !== null) states.set(path, state);
    }
    return states;
  }

  async #paths(): Promise<readonly string[]> {
    if (!this.isInOrder) return [this.name];
    const names = await readdir(this.name).catch((cause: unknown) => {
      throw new GazetteError('invalid_input', `${this.name}: ${systemReason(cause)}`, { cause });
    });
    const meant = names.filter((name) => !NOT_MEANT.test(name));
    return meant.sort(new Intl.Collator('en', { numeric: true }).compare).map((name) => join(this.name, name));
  }
}

/** What shows that a file has changed, and when it did. */
interface FileState {
  readonly state: string;
  readonly changedMs: number;
}

/** Null: it is no file, or was removed between two questions. */
async function stateOf(path: string): Promise<FileState | null> {
  const both = await Promise.all([stat(path), lstat(path)]).catch(() => null);
  if (both?.[0].isFile() !== true) return null;
  const [stats, place] = both;
  return {
    state: [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' '),
    // A link that names another file changes what stands here, also where that file is old.
    changedMs: Math.max(stats.ctimeMs, place.ctimeMs),
  };
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
  /** The bytes that were taken: many who answer give neither a tag nor a date. */
  #digest = '';
  #isRefused = false;

  constructor(address: string, signal: AbortSignal) {
    const url = URL.parse(address);
    if (url === null) throw new GazetteError('usage', `the address of a file must be a URL, got ${quote(address)}`);
    const { username, password } = url;
    const secret = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
    this.#fields = {
      // What is compressed on its way may be cut without a sign, and often has a tag with which it is never known again.
      'Accept-Encoding': 'identity',
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
    const folder = await mkdtemp(join(tmpdir(), 'gazette-import-')).catch(async (cause: unknown) => {
      await response.body?.cancel();
      throw outputFailed(tmpdir(), cause);
    });
    try {
      // As it stands in the address: decoded it could be no name of a file.
      const path = join(folder, basename(this.#url.pathname).slice(-LONGEST_NAME) || 'file');
      const digest = await this.#write(response, path);
      const [etag, date] = [response.headers.get('etag'), response.headers.get('last-modified')];
      const take = (isRefused: boolean): void => {
        // What is refused may be another's page, such as of a proxy: what changed before its date would stay unseen.
        const byDate = etag === null && date !== null && !isRefused;
        this.#known = {
          ...(etag !== null && { 'If-None-Match': etag }),
          ...(byDate && { 'If-Modified-Since': date }),
        };
        [this.#digest, this.#isRefused] = [digest, isRefused];
      };
      if (digest === this.#digest) take(this.#isRefused);
      else yield { path, name: this.name, changedMs: null, take };
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
    const code = isPassing(status) ? 'request_failed' : 'request_refused';
    throw new GazetteError(code, `${quote(this.name)} answered ${status}`, { details: { status } });
  }

  /** @returns the SHA-256 of what was written */
  async #write({ body }: Response, path: string): Promise<string> {
    const hash = createHash('sha256');
    const hashed = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(Readable.fromWeb(body!), hashed, createWriteStream(path), { signal: this.#signal }).catch(
      (cause: unknown) => {
        throw cause instanceof Error && 'syscall' in cause ? outputFailed(tmpdir(), cause) : this.#failed(cause);
      },
    );
    return hash.digest('hex');
  }

  #failed(cause: unknown): GazetteError {
    if (this.#signal.aborted) return new GazetteError('aborted', 'the download was ended', { cause });
    const why = cause instanceof Error ? messageOf(cause) : String(cause);
    return new GazetteError('request_failed', `${quote(this.name)} could not be read: ${why}`, { cause });
  }
}

/** A name or a password as it is sent. @throws GazetteError `usage` */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new GazetteError('usage', 'a % in the name or the password of an address is written %25', { cause });
  }
}

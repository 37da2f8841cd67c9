// Pagefind (optional peer): makes an index that a browser searches without a server. Its program runs beside this process.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { GazetteError } from '../../errors.ts';

const NAME = 'pagefind';

/** What Pagefind is given of a record. */
export interface SearchEntry {
  /** The page that shows it, from the root of the snapshot. */
  readonly url: string;
  readonly content: string;
  readonly language: string;
  readonly meta: Readonly<Record<string, string>>;
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly sort: Readonly<Record<string, string>>;
}

/** A file of an index. */
export interface IndexFile {
  readonly path: string;
  readonly content: Uint8Array;
}

interface Answer {
  readonly errors: readonly string[];
}

/** An index in the memory of Pagefind's program. */
interface Index {
  addCustomRecord(entry: SearchEntry): Promise<Answer>;
  getFiles(): Promise<Answer & { readonly files: readonly IndexFile[] }>;
}

/** What is used of the package. */
interface Pagefind {
  createIndex(options: {
    readonly forceLanguage: string;
    readonly maxFragments: number;
  }): Promise<Answer & { readonly index?: Index }>;
  close(): Promise<unknown>;
}

/** What a browser loads for a language. The others are pages of Pagefind's own, and what serves other languages. */
const isNeeded = (path: string, language: string): boolean =>
  /^(?:pagefind\.js|pagefind-entry\.json|(?:fragment|index|filter)\/.*|.*\.pf_meta)$/.test(path) ||
  path === `wasm.${language}.pagefind`;

/** How many entries are sent before the first is answered. */
const AT_ONCE = 200;

/** So many entries share a file: a browser reads few files for a page of results, and a host has few to keep. */
const ENTRIES_IN_FILE = 25;

/** The package has one program at a time in a process. */
let turn: Promise<unknown> = Promise.resolve();

/** Makes indexes. */
export class SearchEngine {
  /** The version of Pagefind, on which the bytes of an index depend. */
  readonly version: string;
  readonly #pagefind: Pagefind;

  private constructor(version: string, pagefind: Pagefind) {
    this.version = version;
    this.#pagefind = pagefind;
  }

  /** Tries it, so that a run finds out before it writes anything. @throws GazetteError `missing_peer` */
  static async load(): Promise<SearchEngine> {
    const manifest = installed();
    if (manifest === undefined) throw missing(`the package ${NAME}`);
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string };
    const engine = new SearchEngine(version, (await import(NAME)) as Pagefind);
    await engine.index('unknown', 0, nothing()).catch((error: unknown) => {
      const why = (error as Error).message.split('\n', 1)[0]!;
      throw missing(`the program of the package ${NAME}, which does not run here: ${why}`, error);
    });
    return engine;
  }

  /**
   * The files of an index over these entries.
   *
   * @param count how many they are
   * @throws GazetteError `internal_error`; errors of the entries
   */
  index(language: string, count: number, entries: AsyncIterable<SearchEntry>): Promise<readonly IndexFile[]> {
    const made = turn.then(() => this.#run((ended) => this.#make(language, count, entries, ended)));
    turn = made.catch(() => undefined);
    return made;
  }

  /** Fails when the program ends: Pagefind itself does not notice, and whoever waits for its answer would wait for ever. */
  async #run<T>(work: (ended: AbortSignal) => Promise<T>): Promise<T> {
    const ending = new AbortController();
    const ended = new Promise<never>((_, reject) => {
      ending.signal.addEventListener('abort', () => {
        reject(ending.signal.reason as Error);
      });
    });
    const onStart = (message: unknown): void => {
      const { process } = message as { readonly process: ChildProcess };
      process.once('exit', (code, signal) => {
        ending.abort(this.#failure(`its program ended by itself (${signal ?? code})`));
      });
    };
    subscribe('child_process', onStart);
    const working = work(ending.signal);
    unsubscribe('child_process', onStart);
    try {
      return await Promise.race([working, ended]);
    } finally {
      ending.abort();
      await this.#pagefind.close();
    }
  }

  async #make(
    language: string,
    count: number,
    entries: AsyncIterable<SearchEntry>,
    ended: AbortSignal,
  ): Promise<readonly IndexFile[]> {
    const maxFragments = Math.max(1, Math.ceil(count / ENTRIES_IN_FILE));
    const index = (await this.#ask(this.#pagefind.createIndex({ forceLanguage: language, maxFragments }))).index!;
    let sent: Promise<Answer>[] = [];
    for await (const entry of entries) {
      // To ask it now would start it again.
      ended.throwIfAborted();
      const answer = this.#ask(index.addCustomRecord(entry));
      // Its failure is met below, perhaps after others.
      answer.catch(() => undefined);
      sent.push(answer);
      if (sent.length < AT_ONCE) continue;
      await Promise.all(sent);
      sent = [];
    }
    await Promise.all(sent);
    const { files } = await this.#ask(index.getFiles());
    const { languages } = JSON.parse(textOf(files, 'pagefind-entry.json')) as Entry;
    const wasm = Object.values(languages)[0]?.wasm ?? 'unknown';
    return files.filter(({ path }) => isNeeded(path, wasm));
  }

  async #ask<T extends Answer>(answer: Promise<T>): Promise<T> {
    const given = await answer.catch((error: unknown) => {
      throw this.#failure(error instanceof Error ? error.message : String(error));
    });
    if (given.errors.length === 0) return given;
    throw this.#failure(given.errors.join('; '));
  }

  #failure(why: string): GazetteError {
    return new GazetteError('internal_error', `${NAME} ${this.version}: ${why}`);
  }
}

function missing(what: string, cause?: unknown): GazetteError {
  const message = `search in a snapshot needs ${what}: npm install ${NAME}`;
  return new GazetteError('missing_peer', message, { cause, details: { package: NAME } });
}

async function* nothing(): AsyncGenerator<never, void, undefined> {
  // No entry.
}

/** What an index says of its languages. */
interface Entry {
  readonly languages: Readonly<Record<string, { readonly wasm: string | null }>>;
}

function textOf(files: readonly IndexFile[], name: string): string {
  return new TextDecoder().decode(files.find(({ path }) => path === name)!.content);
}

/** Where the package says what it is; undefined: it is not installed. */
function installed(): string | undefined {
  try {
    return findPackageJSON(NAME, import.meta.url);
  } catch {
    return undefined;
  }
}

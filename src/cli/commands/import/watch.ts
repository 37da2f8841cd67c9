// `gazette import … --watch`: keeps a register in step with a place where its publisher puts files. What fails is told, and does not end
// it: a file is read again when it has changed. What a finding stops is a proposal, and waits for a person.
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type ErrorCode, GazetteError, isGazetteError } from '../../../errors.ts';
import { IMPORTS_PAGE_SIZE, type ImportEntry } from '../../../stores/contract/imports/log.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import type { Io } from '../../io/io.ts';
import { say } from '../../io/say.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';
import { type FoundFile, type Place, placeOf } from './places.ts';

/** What ends it before anything was taken in: no other file mends it. */
const MEANT_OTHERWISE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'usage',
  'invalid_option',
  'invalid_mapping',
  'unknown_feed',
  'invalid_store',
  'request_refused',
]);

/** What passes by itself, or is no fault of the file: the same file is tried again. */
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_store',
  'store_unavailable',
  'store_busy',
  'register_busy',
  'import_superseded',
  'request_failed',
  'output_failed',
]);

/** How often it is looked whether a person has decided, in milliseconds. */
const DECIDED_EVERY_MS = 10_000;

/** A register, and where its files are. */
export interface Watched {
  readonly feedId: string;
  readonly where: string;
  readonly options: StoreOptions;
  /** Takes a file in. */
  readonly take: (file: FoundFile) => Promise<void>;
}

/**
 * Takes in what is there, and then whatever changes, until it is ended.
 *
 * @throws GazetteError what no other file mends, before anything was taken in
 */
export async function watch(watched: Watched, io: Io, signal: AbortSignal): Promise<void> {
  const place = placeOf(watched.where, signal);
  const watching = new Watching(watched, place, io);
  while (!signal.aborted) {
    try {
      await watching.look();
    } catch (error) {
      // Ending it is not a failure.
      if (isGazetteError(error, 'aborted')) return;
      watching.tellTrouble(error);
    }
    await wait(watching.pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

class Watching {
  readonly #watched: Watched;
  readonly #place: Place;
  readonly #io: Io;
  /** The imports before it began, of a folder: a file that was taken in stays so. */
  #before: readonly ImportEntry[] = [];
  /** The proposal of a folder's file that waits for a person: each file changes what those before it made. */
  #undecided: number | null = null;
  #hasTaken = false;
  #hasBegun = false;
  /** What was said since all was well: what is tried again and again is not told each time. */
  readonly #told = new Set<string>();

  constructor(watched: Watched, place: Place, io: Io) {
    this.#watched = watched;
    this.#place = place;
    this.#io = io;
  }

  /** How long to wait for the next look, in milliseconds. */
  get pauseMs(): number {
    return this.#undecided === null ? this.#place.everyMs : DECIDED_EVERY_MS;
  }

  async #begin(): Promise<void> {
    const { feedId } = this.#watched;
    if (this.#place.isInOrder) {
      this.#before = await this.#ask((store) => store.imports.list(feedId, { limit: IMPORTS_PAGE_SIZE }));
      const waits = ({ state, file }: ImportEntry): boolean =>
        state === 'proposed' && file === join(this.#place.name, basename(file));
      this.#undecided = this.#before.find(waits)?.number ?? null;
    }
    this.#hasBegun = true;
    say(this.#io, `watching ${this.#place.name}${this.#undecided === null ? '' : this.#waiting()}`);
  }

  /** Takes in what has changed. */
  async look(): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    if (this.#undecided !== null) {
      const number = this.#undecided;
      const { state } = await this.#ask((store) => store.imports.find(this.#watched.feedId, number));
      if (state === 'proposed') return;
      this.#undecided = null;
    }
    for await (const file of this.#place.found()) if (!(await this.#takeIn(file))) break;
    this.#told.clear();
  }

  /** @returns whether those behind it can be taken in */
  async #takeIn(file: FoundFile): Promise<boolean> {
    if (wasTaken(file, this.#before)) {
      file.take(false);
      return true;
    }
    let isRefused = false;
    try {
      this.#tell(`reading ${file.name}`);
      await this.#watched.take(file);
    } catch (error) {
      if (!isGazetteError(error) || error.code === 'aborted') throw error;
      const { code, message, details } = error;
      if (PASSING.has(code)) throw error;
      this.#checkMeant(error);
      isRefused = code !== 'import_stopped';
      if (code === 'import_stopped' && this.#place.isInOrder) this.#undecided = Number(details.import);
      this.#tell(`${message} (${code})${this.#undecided === null ? '' : this.#waiting()}`);
    }
    file.take(isRefused);
    this.#hasTaken = true;
    return this.#undecided === null;
  }

  /** What passes by itself. @throws the error where it does not */
  tellTrouble(error: unknown): void {
    if (!isGazetteError(error) || !(this.#hasBegun || PASSING.has(error.code))) throw error;
    this.#checkMeant(error);
    this.#tell(`${error.message} (${error.code}); it is tried again`);
  }

  #checkMeant(error: GazetteError): void {
    if (!this.#hasTaken && MEANT_OTHERWISE.has(error.code)) throw error;
  }

  #waiting(): string {
    return `; files that come after it wait until proposal ${this.#undecided} is approved or discarded`;
  }

  #tell(words: string): void {
    if (!this.#told.has(words)) say(this.#io, words);
    this.#told.add(words);
  }

  #ask<T>(question: (store: InspectedStore) => Promise<T>): Promise<T> {
    return withStore(this.#watched.options, this.#io, question);
  }
}

/** Whether a file was taken in before as it is now, newest imports first: an old file that comes again would bring back what was. */
function wasTaken({ name, changedMs }: FoundFile, before: readonly ImportEntry[]): boolean {
  if (changedMs === null) return false;
  const entry = before.find(({ kind, file, state }) => kind === 'file' && file === name && HAD.includes(state));
  const oldest = before.length < IMPORTS_PAGE_SIZE ? undefined : before.at(-1);
  const since = (entry ?? oldest)?.begunAt;
  return since !== undefined && changedMs < Date.parse(since);
}

/** The states of an import that read the whole file. */
const HAD: readonly ImportEntry['state'][] = ['completed', 'proposed', 'approved', 'discarded'];

/** @throws GazetteError `usage` */
export function checkWatched(file: string, options: { readonly guess?: true; readonly dryRun?: true }): void {
  if (file === '-') throw new GazetteError('usage', '--watch needs a file, a folder or an address, not -');
  const other = options.guess === true ? '--guess' : options.dryRun === true ? '--dry-run' : null;
  if (other !== null) throw new GazetteError('usage', `--watch takes files in: it cannot go with ${other}`);
}

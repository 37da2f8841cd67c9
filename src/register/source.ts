// Where pages come from. `RegisterSource.page()` is the one primitive behind every list, export and feed; a source that
// can be read only once, from start to end, is a `RegisterStream` and serves whole-register exports.
import { GazetteError, quote } from '../errors.ts';
import { type AsOf, type Filter, matchesFilter, type Page, PAGE_SIZE, type PageQuery } from './page.ts';
import { checkLimit, checkOffset } from './query.ts';
import type { RegisterDefinition } from './record.ts';

/** A register that answers pages: an array, a store, or an embedder's own function over a database. */
export interface RegisterSource {
  /** What the register is. */
  readonly definition: RegisterDefinition;
  /**
   * The next `limit` records that match, newest first, from `offset` down.
   *
   * @throws GazetteError `invalid_parameter` when the view is unknown
   */
  page(query: PageQuery): Page | Promise<Page>;
  /**
   * The page asked for and all behind it, as many at once as are best read together: each begins at the `nextOffset` of
   * the one before, as if `page()` had been asked for each within the first one's view, and the last one's is null. A walk
   * goes on here after its first page. What it takes for that is let go when the iteration is ended, and when the query's
   * `signal` fires. Optional: it spares a database its round trips, and changes nothing else.
   */
  pagesAhead?(query: PageQuery): AsyncIterable<readonly Page[]>;
  /** A text that changes whenever anything in the register does; without it validators hash the body. */
  revision?(): string | Promise<string>;
  /** When the register last changed, RFC 3339; null when nothing ever happened. Feeds carry it as their date. */
  lastChange?(): string | null | Promise<string | null>;
}

/** A register that can only be walked, once per call of `pages()`: a file, a generator, standard input. */
export interface RegisterStream {
  /** What the register is. */
  readonly definition: RegisterDefinition;
  /** All pages in the order the register is read: newest first. `nextOffset` is null on the last page alone. */
  pages(options?: { readonly signal?: AbortSignal }): AsyncIterable<Page>;
  /** When the register last changed, RFC 3339; null while nothing has happened. Absent: it cannot be known. */
  lastChange?(): string | null | Promise<string | null>;
}

/** Where a walk begins and what it keeps. */
export interface WalkOptions {
  /** Which records; default: all. */
  readonly filter?: Filter;
  /** Records per page, 1 to {@link PAGE_SIZE}, the default. */
  readonly limit?: number;
  /** How many records to pass over. Default 0. */
  readonly offset?: number;
  /** The view to read in; default: the source's newest. */
  readonly asOf?: AsOf;
  /** Stops the walk; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * Every page of a register from the newest down, through empty pages, within the view of the first page. A stream is
 * walked as it comes: its pages keep their boundaries, and a filter only takes records out.
 *
 * @throws GazetteError `aborted` once `signal` fires; `invalid_parameter`; `internal_error` when a source's
 *   `nextOffset` does not advance, which would never end.
 */
export async function* pages(
  register: RegisterSource | RegisterStream,
  options: WalkOptions = {},
): AsyncGenerator<Page, void, undefined> {
  const limit = checkLimit(options.limit ?? PAGE_SIZE);
  let offset: number | null = checkOffset(options.offset ?? 0);
  const { filter, signal } = options;
  if ('pages' in register) {
    if (offset !== 0 || options.asOf !== undefined) {
      throw new GazetteError('invalid_option', 'a one-pass stream is read whole: offset and asOf do not apply to it');
    }
    yield* streamPages(register, options);
    return;
  }
  let asOf = options.asOf;
  const queryAt = (offset: number): PageQuery => ({
    offset,
    limit,
    ...(asOf === undefined ? {} : { asOf }),
    ...(filter === undefined ? {} : { filter }),
    ...(signal === undefined ? {} : { signal }),
  });
  while (offset !== null) {
    const page = await readPage(register, queryAt(offset));
    yield page;
    asOf ??= page.asOf ?? undefined;
    offset = page.nextOffset;
    // The first page came by itself: whoever waits for it waits for no other, and many want no second one.
    if (offset !== null && register.pagesAhead !== undefined) {
      yield* readPagesAhead(register, queryAt(offset));
      return;
    }
  }
}

/** As {@link readPage}, for {@link RegisterSource.pagesAhead}. */
async function* readPagesAhead(register: RegisterSource, query: PageQuery): AsyncGenerator<Page, void, undefined> {
  const groups = register.pagesAhead!(query)[Symbol.asyncIterator]();
  let isReading = false;
  try {
    for (let offset: number | null = query.offset; offset !== null;) {
      isReading = true;
      const step = await readWithin(query.signal, () => groups.next());
      isReading = false;
      if (step.done === true) throw broken(register, 'pagesAhead() must end with a nextOffset of null', offset);
      if (step.value.length === 0) throw broken(register, 'pagesAhead() must give at least one page at a time', 0);
      for (const page of step.value) {
        // Nothing follows the last page: what does would come from nowhere.
        if (offset === null) throw broken(register, 'no page may follow one whose nextOffset is null', page.nextOffset);
        checkPage(register, { ...query, offset }, page);
        offset = page.nextOffset;
      }
      for (const page of step.value) {
        throwIfAborted(query.signal);
        yield page;
      }
    }
  } finally {
    // Of a read that is still under way nobody wants to know how it ends.
    const ended = groups.return?.();
    if (isReading) ended?.catch(() => undefined);
    else await ended;
  }
}

/**
 * One page of a source that anybody may have written: read until it answers or the signal fires, and held to what a page
 * promises.
 *
 * @throws GazetteError `aborted`, also where the source ignores the signal; `internal_error` for more records than were
 *   asked for, a record the filter keeps out, a `nextOffset` that does not lead on, an empty `asOf`.
 */
export async function readPage(register: RegisterSource, query: PageQuery): Promise<Page> {
  const page = await readWithin(query.signal, () => register.page(query));
  checkPage(register, query, page);
  return page;
}

/** What `read` answers, unless the signal fires first. */
async function readWithin<T>(signal: AbortSignal | undefined, read: () => T | Promise<T>): Promise<T> {
  throwIfAborted(signal);
  let answer: T;
  try {
    const reading = read();
    answer = reading instanceof Promise && signal !== undefined ? await untilAborted(reading, signal) : await reading;
  } catch (error) {
    // A read that the signal ended fails in the driver's own words; the walk was cancelled all the same.
    throwIfAborted(signal);
    throw error;
  }
  throwIfAborted(signal);
  return answer;
}

/** The promise's value, unless the signal fires first: a read that never ends must not hold up whoever gave up on it. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(new GazetteError('aborted', 'the operation was cancelled', { cause: signal.reason }));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function* streamPages(
  register: RegisterStream,
  { filter, signal }: WalkOptions,
): AsyncGenerator<Page, void, undefined> {
  try {
    throwIfAborted(signal);
    for await (const page of register.pages(signal === undefined ? {} : { signal })) {
      throwIfAborted(signal);
      yield filter === undefined
        ? page
        : { ...page, records: page.records.filter((record) => matchesFilter(record, filter)) };
      throwIfAborted(signal);
    }
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}

function checkPage(register: RegisterSource, { limit, offset, filter }: PageQuery, page: Page): void {
  if (page.records.length > limit) {
    throw broken(register, `a page must have at most ${limit} records`, page.records.length);
  }
  const stranger = filter && page.records.find((record) => !matchesFilter(record, filter));
  if (stranger !== undefined)
    throw broken(register, 'a page must have only records that match the filter', stranger.id);
  const next: unknown = page.nextOffset;
  // Whatever does not lead on, undefined included, would be asked for again and again.
  if (next !== null && (typeof next !== 'number' || !Number.isSafeInteger(next) || next <= offset)) {
    throw broken(register, `nextOffset must be null or a whole number beyond ${offset}`, next);
  }
  if (page.asOf === '') throw broken(register, 'asOf must be a view or null', '');
}

function broken({ definition }: RegisterSource, expected: string, got: unknown): GazetteError {
  return new GazetteError('internal_error', `register ${definition.id}: ${expected}, got ${quote(got)}`);
}

/** @throws GazetteError `aborted`, with the signal's reason as its cause, once `signal` has fired. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new GazetteError('aborted', 'the operation was cancelled', { cause: signal.reason });
  }
}

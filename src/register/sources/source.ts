// The sources of pages. `RegisterSource.page()` is the only primitive behind every list, export and feed. A source that
// can be read only once, from start to end, is a `RegisterStream` and is used for whole-register exports.
import type { Facet } from '../finding/facets.ts';
import { compileFilter, type Filter } from '../finding/filter.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { ByteRows } from './byte-rows.ts';
import { type AsOf, isMoment, type Matched, type Page, PAGE_SIZE, type PageQuery } from '../page.ts';
import { checkLimit, checkOffset } from '../query.ts';
import type { RegisterDefinition } from '../record.ts';

/** A register that returns pages: an array, a store, or an embedder's own function over a database. */
export interface RegisterSource {
  /** The definition of the register. */
  readonly definition: RegisterDefinition;
  /**
   * The next `limit` matching records, newest first, from `offset` down.
   *
   * @throws GazetteError `invalid_parameter` when the view is unknown
   */
  page(query: PageQuery): Page | Promise<Page>;
  /** The names of the filters that it knows; others are refused by name. Absent: all. */
  readonly filters?: readonly string[];
  /**
   * The requested page and all following ones, as many at once as are best read together. Each begins at the
   * `nextOffset` of the previous one, as if `page()` had been called for each within the first one's view, and the last
   * one's is null. A walk uses this after its first page. Its resources are released when the iteration ends, and when
   * the query's `signal` fires. Optional: it saves database round trips, and changes nothing else.
   */
  pagesAhead?(query: PageQuery): AsyncIterable<readonly Page[]>;
  /**
   * The records of the requested page and all following ones as bytes, without a filter and of no moment, as {@link pagesAhead} gives them as
   * pages. Optional: for sources whose records are stored so.
   *
   * @internal
   */
  rowsAhead?(query: Omit<PageQuery, 'filter'>): AsyncIterable<ByteRows>;
  /**
   * How many records match a filter, in a view: exactly where an index knows it, or where one request may examine as many
   * records as it takes; otherwise at least so many. Optional: without it the number is told where one page has them all.
   */
  matched?(query: Pick<PageQuery, 'filter' | 'asOf' | 'signal'>): Matched | Promise<Matched>;
  /**
   * The commonest values of some fields in all records, from counters, and how many values more each has. Null while it has
   * no counters of them. Optional: without it the newest records are read and counted.
   *
   * @param names as `checkFacetNames()` gives them
   */
  facets?(names: readonly string[]): Promise<readonly Facet[] | null>;
  /** Whether it finds records by words of their previews ({@link PageQuery.preview}), quickly. Absent: no. */
  readonly findsPreviews?: boolean;
  /** A text that changes whenever anything in the register changes; without it validators hash the body. */
  revision?(): string | Promise<string>;
  /** When the register last changed, RFC 3339; null if it never did. Feeds use it as their date. */
  lastChange?(): string | null | Promise<string | null>;
  /**
   * A date that no two states of the register share, in seconds since 1970; null if there is none. Stores have one.
   * Without it, `Last-Modified` is made of {@link lastChange}.
   */
  lastModified?(): number | null | Promise<number | null>;
}

/** A register that can only be read in one pass, once per call of `pages()`: a file, a generator, standard input. */
export interface RegisterStream {
  /** The definition of the register. */
  readonly definition: RegisterDefinition;
  /** All pages, newest first. `nextOffset` is null only on the last page. */
  pages(options?: { readonly signal?: AbortSignal }): AsyncIterable<Page>;
  /**
   * When the register last changed, RFC 3339; null if it never did. Absent: unknown. Feeds use it as their date, which should not
   * be older than a record; it is asked for after the first page.
   */
  lastChange?(): string | null | Promise<string | null>;
}

/** Options of a walk. */
export interface WalkOptions {
  /** Which records; default: all. */
  readonly filter?: Filter;
  /** Records per page, 1 to 100, the default. */
  readonly limit?: number;
  /** How many records to skip. Default 0. */
  readonly offset?: number;
  /** The view to read in; default: the source's newest. */
  readonly asOf?: AsOf;
  /** Stops the walk; it then throws `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * Every page of a register from the newest down, including empty pages, in the view of the first page. The pages of a
 * stream keep their boundaries; a filter only removes records.
 *
 * @throws GazetteError `aborted` once `signal` fires; `invalid_parameter`; `internal_error` when a source's
 *   `nextOffset` does not advance, because the walk would never end.
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
    // The first page is read alone: its reader waits for no other, and many need no second one.
    if (offset !== null && register.pagesAhead !== undefined) {
      yield* readPagesAhead(register, queryAt(offset));
      return;
    }
  }
}

/**
 * The same walk through all records for a writer that takes bytes: after the first page, what a source gives as such.
 *
 * @throws GazetteError as {@link pages} does
 */
export async function* pagesOrRows(
  register: RegisterSource | RegisterStream,
  options: WalkOptions = {},
): AsyncGenerator<Page | ByteRows, void, undefined> {
  const isPaged = options.filter !== undefined || isMoment(options.asOf);
  if ('pages' in register || register.rowsAhead === undefined || isPaged) {
    yield* pages(register, options);
    return;
  }
  const { asOf, offset = 0, signal } = options;
  const query = { limit: PAGE_SIZE, offset, ...(signal === undefined ? {} : { signal }) };
  const first = await readPage(register, { ...query, ...(asOf === undefined ? {} : { asOf }) });
  yield first;
  if (first.nextOffset === null) return;
  const view = first.asOf === null ? {} : { asOf: first.asOf };
  yield* readSteps(signal, register.rowsAhead({ ...query, ...view, offset: first.nextOffset }));
}

/** The steps of an iteration, each of which is read as {@link readWithin} does. */
export async function* readSteps<Step>(
  signal: AbortSignal | undefined,
  steps: AsyncIterable<Step>,
): AsyncGenerator<Step, void, undefined> {
  const iterator = steps[Symbol.asyncIterator]();
  let isReading = false;
  try {
    for (;;) {
      isReading = true;
      const step = await readWithin(signal, () => iterator.next());
      isReading = false;
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    // The result of a read that is still running is no longer needed.
    const ended = iterator.return?.();
    if (isReading) ended?.catch(() => undefined);
    else await ended;
  }
}

/** As {@link readPage}, for {@link RegisterSource.pagesAhead}. */
async function* readPagesAhead(register: RegisterSource, query: PageQuery): AsyncGenerator<Page, void, undefined> {
  let offset: number | null = query.offset;
  for await (const group of readSteps(query.signal, register.pagesAhead!(query))) {
    if (group.length === 0) throw broken(register, 'pagesAhead() must give at least one page at a time', 0);
    for (const page of group) {
      // Nothing may follow the last page.
      if (offset === null) throw broken(register, 'no page may follow one whose nextOffset is null', page.nextOffset);
      checkPage(register, { ...query, offset }, page);
      offset = page.nextOffset;
    }
    for (const page of group) {
      throwIfAborted(query.signal);
      yield page;
    }
    if (offset === null) return;
  }
  throw broken(register, 'pagesAhead() must end with a nextOffset of null', offset);
}

/**
 * One page of a source of unknown quality: waits until it answers or the signal fires, and checks the contract of a
 * page.
 *
 * @throws GazetteError `aborted`, also if the source ignores the signal; `internal_error` for more records than
 *   requested, a record that does not match the filter, a `nextOffset` that does not advance, an empty `asOf`.
 */
export async function readPage(register: RegisterSource, query: PageQuery): Promise<Page> {
  checkPaged(register);
  const page = await readWithin(query.signal, () => register.page(query));
  checkPage(register, query, page);
  return page;
}

/** @throws GazetteError `invalid_option` for a stream, which programs without types give where single pages are asked for. */
export function checkPaged(register: RegisterSource): void {
  if (!('pages' in register)) return;
  throw new GazetteError(
    'invalid_option',
    `register ${register.definition.id}: a one-pass stream has no single pages: exportRegister() and pages() read it whole`,
  );
}

/** The result of `read`, unless the signal fires first. */
export async function readWithin<T>(signal: AbortSignal | undefined, read: () => T | Promise<T>): Promise<T> {
  throwIfAborted(signal);
  let answer: T;
  try {
    const reading = read();
    answer = reading instanceof Promise && signal !== undefined ? await untilAborted(reading, signal) : await reading;
  } catch (error) {
    // A read that the signal ended fails with the driver's own error; report the cancellation instead.
    throwIfAborted(signal);
    throw error;
  }
  throwIfAborted(signal);
  return answer;
}

/**
 * The promise's value, unless the signal fires first: a caller that cancels must not wait for a read that never ends.
 */
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
    const asked = compileFilter(filter, register.definition.fields);
    for await (const page of register.pages(signal === undefined ? {} : { signal })) {
      throwIfAborted(signal);
      yield asked === null ? page : { ...page, records: page.records.filter((record) => asked.matches(record)) };
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
  const asked = compileFilter(filter, register.definition.fields);
  // Looking for every word in every text again would take as long as finding them.
  const stranger = asked === null ? undefined : page.records.find((record) => !asked.matches(record, true));
  if (stranger !== undefined)
    throw broken(register, 'a page must have only records that match the filter', stranger.id);
  const next: unknown = page.nextOffset;
  // Any value that does not advance, including undefined, would be requested again and again.
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

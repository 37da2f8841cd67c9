import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../../src/register/definition.ts';
import type { ByteRows } from '../../../src/register/sources/byte-rows.ts';
import { fromRecords } from '../../../src/register/sources/from-records.ts';
import type { Page, PageQuery } from '../../../src/register/page.ts';
import {
  pages,
  pagesOrRows,
  type RegisterSource,
  type RegisterStream,
  throwIfAborted,
  type WalkOptions,
} from '../../../src/register/sources/source.ts';

const definition = defineRegister({ id: 'permits', title: 'Permits', created_at: '2026-01-01T00:00:00Z' });
const records = (
  await (async () => {
    const types = ['draft', 'adopted'];
    const source = fromRecords(
      definition,
      Array.from({ length: 7 }, (_, index) => ({
        id: String(index + 1),
        title: `Permit ${index + 1}`,
        source_url: 'https://example.org/',
        observed_at: '2026-04-19T08:12:44Z',
        document_type: types[index % 2]!,
      })),
    );
    return source.page({ offset: 0, limit: 100 });
  })()
).records;

/** A source that answers what it is told and remembers what it was asked. */
class ScriptedSource implements RegisterSource {
  readonly definition = definition;
  readonly queries: PageQuery[] = [];
  readonly #answer: (query: PageQuery) => Page | Promise<Page>;

  constructor(answer: (query: PageQuery) => Page | Promise<Page>) {
    this.#answer = answer;
  }

  page(query: PageQuery): Page | Promise<Page> {
    this.queries.push(query);
    return this.#answer(query);
  }
}

const collect = async (register: RegisterSource | RegisterStream, options?: WalkOptions): Promise<Page[]> =>
  Array.fromAsync(pages(register, options));

describe('pages() over a source', () => {
  it('asks for the newest page first, then for each next offset, in the view of the first page', async () => {
    const source = new ScriptedSource(({ offset }) => ({
      records: [],
      nextOffset: offset === 0 ? 40 : offset === 40 ? 41 : null,
      asOf: offset === 0 ? 'view-1' : 'view-2',
    }));
    const filter = { document_type: 'adopted' };
    await collect(source, { limit: 7, filter });
    expect(source.queries).toEqual([
      { offset: 0, limit: 7, filter },
      { offset: 40, limit: 7, filter, asOf: 'view-1' },
      { offset: 41, limit: 7, filter, asOf: 'view-1' },
    ]);
  });

  it('asks for 100 records a page unless told otherwise', async () => {
    const source = new ScriptedSource(() => ({ records: [], nextOffset: null, asOf: null }));
    await collect(source);
    expect(source.queries).toEqual([{ offset: 0, limit: 100 }]);
  });

  it('keeps to the offset and the view it is given', async () => {
    const source = new ScriptedSource(() => ({ records: [], nextOffset: null, asOf: 9 }));
    await collect(source, { offset: 5, asOf: 8 });
    expect(source.queries).toEqual([{ offset: 5, limit: 100, asOf: 8 }]);
  });

  it('goes on through empty pages until there is no next offset', async () => {
    const source = new ScriptedSource(({ offset }) =>
      offset < 30
        ? { records: [], nextOffset: offset + 10, asOf: null }
        : { records: records.slice(0, 1), nextOffset: null, asOf: null },
    );
    expect((await collect(source)).map((page) => page.records.length)).toEqual([0, 0, 0, 1]);
  });

  it('yields one empty page for an empty register', async () => {
    expect(await collect(fromRecords(definition, []))).toEqual([{ records: [], nextOffset: null, asOf: 0 }]);
  });

  it.each([
    ['the same offset again', 10],
    ['an offset further up', 3],
    ['no number', NaN],
    ['half an offset', 10.5],
    ['nothing at all', undefined],
    ['a text', '20'],
  ])('ends with an error when a source answers %s for the next offset', async (_, next) => {
    const source = new ScriptedSource(({ offset }) => ({
      records: [],
      nextOffset: offset === 0 ? 10 : (next as number),
      asOf: null,
    }));
    await expect(collect(source)).rejects.toMatchObject({
      code: 'internal_error',
      message: expect.stringMatching(
        /^register permits: nextOffset must be null or a whole number beyond 10, got /,
      ) as string,
    });
    expect(source.queries).toHaveLength(2);
  });

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 101 }, 'limit'],
    [{ offset: -1 }, 'offset'],
  ])('refuses %j before it asks for anything', async (options, parameter) => {
    const source = new ScriptedSource(() => ({ records: [], nextOffset: null, asOf: null }));
    await expect(collect(source, options)).rejects.toMatchObject({ code: 'invalid_parameter', details: { parameter } });
    expect(source.queries).toEqual([]);
  });

  it('passes on what a source throws', async () => {
    const error = new Error('the store went away');
    const source = new ScriptedSource(async () => Promise.reject(error));
    await expect(collect(source)).rejects.toBe(error);
  });
});

describe('pages() over a source that reads ahead', () => {
  const page = (nextOffset: number | null): Page => ({ records: [], nextOffset, asOf: 'view' });

  /** A source with what was asked of it, and whether it was told that nobody goes on. */
  class AheadSource implements RegisterSource {
    readonly definition = definition;
    readonly queries: PageQuery[] = [];
    readonly #groups: (query: PageQuery) => AsyncIterable<readonly Page[]> | Iterable<readonly Page[]>;
    groupsTaken = 0;
    isEnded = false;

    constructor(groups: (query: PageQuery) => AsyncIterable<readonly Page[]> | Iterable<readonly Page[]>) {
      this.#groups = groups;
    }

    page(): Page {
      return page(10);
    }

    async *pagesAhead(query: PageQuery): AsyncGenerator<readonly Page[]> {
      this.queries.push(query);
      try {
        for await (const group of this.#groups(query)) {
          this.groupsTaken++;
          yield group;
        }
      } finally {
        this.isEnded = true;
      }
    }
  }

  it('asks for one page first, then for all the others, from where it ends and in its view', async () => {
    const source = new AheadSource(() => [
      [page(20), page(35)],
      [page(40), page(null)],
    ]);
    const found = await collect(source, { limit: 7 });
    expect(found.map(({ nextOffset }) => nextOffset)).toEqual([10, 20, 35, 40, null]);
    expect(source.queries).toEqual([{ offset: 10, limit: 7, asOf: 'view' }]);
    expect(source.isEnded).toBe(true);
  });

  it('takes no pages before the second is asked for, and no more before those are handed on', async () => {
    const source = new AheadSource(() => [[page(20), page(30)], [page(40)]]);
    const walk = pages(source);
    await walk.next();
    expect(source.queries).toEqual([]);
    await walk.next();
    await walk.next();
    expect(source.groupsTaken).toBe(1);
    await walk.return();
    expect(source.isEnded).toBe(true);
  });

  it('passes on a failure only to whoever asks for those pages', async () => {
    const source = new AheadSource(function* () {
      yield [page(20), page(30)];
      throw new Error('the database is gone');
    });
    const walk = pages(source);
    for (const expected of [10, 20, 30]) expect((await walk.next()).value).toEqual(page(expected));
    await expect(walk.next()).rejects.toThrow('the database is gone');
  });

  it('stops between pages once the signal fires', async () => {
    const source = new AheadSource(() => [[page(20), page(30)]]);
    const stop = new AbortController();
    const walk = pages(source, { signal: stop.signal });
    await walk.next();
    await walk.next();
    stop.abort();
    await expect(walk.next()).rejects.toMatchObject({ code: 'aborted' });
    expect(source.isEnded).toBe(true);
  });

  it('does not wait for a read that goes on when the signal fires', async () => {
    const source = new AheadSource(async function* () {
      yield await new Promise<Page[]>(() => undefined);
    });
    const stop = new AbortController();
    const walk = pages(source, { signal: stop.signal });
    await walk.next();
    const second = walk.next();
    stop.abort('no');
    await expect(second).rejects.toMatchObject({ code: 'aborted', cause: 'no' });
  });

  it('nor for one of rows', async () => {
    const source: RegisterSource = {
      definition,
      page: () => page(10),
      async *rowsAhead(): AsyncGenerator<ByteRows> {
        yield await new Promise<ByteRows>(() => undefined);
      },
    };
    const stop = new AbortController();
    const walk = pagesOrRows(source, { signal: stop.signal });
    await walk.next();
    const second = walk.next();
    stop.abort('no');
    await expect(second).rejects.toMatchObject({ code: 'aborted', cause: 'no' });
  });

  it.each<[string, readonly (readonly Page[])[]]>([
    ['no page at all', [[]]],
    ['an end before the last page', [[page(20)]]],
    ['a page that does not lead on', [[page(20), page(20)]]],
    ['a page behind the last', [[page(null), page(30)]]],
  ])('refuses %s', async (_, groups) => {
    const source = new AheadSource(() => groups);
    await expect(collect(source)).rejects.toMatchObject({ code: 'internal_error' });
    expect(source.isEnded).toBe(true);
  });
});

describe('pages() and a signal', () => {
  const endless = (): ScriptedSource =>
    new ScriptedSource(({ offset }) => ({ records: [], nextOffset: offset + 1, asOf: null }));

  it('asks for nothing when it has fired before', async () => {
    const source = endless();
    await expect(collect(source, { signal: AbortSignal.abort('no') })).rejects.toMatchObject({
      code: 'aborted',
      cause: 'no',
    });
    expect(source.queries).toEqual([]);
  });

  it('stops between pages', async () => {
    const source = endless();
    const controller = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const page of pages(source, { signal: controller.signal })) {
        if (page.nextOffset === 3) controller.abort();
      }
    };
    await expect(walk()).rejects.toMatchObject({ code: 'aborted' });
    expect(source.queries).toHaveLength(3);
  });

  it('reaches the source, and a read that it ends is a cancelled walk, not a failed one', async () => {
    const controller = new AbortController();
    const source = new ScriptedSource(
      async ({ signal }) =>
        new Promise((_, reject) => {
          signal!.addEventListener('abort', () => {
            reject(signal!.reason as Error);
          });
        }),
    );
    const walk = collect(source, { signal: controller.signal });
    controller.abort(new Error('closing time'));
    await expect(walk).rejects.toMatchObject({ code: 'aborted', cause: { message: 'closing time' } });
  });

  it('yields no page that arrives after it has fired', async () => {
    const controller = new AbortController();
    const source = new ScriptedSource(() => {
      controller.abort();
      return { records, nextOffset: null, asOf: null };
    });
    const seen: Page[] = [];
    const walk = async (): Promise<void> => {
      for await (const page of pages(source, { signal: controller.signal })) seen.push(page);
    };
    await expect(walk()).rejects.toMatchObject({ code: 'aborted' });
    expect(seen).toEqual([]);
  });
});

describe('pages() over a stream', () => {
  const closed: boolean[] = [];
  const stream = (): RegisterStream => ({
    definition,
    async *pages() {
      try {
        yield { records: records.slice(0, 3), nextOffset: 3, asOf: null };
        yield { records: records.slice(3), nextOffset: null, asOf: null };
      } finally {
        closed.push(true);
      }
    },
  });

  it('keeps the boundaries of its pages, whatever the limit', async () => {
    expect((await collect(stream(), { limit: 1 })).map((page) => page.records.length)).toEqual([3, 4]);
  });

  it('takes out what a filter does not let through', async () => {
    const found = await collect(stream(), { filter: { document_type: 'adopted' } });
    expect(found.map((page) => [page.records.length, page.nextOffset])).toEqual([
      [1, 3],
      [2, null],
    ]);
  });

  it.each([{ offset: 1 }, { asOf: 3 }])('refuses %j: it has no places', async (options) => {
    await expect(collect(stream(), options)).rejects.toMatchObject({ code: 'invalid_option' });
  });

  it('is closed when the reader goes away', async () => {
    closed.length = 0;
    const walk = pages(stream());
    await walk.next();
    await walk.return();
    expect(closed).toEqual([true]);
  });

  it('stops and is closed when the signal fires', async () => {
    closed.length = 0;
    const controller = new AbortController();
    const walk = pages(stream(), { signal: controller.signal });
    await walk.next();
    controller.abort();
    await expect(walk.next()).rejects.toMatchObject({ code: 'aborted' });
    expect(closed).toEqual([true]);
  });

  it('turns a read that the signal ends into a cancelled walk', async () => {
    const controller = new AbortController();
    const failing: RegisterStream = {
      definition,
      async *pages() {
        yield { records, nextOffset: 7, asOf: null };
        controller.abort('enough');
        throw new Error('read ECONNRESET');
      },
    };
    await expect(collect(failing, { signal: controller.signal })).rejects.toMatchObject({
      code: 'aborted',
      cause: 'enough',
    });
  });
});

describe('throwIfAborted', () => {
  it('throws with the signal’s reason once it has fired, and never before', () => {
    const controller = new AbortController();
    expect(() => {
      throwIfAborted(undefined);
      throwIfAborted(controller.signal);
    }).not.toThrow();
    controller.abort('because');
    expect(() => {
      throwIfAborted(controller.signal);
    }).toThrow(expect.objectContaining({ code: 'aborted', cause: 'because' }));
  });
});

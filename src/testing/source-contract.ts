// The contract of every source of pages, whatever its views and offsets are: each record once, newest first, at any
// page size, with every filter, and in a view that later additions do not change.
import { type Filter, matchesFilter } from '../register/finding/filter.ts';
import { STATED_FILTERS } from '../register/finding/filters.ts';
import assert from 'node:assert/strict';
import type { Page, PageQuery } from '../register/page.ts';
import { PAGE_SIZE } from '../register/page.ts';
import type { RegisterRecord } from '../register/record.ts';
import { toRecord } from '../register/record-input.ts';
import { pages, readPage, type RegisterSource, type WalkOptions } from '../register/sources/source.ts';
import { isDate, isDateTime } from '../register/time.ts';
import type { Test } from './test.ts';

/** A source with known content. */
export interface OpenedSource {
  /** The source to be tested. */
  readonly source: RegisterSource;
  /** The ids of all its records, newest first. Ten or more, of several document types and facilities, test the most. */
  readonly ids: readonly string[];
  /** Adds a record, newer than all others. Without it the suite does not test changes during a walk. */
  readonly add?: () => void | Promise<void>;
  /** Called when the test is done: closes and deletes what was opened for it. */
  readonly dispose?: () => void | Promise<void>;
}

/**
 * Registers the suite of every {@link RegisterSource}.
 *
 * @param test any runner's: `test` of node:test, `it` of vitest
 * @param open makes a source for each test
 * @example
 * import { test } from 'node:test';
 * sourceContract(test, async () => ({ source: await openTestDatabase(), ids: ['permits:3', 'permits:2', 'permits:1'] }));
 */
export function sourceContract(test: Test, open: () => OpenedSource | Promise<OpenedSource>): void {
  const withSource = (title: string, run: (opened: OpenedSource) => Promise<void>): void => {
    test(title, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.dispose?.();
      }
    });
  };

  withSource('gives every record once, newest first, whatever the page size', async ({ source, ids }) => {
    for (const limit of [1, 2, 3, 7, PAGE_SIZE]) {
      const walked = await walk(source, { limit });
      assert.deepEqual(idsOf(walked), ids, `in pages of ${limit}`);
      assert.ok(
        walked.every(({ records }) => records.length <= limit),
        `at most ${limit} records a page`,
      );
    }
  });

  withSource('gives records as the definition has them, at falling positions', async ({ source, ids }) => {
    const records = (await walk(source)).flatMap((page) => page.records);
    const { definition } = source;
    for (const record of records) {
      assert.deepEqual(record, toRecord(definition, record, { where: record.id, position: record.position }));
    }
    assert.equal(records.length, ids.length);
    const positions = records.flatMap(({ position }) => (position === null ? [] : [position]));
    assert.deepEqual(
      positions,
      [...new Set(positions)].sort((a, b) => b - a),
      'positions fall',
    );
  });

  withSource('gives each page again from its offset, in its view', async ({ source }) => {
    const walked = await walk(source, { limit: 2 });
    const { asOf } = walked[0]!;
    let offset = 0;
    for (const page of walked) {
      const again = await pageOf(source, { limit: 2, offset, ...(asOf === null ? {} : { asOf }) });
      assert.deepEqual(again, page, `from offset ${offset}`);
      offset = page.nextOffset ?? offset;
    }
  });

  withSource('ends: past the last record there is an empty page, and none after it', async ({ source }) => {
    const { records, nextOffset } = await pageOf(source, { offset: Number.MAX_SAFE_INTEGER });
    assert.deepEqual([records, nextOffset], [[], null]);
  });

  withSource('gives the records that match a filter, and no others', async ({ source }) => {
    const records = (await walk(source)).flatMap((page) => page.records);
    const known = (filter: Filter): boolean =>
      Object.keys(filter).every((name) => source.filters?.includes(name) ?? true);
    for (const filter of filtersOf(records).filter(known)) {
      const expected = records
        .filter((record) => matchesFilter(record, filter, source.definition.fields))
        .map(({ id }) => id);
      for (const limit of [1, 3, PAGE_SIZE]) {
        assert.deepEqual(
          idsOf(await walk(source, { filter, limit })),
          expected,
          `${JSON.stringify(filter)}, ${limit} a page`,
        );
      }
    }
  });

  withSource('gives the same pages ahead as one by one', async ({ source }) => {
    if (source.pagesAhead === undefined) return;
    const bare: RegisterSource = { definition: source.definition, page: (query) => source.page(query) };
    for (const limit of [1, 3, PAGE_SIZE]) assert.deepEqual(await walk(source, { limit }), await walk(bare, { limit }));
  });

  withSource('refuses a view that there is none of', async ({ source }) => {
    const asking = async (): Promise<Page> => source.page({ offset: 0, limit: 1, asOf: 'no such view' });
    await assert.rejects(asking, { code: 'invalid_parameter' });
  });

  withSource('keeps a walk to the view it began in, while a record is added', async ({ source, ids, add }) => {
    if (add === undefined) return;
    const walked: Page[] = [];
    for await (const page of pages(source, { limit: 2 })) {
      if (walked.length === 0) await add();
      walked.push(page);
    }
    assert.deepEqual(idsOf(walked), ids);
    const now = idsOf(await walk(source));
    assert.deepEqual(now.slice(1), ids);
    assert.equal(now.length, ids.length + 1, 'the new record comes first in a new walk');
  });

  withSource('has a revision that stays while nothing changes, and changes with a record', async ({ source, add }) => {
    if (source.revision === undefined) return;
    const before = await source.revision();
    assert.equal(typeof before, 'string');
    await walk(source);
    assert.equal(await source.revision(), before);
    if (add === undefined) return;
    await add();
    assert.notEqual(await source.revision(), before);
  });

  withSource('says when it last changed as a date or an RFC 3339 date-time, or null', async ({ source }) => {
    const lastChange = (await source.lastChange?.()) ?? null;
    assert.ok(lastChange === null || isDate(lastChange) || isDateTime(lastChange), `got ${lastChange}`);
  });
}

async function walk(source: RegisterSource, options: WalkOptions = {}): Promise<Page[]> {
  return Array.fromAsync(pages(source, options));
}

async function pageOf(source: RegisterSource, query: Partial<PageQuery>): Promise<Page> {
  return readPage(source, { offset: 0, limit: PAGE_SIZE, ...query });
}

function idsOf(walked: readonly Page[]): string[] {
  return walked.flatMap(({ records }) => records.map(({ id }) => id));
}

/** Filters that some records match in one or both values, and filters that none match. */
function filtersOf(records: readonly RegisterRecord[]): Filter[] {
  const valuesOf = (record: RegisterRecord): Filter =>
    Object.fromEntries(STATED_FILTERS.flatMap((name) => (record[name] === null ? [] : [[name, record[name]]])));
  const ofOneField = STATED_FILTERS.flatMap((name) => {
    const values = new Set(records.flatMap((record) => record[name] ?? []));
    return [...values].slice(0, MOST_FILTERS).map((value): Filter => ({ [name]: value }));
  });
  return [
    {},
    ...ofOneField,
    ...records.slice(0, MOST_FILTERS).map(valuesOf),
    ...records.slice(0, MOST_FILTERS).map(({ key }) => ({ key })),
    ...records.slice(0, 1).map(({ key, document_type }) => ({ key, document_type: `not ${document_type}` })),
    { key: 'a key of no record' },
    ...STATED_FILTERS.map((name) => ({ [name]: 'a value of no record' })),
  ];
}

/** How many filters of one kind are tried: each is walked several times. */
const MOST_FILTERS = 5;

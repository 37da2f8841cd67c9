// The published suites outside vitest: node:test runs them; and they find what is wrong, which a suite that cannot fail
// would not.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import type { Format } from '../../src/formats/format.ts';
import { createGazette, type Plugin, type PluginCall } from '../../src/service/index.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import type { Page, PageQuery } from '../../src/register/page.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import {
  formatContract,
  pluginContract,
  registerStoreContract,
  SAMPLE_DEFINITION,
  sampleRecords,
  sourceContract,
  type Test,
} from '../../src/testing/index.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';

/** Runs a suite here, and gives the titles of the tests that fail. */
async function failuresOf(register: (test: Test) => void): Promise<string[]> {
  const tests: { readonly title: string; readonly run: () => Promise<void> }[] = [];
  register((title, run) => tests.push({ title, run }));
  const failed: string[] = [];
  for (const { title, run } of tests) await run().catch(() => failed.push(title));
  return failed;
}

const titlesFor = async (call: PluginCall): Promise<{ readonly titles: readonly string[] }> => {
  const { source } = await call.register('permits');
  return { titles: (await source.page({ offset: 0, limit: 100 })).records.map(({ title }) => title) };
};

/** A plugin that is right. */
const TITLES = {
  name: 'titles',
  routes: [
    {
      path: '/feeds/{feed_id}/titles',
      summary: 'Titles',
      answer: async (request) => {
        await request.register(request.params.feed_id!);
        return titlesFor(request);
      },
    },
  ],
  tools: [
    {
      ...{ name: 'titles', title: 'Titles', description: 'Titles.', inputSchema: { type: 'object' } },
      run: (_, call) => titlesFor(call),
    },
  ],
} satisfies Plugin;

/** CSV whose pages are changed before they are written. */
function changed(change: (page: Page) => Page, end = ''): Format {
  return {
    ...csv,
    open(out, head, options) {
      const sink = csv.open(out, head, options);
      const write = (page: Page): void | Promise<void> => {
        const written = sink.write(change(page));
        if (end !== '') out.text(end);
        return written;
      };
      return { write, close: () => sink.close() };
    },
  };
}

const countRecords = (document: Buffer): number => document.toString().match(/^permits:/gm)?.length ?? 0;

const RECORDS = sampleRecords(30);
const GOOD = fromRecords(SAMPLE_DEFINITION, RECORDS, { order: 'newest-first' });

/** A source whose pages are not those of a good one. */
function sourceWith(page: (query: PageQuery) => Promise<Page>): RegisterSource {
  return { definition: SAMPLE_DEFINITION, page };
}
const good = async (query: PageQuery): Promise<Page> => GOOD.page(query);

describe('the published suites', () => {
  it('run under node:test', () => {
    const file = join(import.meta.dirname, 'published-suites.ts');
    const { stdout, status } = spawnSync(process.execPath, ['--test', '--test-reporter', 'tap', file], {
      encoding: 'utf8',
      // What this runner says of itself to its children is not for another one.
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    });
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(150);
    expect(status).toBe(0);
  });

  it.each<[what: string, format: Format, title: string | null]>([
    ['nothing in a good format', csv, null],
    [
      'a format that loses records',
      changed((page) => ({ ...page, records: page.records.filter(({ position }) => position !== 7) })),
      'writes every record of a register of several hundred',
    ],
    [
      'a format that shows where pages end',
      changed((page) => page, '# end of page\n'),
      'writes the same bytes wherever the pages of the sample are cut',
    ],
  ])('find %s', async (_, format, title) => {
    const failed = await failuresOf((test) => {
      formatContract(test, format, { countRecords });
    });
    if (title === null) expect(failed).toEqual([]);
    else expect(failed).toContain(title);
  });

  it.each<[what: string, source: RegisterSource, title: string | null]>([
    ['nothing in a good source', GOOD, null],
    [
      'a source that ends too early',
      sourceWith(async (query) => ({ ...(await good(query)), nextOffset: null })),
      'gives every record once, newest first, whatever the page size',
    ],
    [
      'a source that gives a record twice',
      sourceWith(async (query) => good({ ...query, offset: Math.max(query.offset - 1, 0) })),
      'gives every record once, newest first, whatever the page size',
    ],
    [
      'a source that knows one filter alone',
      sourceWith(async (query) => {
        const { facility_id, ...filter } = query.filter ?? {};
        return facility_id === undefined ? good({ ...query, filter }) : { records: [], nextOffset: null, asOf: 30 };
      }),
      'gives the records that match a filter, and no others',
    ],
    [
      'a source that takes any view',
      sourceWith(async ({ offset, limit, filter = {} }) => good({ offset, limit, filter })),
      'refuses a view that there is none of',
    ],
    [
      'a source whose records lack a field',
      sourceWith(async (query) => {
        const page = await good(query);
        return { ...page, records: page.records.map((record) => ({ ...record, data: {} })) };
      }),
      'gives records as the definition has them, at falling positions',
    ],
  ])('find %s', async (_, source, title) => {
    const failed = await failuresOf((test) => {
      sourceContract(test, () => ({ source, ids: RECORDS.map(({ id }) => id) }));
    });
    if (title === null) expect(failed).toEqual([]);
    else expect(failed).toContain(title);
  });

  it.each<[what: string, plugin: (store: SqliteStore) => Plugin, title: string | null]>([
    ['nothing in a good plugin', () => TITLES, null],
    [
      'a plugin that reads past its caller’s sight',
      (store) => ({
        ...TITLES,
        routes: [{ ...TITLES.routes[0]!, answer: async () => (await store.record('permits:1'))!.record!.content }],
      }),
      'titles: /api/v1/feeds/{feed_id}/titles answers, to HEAD too, and tells the public nothing that only a key opens',
    ],
    [
      'a plugin that answers for registers that there are not',
      () => ({ ...TITLES, routes: [{ ...TITLES.routes[0]!, answer: () => 'none' }] }),
      'titles: /api/v1/feeds/{feed_id}/titles knows no register that there is not',
    ],
    [
      'a plugin whose tool tells more than its caller sees',
      (store) => ({
        ...TITLES,
        tools: [
          { ...TITLES.tools[0]!, run: async () => ({ text: (await store.record('permits:1'))!.record!.content }) },
        ],
      }),
      'titles: titles is listed, answers, and tells the public nothing that only a key opens',
    ],
  ])('find %s', async (_, make, title) => {
    const failed = await failuresOf((test) => {
      pluginContract(test, TITLES, async () => {
        const store = SqliteStore.open(':memory:');
        const gazette = createGazette({ store, plugins: [make(store)] });
        const dispose = async (): Promise<void> => {
          await gazette.close();
          await store.close();
        };
        return { store, fetch: gazette.fetch, figures: () => gazette.metrics.registry.metrics(), dispose };
      });
    });
    if (title === null) expect(failed).toEqual([]);
    else expect(failed).toContain(title);
  });

  it('find a store that forgets what was withdrawn', async () => {
    class Forgetful extends DelegatingStore {
      override async withdraw(
        ...[feedId, ids, options]: Parameters<DelegatingStore['withdraw']>
      ): ReturnType<DelegatingStore['withdraw']> {
        return super.withdraw(feedId, ids.slice(1), options);
      }
    }
    const failed = await failuresOf((test) => {
      registerStoreContract(test, async () => {
        const store = new Forgetful();
        return { store, dispose: () => store.close() };
      });
    });
    expect(failed).toContain('keeps a log of withdrawals leaves the slot, and nothing in lists');
    expect(failed).not.toContain('keeps registers as registers makes an empty one');
  });
});

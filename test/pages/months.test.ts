// The chart of a register: how many records by month, counted in its newest ones, and not for every change.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { RegisterMonths } from '../../src/pages/months.ts';
import type { RegisterView } from '../../src/views/registers.ts';
import { BASE_URL, deploy } from '../contracts/deployment.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, say } from '../contracts/store-register.ts';
import { find } from './documents.ts';

const DEFINITION = defineRegister({
  id: 'sites',
  title: 'Sites',
  created_at: at(0),
  authority: 'example.org',
  year: 2026,
});

/** A register of records published at these times, and how often a page of it was read. */
function register(published: readonly (string | null)[], change: number): { view: RegisterView; reads: () => number } {
  const source = fromRecords(
    DEFINITION,
    published.map((time, index) => ({
      ...{ id: String(index), title: 'x', source_url: 'https://example.org/', published_at: time, observed_at: at(1) },
    })),
  );
  let reads = 0;
  const entry = { definition: DEFINITION, total: published.length, change, log: 'log' };
  const counted = { ...source, page: (query: Parameters<typeof source.page>[0]) => (reads++, source.page(query)) };
  const view = { entry, source: counted } as unknown as RegisterView;
  return { view, reads: () => reads };
}

describe('records by month', () => {
  it('leave out no month between, and no record that says when it was published', async () => {
    const { view } = register(['2026-01-01', '2026-01-31', null, '2026-04-01T01:00:00+02:00'], 5);
    expect(await new RegisterMonths().of(view)).toEqual({
      ...{ change: 5, latest: null },
      months: [
        { month: '2026-01', records: 2 },
        { month: '2026-02', records: 0 },
        // Midnight of Berlin is still March in UTC.
        { month: '2026-03', records: 1 },
      ],
    });
  });

  it('are those of the newest thousand records, in at most 36 months', async () => {
    const years = Array.from({ length: 3000 }, (_, index) => `${2026 - Math.floor(index / 100)}-05-01`);
    const { view, reads } = register(years.toReversed(), 3000);
    const { months, latest } = await new RegisterMonths().of(view);
    expect([latest, months.length, months.at(-1), reads()]).toEqual([1000, 36, { month: '2026-05', records: 100 }, 10]);
  });

  it('are counted again once a part of the records changed, and not before', async () => {
    const counting = new RegisterMonths();
    const many = Array.from({ length: 1000 }, () => '2026-05-01');
    const readsAt = async (change: number): Promise<number> => {
      const { view, reads } = register(many, change);
      await counting.of(view);
      return reads();
    };
    expect(await readsAt(1000)).toBe(10);
    expect(await readsAt(1005)).toBe(0);
    expect(await readsAt(1006)).toBe(10);
    expect(await readsAt(3)).toBe(10);
  });

  it('are a picture for those who see it and a table for all, where there is more than one month', async () => {
    const service = await deploy(SqliteStore.open(':memory:'), { count: 0 });
    await service.store.createRegister({ ...DEFINITION, access: 'open' });
    const publish = async (key: string, day: string): Promise<string> => {
      await service.store.apply('sites', [say(key, { published_at: day }, 'sites')], { recordedAt: at(1) });
      return (await service.fetch(new Request(`${BASE_URL}/feeds/sites?lang=de`))).text();
    };
    expect(find(await publish('1', '2026-03-01'), 'svg')).toEqual([]);
    const page = await publish('2', '2026-04-01');
    expect(find(page, 'svg', { 'aria-hidden': 'true' })).toHaveLength(1);
    expect(find(page, 'td').map(({ text }) => text)).toEqual(['März 2026', '1', 'April 2026', '1']);
    await service.close();
  });
});

// The chart of a register: how many of all its records were published in which month.
import { beforeEach, describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { chart, type MonthCount } from '../../src/templates/parts/chart.ts';
import { wordingIn } from '../../src/templates/wording.ts';
import { BASE_URL, world, type World } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { find } from './documents.ts';

const DEFINITION = defineRegister({
  id: 'sites',
  title: 'Sites',
  created_at: at(0),
  authority: 'example.org',
  year: 2026,
});

/** The table of a chart of these months. */
function cells(months: readonly MonthCount[], lastChange: string | null): readonly string[] {
  return find(chart(wordingIn('en'), months, lastChange).toString(), 'td').map(({ text }) => text);
}

/** The cells of the chart's table: those of records have a label, or nothing. */
const chartCells = (page: string): readonly string[] =>
  find(page, 'td').flatMap(({ text, attributes }) => (text === '' || attributes.has('data-label') ? [] : [text]));

describe('the chart of records by month', () => {
  it('leaves out no month between, and shows at most the last 36', () => {
    const months = [
      { month: '2026-03', records: 1 },
      { month: '2026-01', records: 1234 },
    ];
    expect(cells(months, at(0))).toEqual(['January 2026', '1,234', 'February 2026', '0', 'March 2026', '1']);
    const old = cells([...months, { month: '0001-12', records: 7 }], at(0));
    expect([old.length, ...old.slice(0, 2)]).toEqual([72, 'April 2023', '0']);
    for (const one of [[], [{ month: '2026-03', records: 5 }]]) expect(cells(one, null)).toEqual([]);
  });

  it('does not end at a date far behind the last change, which is a slip of the pen', () => {
    const months = ['9999-12', '2027-06', '2026-06', '2026-05'].map((month) => ({ month, records: 1 }));
    const shown = cells(months, '2026-06-10T08:00:00Z');
    expect([shown.length, ...shown.slice(-2)]).toEqual([28, 'June 2027', '1']);
    expect(cells(months, '2026-05-31T08:00:00Z').slice(-2)).toEqual(['June 2026', '1']);
    // Where nothing else is there, it is shown all the same.
    expect(cells([months[0]!, { month: '9999-11', records: 1 }], '2026-05-10T08:00:00Z')).toHaveLength(4);
  });
});

describe('the page of a register', () => {
  let service: World;
  beforeEach(async () => {
    service = await world({ records: 0 });
  });

  const page = async (query = ''): Promise<string> =>
    (await service.fetch(new Request(`${BASE_URL}/feeds/sites?lang=de${query}`))).text();

  const publish = async (first: number, days: readonly string[]): Promise<void> => {
    const said = days.map((day, index) => say(`k${first + index}`, { published_at: day }, 'sites'));
    await service.store.apply('sites', said, { recordedAt: at(1) });
  };

  it('has a picture for those who see it and a table for all, where there is more than one month', async () => {
    await service.store.createRegister({ ...DEFINITION, access: 'open' });
    await publish(1, ['2026-03-01']);
    expect(find(await page(), 'svg')).toEqual([]);
    await publish(2, ['2026-04-01']);
    const shown = await page();
    expect(find(shown, 'svg', { 'aria-hidden': 'true' })).toHaveLength(1);
    expect(chartCells(shown)).toEqual(['März 2026', '1', 'April 2026', '1']);
    expect(find(await page('&document_type=Decision'), 'svg')).toEqual([]);
  });

  it('counts every record that its reader may read, however many there are', async () => {
    await service.store.createRegister({ ...DEFINITION, access: 'open' });
    await publish(1, ['2026-02-01', ...Array.from({ length: 2499 }, () => '2026-03-31T23:30:00-05:00')]);
    expect(chartCells(await page())).toEqual(['Februar 2026', '1', 'März 2026', '2.499']);
    await service.store.withdraw('sites', ['sites:k2'], { recordedAt: at(2) });
    expect(chartCells(await page())).toEqual(['Februar 2026', '1', 'März 2026', '2.498']);
  });

  it('has none where the reader sees only the latest records', async () => {
    await service.store.createRegister(DEFINITION);
    await publish(1, ['2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01']);
    expect(find(await page(), 'svg')).toEqual([]);
  });
});

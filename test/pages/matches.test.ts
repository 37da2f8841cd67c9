// How many records match, which values they have, and how each value is reached.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { matchesOf } from '../../src/views/matches.ts';
import { BASE_URL, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { find } from './documents.ts';

const COUNT = 700;

const service = await world({ records: 0 });
for (const id of ['open', 'closed', 'bare']) {
  await service.store.createRegister(
    defineRegister({
      ...{ id, title: 'Places', language: 'en', created_at: at(0) },
      ...(id === 'closed' ? {} : { access: 'open' as const }),
      fields: [
        { name: 'street', label: 'Street', type: 'text', filterable: true },
        { name: 'area', label: 'Area', type: 'number', filterable: true },
        { name: 'built', label: 'Built', type: 'date', filterable: true },
        { name: 'used', label: 'Used', type: 'boolean', filterable: true },
      ],
    }),
  );
  const isBare = id === 'bare';
  const records = Array.from({ length: isBare ? 5 : COUNT }, (_, index) =>
    say(
      String(index + 1),
      {
        ...{ title: `Place ${index + 1}`, facility_id: null },
        summary: index % 2 === 0 ? 'on the river' : null,
        document_type: isBare ? null : index % 10 === 0 ? 'rare' : 'usual',
        published_at: isBare ? null : `2026-0${1 + (index % 6)}-15`,
        data: isBare
          ? {}
          : { street: `Street ${index % 350}`, area: index, built: '1990-01-01', used: index % 2 === 0 },
      },
      id,
    ),
  );
  await service.store.apply(id, records, { recordedAt: at(1) });
}

async function pageAt(path: string): Promise<string> {
  const request = new Request(BASE_URL + path, { headers: { accept: 'text/html', 'accept-language': 'en' } });
  const response = await service.fetch(request);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

const matched = (page: string): readonly string[] => find(page, 'p', { class: 'matched' }).map(({ text }) => text);

/** The values that the form offers, with their numbers. */
function offered(page: string): readonly string[] {
  return find(page, 'label').flatMap(({ text }) => (/\S \d+$/.test(text.trim()) ? [text.trim()] : []));
}

describe('the page of a search', () => {
  it.each([
    ['/feeds/open?document_type=rare', '70 records, of 700'],
    ['/feeds/open?q=river', '350 records, of 700'],
    ['/feeds/open?q=river&document_type=rare&data.area_max=0', '1 record, of 700'],
    ['/feeds/open?q=%22the+river%22', '350 records, of 700'],
    ['/feeds/open?document_type=rare&lang=de', '70 Einträge von 700'],
    ['/feeds/closed?document_type=usual', '3 records, of the latest 3'],
    ['/feeds/closed?q=river', '1 record, of the latest 3'],
  ])('%s says that it has %s', async (path, said) => {
    expect(matched(await pageAt(path))).toEqual([said]);
  });

  it('says so of no page without one', async () => {
    expect(matched(await pageAt('/feeds/open'))).toEqual([]);
    expect(matched(await pageAt('/feeds/open?document_type=none'))).toEqual([]);
  });

  it('has numbers beside the values that follow it; of what is chosen the others stay to be chosen', async () => {
    const page = await pageAt('/feeds/open?q=river&document_type=rare');
    expect(offered(page).slice(0, 2)).toEqual(['rare 70', 'usual 280']);
    expect(offered(page)).toContain('true 70');
    expect(offered(await pageAt('/feeds/closed?q=river'))).toEqual(['usual 1', 'Street 348 1', 'true 1']);
  });

  it('offers only what has values', async () => {
    const names = (page: string): readonly (string | undefined)[] => [
      ...new Set(find(page, 'input', { form: 'find' }).map(({ attributes }) => attributes.get('name'))),
    ];
    expect(names(await pageAt('/feeds/bare'))).toEqual([]);
    const all = ['document_type', 'data.street', 'data.used', 'published_since', 'published_until', 'data.area_min'];
    expect(names(await pageAt('/feeds/open'))).toEqual([
      ...all,
      'data.area_max',
      'data.built_since',
      'data.built_until',
    ]);
    // What is chosen can be taken back.
    expect(names(await pageAt('/feeds/bare?data.area_min=3'))).toEqual(['data.area_min', 'data.area_max']);
  });

  it.each([
    ['published_since', 'banana', 'Published from: “banana” is not a date. Enter one such as 2026-04-01.'],
    ['data.built_until', 'soon', 'Built before: “soon” is not a date. Enter one such as 2026-04-01.'],
    ['data.area_min', 'many', 'Area at least: “many” is not a number. Enter one such as 12.5.'],
  ])('keeps its form, and says beside the field that %s=%s cannot be', async (name, value, said) => {
    const page = await pageAt(`/feeds/open?${name}=${value}&document_type=rare`);
    const [input] = find(page, 'input', { name, form: 'find' });
    expect(Object.fromEntries(input!.attributes)).toMatchObject({ value, 'aria-invalid': 'true', type: 'text' });
    const id = input!.attributes.get('aria-describedby')!;
    expect(find(page, 'p', { id }).map(({ text }) => text)).toEqual([said]);
    expect(find(page, 'a', { href: `#${input!.attributes.get('id')}` }).map(({ text }) => text)).toEqual([said]);
    // All else is searched for.
    expect(matched(page)).toEqual(['70 records, of 700']);
    expect(find(page, 'meta', { name: 'robots' })).toHaveLength(1);
  });

  it('says what else cannot be, and searches for all others', async () => {
    const page = await pageAt('/feeds/open?data.used=maybe&document_type=rare');
    expect(find(page, 'p', { class: 'error' }).map(({ text }) => text)).toEqual(['Used cannot be “maybe”.']);
    expect(matched(page)).toEqual(['70 records, of 700']);
  });
});

describe('all values of a field', () => {
  const listed = (page: string): readonly string[] =>
    find(page, 'li').flatMap(({ text }) => (/ \d+$/.test(text.trim()) ? [text.trim()] : []));

  it.each(['/feeds/open?q=place', '/feeds/open'])(
    'are reached from %s, each once, a page after the other',
    async (from) => {
      const [link] = find(await pageAt(from), 'a').filter(({ attributes: all }) =>
        all.get('href')!.includes('/values?'),
      );
      expect(link!.text).toBe('342 more: All values of Street');
      const values: string[] = [];
      for (let path: string | undefined = link!.attributes.get('href'); path !== undefined;) {
        const page = await pageAt(path);
        values.push(...listed(page));
        path = find(page, 'a', { rel: 'next' })[0]?.attributes.get('href');
      }
      expect(new Set(values)).toEqual(new Set(Array.from({ length: 350 }, (_, index) => `Street ${index} 2`)));
      expect(values).toHaveLength(350);
    },
  );

  it('lead to their records, within the search', async () => {
    const page = await pageAt('/feeds/open/values?field=data.street&q=river&starts=Street+34');
    expect(listed(page).slice(0, 2)).toEqual(['Street 34 2', 'Street 340 2']);
    const [link] = find(page, 'a').filter(({ text }) => text === 'Street 340');
    expect(matched(await pageAt(link!.attributes.get('href')!))).toEqual(['2 records, of 700']);
  });

  it.each(['street 34', 'STREET 34'])('are found by how they begin, whatever the case: %s', async (start) => {
    for (const search of ['', '&q=river']) {
      const path = `/feeds/open/values?field=data.street${search}&starts=${encodeURIComponent(start)}`;
      expect(listed(await pageAt(path)).slice(0, 2)).toEqual(['Street 34 2', 'Street 340 2']);
    }
  });

  it('are found so in the usual ways to write them where there are more than can be looked through', async () => {
    const values = [...Array.from({ length: 1100 }, (_, index) => `Ämter ${index}`), 'ÄMTER IM HAUS'];
    await service.store.createRegister(
      defineRegister({ id: 'many', title: 'Many', access: 'open', created_at: at(0) }),
    );
    const records = values.map((value, index) => say(String(index), { document_type: value }, 'many'));
    await service.store.apply('many', records, { recordedAt: at(1) });
    const starts = async (start: string): Promise<readonly string[]> =>
      listed(await pageAt(`/feeds/many/values?field=document_type&starts=${encodeURIComponent(start)}`));
    const found = ['109', '1090', '1091'].map((number) => `Ämter ${number} 1`);
    expect((await starts('ämter 109')).slice(0, 3)).toEqual(found);
    expect(await starts('Ämter im h')).toEqual(['ÄMTER IM HAUS 1']);
  });

  it('are those of the latest records for the public, and none where there are none', async () => {
    expect(listed(await pageAt('/feeds/closed/values?field=data.street'))).toEqual([
      'Street 347 1',
      'Street 348 1',
      'Street 349 1',
    ]);
    expect(await pageAt('/feeds/closed/values?field=data.street&starts=Street+1')).toContain('There is no such value.');
  });
});

describe('matchesOf', () => {
  it('says that there may be more where one request may examine no more', async () => {
    const source = await service.store.source('open');
    const names = ['document_type'];
    let positions = 0;
    // A register of 30,000 records, a page of them at a time.
    const large: typeof source = {
      definition: source.definition,
      async page({ offset, limit }) {
        positions = offset + limit;
        const { records } = await source.page({ offset: 0, limit });
        return { records, nextOffset: positions < 30_000 ? positions : null, asOf: 30_000 };
      },
    };
    const found = await matchesOf(large, { names, counted: null });
    expect(found).toMatchObject({ matched: 20_000, isAtLeast: true, isBounded: true });
    expect(positions).toBe(20_000);
    const usual: typeof source = {
      ...large,
      page: async (query) => {
        const page = await large.page(query);
        return { ...page, records: page.records.filter(({ document_type: type }) => type === 'usual') };
      },
    };
    const filter = { document_type: ['usual'] };
    const at = { names, counted: null, filter };
    expect(await matchesOf(usual, at)).toMatchObject({ matched: 18_000, isAtLeast: true });
    // An index knows how many there are.
    const indexed = { ...usual, matched: () => ({ matched: 25_000, isAtLeast: false }) };
    expect(await matchesOf(indexed, at)).toMatchObject({ matched: 25_000, isAtLeast: false, isBounded: true });
  });
});

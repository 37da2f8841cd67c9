// The page of figures: the form, the table with its bars, and the ways from and to the records.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { BASE_URL, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { openShop, signedIn } from '../wings/selling/shop.ts';
import { find } from './documents.ts';

const service = await world({ records: 0 });
for (const id of ['open', 'closed']) {
  await service.store.createRegister(
    defineRegister({
      ...{ id, title: 'Places', language: 'en', created_at: at(0) },
      ...(id === 'closed' ? {} : { access: 'open' as const }),
      fields: [
        { name: 'street', label: 'Street', type: 'text', filterable: true },
        { name: 'price', label: 'Price', type: 'decimal' },
        { name: 'built', label: 'Built', type: 'date', filterable: true },
      ],
    }),
  );
  const records = Array.from({ length: 12 }, (_, index) =>
    say(
      String(index + 1),
      {
        published_at: `202${index % 3}-0${1 + (index % 6)}-15`,
        data: {
          street: index < 6 ? 'Long & Wide' : index < 9 ? 'Short' : null,
          price: `${index * 1000}.50`,
          built: `19${90 + index}-06-01`,
        },
      },
      id,
    ),
  );
  await service.store.apply(id, records, { recordedAt: at(1) });
}

async function pageAt(path: string, status = 200): Promise<string> {
  const request = new Request(BASE_URL + path, { headers: { accept: 'text/html', 'accept-language': 'en' } });
  const response = await service.fetch(request);
  expect([path, response.status]).toEqual([path, status]);
  return response.text();
}

const text = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&amp;', '&')
    .trim();

/** The cells of each row. */
const rows = (page: string): readonly string[] =>
  [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<(t[hd])[^>]*>(.*?)<\/\1>/gs)].map(([, , cell]) => text(cell!)).join(' | '),
  );

describe('the page of figures', () => {
  it('is reached from a register and from a search in it, and leads back', async () => {
    const links = (page: string): readonly string[] =>
      find(page, 'a').flatMap(({ attributes }) => {
        const href = attributes.get('href') ?? '';
        return href.includes('/figures') ? [href] : [];
      });
    expect(links(await pageAt('/feeds/open'))).toEqual(['/feeds/open/figures']);
    expect(links(await pageAt('/feeds/open?data.street=Short'))).toEqual(['/feeds/open/figures?data.street=Short']);
    expect(await pageAt('/feeds/open/figures?data.street=Short')).toContain('href="/feeds/open?data.street=Short"');
  });

  it('counts by the first field that can be filtered, with the way to the records of each value', async () => {
    const page = await pageAt('/feeds/open/figures');
    expect(rows(page)).toEqual([
      'Street | Number of records | Some of them',
      'Long & Wide | 6 | 6, 5, 4',
      'Short | 3 | 9, 8, 7',
    ]);
    expect(page).toContain('href="/feeds/open?data.street=Long+%26+Wide">6</a>');
    expect(page).toContain('3 are in no group, for they lack a value.');
    expect(find(page, 'path').map(({ attributes }) => attributes.get('d'))).toEqual(['M0 0h100v8H0z', 'M0 0h50v8H0z']);
  });

  it('measures what is chosen, and says in the form what that is', async () => {
    const page = await pageAt('/feeds/open/figures?measure=sum:data.price&by=published_at:year&by=&order=key');
    expect(rows(page)).toEqual([
      'Published: year | Sum of Price | Records | Some of them',
      '2020 | 18,002.00 | 4 | 10, 7, 4',
      '2021 | 22,002.00 | 4 | 11, 8, 5',
      '2022 | 26,002.00 | 4 | 12, 9, 6',
    ]);
    expect(
      find(page, 'option')
        .filter(({ attributes }) => attributes.has('selected'))
        .map(({ text }) => text.trim()),
    ).toEqual([...['Sum of Price', 'Published: year', 'nothing else', 'By what they are for']]);
    expect(page).toContain('href="/feeds/open?published_since=2021-01-01&amp;published_until=2022-01-01">4</a>');
  });

  it.each([
    ['measure=max:data.built&data.street=Short', ['All records | 1 June 1998 | 3 | 9']],
    ['measure=avg:data.price', ['All records | 5,500.50000000 | 12 | 12, 11, 10']],
    [
      'by=data.street&by=published_at:month&top=1&published_until=2020-02-01',
      ['Long & Wide | January 2020 | 1 | 1', 'Short | January 2020 | 1 | 7'],
    ],
    ['by=document_type&document_type=none', []],
  ])('has for %s the rows %j', async (query, expected) => {
    expect(rows(await pageAt(`/feeds/open/figures?${query}`)).slice(1)).toEqual(expected);
  });

  it('is in German, too', async () => {
    const page = await pageAt('/feeds/open/figures?measure=sum:data.price&by=data.street&lang=de');
    expect(rows(page)[0]).toBe('Street | Summe: Price | Einträge | Einige davon');
    expect(rows(page).slice(1)).toEqual(['Short | 21.001,50 | 3 | 9, 8, 7', 'Long & Wide | 15.003,00 | 6 | 6, 5, 4']);
  });

  it('is of the latest records alone for the public, and says so', async () => {
    const page = await pageAt('/feeds/closed/figures?by=published_at:year');
    expect(page).toContain('You see the latest 3 records.');
    expect(rows(page).slice(1)).toEqual(['2020 | 1 | 10', '2021 | 1 | 11', '2022 | 1 | 12']);
    expect(page).toContain('3 records match.');
  });

  it('refuses what cannot be asked', async () => {
    expect(await pageAt('/feeds/open/figures?measure=sum:data.street', 400)).toContain(
      'measure must be sum: and one of data.price',
    );
  });

  it('offers buyers of single records no field that previews do not show', async () => {
    const shop = await openShop({ records: 12 });
    const { definition } = (await shop.store.register('permits'))!;
    const fields = definition.fields.map((field) =>
      field.type === 'text' ? { ...field, filterable: true as const } : field,
    );
    await shop.store.updateRegister({ ...definition, fields }, { recordedAt: at(1) });
    const { html } = await (await signedIn(shop)).open(`${BASE_URL}/feeds/permits/figures`);
    expect(html).toContain('value="max:published_at"');
    expect(html).not.toContain('data.');
    expect(html).toContain('12 records match.');
  });
});

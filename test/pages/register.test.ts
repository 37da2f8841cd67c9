// The page of a register: what a reader sees of it, finds in it, follows from it.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { BASE_URL, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { find } from './documents.ts';

const COUNT = 130;

const definition = (id: string, access: object): ReturnType<typeof defineRegister> =>
  defineRegister({
    ...{ id, title: 'Standorte', description: 'Wo etwas steht.', language: 'de', created_at: at(0) },
    ...{ author: 'Amt für Standorte', rights: 'https://licence.example/by', ...access },
    fields: [
      { name: 'country', label: 'Land', type: 'text', filterable: true },
      { name: 'area', label: 'Fläche', type: 'number', filterable: true },
    ],
  });

const service = await world({ records: 0 });
for (const id of ['open', 'closed']) {
  await service.store.createRegister(definition(id, id === 'open' ? { access: 'open' } : {}));
  const records = Array.from({ length: COUNT }, (_, index) => {
    const isLate = index >= COUNT - 3;
    return say(
      String(index + 1),
      {
        title: `Standort ${index + 1}`,
        summary: isLate ? 'neu errichtet' : 'seit langem dort',
        facility_id: null,
        document_type: isLate ? 'neu' : index % 2 === 0 ? 'alt' : 'sehr alt',
        published_at: `2026-0${1 + (index % 6)}-15`,
        data: { country: isLate ? 'DE' : 'AT', area: index + 0.5 },
      },
      id,
    );
  });
  await service.store.apply(id, records, { recordedAt: at(1) });
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return service.fetch(new Request(BASE_URL + path, { headers: { accept: 'text/html', ...headers } }));
}

async function pageAt(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await ask(path, headers);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
}

/** The ids of the records that a page lists. */
function listed(page: string): readonly string[] {
  return find(page, 'a').flatMap(({ attributes }) => {
    const [, id] = /^\/records\/([^?]+)/.exec(attributes.get('href') ?? '') ?? [];
    return id === undefined ? [] : [decodeURIComponent(id)];
  });
}

describe('a register', () => {
  it('offers all of it, and of a search, as one file to those who may have it', async () => {
    const files = (page: string): readonly string[] =>
      find(page, 'a').flatMap(({ attributes }) => {
        const href = attributes.get('href') ?? '';
        return href.includes('/register.') ? [href] : [];
      });
    const page = await pageAt('/feeds/open');
    expect(page).toContain(`Das ganze Register, ${COUNT} Einträge.`);
    expect(files(page)).toEqual(
      ['csv?bom=1', 'xlsx', 'xml', 'ndjson', 'parquet'].map((file) => `/feeds/open/register.${file}`),
    );
    for (const path of files(page)) {
      const file = await ask(path);
      expect([path, file.status]).toEqual([path, 200]);
      await file.arrayBuffer();
    }
    const found = await pageAt('/feeds/open?data.country=AT&offset=20&utm_source=x');
    expect(found).toContain(`Alle, die passen: ${COUNT - 3} Einträge.`);
    const [file] = files(found);
    expect(file).toBe('/feeds/open/register.csv?data.country=AT&bom=1');
    // The mark, a header, a record on each line.
    const csv = Buffer.from(await (await ask(file!)).arrayBuffer()).toString();
    expect([csv[0], csv.split('\r\n').length]).toEqual(['\uFEFF', COUNT - 3 + 2]);
    // What nobody can search for would otherwise be left out of the question.
    expect(files(await pageAt('/feeds/open?q=%2B'))).toEqual([]);
    expect(files(await pageAt('/feeds/closed'))).toEqual([]);
    expect((await ask('/feeds/open/register.csv?lang=de')).status).toBe(200);
    const misspelt = await ask('/feeds/open/register.csv?document_typ=alt');
    expect([misspelt.status, misspelt.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  });

  it('is named as a whole in structured data, which say whether everybody may have it', async () => {
    for (const [id, isAccessibleForFree] of [
      ['open', true],
      ['closed', false],
    ] as const) {
      const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await pageAt(`/feeds/${id}`))!;
      const dataset = JSON.parse(json!) as { readonly distribution: readonly { readonly contentUrl: string }[] };
      expect(dataset).toMatchObject({ isAccessibleForFree });
      expect(dataset.distribution.map(({ contentUrl }) => contentUrl)).toEqual(
        ['csv', 'xlsx', 'xml', 'ndjson', 'parquet'].map((name) => `${BASE_URL}/api/v1/feeds/${id}/register.${name}`),
      );
    }
  });

  it('lists its newest records, and all of them page by page, each once', async () => {
    const ids: string[] = [];
    let path: string | undefined = '/feeds/open';
    let pages = 0;
    while (path !== undefined) {
      const response = await ask(path);
      const page = await response.text();
      ids.push(...listed(page));
      path = find(page, 'a', { rel: 'next' })[0]?.attributes.get('href');
      expect(response.headers.get('link')).toBe(path === undefined ? null : `<${BASE_URL}${path}>; rel="next"`);
      pages++;
    }
    expect(ids).toEqual(Array.from({ length: COUNT }, (_, index) => `open:${COUNT - index}`));
    expect(pages).toBe(7);
  });

  it('is found in by words, values, dates and numbers, as its API is', async () => {
    expect(listed(await pageAt('/feeds/open?q=errichtet'))).toEqual(['open:130', 'open:129', 'open:128']);
    expect(listed(await pageAt('/feeds/open?document_type=neu&data.area_max=128'))).toEqual(['open:128']);
    // 128 is of February, 129 of March, 130 of April.
    expect(listed(await pageAt('/feeds/open?data.country=DE&published_since=2026-03-01'))).toEqual([
      'open:130',
      'open:129',
    ]);
  });

  it('ignores what forms send empty and what links carry besides, but no misspelt filter of its own', async () => {
    const path = '/feeds/open?q=&document_type=&published_since=&data.country=&utm_source=x&limt=3&fbclid=1';
    const page = await pageAt(path);
    expect(page).toBe(await pageAt('/feeds/open'));
    expect(page).not.toContain('fbclid');
    const refused = await ask('/feeds/open?data.contry=DE');
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('did you mean data.country?');
  });

  it('shows the values that there are, and those that there are instead where nothing matches', async () => {
    const page = await pageAt('/feeds/open?document_type=none');
    expect(listed(page)).toEqual([]);
    const links = find(page, 'a').map(({ attributes }) => attributes.get('href'));
    for (const value of ['alt', 'sehr+alt', 'neu']) expect(links).toContain(`/feeds/open?document_type=${value}`);
    const boxes = find(await pageAt('/feeds/open'), 'input', { type: 'checkbox', form: 'find' });
    expect(boxes.map(({ attributes }) => [attributes.get('name'), attributes.get('value')])).toEqual([
      ['document_type', 'alt'],
      ['document_type', 'sehr alt'],
      ['document_type', 'neu'],
      ['data.country', 'AT'],
      ['data.country', 'DE'],
    ]);
  });

  it('sends with its form every filter that was chosen, also those without a field of their own', async () => {
    const page = await pageAt('/feeds/open?key=130&updated_since=2026-01-01&document_type=neu&lang=en');
    // The form of the columns sends them, too.
    const inputs = find(page.replace(/<details class="columns">.*?<\/details>/s, ''), 'input').filter(
      ({ attributes }) => attributes.get('type') !== 'checkbox' || attributes.has('checked'),
    );
    const sent = new URLSearchParams(
      inputs
        .map(({ attributes }): [string, string] => [attributes.get('name')!, attributes.get('value') ?? ''])
        .filter(([, value]) => value !== ''),
    );
    expect(Object.fromEntries(sent)).toEqual({
      ...{ key: '130', updated_since: '2026-01-01', document_type: 'neu', lang: 'en' },
    });
    expect(listed(await pageAt(`/feeds/open?${sent.toString()}`))).toEqual(['open:130']);
  });

  it('leads to every format and feed of what is shown', async () => {
    const page = await pageAt('/feeds/open?document_type=neu');
    const feeds = find(page, 'link', { rel: 'alternate' }).map(({ attributes }) => [
      attributes.get('type'),
      attributes.get('href'),
    ]);
    expect(feeds).toEqual([
      ['application/rss+xml', '/api/v1/feeds/open/records/export.rss?document_type=neu'],
      ['application/atom+xml', '/api/v1/feeds/open/records/export.atom?document_type=neu'],
    ]);
    for (const [type, href] of feeds) {
      const response = await ask(href!);
      expect([response.status, response.headers.get('content-type')!.split(';')[0]]).toEqual([200, type]);
    }
  });

  it('describes itself as a data set', async () => {
    const [data] = find(await pageAt('/feeds/open'), 'script', { type: 'application/ld+json' });
    expect(JSON.parse(data!.text)).toMatchObject({
      ...{ '@type': 'Dataset', name: 'Standorte', description: 'Wo etwas steht.', inLanguage: 'de' },
      ...{ url: `${BASE_URL}/feeds/open`, license: 'https://licence.example/by', isAccessibleForFree: true },
      creator: { name: 'Amt für Standorte' },
    });
    // Search engines are told to leave these out.
    for (const query of ['offset=20', 'document_type=neu'])
      expect(await pageAt(`/feeds/open?${query}`)).not.toContain('application/ld+json');
  });

  it('has its tag, its language and its method HEAD', async () => {
    const response = await ask('/feeds/open', { 'accept-language': 'en' });
    const tag = response.headers.get('etag')!;
    expect(response.headers.get('content-language')).toBe('en');
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await ask('/feeds/open', { 'if-none-match': tag, ...headers })).status;
    expect(await status({ 'accept-language': 'en' })).toBe(304);
    expect(await status({ 'accept-language': 'de' })).toBe(200);
    const head = await service.fetch(new Request(`${BASE_URL}/feeds/open`, { method: 'HEAD' }));
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('that there is not is a page that says so', async () => {
    const response = await ask('/feeds/none', { 'accept-language': 'de' });
    expect([response.status, response.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await response.text()).toContain('Hier ist nichts');
  });
});

describe('languages', () => {
  it.each([
    [{}, '', 'de'],
    [{ 'accept-language': 'en-GB' }, '', 'en'],
    [{ 'accept-language': 'en-GB' }, '?lang=de', 'de'],
    [{ 'accept-language': 'fr' }, '', 'de'],
    [{}, '?lang=xx', 'de'],
  ])('for %j at %s is %s, and the register keeps its own', async (headers, query, language) => {
    const page = await pageAt(`/feeds/open${query}`, headers);
    expect(find(page, 'html')[0]!.attributes.get('lang')).toBe(language);
    const title = find(page, 'h1')[0]!;
    expect([title.text, title.language]).toEqual(['Standorte', 'de']);
  });

  it('stay on the links of a page that was asked for in one', async () => {
    const page = await pageAt('/feeds/open?lang=en');
    const pages = find(page, 'a').map(({ attributes }) => attributes.get('href')!);
    const own = pages.filter((href) => /^\/(?:feeds|records|guide|$|\?)/.test(href) && !href.includes('lang=de'));
    expect(own.filter((href) => !href.includes('lang=en'))).toEqual([]);
    expect(own.length).toBeGreaterThan(20);
  });
});

describe('the public', () => {
  it('sees the latest three records of a register that is not open, and is told so', async () => {
    const page = await pageAt('/feeds/closed?lang=en');
    expect(listed(page)).toEqual(['closed:130', 'closed:129', 'closed:128']);
    expect(page).toContain('You see the latest 3 records. All 130');
    const boxes = find(page, 'input', { type: 'checkbox', form: 'find' });
    expect(boxes.map(({ attributes }) => attributes.get('value'))).toEqual(['neu', 'DE']);
    expect(listed(await pageAt('/feeds/closed?document_type=alt'))).toEqual([]);
    const [data] = find(page, 'script', { type: 'application/ld+json' });
    expect(JSON.parse(data!.text)).toMatchObject({ isAccessibleForFree: false });
  });

  it('finds in all registers what it sees of each, the latest changed first', async () => {
    const page = await pageAt('/?q=standort&lang=en');
    expect(listed(page).filter((id) => id.startsWith('closed'))).toEqual(['closed:130', 'closed:129', 'closed:128']);
    expect(listed(page).filter((id) => id.startsWith('open')).length).toBe(5);
    expect(page).toContain('All results in Standorte');
    expect(await pageAt('/?q=unauffindbar&lang=en')).toContain('No record has all these words');
  });

  it.each([
    ['%22', 'Enter at least one word to search for.'],
    ['-%20*%20…', 'Enter at least one word to search for.'],
    ['a+'.repeat(33), 'Enter fewer words: at most 32 can be searched for at once.'],
  ])('keeps the form, and says what is wrong with the words %s', async (words, said) => {
    for (const path of ['/', '/feeds/open']) {
      const page = await pageAt(`${path}?q=${words}&lang=en`);
      expect(find(page, 'p', { id: 'q-error' }).map(({ text }) => text)).toEqual([said]);
      const [field] = find(page, 'input', { id: 'q' });
      expect(Object.fromEntries(field!.attributes)).toMatchObject({
        value: decodeURIComponent(words.replaceAll('+', ' ')).trim(),
        'aria-invalid': 'true',
        'aria-describedby': 'q-error q-hint',
      });
      expect(find(page, 'meta', { name: 'robots' })).toHaveLength(1);
      expect(await pageAt(`${path}?lang=en`)).not.toContain('q-error');
    }
    // Other filters stay, and programs are told by a status.
    expect(await pageAt(`/feeds/open?q=${words}&document_type=neu&lang=en`)).toContain(
      'Remove filter Type of document',
    );
    expect((await ask(`/api/v1/feeds/open/records?q=${words}`)).status).toBe(400);
  });
});

describe('for programs', () => {
  it('there are a list for feed readers, sitemaps of what everybody may read, and a word to robots', async () => {
    const opml = await pageAt('/opml');
    expect(opml).toContain(`xmlUrl="${BASE_URL}/api/v1/feeds/open/records/export.atom"`);
    expect(await pageAt('/robots.txt')).toContain(`Sitemap: ${BASE_URL}/sitemap.xml`);
    const locations = async (path: string): Promise<string[]> =>
      Array.from((await pageAt(path)).matchAll(/<loc>([^<]*)<\/loc>/g), ([, location]) => location!);
    const maps = await locations('/sitemap.xml');
    expect(maps).toEqual([`${BASE_URL}/sitemaps/pages.xml`, `${BASE_URL}/sitemaps/open.1.xml`]);
    const all = (await Promise.all(maps.map((map) => locations(map.slice(BASE_URL.length))))).flat();
    const records = all.filter((address) => address.includes('/records/'));
    expect(records.length).toBe(COUNT + 3);
    expect(records.filter((address) => address.includes('closed:'))).toEqual(
      [130, 129, 128].map((key) => `${BASE_URL}/records/closed:${key}`),
    );
    for (const path of ['/sitemaps/closed.1.xml', '/sitemaps/open.2.xml', '/sitemaps/open.0.xml', '/sitemaps/x'])
      expect([path, (await ask(path)).status]).toEqual([path, 404]);
  });
});

describe('the catalogue for portals', () => {
  interface Dataset {
    readonly 'dct:accessRights': { readonly '@id': string };
    readonly 'dcat:distribution': readonly {
      readonly 'dcat:downloadURL': string;
      readonly 'dct:description': string;
    }[];
  }

  it('has every register with what it is and every file of it, for everybody alike', async () => {
    const answer = await ask('/catalog.jsonld');
    expect(answer.headers.get('content-type')).toBe('application/ld+json');
    const { 'dcat:dataset': datasets } = (await answer.json()) as { readonly 'dcat:dataset': readonly Dataset[] };
    const rights = datasets.map((dataset) => dataset['dct:accessRights']['@id'].split('/').at(-1));
    expect(rights).toEqual(['RESTRICTED', 'RESTRICTED', 'PUBLIC', 'RESTRICTED']);
    const files = datasets[2]!['dcat:distribution'];
    const names = files.map((file) => file['dcat:downloadURL'].replace(`${BASE_URL}/api/v1/feeds/open/`, ''));
    const wholes = ['csv', 'xlsx', 'xml', 'ndjson', 'parquet'].map((name) => `register.${name}`);
    expect(names.toSorted()).toEqual([...wholes, 'records/export.atom', 'records/export.rss', 'records'].toSorted());
    for (const file of files) {
      const answer = await ask(file['dcat:downloadURL'].slice(BASE_URL.length), { accept: '*/*' });
      expect([file['dcat:downloadURL'], answer.status]).toEqual([file['dcat:downloadURL'], 200]);
      await answer.arrayBuffer();
      const isWhole = file['dct:description'] === 'The whole register';
      expect(isWhole).toBe(file['dcat:downloadURL'].includes('/register.'));
    }
    expect((await ask('/catalog.jsonld?offset=4')).status).toBe(200);
    expect((await ask('/catalog.jsonld?offset=-1')).status).toBe(400);
  });
});

describe('a table', () => {
  const heads = (page: string): readonly string[] => find(page, 'th', { scope: 'col' }).map(({ text }) => text);

  it('has the register’s own fields as columns, in the order of the definition, beside title, type and both dates', async () => {
    const page = await pageAt('/feeds/open?lang=en');
    const all = ['Title', 'Published', 'Type of document', 'Land', 'Fläche', 'First seen', 'Source'];
    expect(heads(page).slice(0, 7)).toEqual(all);
    const cells = find(page, 'td').filter(({ attributes }) => attributes.has('data-label'));
    expect(cells.slice(0, 4).map(({ text }) => text)).toEqual(['15 Apr 2026', 'neu', 'DE', '129.5']);
  });

  it('has the columns that the reader chooses, and every link and form of the page keeps them', async () => {
    const page = await pageAt('/feeds/open?columns=area,nothing,area&lang=en&document_type=alt');
    expect(heads(page).filter((head) => ['Land', 'Fläche'].includes(head))).toEqual(['Fläche']);
    const [next] = find(page, 'a', { rel: 'next' });
    expect(next!.attributes.get('href')).toContain('columns=area&');
    expect(find(page, 'input', { type: 'hidden', name: 'columns' })[0]!.attributes.get('value')).toBe('area');
    expect(heads(await pageAt('/feeds/open?columns=nothing&lang=en'))).toEqual(
      heads(await pageAt('/feeds/open?lang=en')),
    );
    const both = await pageAt('/feeds/open?columns=country&columns=area&lang=en');
    expect(heads(both).filter((head) => ['Land', 'Fläche'].includes(head))).toEqual(['Land', 'Fläche']);
  });

  it('shows the public no more than the latest records have', async () => {
    const page = await pageAt('/feeds/closed?columns=country&lang=en');
    expect(find(page, 'th', { scope: 'row' }).length).toBe(3);
    expect(find(page, 'td').filter(({ text }) => text === 'AT')).toEqual([]);
  });

  describe('sorted by a column', () => {
    const walk = async (path: string): Promise<readonly string[]> => {
      const ids: string[] = [];
      for (let next: string | undefined = path; next !== undefined;) {
        const page = await pageAt(next);
        ids.push(...listed(page));
        next = find(page, 'a', { rel: 'next' })[0]?.attributes.get('href');
      }
      return ids;
    };
    const numbers = (from: number, to: number): readonly string[] =>
      Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => `open:${from < to ? from + at : from - at}`);

    it.each([
      ['data.area', numbers(1, COUNT)],
      ['-data.area', numbers(COUNT, 1)],
      // A text in which numbers count as numbers.
      ['title', numbers(1, COUNT)],
      ['no-column', numbers(COUNT, 1)],
    ])('%s lists each record once, a page after the other', async (sort, ids) => {
      expect(await walk(`/feeds/open?sort=${sort}`)).toEqual(ids);
    });

    it('lists what matches alone, and of equals the newest first', async () => {
      expect(await walk('/feeds/open?sort=-published_at&data.country=DE')).toEqual([
        'open:130',
        'open:129',
        'open:128',
      ]);
      const types = await walk('/feeds/open?sort=document_type');
      expect([types[0], types[1], types.at(-1)]).toEqual(['open:127', 'open:125', 'open:2']);
    });

    it('is chosen by a link in its head, which every form and link keeps; the third one takes it back', async () => {
      const head = (page: string): readonly (string | undefined)[] => {
        const [cell] = find(page, 'th', { scope: 'col' }).filter(({ text }) => text === 'Fläche');
        const [link] = find(page, 'a', { rel: 'nofollow' }).filter(({ text }) => text === 'Fläche');
        return [cell!.attributes.get('aria-sort'), link!.attributes.get('href')];
      };
      const base = '/feeds/open?document_type=alt&columns=area&lang=en';
      const [none, first] = head(await pageAt(base));
      expect(none).toBe(undefined);
      const [up, second] = head(await pageAt(first!));
      expect(up).toBe('ascending');
      const page = await pageAt(second!);
      const [down, third] = head(page);
      expect(down).toBe('descending');
      expect(page).toContain('Sorted by Fläche, descending.');
      const values = find(page, 'input', { type: 'hidden', name: 'sort' }).map(({ attributes }) =>
        attributes.get('value'),
      );
      expect(values).toEqual(['-data.area', '-data.area']);
      expect(find(page, 'a', { rel: 'next' })[0]!.attributes.get('href')).toContain('sort=-data.area');
      expect(new URLSearchParams(third!.split('?')[1])).toEqual(new URLSearchParams(base.split('?')[1]));
      expect(find(page, 'meta', { name: 'robots' })).toHaveLength(1);
    });

    it('shows the public its latest records alone', async () => {
      expect(await walk('/feeds/closed?sort=data.area')).toEqual(['closed:128', 'closed:129', 'closed:130']);
    });
  });
});

describe('a page of 20 records', () => {
  const fields = Array.from({ length: 30 }, (_, index) => ({
    ...{ name: `field_${index}`, label: `Column number ${index}`, filterable: index < 12 },
    type: (['text', 'number', 'date', 'boolean', 'decimal', 'url'] as const)[index % 6]!,
  }));
  const valueAt = (type: string, index: number): string | number | boolean =>
    ({
      text: `Value ${index}`,
      number: index * 1000.5,
      date: '2026-04-17',
      boolean: index % 2 === 0,
      decimal: `${index}.50`,
    })[type] ?? `https://example.org/documents/${index}`;

  it('takes less than 60 KB or one and a half of its JSON, with as many columns as one may choose, too', async () => {
    await service.store.createRegister(
      defineRegister({ id: 'wide', title: 'Wide', language: 'en', created_at: at(0), access: 'open', fields }),
    );
    const records = Array.from({ length: 60 }, (_, index) => {
      const data = Object.fromEntries(fields.map(({ name, type }, column) => [name, valueAt(type, index + column)]));
      return say(
        String(index),
        { title: `A record with a title of some length, number ${index}`, summary: null, data },
        'wide',
      );
    });
    await service.store.apply('wide', records, { recordedAt: at(2) });
    const json = await (await ask('/api/v1/feeds/wide/records?limit=20')).text();
    const all = fields.map(({ name }) => name).join(',');
    for (const query of ['', '?q=record', `?columns=${all}`, `?columns=${all}&sort=-data.field_1&q=record&lang=de`]) {
      const page = await pageAt(`/feeds/wide${query}`);
      // Where all columns are chosen, a page has room for fewer records.
      expect(listed(page).length).toBeGreaterThanOrEqual(query.includes('columns') ? 10 : 20);
      expect(Buffer.byteLength(page)).toBeLessThan(Math.max(60_000, 1.5 * Buffer.byteLength(json)));
    }
  });
});

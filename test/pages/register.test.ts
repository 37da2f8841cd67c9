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
    expect(files(page)).toEqual(['csv?bom=1', 'xlsx', 'xml', 'ndjson'].map((file) => `/feeds/open/register.${file}`));
    for (const path of files(page)) {
      const file = await ask(path);
      expect([path, file.status]).toEqual([path, 200]);
      await file.arrayBuffer();
    }
    const found = await pageAt('/feeds/open?data.country=AT&offset=20&utm_source=x');
    expect(found).toContain('Alle Einträge, die passen.');
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

  it('is named in structured data as a whole where everybody may have it, and by its pages elsewhere', async () => {
    const distribution = async (id: string): Promise<readonly string[]> => {
      const [, json] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(await pageAt(`/feeds/${id}`))!;
      const { distribution: files } = JSON.parse(json!) as { distribution: readonly { contentUrl: string }[] };
      return files.map(({ contentUrl }) => contentUrl);
    };
    expect(await distribution('open')).toEqual(
      ['csv', 'xlsx', 'xml', 'ndjson'].map((name) => `${BASE_URL}/api/v1/feeds/open/register.${name}`),
    );
    expect((await distribution('closed'))[0]).toBe(`${BASE_URL}/api/v1/feeds/closed/records/export.csv`);
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
    expect((await ask('/feeds/open?published_since=soon')).status).toBe(400);
  });

  it('shows the values that there are, and those that there are instead where nothing matches', async () => {
    const page = await pageAt('/feeds/open?document_type=none');
    expect(listed(page)).toEqual([]);
    const links = find(page, 'a').map(({ attributes }) => attributes.get('href'));
    for (const value of ['alt', 'sehr+alt', 'neu']) expect(links).toContain(`/feeds/open?document_type=${value}`);
    const boxes = find(await pageAt('/feeds/open'), 'input', { type: 'checkbox' });
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
    const inputs = find(page, 'input').filter(
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
    const boxes = find(page, 'input', { type: 'checkbox' });
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

// The page of a record: its source first, both dates, its fields, its versions; a preview for the public; what became of it.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { BASE_URL, SAMPLES, world } from '../world.ts';
import { at, say } from '../contracts/store-register.ts';
import { elementsOf, find } from './documents.ts';

const definition = (id: string, access: object): ReturnType<typeof defineRegister> =>
  defineRegister({
    ...{ id, title: 'Permits', language: 'en', created_at: at(0), ...access },
    fields: [
      { name: 'applicant', label: 'Applicant', type: 'text', description: 'Who asked.' },
      { name: 'fee', label: 'Fee', type: 'decimal' },
      { name: 'due', label: 'Due', type: 'date' },
      { name: 'site', label: 'Site', type: 'url' },
      { name: 'parts', label: 'Parts', type: 'json' },
      { name: 'heard', label: 'Hearing held', type: 'boolean' },
    ],
  });

const said = (changes: object = {}): object => ({
  ...{
    title: 'Harbour',
    summary: 'A permit for the harbour.',
    content: 'The permit is granted until May.',
    author: 'Office',
  },
  ...{ source_url: 'https://source.example/7', published_at: '2026-03-09', observed_at: '2026-03-11T08:00:00Z' },
  data: {
    applicant: 'Acme',
    fee: '1250.50',
    due: '2026-05-01',
    site: 'https://acme.example/',
    heard: true,
    parts: { wall: 10, gate: 'open' },
  },
  ...changes,
});

const service = await world({ records: 0 });
for (const id of ['open', 'closed']) {
  await service.store.createRegister(definition(id, id === 'open' ? { access: 'open' } : {}));
  const apply = async (key: string, statement: object, time: number): Promise<void> => {
    await service.store.apply(id, [say(key, statement, id)], { recordedAt: at(time) });
  };
  await apply('7', said({ summary: `${'s'.repeat(300)}hidden` }), 1);
  await apply(
    '7',
    said({
      content: 'The permit is refused until June.',
      data: { ...(said() as { data: object }).data, fee: '99.00', parts: { wall: 12, gate: 'open', crane: null } },
    }),
    2,
  );
  for (const key of ['8', '9', '10']) await apply(key, said({ published_at: null }), 3);
  await apply('long', said({ content: Array.from({ length: 6000 }, (_, n) => `word${n}`).join(' ') }), 4);
  await apply(
    'html',
    said({
      content:
        '<h1>Big</h1><p onclick=x>One &amp; <b>two</b> <a href="/more?a=1&amp;b=2" target=_blank>more</a></p><ul><li>three<ol><li>four</ol><li><p>five<p>six</ul><img src="https://other.example/x.png" alt="a map"><a href="javascript:alert(1)">bad</a><script>alert(1)</script><li>alone',
      content_type: 'html',
    }),
    5,
  );
  await service.store.withdraw(id, [`${id}:10`], { recordedAt: at(6) });
}

async function ask(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return service.fetch(new Request(BASE_URL + path, { headers: { accept: 'text/html', ...headers } }));
}

async function pageAt(path: string, status = 200): Promise<string> {
  const response = await ask(path, { 'accept-language': 'en' });
  expect([path, response.status]).toEqual([path, status]);
  return response.text();
}

/** What stands beside each name of a page's lists. */
function valuesOf(page: string): ReadonlyMap<string, string> {
  const elements = elementsOf(page);
  return new Map(
    elements.flatMap((element, index) => {
      if (element.name !== 'dt') return [];
      const value = elements.slice(index).find(({ name }) => name === 'dd');
      return [[element.text.trim(), value?.text.trim() ?? ''] as const];
    }),
  );
}

describe('a record', () => {
  it('names its source first, and explains both dates', async () => {
    const page = await pageAt('/records/open:7');
    const [first] = find(page, 'article').length === 1 ? find(page.slice(page.indexOf('<article>')), 'a') : [];
    expect([first!.attributes.get('href'), first!.text]).toEqual([
      'https://source.example/7',
      'Read the source at source.example',
    ]);
    const values = valuesOf(page);
    expect(values.get('Published')).toMatch(/^9 March 2026When the publisher made it public/);
    expect(values.get('First seen')).toMatch(/^11 March 2026, 08:00\u00a0UTCWhen this register first found it/);
    expect(valuesOf(await pageAt('/records/open:8')).get('Published')).toMatch(/^Not stated/);
  });

  it('says of a source that nobody named that it is not known, here and in lists', async () => {
    const unknown = await world({ records: 0 });
    const page = async (path: string): Promise<string> =>
      (await unknown.fetch(new Request(`${BASE_URL}${path}`, { headers: { 'accept-language': 'de' } }))).text();
    await unknown.store.createRegister(definition('odd', { access: 'open' }));
    const statement = said({ source_url: 'https://source-unknown.invalid/2026%2F1' });
    await unknown.store.apply('odd', [say('1', statement, 'odd')], { recordedAt: at(1) });
    for (const path of ['/records/odd:1', '/feeds/odd']) {
      const text = await page(path);
      expect([path, text.includes('Die Quelle ist nicht bekannt')]).toEqual([path, path.startsWith('/records/')]);
      expect(text).not.toContain('source-unknown.invalid');
    }
  });

  it('shows its own fields with their labels, as the reader’s language writes them', async () => {
    const values = valuesOf(await pageAt('/records/open:7'));
    expect(values.get('ApplicantWho asked.')).toBe('Acme');
    expect([values.get('Fee'), values.get('Due'), values.get('Hearing held')]).toEqual(['99.00', '1 May 2026', 'Yes']);
    const german = await (await ask('/records/open:7?lang=de')).text();
    const others = valuesOf(german);
    expect([others.get('Fee'), others.get('Due'), others.get('Hearing held')]).toEqual(['99,00', '1. Mai 2026', 'Ja']);
    expect(find(german, 'dt').find(({ text }) => text === 'Fee')!.language).toBe('en');
    expect(find(german, 'a', { href: 'https://acme.example/' })).toHaveLength(1);
  });

  it('shows what each version changed, side by side', async () => {
    const page = await pageAt('/records/open:7');
    expect(find(page, 'del').map(({ text }) => text.trim())).toEqual(
      expect.arrayContaining(['granted', 'May.', '1,250.50']),
    );
    const changed = find(page, 'th', { scope: 'row' }).map(({ text }) => text);
    expect(changed).toEqual(expect.arrayContaining(['Text', 'Fee', 'Summary']));
    expect(find(page, 'ins').map(({ text }) => text.trim())).toEqual(
      expect.arrayContaining(['refused', 'June.', '99.00']),
    );
    expect(find(page, 'h3').map(({ text }) => text)).toEqual(['Version\u00A02', 'Version\u00A01']);
  });

  it('shows a long text in parts that together are the text', async () => {
    const words: string[] = [];
    for (let part = 1; part <= 5; part++) {
      const page = await pageAt(`/records/open:long?part=${part}`);
      words.push(...(find(page, 'div', { class: 'text' })[0]!.text.match(/word\d+/g) ?? []));
      if (find(page, 'a', { rel: 'next' }).length === 0) break;
    }
    expect(words).toEqual(Array.from({ length: 6000 }, (_, n) => `word${n}`));
  });

  it('shows HTML as paragraphs and lists, whose links keep their addresses, and nothing else of its markup', async () => {
    const page = await pageAt('/records/open:html');
    const html = page.slice(page.indexOf('<div class="html">'), page.indexOf('</div></div>'));
    const kept = elementsOf(html).slice(elementsOf('').length + 1);
    expect(kept.map(({ name, text }) => `${name} ${text.trim().split('\n')[0]}`)).toEqual([
      ...['h3 Big', 'p One & two more', 'b two', 'a more', 'ul three', 'li three', 'ol four', 'li four', 'li five'],
      ...['p six', 'p a mapbad', 'a bad', 'p alone'].filter((one) => one !== 'a bad'),
    ]);
    expect(find(html, 'a').map(({ attributes }) => Object.fromEntries(attributes))).toEqual([
      { rel: 'noopener', href: 'https://source.example/more?a=1&b=2' },
    ]);
    expect(find(page, 'h1')).toHaveLength(1);
  });

  it('says of an object which of its members changed', async () => {
    const page = await pageAt('/records/open:7');
    const rows = find(page, 'th', { scope: 'row' }).map(({ text }) => text);
    // One member came without a value: nothing that is shown has changed.
    expect(rows.filter((row) => row.startsWith('Parts'))).toEqual(['Parts › wall']);
    expect(find(page, 'table', { class: 'members' }).map(({ text }) => text.replaceAll(/\s+/g, ' '))).toEqual([
      'wall12gateopencranenot stated',
    ]);
  });

  it('that was withdrawn is gone, with what is known of it for those who may see its history', async () => {
    const page = await pageAt('/records/open:10', 410);
    expect(page).toContain('This record was withdrawn');
    expect(find(page, 'h3').map(({ text }) => text)).toEqual(['Version\u00A02', 'Version\u00A01']);
    const hidden = await pageAt('/records/closed:10', 410);
    expect(hidden).toContain('This record was withdrawn');
    expect(hidden).not.toContain('Harbour');
  });

  it('that was erased says so, with its history, the way back, and in the reader’s language', async () => {
    await service.store.redact('open:8', { recordedAt: at(6) });
    for (const [query, said] of [
      ['', 'was erased permanently'],
      ['?lang=de', 'endgültig gelöscht'],
    ] as const) {
      const page = await pageAt(`/records/open:8${query}`, 410);
      expect([page.includes(said), page.includes('Harbour'), page.includes('withdrawn')]).toEqual([true, false, false]);
      expect(find(page, 'h3')).not.toEqual([]);
      expect(page).toMatch(/lang=(?:de|en)/);
    }
    await service.store.redact('closed:8', { recordedAt: at(6) });
    const hidden = await pageAt('/records/closed:8?lang=de', 410);
    expect(hidden).toContain('Dieser Eintrag wurde zurückgezogen');
    expect(hidden).toContain('<html lang="de">');
    // But for the way to the same page in English.
    expect(hidden.replace(/<a [^>]*lang="en"/g, '')).not.toContain('lang="en"');
  });

  it('that came back is shown as it is now, whichever of its versions are shown', async () => {
    const again = [say('9', said({ title: 'Harbour again' }), 'open')];
    await service.store.withdraw('open', ['open:9'], { recordedAt: at(7) });
    await service.store.apply('open', again, { recordedAt: at(8) });
    for (const query of ['', '?versions=2']) {
      const page = await pageAt(`/records/open:9${query}`);
      expect(find(page, 'h1').map(({ text }) => text)).toEqual(['Harbour again']);
      expect(page).not.toContain('This record was withdrawn');
    }
  });

  it('is stepped through, version by version, and an erased one shows nothing', async () => {
    const line = (page: string): readonly (readonly unknown[])[] =>
      [...find(page, 'a', { rel: 'prev' }), ...find(page, 'a', { rel: 'next' })].map(({ text, attributes }) => [
        text,
        attributes.get('href'),
      ]);
    const titles = ['Harbour one', 'Harbour two', 'Harbour three'];
    for (const [index, title] of titles.entries())
      await service.store.apply('open', [say('11', said({ title }), 'open')], { recordedAt: at(10 + index) });
    const shown = async (query: string, status = 200): Promise<unknown[]> => {
      const page = await pageAt(`/records/open:11${query}`, status);
      return [find(page, 'h1')[0]!.text, ...find(page, 'li', { 'aria-current': 'true' }).map(({ text }) => text)];
    };
    expect(await shown('')).toEqual(['Harbour three', 'Version\u00A03']);
    expect(await shown('?version=2')).toEqual(['Harbour two', 'Version\u00A02']);
    expect(await shown('?version=1&versions=1')).toEqual(['Harbour one', 'Version\u00A01']);
    for (const other of ['?version=3', '?version=4', '?version=x'])
      expect((await shown(other))[0]).toBe('Harbour three');
    expect(line(await pageAt('/records/open:11?version=2'))).toEqual([
      ['Version\u00A01', '/records/open:11?version=1'],
      ['Version\u00A03', '/records/open:11'],
    ]);
    const inEnglish = line(await pageAt('/records/open:11?version=2&lang=en'));
    expect(inEnglish).toEqual([
      ['Version\u00A01', '/records/open:11?lang=en&version=1'],
      ['Version\u00A03', '/records/open:11?lang=en'],
    ]);
    expect(await pageAt('/records/open:long')).not.toContain('aria-current="true">Version');
    await service.store.withdraw('open', ['open:11'], { recordedAt: at(14) });
    expect((await shown('?version=1', 410))[0]).toBe('Harbour one');
    await service.store.redact('open:11', { recordedAt: at(15) });
    const erased = await pageAt('/records/open:11?version=1', 410);
    for (const title of titles) expect(erased).not.toContain(title);
  });

  it('that there is not is a 404', async () => {
    for (const id of ['open:none', 'none:1', 'x', 'open:%00', '%F0%9F%92%A9']) await pageAt(`/records/${id}`, 404);
  });
});

describe('the public', () => {
  it('sees no other version, whatever it asks for', async () => {
    for (const id of ['closed:7', 'closed:html']) {
      await service.store.apply('closed', [say(id.slice(7), said({ title: 'Harbour of now' }), 'closed')], {
        recordedAt: at(20),
      });
      for (const query of ['', '?version=1', '?versions=1&version=1', '?versions=2&version=1', '?versions=3&version=1'])
        expect([query, find(await pageAt(`/records/${id}${query}`), 'h1')[0]!.text]).toEqual([query, 'Harbour of now']);
    }
  });

  it('sees a preview of an older record, with the way to the rest', async () => {
    const page = await pageAt('/records/closed:7');
    expect(page).toContain('This is a preview.');
    expect(find(page, 'a', { href: '/guide#keys' })).toHaveLength(1);
    for (const word of ['refused', 'Acme', '99.00', 'Version', 'granted'])
      expect([word, page.includes(word)]).toEqual([word, false]);
  });

  it('sees the latest whole, but no versions', async () => {
    const page = await pageAt('/records/closed:html');
    expect(page).toContain('Acme');
    expect(page).not.toContain('What changed');
  });

  it('is counted by its previews, as at the API', async () => {
    const limits = { previews: { limit: 3, windowSeconds: 60 } };
    const { get } = await world({ samples: SAMPLES, limits });
    const statusOf = async (id: string): Promise<number> => (await get(`${BASE_URL}/records/${id}`)).status;
    expect(await statusOf('permits:2026-0001')).toBe(200);
    // Twice: who tries ids must not learn more cheaply which there are.
    expect(await statusOf('permits:none')).toBe(404);
    expect(await statusOf('permits:2026-0002')).toBe(429);
    expect(await statusOf('permits:none')).toBe(429);
  });
});

describe('a map', () => {
  const places = [
    { title: 'Jaipur', data: { geometry: { type: 'Point', coordinates: [75.78, 26.91] } } },
    { title: 'Delhi', data: { geometry: { type: 'Point', coordinates: [77.2, 28.6] } } },
    { title: 'Nowhere', data: { geometry: { type: 'Point', coordinates: [300, 28.6] } } },
    { title: 'A way', data: { geometry: { type: 'LineString', coordinates: [[75, 26]] } } },
    { title: 'Kochi', data: { geometry: { type: 'Point', coordinates: [76.27, 9.93] } } },
    { title: 'Pune', data: { geometry: { type: 'Point', coordinates: [73.86, 18.52] } } },
    { title: 'Patna', data: { geometry: { type: 'Point', coordinates: [85.14, 25.59] } } },
  ];
  const numbers = (dots: string): readonly number[] => dots.match(/-?\d+(?:\.\d+)?/g)!.map(Number);

  it.each(['geometry', 'numbers'])(
    'shows where a record is among the others that its reader sees, by %s',
    async (how) => {
      for (const access of ['open', 'closed']) {
        const id = `${how}-${access}`;
        const isJson = how === 'geometry';
        await service.store.createRegister(
          defineRegister({
            ...{
              id,
              title: 'Places',
              language: 'en',
              created_at: at(0),
              ...(access === 'open' ? { access: 'open' } : {}),
            },
            fields: isJson
              ? [{ name: 'geometry', label: 'Geometry', type: 'json' }]
              : [
                  { name: 'latitude', label: 'Latitude', type: 'number' },
                  { name: 'longitude', label: 'Longitude', type: 'decimal' },
                ],
          }),
        );
        const records = places.map(({ title, data }, index) => {
          const [longitude, latitude] = data.geometry.coordinates as [number, number];
          const own = typeof latitude !== 'number' ? {} : { latitude, longitude: String(longitude) };
          return say(String(index), said({ title, data: isJson ? data : own }), id);
        });
        await service.store.apply(id, records, { recordedAt: at(1) });
        const page = await pageAt(`/records/${id}:6`);
        const [svg] = find(page, 'svg');
        expect(svg!.attributes.get('aria-label')).toBe('Latitude 25.59°, longitude 85.14°.');
        const [dots] = find(page, 'path', { class: 'dots' });
        const drawn = numbers(dots!.attributes.get('d')!).filter((_, index) => index % 3 !== 2);
        // The public sees the latest three alone.
        expect(drawn).toHaveLength(2 * (access === 'open' ? 5 : 3));
        const [, , width, height] = numbers(svg!.attributes.get('viewBox')!);
        for (const [index, value] of drawn.entries()) {
          expect(value).toBeGreaterThan(0);
          expect(value).toBeLessThan(index % 2 === 0 ? width! : height!);
        }
        const [circle] = find(page, 'circle');
        const east = Math.max(...drawn.filter((_, index) => index % 2 === 0));
        expect(Number(circle!.attributes.get('cx'))).toBe(east);
      }
      expect(find(await pageAt(`/records/${how}-open:2`), 'svg')).toEqual([]);
    },
  );
});

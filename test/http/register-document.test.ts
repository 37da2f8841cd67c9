// openapi.json of one register: short, typed, true of this register alone, and silent about what the public does not see.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import type { Field, RegisterDefinition } from '../../src/register/record.ts';
import { resolved } from '../contracts/openapi-judge.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { addSamples, API, SAMPLES, SECRET, world } from '../world.ts';
import { openShop } from '../wings/selling/shop.ts';

const service = await world({ samples: SAMPLES });
const { get, store } = service;

type Node = Readonly<Record<string, unknown>>;
interface Operation {
  readonly operationId: string;
  readonly security: readonly Node[];
  readonly parameters: readonly { readonly name: string; readonly schema: Node }[];
}
interface Described {
  readonly info: Node;
  readonly servers: readonly Node[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Node>> };
}

async function documentOf(feedId: string, from = get): Promise<{ readonly text: string } & Described> {
  const text = await (await from(`/feeds/${feedId}/openapi.json`)).text();
  return { text, ...resolved(JSON.parse(text) as Described) };
}

/** A register with fields of its own. */
async function register(id: string, fields: readonly Field[], more: Partial<RegisterDefinition> = {}): Promise<void> {
  await store.createRegister({ ...permits(id), fields, ...more });
}

const field = (name: string, type: Field['type'], more: Partial<Field> = {}): Field => ({
  name,
  label: `The ${name}`,
  type,
  ...more,
});

describe('the document of a register', () => {
  it('types its own fields, and has its filters by their names', async () => {
    await register('typed', [
      ...[
        field('place', 'text', { filterable: true }),
        field('area', 'number', { filterable: true }),
        field('count', 'integer'),
      ],
      ...[
        field('price', 'decimal'),
        field('is_new', 'boolean', { filterable: true }),
        field('due', 'date', { filterable: true }),
      ],
      ...[
        field('seen', 'datetime'),
        field('page', 'url'),
        field('more', 'json'),
        field('found', 'text', { from_file: true }),
      ],
    ]);
    const { paths, components, servers, info } = await documentOf('typed');
    expect([servers.map(({ url }) => url), info.title]).toEqual([[API], permits('typed').title]);
    const { data } = components.schemas.RegisterRecord!.properties as { readonly data: Node };
    expect(data).toEqual({
      type: 'object',
      properties: {
        place: { type: ['string', 'null'], description: 'The place' },
        area: { type: ['number', 'null'], description: 'The area' },
        count: { type: ['integer', 'string', 'null'], description: 'The count' },
        price: { type: ['string', 'null'], description: 'The price' },
        is_new: { type: ['boolean', 'null'], description: 'The is_new' },
        due: { type: ['string', 'null'], description: 'The due' },
        seen: { type: ['string', 'null'], description: 'The seen' },
        page: { type: ['string', 'null'], description: 'The page' },
        more: { description: 'The more' },
        // An import found it: its label is the publisher's words.
        found: { type: ['string', 'null'] },
      },
      required: ['place', 'area', 'count', 'price', 'is_new', 'due', 'seen', 'page', 'more', 'found'],
      additionalProperties: false,
    });
    const own = paths['/feeds/typed/records']!.get!.parameters.filter(({ name }) => name.startsWith('data.'));
    expect(own.map(({ name, schema }) => [name, schema.type, (schema.items as Node | undefined)?.type])).toEqual([
      ['data.place', 'array', 'string'],
      ['data.area', 'array', 'number'],
      ['data.area_min', 'number', undefined],
      ['data.area_max', 'number', undefined],
      ['data.is_new', 'array', 'boolean'],
      ['data.due', 'array', 'string'],
      ['data.due_since', 'string', undefined],
      ['data.due_until', 'string', undefined],
    ]);
    // One register: nobody says which, and the list's records are whole.
    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters }) => parameters),
    );
    expect(names.map(({ name }) => name)).not.toContain('feed_id');
    expect(paths['/feeds/typed/records']!.get!.parameters.map(({ name }) => name)).not.toContain('fields');
  });

  it('asks with each of its filters, and is answered', async () => {
    const { paths } = await documentOf('typed');
    const values: Readonly<Record<string, string>> = { string: '2026-01-01', number: '1.5', boolean: 'true' };
    for (const [path, query] of [
      ['/feeds/typed/records', 'limit=1'],
      ['/feeds/typed/facets', 'field=data.place'],
    ] as const) {
      for (const { name, schema } of paths[path]!.get!.parameters.filter(({ name }) => name.startsWith('data.'))) {
        const value = values[String((schema.items as Node | undefined)?.type ?? schema.type)]!;
        const answer = await get(`${path}?${query}&${name}=${value}`);
        expect([name, answer.status]).toEqual([name, 200]);
      }
    }
  });

  it('is at most 40 kB long, whatever the register is like', async () => {
    const types = ['text', 'decimal', 'date'] as const;
    const many = (count: number, more: Partial<Field>): readonly Field[] =>
      Array.from({ length: count }, (_, n) => field(`a_rather_long_name_of_a_field_${n}`, types[n % 3]!, more));
    await register('filters', many(60, { filterable: true }));
    await register('fields', many(150, {}));
    await register('huge', many(1000, { filterable: true }));
    const shop = await openShop({ records: 12 });
    const bytes = async (id: string, from = get): Promise<number> =>
      Buffer.byteLength((await documentOf(id, from)).text);
    const sizes = [await bytes('permits'), await bytes('filters'), await bytes('fields'), await bytes('huge')];
    sizes.push(await bytes('permits', shop.get));
    expect(sizes.filter((size) => size > 40_000)).toEqual([]);
    for (const [id, count] of [
      ['filters', 60],
      ['fields', 150],
    ] as const) {
      const { data } = (await documentOf(id)).components.schemas.RegisterRecord!.properties as { readonly data: Node };
      expect(data.required).toHaveLength(count);
    }
  });

  it('has the tiers that the register has, and a padlock where it needs a key', async () => {
    await register('free', [], { access: 'open' });
    const security = async (id: string): Promise<unknown> =>
      (await documentOf(id)).paths[`/feeds/${id}/records/export.{format}`]!.get!.security;
    expect([await security('free'), await security('typed')]).toEqual([[], [{ apiKey: [] }]]);
    const free = (await documentOf('free')).components.schemas;
    expect(free.WholePage).toMatchObject({ properties: { tier: { enum: ['open'] } } });
    expect(free.PublicPage).toBeUndefined();
    const tiered = (await documentOf('typed')).components.schemas;
    expect(tiered.WholePage).toMatchObject({ properties: { tier: { enum: ['pro'] } } });
    expect(tiered.RecordPage).toMatchObject({
      discriminator: { mapping: { public: '#/components/schemas/PublicPage' } },
    });
  });

  it('has the latest public record as an example, and no word of others, nor the names of what is not', async () => {
    const { get, store } = await world({ records: 12 });
    const { text, components } = await documentOf('permits', get);
    const [example] = components.schemas.RegisterRecord!.examples as readonly [Node];
    expect(example.id).toBe('permits:012');
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('permits:001');
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(JSON.parse(text) as object, 'it');
    expect(ajv.validate({ $ref: 'it#/components/schemas/RegisterRecord' }, example)).toBe(true);
    await store.withdraw('permits', ['permits:012'], { recordedAt: at(20) });
    expect((await documentOf('permits', get)).text).not.toContain('permits:012');
    const none = await world({ records: 12, tiers: { window: 0 } });
    expect((await documentOf('permits', none.get)).components.schemas.RegisterRecord).not.toHaveProperty('examples');
  });

  it('cuts long texts in its example', async () => {
    await register('long', [field('text', 'text')]);
    await store.apply('long', [say('k', { summary: 'word '.repeat(300), data: { text: 'é'.repeat(900) } }, 'long')], {
      recordedAt: at(1),
    });
    const [example] = (await documentOf('long')).components.schemas.RegisterRecord!.examples as readonly [
      { summary: string; data: { text: string } },
    ];
    expect([example.summary.length < 210, example.data.text.length < 210]).toEqual([true, true]);
  });

  it('is answered as other documents are: validators, HEAD, OPTIONS, unknown registers and parameters', async () => {
    const path = '/feeds/permits/openapi.json';
    const first = await get(path);
    expect(first.headers.get('content-type')).toBe('application/json');
    const etag = first.headers.get('etag')!;
    expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await get(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      first.headers.get('content-length'),
      '',
    ]);
    expect((await get(path, { method: 'OPTIONS' })).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await get(path, { method: 'DELETE' })).status).toBe(405);
    expect(await (await get('/feeds/none/openapi.json')).json()).toMatchObject({ status: 404, code: 'unknown_feed' });
    expect(await (await get(`${path}?x=1`)).json()).toMatchObject({ status: 400, code: 'unknown_parameter' });
    await addSamples(store, SAMPLES + 1, SAMPLES + 1);
    expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
  });

  it('is named by the register, and by the index', async () => {
    expect(await (await get('/feeds/permits')).json()).toMatchObject({
      links: { openapi: `${API}/feeds/permits/openapi.json` },
    });
    const { links } = (await (await get('')).json()) as { readonly links: readonly Node[] };
    expect(links).toContainEqual(
      expect.objectContaining({ rel: 'service-desc', templated: true, href: `${API}/feeds/{feed_id}/openapi.json` }),
    );
  });
});

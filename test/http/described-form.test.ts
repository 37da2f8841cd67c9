// The form of openapi.json is one that generators make clients of: one server, everything once, nothing that types cannot
// say, and short.
import { expect, it } from 'vitest';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { permits } from '../contracts/store-register.ts';
import { openShop } from '../wings/selling/shop.ts';
import { API } from '../world.ts';

const shop = await openShop({ records: 12 });
/** A register with so many own fields that each filter that is named counts. */
const wide: RegisterDefinition = {
  ...permits('wide'),
  fields: Array.from({ length: 60 }, (_, at) => ({
    ...{ name: `field_${at}`, label: `Field ${at}`, filterable: true as const },
    type: (['text', 'decimal', 'date'] as const)[at % 3]!,
  })),
};
await shop.store.createRegister(wide);

type Node = Readonly<Record<string, unknown>>;

const text = await (await shop.get('/openapi.json')).text();
const document = JSON.parse(text) as Node & { readonly servers: readonly Node[] };

/** Every object of the document, with where it stands. */
function* nodes(node: unknown, place: readonly string[] = []): Generator<readonly [place: readonly string[], Node]> {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) yield [place, node as Node];
  for (const [name, value] of Object.entries(node)) yield* nodes(value, [...place, name]);
}

const all = [...nodes(document)].map(([place, node]) => [place.join('/'), node] as const);

it('is at most 200 kB long, also where records are sold and registers have very many filters', () => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(200_000);
});

it('refers to nothing that it does not have', () => {
  const known = new Set(all.map(([place]) => `#/${place}`));
  const referred = all.flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []));
  expect(referred.length).toBeGreaterThan(100);
  expect(referred.filter((ref) => !known.has(ref))).toEqual([]);
});

it('has one server, to which every path is relative', () => {
  expect(document.servers.map(({ url }) => url)).toEqual([API]);
  expect(all.filter(([place, node]) => place !== '' && 'servers' in node)).toEqual([]);
});

it('has parameters, header fields and repeated answers in its components alone', () => {
  const parameters = all.filter(([place]) => /^(?:paths|webhooks)\/.*\/parameters\/\d+$/.test(place));
  const headers = all.filter(([place]) =>
    /^(?:paths|webhooks|components)\/.*responses\/.*\/headers\/[^/]+$/.test(place),
  );
  for (const [place, node] of [...parameters, ...headers])
    expect([place, Object.keys(node)]).toEqual([place, ['$ref']]);
  expect([parameters.length > 100, headers.length > 100]).toEqual([true, true]);
  const answers = all.filter(([place, node]) => /^paths\/.*\/responses\/\d+$/.test(place) && !('$ref' in node));
  const texts = answers.filter(([place]) => /[45]\d\d$/.test(place)).map(([, node]) => JSON.stringify(node));
  expect(new Set(texts).size).toBe(texts.length);
});

it('has no schema whose named properties stand beside others', () => {
  const mixed = all.filter(([, node]) => 'properties' in node && (node.additionalProperties ?? false) !== false);
  expect(mixed.map(([place]) => place)).toEqual([]);
});

it('has parameters that are texts, numbers or lists of them: each filter of an own field is one', () => {
  const { parameters } = document.components as { readonly parameters: Readonly<Record<string, Node>> };
  for (const [name, { schema }] of Object.entries(parameters)) {
    expect([name, (schema as Node).type]).not.toEqual([name, 'object']);
  }
  expect(parameters['data.field_0']).toMatchObject({
    schema: { type: 'array' },
    description: expect.stringContaining('wide') as string,
  });
  expect(Object.keys(parameters)).toEqual(expect.arrayContaining(['data.field_1_min', 'data.field_2_until']));
  expect(Object.keys(parameters).filter((name) => name.startsWith('data.'))).toHaveLength(30);
});

it('tells pages of the list apart by their tier', () => {
  const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Node>> };
  expect(schemas.RecordPage).toMatchObject({
    oneOf: [{ $ref: '#/components/schemas/PublicPage' }, { $ref: '#/components/schemas/WholePage' }],
    discriminator: { propertyName: 'tier' },
  });
  const { mapping } = schemas.RecordPage!.discriminator as { readonly mapping: Readonly<Record<string, string>> };
  for (const [tier, ref] of Object.entries(mapping)) {
    const { properties } = schemas[ref.split('/').at(-1)!] as { readonly properties: { readonly tier: Node } };
    const { const: value, enum: values = [value] } = properties.tier;
    expect(values).toContain(tier);
  }
});

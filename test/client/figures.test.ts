// Figures from a service: those that it answers at once, and those that it answers in parts.
import { describe, expect, it } from 'vitest';
import { figures } from '../../src/client/figures.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { checkFigures } from '../../src/register/finding/figures.ts';
import { figuresOfSource } from '../../src/register/sources/figures.ts';
import { at, say } from '../contracts/store-register.ts';
import { BASE_URL, world } from '../world.ts';

const service = await world({ records: 0 });
const definition = defineRegister({
  ...{ id: 'sites', title: 'Sites', created_at: at(0), access: 'open' },
  fields: [
    { name: 'zone', type: 'integer', filterable: true },
    { name: 'area', type: 'decimal' },
  ],
});
await service.store.createRegister(definition);
const rows = Array.from({ length: 40 }, (_, index) =>
  say(`${index}`, { data: { zone: (index * 7) % 12, area: `${index}.25` } }, 'sites'),
);
await service.store.apply('sites', rows, { recordedAt: at(1) });
const source = await service.store.source('sites');

const URL_OF_FACETS = `${BASE_URL}/api/v1/feeds/sites/facets`;
const asked: string[] = [];

/** The service, which examines at most seven positions for a request if `isSlow`. */
const fetching =
  (isSlow: boolean): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    asked.push(url.pathname + url.search);
    if (!isSlow || !url.pathname.endsWith('/facets')) return service.fetch(request);
    const {
      measure = 'count',
      by = '',
      order = '-value',
      top = '100',
      offset = '0',
    } = Object.fromEntries(url.searchParams);
    const checked = checkFigures({ measure, by: by.split(','), order, top: Number(top) }, definition.fields);
    const part = await figuresOfSource(source, checked, { counted: null, most: 7, offset: Number(offset) });
    return Response.json({ ...part, change: 40, notes: [] });
  };

describe('figures()', () => {
  it.each(['-value', 'value', 'key'] as const)('are the same in parts as at once, in the order %s', async (order) => {
    const question = { measure: 'avg:data.area', by: ['data.zone'], order, top: 5 };
    const whole = await figures(URL_OF_FACETS, { ...question, fetch: fetching(false) });
    expect(whole.groups).toHaveLength(5);
    asked.length = 0;
    const added = await figures(URL_OF_FACETS, { ...question, fetch: fetching(true) });
    const { groups, more, matched, ungrouped, as_of } = whole;
    expect(added).toMatchObject({ groups, more, matched, ungrouped, as_of, change: 40 });
    expect(asked.length).toBe(7);
    expect(asked.at(-1)).toContain('offset=35&as_of=40');
  });

  it('ask for what the options say, beside what the URL says', async () => {
    const { groups, matched } = await figures(`${URL_OF_FACETS}?by=data.zone&top=9`, {
      ...{ measure: 'max:data.area', top: 1, filter: { 'data.zone': ['3', '4'] }, fetch: fetching(false) },
    });
    expect({ groups, matched }).toEqual({
      groups: [
        {
          group: ['3'],
          records: 3,
          measured: 3,
          value: '33.25',
          record_ids: ['sites:33'],
          url: expect.anything() as unknown,
        },
      ],
      matched: 6,
    });
  });

  it.each([
    { groups: [] },
    { groups: [], complete: false, next_offset: 0 },
    [],
    { groups: [1], complete: true, next_offset: null },
  ])('refuse the answer %j', async (answer) => {
    const failing: typeof fetch = () => Promise.resolve(Response.json(answer));
    await expect(figures(URL_OF_FACETS, { by: ['data.zone'], fetch: failing })).rejects.toMatchObject({
      code: 'invalid_answer',
    });
  });
});

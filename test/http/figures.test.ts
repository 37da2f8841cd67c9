// Figures over HTTP: how they are asked for, who gets which, and what cites them. What they are has its own tests.
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { at, say } from '../contracts/store-register.ts';
import { openShop } from '../wings/selling/shop.ts';
import { RegisterViews } from '../../src/views/registers.ts';
import { prepareFigures } from '../../src/views/figures.ts';
import { world } from '../world.ts';

const SITES = defineRegister({
  id: 'sites',
  title: 'Sites',
  created_at: at(0),
  uuid: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  fields: [
    { name: 'country', type: 'text', filterable: true },
    { name: 'area', type: 'decimal' },
  ],
});

const service = await world({ records: 0 });
await service.store.createRegister(SITES);
const rows = ['NL', 'nl', 'NL', 'BE', 'NL'].map((country, index) =>
  say(`${index}`, { data: { country, area: `${index}.50` }, document_type: index < 2 ? 'draft' : 'adopted' }, 'sites'),
);
await service.store.apply('sites', rows, { recordedAt: at(1) });

const urlOf = (n: number): string => `https://example.org/permits/${n}`;

const FACETS = '/feeds/sites/facets';
const pro = async (query: string): Promise<object> =>
  (await (await service.pro(`${FACETS}?${query}`)).json()) as object;

describe('figures', () => {
  it('count from counters, with the records behind each group and what cites them', async () => {
    expect(await pro('by=data.country')).toEqual({
      ...{ feed_id: 'sites', tier: 'pro', measure: 'count', by: ['data.country'], order: '-value' },
      groups: [
        { group: ['NL'], records: 3, record_ids: ['sites:4', 'sites:2', 'sites:0'], url: urlOf(4) },
        { group: ['BE'], records: 1, record_ids: ['sites:3'], url: urlOf(3) },
        { group: ['nl'], records: 1, record_ids: ['sites:1'], url: urlOf(1) },
      ],
      ...{ more: 0, matched: 5, ungrouped: 0, complete: true, next_offset: null },
      ...{ as_of: 5, change: 5, checkpoint: null, notes: [] },
    });
  });

  it('measure the records that match', async () => {
    expect(await pro('measure=sum:data.area&document_type=adopted')).toMatchObject({
      groups: [{ group: [], records: 3, measured: 3, value: '10.50' }],
      matched: 3,
    });
    expect(await pro('measure=max:data.area&by=document_type,data.country&top=1&order=key')).toMatchObject({
      groups: [{ group: ['adopted', 'BE'], records: 1, value: '3.50', record_ids: ['sites:3'] }],
      more: 3,
    });
  });

  it('say that a part is one', async () => {
    expect(await pro('measure=count&offset=2&as_of=4')).toMatchObject({
      groups: [{ records: 2, record_ids: ['sites:1', 'sites:0'] }],
      ...{ complete: false, next_offset: null, as_of: 4 },
      notes: ['Only a part of the records was examined: add up the parts, from next_offset on.'],
    });
  });

  it('are of the latest records alone for the public, who gets nothing to cite', async () => {
    const answer = await (await service.get(`${FACETS}?measure=count&by=data.country`)).json();
    expect(answer).toMatchObject({
      ...{ tier: 'public', matched: 3, complete: true, as_of: null, change: null, checkpoint: null },
      groups: [
        { group: ['NL'], records: 2 },
        { group: ['BE'], records: 1 },
      ],
      notes: [expect.stringContaining('The public sees the latest 3 records') as string],
    });
    expect(await service.problem(`${FACETS}?measure=count&as_of=3`)).toMatchObject({ status: 400, parameter: 'as_of' });
  });

  it('have a tag of their question and of the register', async () => {
    const tag = async (query: string): Promise<string | null> =>
      (await service.pro(`${FACETS}?${query}`)).headers.get('etag');
    const first = await tag('by=data.country');
    expect(first).toMatch(/^"/);
    expect(await tag('measure=count&by=data.country')).toBe(first);
    expect(await tag('by=data.country&top=2')).not.toBe(first);
    expect(await tag('by=data.country&document_type=draft')).not.toBe(first);
  });

  it.each([
    ['measure=sum:data.country', 'measure'],
    ['by=title', 'by'],
    ['by=data.country&order=down', 'order'],
    ['by=data.country&top=0', 'top'],
    ['by=data.country&field=document_type', 'field'],
    ['order=key', 'order'],
    ['top=3', 'top'],
    ['offset=3', 'offset'],
  ])('refuse %s and name the parameter', async (query, parameter) => {
    expect(await service.problem(`${FACETS}?${query}`)).toMatchObject({
      status: 400,
      code: 'invalid_parameter',
      parameter,
    });
  });
});

describe('the public', () => {
  it('gets the same bytes from services that differ in older records', async () => {
    const answers: string[][] = [];
    for (const older of ['Rome', 'Paris']) {
      const other = await world({ records: 0 });
      await other.store.createRegister({ ...SITES, log: 'pro' });
      const row = (key: string, country: string, area: string): ReturnType<typeof say> =>
        say(key, { data: { country, area }, document_type: country }, 'sites');
      const hidden = ['1', '2'].map((key) => row(key, older, older === 'Rome' ? '1' : '99999'));
      const seen = ['3', '4', '5'].map((key) => row(key, 'NL', key));
      await other.store.apply('sites', [...hidden, ...seen], { recordedAt: at(1) });
      const queries = [
        'measure=count',
        'by=data.country',
        'by=document_type&order=key',
        'measure=sum:data.area',
        'measure=max:data.area&by=published_at:year',
        'measure=count&data.country=Rome',
        'measure=avg:data.area&q=Paris',
        'measure=count&offset=2',
        'measure=count&offset=3',
        'by=data.country&as_of=2',
      ];
      answers.push(
        await Promise.all(
          queries.map(async (query) => {
            const response = await other.get(`${FACETS}?${query}`);
            const body = response.status === 200 ? await response.text() : String(response.status);
            return `${query} ${response.headers.get('etag') === null} ${body}`;
          }),
        ),
      );
    }
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('figures are cited', () => {
  it('by no change where the register changed while it was read', async () => {
    const { store } = await world({ records: 0 });
    await store.createRegister(SITES);
    await store.apply('sites', rows, { recordedAt: at(1) });
    const view = await new RegisterViews(store, () => undefined).view('sites');
    const seen = { tier: 'pro', source: view.source, kindOf: null, key: 'pro' } as const;
    const prepared = await prepareFigures({ tiers: {} }, view, seen, { measure: 'max:data.area' });
    expect(await prepared.answer()).toMatchObject({ change: 5 });
    await store.withdraw('sites', ['sites:4'], { recordedAt: at(2) });
    expect(await prepared.answer()).toMatchObject({ groups: [{ value: '3.50' }], change: null });
  });
});

describe('a buyer of single records', () => {
  it('gets figures of previews, and none of fields that they do not show', async () => {
    const shop = await openShop({ records: 12 });
    const ask = async (query: string): Promise<object> =>
      (await (await shop.get(`/feeds/permits/facets?${query}`, { key: shop.asker })).json()) as object;
    expect(await ask('by=document_type')).toMatchObject({
      ...{ tier: 'public', matched: 12, complete: true, change: null, checkpoint: null },
      notes: [expect.stringContaining('previews of all records') as string],
    });
    const own = { status: 400, code: 'invalid_parameter' };
    expect(await ask('measure=max:data.amount')).toMatchObject({ ...own, parameter: 'measure' });
    expect(await ask('by=data.applicant')).toMatchObject({ ...own, parameter: 'by' });
  });
});

describe('counters', () => {
  it('tell the hundred commonest values alone: of others the records are read', async () => {
    const { store, pro: ask } = await world({ records: 0 });
    await store.createRegister(SITES);
    const many = Array.from({ length: 450 }, (_, index) =>
      say(`${index}`, { data: { country: `C${index % 150}` } }, 'sites'),
    );
    await store.apply('sites', [...many, say('z', { data: { country: 'C149' } }, 'sites')], { recordedAt: at(1) });
    const of = async (query: string): Promise<object> =>
      (await (await ask(`${FACETS}?by=data.country&${query}`)).json()) as object;
    expect(await of('top=1')).toMatchObject({
      groups: [{ group: ['C149'], records: 4, record_ids: ['sites:z', 'sites:449', 'sites:299'] }],
      ...{ more: 149, matched: 451, ungrouped: null, complete: true },
    });
    const first = { groups: [{ group: ['C0'], records: 3 }], more: 149, matched: 451, ungrouped: 0, complete: true };
    expect(await of('top=1&order=value')).toMatchObject(first);
    expect(await of('top=1&order=key')).toMatchObject(first);
  });
});

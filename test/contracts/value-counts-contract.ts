// The counters of values say what counting all live records would, whatever happened to the records and to the definition, and
// while counters are made again. No row of them is left of an erased value.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Facet } from '../../src/register/finding/facets.ts';
import type { Field, FieldType, RegisterRecord } from '../../src/register/record.ts';
import { pages } from '../../src/register/sources/source.ts';
import type { FindingStore } from '../../src/stores/contract/finding.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { tries } from '../effort.ts';
import { inspected } from './overwrites.ts';
import { at, permits, say } from './store-register.ts';

/** A store whose counters can be made again. */
export type CountedStore = InspectedStore & { readonly finding: FindingStore };

/** An empty one, and all values in the rows of its counters, as their columns have them. */
export interface OpenedCounts {
  readonly store: CountedStore;
  readonly rows: () => Promise<readonly string[]>;
  readonly dispose: () => Promise<void>;
}

const NAMES = ['a', 'b', 'c'] as const;
const TYPES: readonly FieldType[] = ['text', 'number', 'decimal', 'integer', 'boolean', 'date'];

const text = fc.oneof(
  fc.constantFrom(
    'x',
    'X',
    'é',
    '',
    '5',
    '5.0',
    '05',
    'true',
    'TRUE',
    '2026-01-01',
    'a\0b',
    '\u0001',
    '\u{1f3d7}',
    ' ',
  ),
  fc.constantFrom(
    'y'.repeat(400),
    'y'.repeat(401),
    '\u{1f3d7}'.repeat(400),
    `\0${'y'.repeat(392)}`,
    `\0${'y'.repeat(391)}`,
  ),
);
const value = fc.oneof(text, fc.constantFrom(null, 5, 5.5, true, -0, 1e21, '9007199254740993'));

const fields: fc.Arbitrary<readonly Field[]> = fc
  .tuple(...NAMES.map(() => fc.tuple(fc.constantFrom(...TYPES), fc.integer({ min: 0, max: 3 }))))
  .map((types) =>
    types.map(([type, chance], at) => ({
      ...{ name: NAMES[at]!, label: 'Field', type },
      ...(chance > 0 ? { filterable: true as const } : {}),
      ...(chance === 3 && at === 0 ? { source_names: ['older'] } : {}),
    })),
  );

const said = fc.record({
  document_type: fc.option(text),
  facility_id: fc.option(fc.constantFrom('F1', 'F2')),
  published_at: fc.option(fc.constantFrom('2026-01-31', '2026-02-01', '2025-12-31T23:59:59-10:00', '9999-12-31')),
  data: fc.dictionary(fc.constantFrom(...NAMES, 'older'), value),
});

const event = fc.oneof(
  fc.record({ kind: fc.constant('apply' as const), key: fc.nat(7), said }),
  fc.record({ kind: fc.constantFrom('withdraw' as const, 'redact' as const, 'lift' as const), key: fc.nat(7) }),
  fc.record({ kind: fc.constant('define' as const), fields }),
  fc.record({ kind: fc.constant('build' as const) }),
);

/** Registers the suite for one implementation. */
export function valueCountsContract(name: string, open: () => Promise<OpenedCounts>): void {
  describe(`${name} counts values`, () => {
    let opened: OpenedCounts;
    let store: CountedStore;
    beforeEach(async () => {
      opened = await open();
      ({ store } = opened);
    });
    afterEach(() => opened.dispose());

    const define = (defined: readonly Field[]) => store.createRegister({ ...permits(), fields: defined });

    it('as they are shown, through everything that happens to records and definitions', async () => {
      await fc.assert(
        fc.asyncProperty(fields, fc.array(event, { maxLength: 25 }), async (first, events) => {
          await define(first);
          try {
            for (const [minute, one] of events.entries()) {
              await happen(store, one, minute);
              await compare(store, false);
            }
            while ((await store.finding.incomplete()).length > 0) await store.finding.build('permits');
            await compare(store, true);
            expect(await inspected(store)).toEqual([]);
          } finally {
            await store.removeRegister('permits');
          }
          expect(await opened.rows()).toEqual([]);
        }),
        { numRuns: tries(13), endOnFailure: true },
      );
    });

    it('of many records in several steps, with others writing meanwhile, and never twice', async () => {
      const area: Field = { name: 'area', label: 'Area', type: 'text', filterable: true };
      await define([{ ...area, name: 'other' }]);
      const record = (index: number, zone: string) => say(`k${index}`, { data: { area: zone, other: `${index}` } });
      const batch = Array.from({ length: 1200 }, (_, index) => record(index, `Zone ${index % 7}`));
      await store.apply('permits', batch, { recordedAt: at(0) });
      await store.updateRegister({ ...permits(), fields: [area] }, { recordedAt: at(1) });
      const source = await store.source('permits');
      const facets = () => source.facets!(['data.area']);
      expect(await facets()).toBeNull();
      // 1,200 values of another field are removed first, 500 at a time.
      let steps = 0;
      for (; (await store.finding.incomplete()).length > 0; steps++) {
        expect(await facets()).toBeNull();
        const minute = 2 + steps;
        await store.apply('permits', [record(steps, 'New'), record(1199 - steps, 'New'), record(2000 + steps, 'New')], {
          recordedAt: at(minute),
        });
        await store.withdraw('permits', [`permits:k${600 + steps}`, `permits:k${1100 + steps}`], {
          recordedAt: at(minute),
        });
        // Two that come back below what is counted, and two above it: as they were, and with another value.
        const back = [300 + 2 * steps, 301 + 2 * steps, 1150 + 2 * steps, 1151 + 2 * steps];
        const ids = back.map((index) => `permits:k${index}`);
        await store.withdraw('permits', ids, { recordedAt: at(minute) });
        const restored = back.map((index) => record(index, index % 2 === 0 ? `Zone ${index % 7}` : 'Back'));
        await store.apply('permits', restored, { recordedAt: at(minute) });
        expect(await store.finding.build('permits')).toMatchObject({ all: 1201 + steps });
      }
      expect(steps).toBeGreaterThan(4);
      await compare(store, true);
      expect(await inspected(store)).toEqual([]);
    });

    it('again where a definition comes back that was replaced', async () => {
      const area: Field = { name: 'area', label: 'Area', type: 'text', filterable: true };
      await define([area]);
      await store.apply('permits', [say('a', { data: { area: 'x' } })], { recordedAt: at(0) });
      await store.updateRegister({ ...permits(), fields: [] }, { recordedAt: at(1) });
      await store.apply('permits', [say('b', { data: { area: 'x' } })], { recordedAt: at(2) });
      await store.updateRegister({ ...permits(), fields: [area] }, { recordedAt: at(3) });
      expect(await (await store.source('permits')).facets!(['data.area'])).toBeNull();
      await store.finding.build('permits');
      expect(await (await store.source('permits')).facets!(['data.area'])).toEqual([
        { field: 'data.area', values: [{ value: 'x', records: 2 }], more: 0 },
      ]);
    });

    it('and keeps none of an erased record, not even while they are made again', async () => {
      const area: Field = { name: 'area', label: 'Area', type: 'text', filterable: true };
      await define([area]);
      const batch = ['a', 'b', 'c'].map((key) =>
        say(key, { document_type: `${key}type`, data: { area: `${key}secret` } }),
      );
      await store.apply('permits', batch, { recordedAt: at(0) });
      await store.redact('permits:a', { recordedAt: at(1) });
      expect(await opened.rows()).toEqual(['2026-04', 'bsecret', 'csecret', 'FAC-0001', 'btype', 'ctype'].toSorted());
      await store.updateRegister({ ...permits(), fields: [{ ...area, name: 'other' }] }, { recordedAt: at(2) });
      await store.redact('permits:b', { recordedAt: at(3) });
      expect(await opened.rows()).toEqual(['2026-04', 'FAC-0001', 'ctype'].toSorted());
      while ((await store.finding.incomplete()).length > 0) await store.finding.build('permits');
      expect(await inspected(store)).toEqual([]);
    });

    it('the hundred commonest of many, and how many more there are', async () => {
      const area: Field = { name: 'area', label: 'Area', type: 'integer', filterable: true };
      await define([area]);
      const batch = Array.from({ length: 400 }, (_, index) => say(`k${index}`, { data: { area: index % 150 } }));
      await store.apply('permits', batch, { recordedAt: at(0) });
      const [facet] = (await (await store.source('permits')).facets!(['data.area']))!;
      expect(facet!.values).toHaveLength(100);
      expect(facet!.values.every(({ records }) => records === 3)).toBe(true);
      expect(facet!.values.map(({ value: one }) => Number(one)).every((one) => one < 100)).toBe(true);
      expect(facet!.more).toBe(50);
    });
  });
}

type Event = typeof event extends fc.Arbitrary<infer One> ? One : never;

async function happen(store: CountedStore, one: Event, minute: number): Promise<void> {
  const recordedAt = at(minute);
  if (one.kind === 'define') {
    await store.updateRegister({ ...permits(), fields: one.fields }, { recordedAt });
  } else if (one.kind === 'build') {
    await store.finding.build('permits');
  } else if (one.kind === 'apply') {
    await store.apply('permits', [say(`k${one.key}`, one.said)], { recordedAt });
  } else if ((await store.record(`permits:k${one.key}`)) !== null) {
    const id = `permits:k${one.key}`;
    if (one.kind === 'withdraw') await store.withdraw('permits', [id], { recordedAt });
    else if (one.kind === 'redact') await store.redact(id, { recordedAt });
    else await store.lift(id);
  }
}

const byMonth = (a: { readonly value: string }, b: { readonly value: string }): number => (a.value < b.value ? -1 : 1);

/** Compares the counters with all live records. @param areWhole whether there must be counters of own values */
async function compare(store: CountedStore, areWhole: boolean): Promise<void> {
  const source = await store.source('permits');
  const records: RegisterRecord[] = [];
  for await (const page of pages(source)) records.push(...page.records);
  const own = source.definition.fields.filter(({ filterable }) => filterable === true).map(({ name }) => name);
  const counted: [string, (record: RegisterRecord) => unknown][] = [
    ['document_type', ({ document_type }) => document_type],
    ['facility_id', ({ facility_id }) => facility_id],
    ...own.map((name): [string, (record: RegisterRecord) => unknown] => [`data.${name}`, ({ data }) => data[name]]),
  ];
  const facets = await source.facets!(counted.map(([field]) => field));
  if (areWhole) expect(facets).not.toBeNull();
  const told = facets ?? (await source.facets!(['document_type', 'facility_id']))!;
  expect(told.map(plain)).toEqual(
    counted.slice(0, told.length).map(([field, of]) => plainFacet(field, records.map(of))),
  );
  const months = Map.groupBy(
    records.filter(({ published_at }) => published_at !== null),
    ({ published_at: day }) => day!.slice(0, 7),
  );
  const newest = [...months].map(([month, { length }]) => ({ value: month, records: length })).toSorted(byMonth);
  expect(await store.values.months('permits', { limit: 1000 })).toEqual(newest.toReversed());
}

function plainFacet(field: string, values: readonly unknown[]): object {
  const counts = new Map<string, number>();
  for (const one of values) {
    if (one === null || one === undefined) continue;
    const shown = typeof one === 'string' ? one : JSON.stringify(one);
    const isOdd = shown.includes('\0') || shown.startsWith('\u0001');
    const length = Array.from(isOdd ? `?${JSON.stringify(shown)}` : shown).length;
    if (length <= 400) counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  return { field, counts: Object.fromEntries([...counts].sort()), more: 0 };
}

function plain({ field, values, more }: Facet): object {
  const counts = values.map(({ value: one, records }): [string, number] => [one, records]);
  return { field, counts: Object.fromEntries(counts.sort()), more };
}

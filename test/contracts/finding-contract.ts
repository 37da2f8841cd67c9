// Records are found by every filter in a store as an independent model finds them: whatever they say, whatever is asked, and
// whatever happens to them between two pages.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Filter } from '../../src/register/finding/asked-filter.ts';
import type { Page } from '../../src/register/page.ts';
import type { Field, RegisterRecord } from '../../src/register/record.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import type { FindingStore } from '../../src/stores/contract/finding.ts';
import type { PublishedRecord } from '../../src/stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { tries } from '../effort.ts';
import { plainMatches } from '../register/finding/plain-filter.ts';
import { askedFields, askedFilter, askedRecord } from '../register/finding/questions.ts';
import { at, keys, permits, say } from './store-register.ts';

/** A store whose indexes can be built. */
export type FindingRegisters = RegisterStore & { readonly finding: FindingStore };

/** Opens an empty one. */
type OpenFinding = () => Promise<{ readonly store: FindingRegisters; readonly dispose: () => Promise<void> }>;

/** What happens to a record between two pages. */
type Event = readonly ['change' | 'withdraw' | 'restore' | 'redact' | 'add', number];

const events: fc.Arbitrary<Event[]> = fc.array(
  fc.tuple(fc.constantFrom('change', 'withdraw', 'restore', 'redact', 'add'), fc.nat(11)),
  { maxLength: 6 },
);

/** A register, filters that are asked of it, and what happens meanwhile. */
const cases = askedFields.chain((fields) =>
  fc.tuple(...Array.from({ length: 12 }, (_, index) => askedRecord(fields, index))).chain((records) =>
    fc.record({
      fields: fc.constant(fields),
      records: fc.constant(records),
      filters: fc.array(askedFilter(fields, records), { minLength: 4, maxLength: 4 }),
      events,
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  ),
);

/** Registers the suite for one implementation. */
export function findingContract(name: string, open: OpenFinding): void {
  describe(`${name} finds records`, () => {
    let store: FindingRegisters;
    let dispose: () => Promise<void>;
    beforeEach(async () => {
      ({ store, dispose } = await open());
    });
    afterEach(() => dispose());

    const define = async (fields: readonly Field[], search = true): Promise<void> => {
      await store.createRegister({ ...permits(), fields, ...(search ? {} : { search: false }) });
    };

    it('as plain arrays do, page for page, and none twice or never while others change', async () => {
      await fc.assert(
        fc.asyncProperty(cases, async ({ fields, records, filters, events: meanwhile, limit }) => {
          await define(fields);
          try {
            await store.apply('permits', records.slice(0, 9).map(statementOf), { recordedAt: at(0) });
            for (const [index, event] of meanwhile.slice(0, 3).entries())
              await happen(store, records, event, index + 1);
            for (const filter of filters) {
              const source = await store.source('permits');
              const before = await liveRecords(source);
              const expected = before.filter((record) => plainMatches(record, filter, fields));
              expect(await walked(source, filter, limit)).toEqual(expected);
            }
            const source = await store.source('permits');
            const filter = filters[0]!;
            const before = await liveRecords(source);
            const found = await walked(source, filter, limit, async (page) => {
              const event = meanwhile[3 + page];
              if (event !== undefined) await happen(store, records, event, 10 + page);
            });
            const after = await liveRecords(source);
            const stayed = before.filter((one) =>
              after.some(({ id, version }) => id === one.id && version === one.version),
            );
            const matching = stayed.filter((record) => plainMatches(record, filter, fields));
            const ids = found.map(({ id }) => id);
            expect(new Set(ids).size).toBe(ids.length);
            for (const record of matching) expect(ids).toContain(record.id);
            for (const record of found) expect(plainMatches(record, filter, fields)).toBe(true);
          } finally {
            await store.removeRegister('permits');
          }
        }),
        { numRuns: tries(12), endOnFailure: true },
      );
    });

    it('by words that came, went and came back with a record, and never by erased ones', async () => {
      await define([]);
      const found = (q: string): Promise<string[]> => keys(store, { filter: { q } });
      const apply = (minute: number, title: string) =>
        store.apply('permits', [say('a', { title, data: {} })], { recordedAt: at(minute) });
      await apply(0, 'Asbestos permit');
      expect(await found('asbestos')).toEqual(['a']);
      await apply(1, 'Noise permit');
      expect(await found('asbestos')).toEqual([]);
      expect(await found('noise')).toEqual(['a']);
      await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
      expect(await found('noise')).toEqual([]);
      await apply(3, 'Noise permit');
      expect(await found('noise')).toEqual(['a']);
      expect(await keys(store, { filter: { updated_since: at(3) } })).toEqual(['a']);
      await store.redact('permits:a', { recordedAt: at(4) });
      expect(await found('noise')).toEqual([]);
      expect(await keys(store, { filter: { updated_since: at(0) } })).toEqual([]);
    });

    it('again when a definition makes other terms, after the index was built, with others writing meanwhile', async () => {
      await define([{ name: 'area', label: 'Area', type: 'text' }]);
      const batch = Array.from({ length: 700 }, (_, index) =>
        say(`k${index}`, { data: { area: `Zone ${index % 7}` } }),
      );
      await store.apply('permits', batch, { recordedAt: at(0) });
      const filter = { 'data.area': 'Zone 3', q: 'permit' };
      const source = await store.source('permits');
      await expect(async () => source.page({ offset: 0, limit: 1, filter })).rejects.toMatchObject({
        code: 'unknown_parameter',
      });
      await store.updateRegister(
        { ...permits(), fields: [{ name: 'area', label: 'Area', type: 'text', filterable: true }] },
        { recordedAt: at(1) },
      );
      expect(await store.finding.incomplete()).toEqual(['permits']);
      const now = await store.source('permits');
      await expect(async () => now.page({ offset: 0, limit: 1, filter })).rejects.toMatchObject({
        code: 'index_building',
      });
      // What asks for no words reads the records.
      expect(await keys(store, { filter: { 'data.area': 'Zone 3' } })).toHaveLength(100);
      expect(await store.finding.build('permits')).toEqual({ done: 500, all: 700 });
      await store.apply('permits', [say('k3', { title: 'Permit', data: { area: 'Zone 4' } })], { recordedAt: at(2) });
      await store.withdraw('permits', ['permits:k10'], { recordedAt: at(2) });
      await store.apply('permits', [say('new', { data: { area: 'Zone 3' } })], { recordedAt: at(3) });
      expect(await store.finding.build('permits')).toEqual({ done: 701, all: 701 });
      expect(await store.finding.build('permits')).toEqual({ done: 701, all: 701 });
      expect(await store.finding.incomplete()).toEqual([]);
      const found = await keys(store, { filter });
      expect(found).toHaveLength(99);
      expect(found[0]).toBe('new');
    });

    it('no words of a register that is not searched', async () => {
      await define([], false);
      await store.apply('permits', [say('a', { data: {} })], { recordedAt: at(0) });
      const source = await store.source('permits');
      await expect(async () => source.page({ offset: 0, limit: 1, filter: { q: 'permit' } })).rejects.toMatchObject({
        code: 'invalid_parameter',
      });
      expect(await keys(store, { filter: { published_since: '2026-01-01' } })).toEqual(['a']);
    });
  });
}

/** The members of a record that the store adds to a statement. */
const OF_STORES: readonly string[] = ['key', 'position', 'version', 'updated_at'];

function statementOf(record: RegisterRecord): PublishedRecord {
  const id = `permits:${encodeURIComponent(record.key).replaceAll('%', '~')}`;
  const kept = Object.entries({ ...record, id }).filter(([name]) => !OF_STORES.includes(name));
  const stated = Object.fromEntries(kept);
  // Stores refuse lone surrogates.
  const formed = JSON.stringify(stated, (_, value: unknown) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  );
  return JSON.parse(formed) as PublishedRecord;
}

async function happen(
  store: RegisterStore,
  records: readonly RegisterRecord[],
  [what, number]: Event,
  minute: number,
): Promise<void> {
  const record = statementOf(records[number]!);
  const kept = await store.record(record.id);
  const options = { recordedAt: at(minute) };
  if (what === 'withdraw' && kept?.state === 'live') await store.withdraw('permits', [record.id], options);
  if (what === 'redact' && kept !== null) await store.redact(record.id, options);
  if (what === 'change') {
    const other = statementOf(records[(number + 5) % records.length]!);
    await store.apply('permits', [{ ...other, id: record.id }], options);
  }
  if (what === 'restore' || what === 'add') await store.apply('permits', [record], options);
}

async function liveRecords(source: RegisterSource): Promise<RegisterRecord[]> {
  return [...(await source.page({ offset: 0, limit: 100 })).records];
}

async function walked(
  source: RegisterSource,
  filter: Filter,
  limit: number,
  between: (page: number) => Promise<void> = () => Promise.resolve(),
): Promise<RegisterRecord[]> {
  const found: RegisterRecord[] = [];
  let asOf: Page['asOf'] = null;
  for (let offset: number | null = 0, count = 0; offset !== null; count++) {
    const page: Page = await source.page({ offset, limit, filter, ...(asOf === null ? {} : { asOf }) });
    found.push(...page.records);
    ({ nextOffset: offset, asOf } = page);
    if (offset !== null) await between(count);
  }
  return found;
}

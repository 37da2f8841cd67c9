// A register at a moment is what it was then. The model remembers, after each write, what the list and each record were.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchedBy } from '../../src/register/sources/matched.ts';
import { pages, pagesOrRows, type RegisterSource, type WalkOptions } from '../../src/register/sources/source.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { allChanges } from './all-changes.ts';
import { at, type OpenStore, permits, say } from './store-register.ts';

/** How many records there can be: more than are read at once. */
const KEYS = 150;

/** The shapes in which the same time can be stated. */
const STATED: readonly ((time: string) => string)[] = [
  (time) => time,
  (time) => time.replace('Z', '.000Z'),
  (time) =>
    time.replace(/T(\d\d)(.*)Z/, (_, hour, rest) => `T${String(Number(hour) + 2).padStart(2, '0')}${rest}+02:00`),
];

interface Write {
  readonly kind: 'apply' | 'withdraw' | 'redact' | 'lift';
  readonly picks: readonly number[];
  readonly type: string;
  /** How many seconds after the write before; a clock may be set back. */
  readonly later: number;
  readonly stated: number;
}

const picks = fc
  .tuple(fc.nat(KEYS - 1), fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(KEYS)))
  .map(([from, count]) => Array.from({ length: Math.min(count, KEYS - from) }, (_, index) => from + index));
const writes: fc.Arbitrary<readonly Write[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('apply', 'apply', 'apply', 'withdraw', 'withdraw', 'redact', 'lift'),
    picks,
    type: fc.constantFrom('a', 'b'),
    later: fc.constantFrom(0, 0, 1, 10, -5),
    stated: fc.nat(STATED.length - 1),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Runs the suite on a store. @param runs how many histories are tried */
export function momentsContract(name: string, open: OpenStore, runs: number): void {
  describe(`${name} as it was`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    let feeds = 0;

    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(() => dispose());

    const idOf = (feedId: string, pick: number): string => `${feedId}:k${pick}`;
    const carryOut = async (feedId: string, { kind, picks, type }: Write, recordedAt: string): Promise<unknown> => {
      const known = await Promise.all(picks.map((pick) => store.record(idOf(feedId, pick))));
      const ids = known.flatMap((record) => (record === null ? [] : [record.id]));
      if (kind === 'apply') {
        const batch = picks.map((pick) => say(`k${pick}`, { document_type: type }, feedId));
        return store.apply(feedId, batch, { recordedAt });
      }
      if (kind === 'withdraw') return store.withdraw(feedId, ids, { recordedAt });
      // One of them is enough.
      return ids[0] === undefined
        ? null
        : kind === 'redact'
          ? store.redact(ids[0], { recordedAt })
          : store.lift(ids[0]);
    };
    const read = async (source: RegisterSource, options: WalkOptions): Promise<readonly RegisterRecord[]> =>
      (await Array.fromAsync(pages(source, options))).flatMap(({ records }) => records);

    it('is at every moment what it was, without what was ever redacted', async () => {
      const walks = fc.record({ limit: fc.constantFrom(1, 3, 50, 100), moment: fc.integer({ min: -1, max: 60 }) });
      await fc.assert(
        fc.asyncProperty(writes, walks, async (sequence, { limit, moment }) => {
          const feedId = `then-${++feeds}`;
          await store.createRegister(permits(feedId));
          const source = await store.source(feedId);
          const states: { readonly ms: number; readonly records: readonly RegisterRecord[]; readonly known: number }[] =
            [];
          let seconds = 0;
          for (const write of sequence) {
            seconds += write.later;
            await carryOut(feedId, write, STATED[write.stated]!(timeOf(seconds)));
            const { lastChange, top } = (await store.register(feedId))!;
            const ms = Date.parse(lastChange ?? timeOf(0));
            states.push({ ms, records: await read(source, {}), known: top });
          }
          const versions = await allChanges(store, feedId);
          const erased = new Set(versions.filter(({ cause }) => cause === 'redacted').map((one) => one.record_id));
          const asOf = timeOf(moment);
          const then = states.findLast(({ ms }) => ms <= Date.parse(asOf));
          const expected = (then?.records ?? []).filter(({ id }) => !erased.has(id));

          expect(await read(source, { asOf, limit })).toEqual(expected);
          const filter = { document_type: 'a' };
          const matching = expected.filter(({ document_type: type }) => type === 'a');
          expect(await read(source, { asOf, limit, filter })).toEqual(matching);
          expect(await source.matched!({ asOf, filter })).toEqual({ matched: matching.length, isAtLeast: false });
          const quick = await Array.fromAsync(pagesOrRows(source, { asOf }));
          expect(quick.flatMap((page) => ('records' in page ? page.records : []))).toEqual(expected);
          const every = [...new Set(versions.map((version) => version.record_id))];
          for (const id of every.filter((one, index) => index % 20 === 0 || erased.has(one))) {
            const version = await store.versionAt(id, asOf);
            const live = version === null || version.cause === 'withdrawn' ? undefined : version.record;
            expect(live).toEqual(expected.find((record) => record.id === id));
            const recorded = versions.findLast(
              (one) => one.record_id === id && Date.parse(one.recorded_at) <= Date.parse(asOf),
            );
            expect(version?.change).toBe(erased.has(id) ? undefined : recorded?.change);
          }
        }),
        { numRuns: runs },
      );
    });

    it('finds any change among many, each at its own time', async () => {
      const feedId = `then-${++feeds}`;
      await store.createRegister(permits(feedId));
      const source = await store.source(feedId);
      // More than two steps of a search.
      const count = 130;
      for (let n = 0; n < count; n++) await store.apply(feedId, [say(`k${n}`, {}, feedId)], { recordedAt: timeOf(n) });
      for (let n = 0; n < count; n += 3) {
        const { records, nextOffset, asOf } = await source.page({ asOf: timeOf(n), offset: 0, limit: 1 });
        expect([records[0]?.key, nextOffset, asOf]).toEqual([`k${n}`, n === 0 ? null : 1, timeOf(n)]);
      }
    });

    it('finds the version of then among many of a record', async () => {
      const feedId = `then-${++feeds}`;
      await store.createRegister(permits(feedId));
      const source = await store.source(feedId);
      const count = 70;
      for (let n = 0; n < count; n++)
        await store.apply(feedId, [say('k1', { title: `${n}` }, feedId), say(`n${n}`, {}, feedId)], {
          recordedAt: timeOf(n),
        });
      for (let n = 0; n < count; n += 3) {
        const { records } = await source.page({ asOf: timeOf(n), offset: n + 1, limit: 1 });
        expect(records).toMatchObject([{ key: 'k1', title: `${n}`, version: n + 1 }]);
        expect(await store.versionAt(idOf(feedId, 1), timeOf(n))).toMatchObject({ version: n + 1 });
      }
    });

    it('goes on below what a page may examine, and looks at what records were', async () => {
      const feedId = `then-${++feeds}`;
      await store.createRegister(permits(feedId));
      const many = Array.from({ length: 20_200 }, (_, n) => say(`k${n}`, { document_type: n < 3 ? 'a' : 'b' }, feedId));
      await store.apply(feedId, many, { recordedAt: timeOf(0) });
      await store.apply(feedId, [say('k20100', { document_type: 'a' }, feedId)], { recordedAt: timeOf(10) });
      const source = await store.source(feedId);
      const filter = { document_type: 'a' };
      const first = await source.page({ asOf: timeOf(5), offset: 0, limit: 2, filter });
      expect(first).toEqual({ records: [], nextOffset: 20_000, asOf: timeOf(5) });
      const second = await source.page({ asOf: timeOf(5), offset: 20_000, limit: 2, filter });
      expect([second.records.map(({ key }) => key), second.nextOffset]).toEqual([['k2', 'k1'], 20_199]);
      expect(await source.matched!({ asOf: timeOf(5), filter })).toEqual({ matched: 0, isAtLeast: true });
      // The count ended above these pages, which show more.
      const last = await source.page({ asOf: timeOf(5), offset: 20_199, limit: 2, filter });
      const counts = [first, second, last].map((page, at) =>
        matchedBy(source, { asOf: timeOf(5), offset: [0, 20_000, 20_199][at]!, limit: 2, filter }, page),
      );
      expect((await Promise.all(counts)).map((count) => count?.matched)).toEqual([0, 2, 1]);
    });

    it('shows what was under the definition of today, and a key as it was', async () => {
      const feedId = `then-${++feeds}`;
      await store.createRegister(permits(feedId));
      const id = idOf(feedId, 1);
      await store.apply(feedId, [say('k1', {}, feedId)], { recordedAt: timeOf(0) });
      await store.updateRegister({ ...permits(feedId), fields: [] }, { recordedAt: timeOf(1) });
      await store.withdraw(feedId, [id], { recordedAt: timeOf(2) });
      const { records } = await (
        await store.source(feedId)
      ).page({ asOf: timeOf(0), offset: 0, limit: 1, filter: { key: 'k1' } });
      expect(records).toMatchObject([{ id, version: 1, updated_at: timeOf(0), data: {} }]);
      expect((await store.versionAt(id, timeOf(1)))?.record).toEqual(records[0]);
      expect(await store.versionAt(id, timeOf(2))).toMatchObject({ cause: 'withdrawn' });
    });

    it('refuses offsets that are none, and times that are none; of what was never there it knows nothing', async () => {
      const feedId = `then-${++feeds}`;
      await store.createRegister(permits(feedId));
      const source = await store.source(feedId);
      const page = async (query: object): Promise<unknown> =>
        source.page({ asOf: timeOf(0), offset: 0, limit: 1, ...query });
      await expect(page({ offset: -1 })).rejects.toMatchObject({ details: { parameter: 'offset' } });
      await expect(store.versionAt(idOf(feedId, 1), 'yesterday')).rejects.toMatchObject({
        details: { parameter: 'at' },
      });
      expect(await page({})).toEqual({ records: [], nextOffset: null, asOf: timeOf(0) });
      expect(await page({ offset: 5 })).toEqual({ records: [], nextOffset: null, asOf: timeOf(0) });
      expect(await store.versionAt(idOf(feedId, 1), timeOf(0))).toBeNull();
      expect(await store.versionAt('nothing', timeOf(0))).toBeNull();
    });
  });
}

/** So many seconds after noon. */
function timeOf(seconds: number): string {
  return new Date(Date.parse(at(720)) + seconds * 1000).toISOString().replace('.000Z', 'Z');
}

// The pages that every store of registers answers: offsets, views, filters, limits; and the list of its ids.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Filter, Page, PageQuery } from '../../src/register/page.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { at, HOSTILE_TEXTS, keyOf, keys, type OpenStore, permits, say, sayOdd, walk } from './store-register.ts';

/** Registers this part of the suite for one implementation. */
export function pagesContract(name: string, open: OpenStore): void {
  describe(`${name} answers pages`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    const apply = (minute: number, ...batch: ReturnType<typeof say>[]) =>
      store.apply('permits', batch, { recordedAt: at(minute) });
    const withdraw = (minute: number, ...names: string[]) =>
      store.withdraw(
        'permits',
        names.map((key) => `permits:${key}`),
        { recordedAt: at(minute) },
      );
    const page = async (query: Partial<PageQuery> = {}): Promise<Page> =>
      (await store.source('permits')).page({ offset: 0, limit: 2, ...query });
    const shown = ({ records, nextOffset, asOf }: Page): unknown[] => [records.map(keyOf), nextOffset, asOf];

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.createRegister(permits());
    });
    afterEach(() => dispose());

    it('of an empty register: nothing', async () => {
      expect(await page()).toEqual({ records: [], nextOffset: null, asOf: 0 });
      expect(await page({ offset: 7, filter: { documentType: 'adopted' } })).toEqual({
        records: [],
        nextOffset: null,
        asOf: 0,
      });
    });

    it('downwards from the newest, until nothing lies below', async () => {
      await apply(0, say('a'), say('b'), say('c'), say('d'), say('e'));
      expect(shown(await page())).toEqual([['e', 'd'], 2, 5]);
      expect(shown(await page({ offset: 2 }))).toEqual([['c', 'b'], 4, 5]);
      expect(shown(await page({ offset: 4 }))).toEqual([['a'], null, 5]);
      expect(shown(await page({ offset: 3 }))).toEqual([['b', 'a'], null, 5]);
      expect(shown(await page({ offset: 5 }))).toEqual([[], null, 5]);
      expect(shown(await page({ offset: Number.MAX_SAFE_INTEGER }))).toEqual([[], null, 5]);
    });

    it('of a frozen view', async () => {
      await apply(0, say('a'), say('b'), say('c'));
      await apply(1, say('d'), say('b', { title: 'New' }));
      expect(shown(await page({ asOf: 3 }))).toEqual([['c', 'b'], 2, 3]);
      expect((await page({ asOf: 3 })).records[1]).toMatchObject({ title: 'New', version: 2 });
      expect(shown(await page({ asOf: 3, offset: 2 }))).toEqual([['a'], null, 3]);
      expect(shown(await page({ asOf: 0 }))).toEqual([[], null, 0]);
    });

    it('over what was withdrawn, at the top, in the middle and at the end', async () => {
      await apply(0, ...'abcdefgh'.split('').map((key) => say(key)));
      await withdraw(1, 'a', 'd', 'e', 'h');
      expect(shown(await page())).toEqual([['g', 'f'], 3, 8]);
      expect(shown(await page({ offset: 3 }))).toEqual([['c', 'b'], null, 8]);
      expect(shown(await page({ offset: 4 }))).toEqual([['c', 'b'], null, 8]);
      expect(shown(await page({ offset: 7 }))).toEqual([[], null, 8]);
      await withdraw(2, 'b', 'c', 'f', 'g');
      expect(shown(await page())).toEqual([[], null, 8]);
    });

    describe('that match a filter', () => {
      const cases: readonly (readonly [string, Filter, readonly string[]])[] = [
        ['a document type', { documentType: 'draft' }, ['f', 'd', 'b']],
        ['a facility', { facilityId: 'X' }, ['f', 'c', 'b']],
        ['both', { documentType: 'draft', facilityId: 'X' }, ['f', 'b']],
        ['neither', {}, ['g', 'f', 'e', 'd', 'c', 'b', 'a']],
        ['a type nobody has', { documentType: 'Draft' }, []],
        ['a facility nobody has', { facilityId: '' }, []],
        ['a pair nobody has', { documentType: 'adopted', facilityId: 'Y' }, []],
      ];
      const fill = async (): Promise<void> => {
        await apply(
          0,
          say('a', { document_type: null, facility_id: null }),
          say('b', { document_type: 'draft', facility_id: 'X' }),
          say('c', { document_type: 'adopted', facility_id: 'X' }),
          say('d', { document_type: 'draft', facility_id: 'Y' }),
          say('e', { document_type: 'adopted', facility_id: null }),
          say('f', { document_type: 'draft', facility_id: 'X' }),
          say('g', { document_type: null, facility_id: 'Y' }),
        );
      };

      it.each(cases)('%s', async (_, filter, expected) => {
        await fill();
        for (const limit of [1, 2, 3, 100]) {
          const found = await walk(store, { filter, limit });
          expect(found.flatMap(({ records }) => records.map(keyOf))).toEqual(expected);
          // With an index every page but the last is full, and the last is known to be it.
          expect(found.map(({ records }) => records.length).slice(0, -1)).toEqual(
            Array.from({ length: found.length - 1 }, () => limit),
          );
          expect(found).toHaveLength(Math.max(1, Math.ceil(expected.length / limit)));
        }
      });

      it('as the record is now, not as it was', async () => {
        await fill();
        await apply(1, say('b', { document_type: 'adopted', facility_id: 'X' }), say('a', { document_type: 'draft' }));
        await withdraw(2, 'd');
        expect(await keys(store, { filter: { documentType: 'draft' } })).toEqual(['f', 'a']);
        expect(await keys(store, { filter: { documentType: 'adopted' } })).toEqual(['e', 'c', 'b']);
        await apply(3, say('d', { document_type: 'draft', facility_id: 'Z' }));
        expect(await keys(store, { filter: { documentType: 'draft', facilityId: 'Z' } })).toEqual(['d']);
      });

      it('within a view and from an offset', async () => {
        await fill();
        const filter = { documentType: 'draft' };
        expect(shown(await page({ filter, asOf: 5, limit: 1 }))).toEqual([['d'], 2, 5]);
        expect(shown(await page({ filter, asOf: 5, offset: 2 }))).toEqual([['b'], null, 5]);
        expect(shown(await page({ filter, offset: 3, limit: 1 }))).toEqual([['d'], 4, 7]);
      });

      it('of their own register alone', async () => {
        await fill();
        await store.createRegister(permits('others'));
        const theirs = say('x', { document_type: 'draft', facility_id: 'X' }, 'others');
        await store.apply('others', [theirs], { recordedAt: at(0) });
        const filter = { documentType: 'draft', facilityId: 'X' };
        expect(await keys(store, { filter })).toEqual(['f', 'b']);
        expect(await keys(store, { filter }, 'others')).toEqual(['x']);
        expect(await keys(store, {}, 'others')).toEqual(['x']);
      });

      it('even by values far longer than an index entry', async () => {
        const long = 'é漢x'.repeat(2000);
        await apply(0, say('a', { document_type: long, facility_id: long }), say('b', { document_type: `${long}.` }));
        expect(await keys(store, { filter: { documentType: long } })).toEqual(['a']);
        expect(await keys(store, { filter: { documentType: long, facilityId: long } })).toEqual(['a']);
      });
    });

    it.each([
      ['limit', { limit: 101 }],
      ['limit', { limit: 0 }],
      ['limit', { limit: NaN }],
      ['offset', { offset: -1 }],
      ['offset', { offset: 0.5 }],
      ['as_of', { asOf: 3 }],
      ['as_of', { asOf: -1 }],
      ['as_of', { asOf: 1.5 }],
      ['as_of', { asOf: 'yesterday' }],
    ] as const)('refuses a wrong %s: %j', async (parameter, query) => {
      await apply(0, say('a'), say('b'));
      await expect(page(query)).rejects.toMatchObject({ code: 'invalid_parameter', details: { parameter } });
    });

    it('refuses to begin once it was cancelled', async () => {
      await expect(page({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    });

    it.each<[string, number, number]>([
      ['short texts', 30, 10],
      // Several times what a store reads at once, in a page or two.
      ['long texts', 12, 300_000],
    ])('ahead as one by one: %s', async (_, count, length) => {
      const batch = Array.from({ length: count }, (_, n) => {
        return say(`k${n}`, { content: 'x'.repeat(length), document_type: n % 3 === 0 ? 'rare' : 'adopted' });
      });
      await apply(0, ...batch);
      await withdraw(1, 'k1', 'k7', `k${count - 1}`);
      const source = await store.source('permits');
      // A store in memory has nothing to gain by it.
      if (source.pagesAhead === undefined) return;
      for (const filter of [undefined, { documentType: 'rare' }, { documentType: 'rare', facilityId: 'FAC-0001' }]) {
        for (const limit of [1, 4, 100]) {
          const query = { limit, ...(filter === undefined ? {} : { filter }) };
          const found: Page[] = [];
          for await (const group of source.pagesAhead({ ...query, offset: 0 })) found.push(...group);
          const alone: Page[] = [];
          for (let offset: number | null = 0; offset !== null; offset = alone.at(-1)!.nextOffset) {
            alone.push(await source.page({ ...query, offset }));
          }
          expect(found).toEqual(alone);
        }
      }
      // Whatever the texts are, what is read at once stays small.
      for await (const group of source.pagesAhead({ offset: 0, limit: 1 })) {
        expect(group.length * length).toBeLessThan(1_200_000);
      }
      for (const wrong of [{ limit: 101 }, { limit: 1, asOf: 999 }]) {
        const groups = source.pagesAhead({ offset: 0, ...wrong })[Symbol.asyncIterator]();
        await expect(groups.next()).rejects.toMatchObject({ code: 'invalid_parameter' });
      }
    });

    it('ahead as one by one: whatever the texts hold', async () => {
      await apply(0, ...HOSTILE_TEXTS.map((text, n) => sayOdd(`k${n}`, text)));
      const found = await walk(store, { limit: 3 });
      const alone = [];
      for (let offset: number | null = 0; offset !== null; offset = alone.at(-1)!.nextOffset) {
        alone.push(await (await store.source('permits')).page({ limit: 3, offset }));
      }
      expect(found).toEqual(alone);
      expect(found.flatMap(({ records }) => records.map(({ title }) => title))).toEqual([...HOSTILE_TEXTS].reverse());
    });

    it('under a revision that every write changes', async () => {
      const source = await store.source('permits');
      const seen = new Set([await source.revision!()]);
      const steps = [
        () => apply(0, say('a'), say('b')),
        () => apply(1, say('a', { title: 'New' })),
        () => apply(2, say('a')),
        () => withdraw(3, 'a'),
        () => apply(4, say('a')),
        () => store.redact('permits:b', { recordedAt: at(5) }),
        () => store.updateRegister({ ...permits(), rights: 'CC0' }, { recordedAt: at(6) }),
      ];
      for (const [index, step] of steps.entries()) {
        await step();
        seen.add(await source.revision!());
        expect(seen.size).toBe(index + 2);
        expect(await source.lastChange!()).toBe(at(index));
      }
    });

    describe('of ids', () => {
      it('lists the live, newest first, below any position', async () => {
        await apply(0, ...'abcdef'.split('').map((key) => say(key)));
        await withdraw(1, 'c', 'f');
        const ids = async (options: { below?: number; limit: number }): Promise<unknown[]> =>
          (await store.ids('permits', options)).map(({ id, position }) => [id, position]);
        expect(await ids({ limit: 3 })).toEqual([
          ['permits:e', 5],
          ['permits:d', 4],
          ['permits:b', 2],
        ]);
        expect(await ids({ limit: 3, below: 2 })).toEqual([['permits:a', 1]]);
        expect(await ids({ limit: 3, below: 1 })).toEqual([]);
        expect(await ids({ limit: 1, below: 1000 })).toEqual([['permits:e', 5]]);
      });

      it.each([
        ['limit', { limit: 10_001 }],
        ['limit', { limit: 0 }],
        ['below', { limit: 1, below: -1 }],
        ['below', { limit: 1, below: 0.5 }],
      ])('refuses a wrong %s: %j', async (parameter, options) => {
        const refused = { code: 'invalid_parameter', details: { parameter } };
        await expect(store.ids('permits', options)).rejects.toMatchObject(refused);
      });
    });
  });
}

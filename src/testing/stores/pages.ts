// The contract of stores of registers for pages: offsets, views, filters, limits; and for the list of ids.
import type { Filter } from '../../register/finding/filter.ts';
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import { recordId } from '../../register/identity.ts';
import type { Page, PageQuery } from '../../register/page.ts';
import { onRegister } from './on-register.ts';
import { at, HOSTILE_TEXTS, inFacility, keyOf, keys, type OpenStore, permits, say, sayOdd, walk } from './said.ts';

/** Registers this part of the suite for one implementation. */
export function pagesContract(test: Test, open: OpenStore): void {
  onRegister(test, 'answers pages', open, (it, on) => {
    const { apply, withdraw } = on;
    const page = async (query: Partial<PageQuery> = {}): Promise<Page> =>
      (await on.store.source('permits')).page({ offset: 0, limit: 2, ...query });
    const shown = ({ records, nextOffset, asOf }: Page): unknown[] => [records.map(keyOf), nextOffset, asOf];

    it('of an empty register: nothing', async () => {
      assert.deepEqual(await page(), { records: [], nextOffset: null, asOf: 0 });
      assert.deepEqual(await page({ offset: 7, filter: { document_type: 'adopted' } }), {
        records: [],
        nextOffset: null,
        asOf: 0,
      });
    });

    it('downwards from the newest, until nothing lies below', async () => {
      await apply(0, say('a'), say('b'), say('c'), say('d'), say('e'));
      assert.deepEqual(shown(await page()), [['e', 'd'], 2, 5]);
      assert.deepEqual(shown(await page({ offset: 2 })), [['c', 'b'], 4, 5]);
      assert.deepEqual(shown(await page({ offset: 4 })), [['a'], null, 5]);
      assert.deepEqual(shown(await page({ offset: 3 })), [['b', 'a'], null, 5]);
      assert.deepEqual(shown(await page({ offset: 5 })), [[], null, 5]);
      assert.deepEqual(shown(await page({ offset: Number.MAX_SAFE_INTEGER })), [[], null, 5]);
    });

    it('of a frozen view', async () => {
      await apply(0, say('a'), say('b'), say('c'));
      await apply(1, say('d'), say('b', { title: 'New' }));
      assert.deepEqual(shown(await page({ asOf: 3 })), [['c', 'b'], 2, 3]);
      matches((await page({ asOf: 3 })).records[1], { title: 'New', version: 2 });
      assert.deepEqual(shown(await page({ asOf: 3, offset: 2 })), [['a'], null, 3]);
      assert.deepEqual(shown(await page({ asOf: 0 })), [[], null, 0]);
    });

    it('over what was withdrawn, at the top, in the middle and at the end', async () => {
      await apply(0, ...'abcdefgh'.split('').map((key) => say(key)));
      await withdraw(1, 'a', 'd', 'e', 'h');
      assert.deepEqual(shown(await page()), [['g', 'f'], 3, 8]);
      assert.deepEqual(shown(await page({ offset: 3 })), [['c', 'b'], null, 8]);
      assert.deepEqual(shown(await page({ offset: 4 })), [['c', 'b'], null, 8]);
      assert.deepEqual(shown(await page({ offset: 7 })), [[], null, 8]);
      await withdraw(2, 'b', 'c', 'f', 'g');
      assert.deepEqual(shown(await page()), [[], null, 8]);
    });

    group(it, 'that match a filter', (it) => {
      const cases: readonly (readonly [string, Filter, readonly string[]])[] = [
        ['a document type', { document_type: 'draft' }, ['f', 'd', 'b']],
        ['a facility', inFacility('X'), ['f', 'c', 'b']],
        ['both', { document_type: 'draft', ...inFacility('X') }, ['f', 'b']],
        ['neither', {}, ['g', 'f', 'e', 'd', 'c', 'b', 'a']],
        ['a type nobody has', { document_type: 'Draft' }, []],
        ['a facility nobody has', inFacility(''), []],
        ['a pair nobody has', { document_type: 'adopted', ...inFacility('Y') }, []],
      ];
      const fill = async (): Promise<void> => {
        await apply(
          0,
          say('a', { document_type: null, ...inFacility(null) }),
          say('b', { document_type: 'draft', ...inFacility('X') }),
          say('c', { document_type: 'adopted', ...inFacility('X') }),
          say('d', { document_type: 'draft', ...inFacility('Y') }),
          say('e', { document_type: 'adopted', ...inFacility(null) }),
          say('f', { document_type: 'draft', ...inFacility('X') }),
          say('g', { document_type: null, ...inFacility('Y') }),
        );
      };

      each(it, '%s', cases, async (_, filter, expected) => {
        await fill();
        for (const limit of [1, 2, 3, 100]) {
          const found = await walk(on.store, { filter, limit });
          assert.deepEqual(
            found.flatMap(({ records }) => records.map(keyOf)),
            expected,
          );
          // With an index every page but the last is full, and the last is marked as such.
          assert.deepEqual(
            found.map(({ records }) => records.length).slice(0, -1),
            Array.from({ length: found.length - 1 }, () => limit),
          );
          assert.equal(found.length, Math.max(1, Math.ceil(expected.length / limit)));
        }
      });

      it('as the record is now, not as it was', async () => {
        await fill();
        await apply(
          1,
          say('b', { document_type: 'adopted', ...inFacility('X') }),
          say('a', { document_type: 'draft' }),
        );
        await withdraw(2, 'd');
        assert.deepEqual(await keys(on.store, { filter: { document_type: 'draft' } }), ['f', 'a']);
        assert.deepEqual(await keys(on.store, { filter: { document_type: 'adopted' } }), ['e', 'c', 'b']);
        await apply(3, say('d', { document_type: 'draft', ...inFacility('Z') }));
        assert.deepEqual(await keys(on.store, { filter: { document_type: 'draft', ...inFacility('Z') } }), ['d']);
      });

      it('by the publisher’s key, exactly: one record or none', async () => {
        const odd = ['2026/0417', '~', 'ä', '\u0000', 'A b', '2026-0417'];
        await apply(0, ...odd.map((key) => ({ ...say('x'), id: recordId('permits', key) })), say('z'));
        for (const key of odd) {
          const found = await page({ filter: { key } });
          assert.deepEqual([found.records.map((record) => record.key), found.nextOffset, found.asOf], [[key], null, 7]);
          assert.deepEqual(await keys(on.store, { filter: { key } }), [keyOf(found.records[0]!)]);
        }
        for (const key of ['2026', '2026~2F0417', 'permits:z', 'Z', 'x'.repeat(200), '€'.repeat(200)]) {
          assert.deepEqual(await page({ filter: { key } }), { records: [], nextOffset: null, asOf: 7 });
          assert.deepEqual(await keys(on.store, { filter: { key } }), []);
        }
        assert.deepEqual(await page({ filter: { key: 'z', document_type: 'draft' } }).then(shown), [[], null, 7]);
        assert.deepEqual(await page({ filter: { key: 'z', document_type: 'adopted' } }).then(shown), [['z'], null, 7]);
        assert.deepEqual(await page({ filter: { key: 'z' }, asOf: 6 }).then(shown), [[], null, 6]);
        assert.deepEqual(await page({ filter: { key: 'z' }, offset: 1 }).then(shown), [[], null, 7]);
        await withdraw(1, 'z');
        assert.deepEqual(await page({ filter: { key: 'z' } }).then(shown), [[], null, 7]);
      });

      it('within a view and from an offset', async () => {
        await fill();
        const filter = { document_type: 'draft' };
        assert.deepEqual(shown(await page({ filter, asOf: 5, limit: 1 })), [['d'], 2, 5]);
        assert.deepEqual(shown(await page({ filter, asOf: 5, offset: 2 })), [['b'], null, 5]);
        assert.deepEqual(shown(await page({ filter, offset: 3, limit: 1 })), [['d'], 4, 7]);
      });

      it('of their own register alone', async () => {
        await fill();
        await on.store.createRegister(permits('others'));
        const theirs = say('x', { document_type: 'draft', ...inFacility('X') }, 'others');
        await on.store.apply('others', [theirs], { recordedAt: at(0) });
        const filter = { document_type: 'draft', ...inFacility('X') };
        assert.deepEqual(await keys(on.store, { filter }), ['f', 'b']);
        assert.deepEqual(await keys(on.store, { filter }, 'others'), ['x']);
        assert.deepEqual(await keys(on.store, {}, 'others'), ['x']);
      });

      it('even by values far longer than an index entry', async () => {
        const long = 'é漢x'.repeat(2000);
        await apply(0, say('a', { document_type: long, ...inFacility(long) }), say('b', { document_type: `${long}.` }));
        assert.deepEqual(await keys(on.store, { filter: { document_type: long } }), ['a']);
        assert.deepEqual(await keys(on.store, { filter: { document_type: long, ...inFacility(long) } }), ['a']);
      });
    });

    each<readonly [string, Partial<PageQuery>]>(
      it,
      'refuses a wrong %s: %j',
      [
        ['limit', { limit: 101 }],
        ['limit', { limit: 0 }],
        ['limit', { limit: NaN }],
        ['offset', { offset: -1 }],
        ['offset', { offset: 0.5 }],
        ['as_of', { asOf: 3 }],
        ['as_of', { asOf: -1 }],
        ['as_of', { asOf: 1.5 }],
        ['as_of', { asOf: 'yesterday' }],
      ],
      async (parameter, query) => {
        await apply(0, say('a'), say('b'));
        await rejects(page(query), { code: 'invalid_parameter', details: { parameter } });
      },
    );

    it('refuses to begin once it was cancelled', async () => {
      await rejects(page({ signal: AbortSignal.abort() }), { code: 'aborted' });
    });

    each<[string, number, number]>(
      it,
      'ahead as one by one: %s',
      [
        ['short texts', 30, 10],
        // Several times what a store reads at once, in a page or two.
        ['long texts', 12, 300_000],
      ],
      async (_, count, length) => {
        const batch = Array.from({ length: count }, (_, n) => {
          return say(`k${n}`, { content: 'x'.repeat(length), document_type: n % 3 === 0 ? 'rare' : 'adopted' });
        });
        await apply(0, ...batch);
        await withdraw(1, 'k1', 'k7', `k${count - 1}`);
        const source = await on.store.source('permits');
        // A store in memory does not benefit from it.
        if (source.pagesAhead === undefined) return;
        for (const filter of [
          undefined,
          { document_type: 'rare' },
          { document_type: 'rare', ...inFacility('FAC-0001') },
          // Answered by the index of terms, by looking through the records, or both.
          { document_type: ['rare', 'other'] },
          { updated_since: '2000-01-01' },
          { q: 'permit -nothing', document_type: 'adopted' },
        ]) {
          for (const limit of [1, 4, 100]) {
            const query = { limit, ...(filter === undefined ? {} : { filter }) };
            const found: Page[] = [];
            for await (const group of source.pagesAhead({ ...query, offset: 0 })) found.push(...group);
            const alone: Page[] = [];
            for (let offset: number | null = 0; offset !== null; offset = alone.at(-1)!.nextOffset) {
              alone.push(await source.page({ ...query, offset }));
            }
            assert.deepEqual(found, alone);
          }
        }
        // Whatever the texts are, the amount read at once stays small.
        for (const filter of [{}, { updated_since: '2000-01-01' }]) {
          for await (const group of source.pagesAhead({ offset: 0, limit: 1, filter })) {
            assert.ok(group.length * length < 1_200_000);
          }
        }
        for (const wrong of [{ limit: 101 }, { limit: 1, asOf: 999 }]) {
          const groups = source.pagesAhead({ offset: 0, ...wrong })[Symbol.asyncIterator]();
          await rejects(groups.next(), { code: 'invalid_parameter' });
        }
      },
    );

    it('ahead as one by one: whatever the texts hold', async () => {
      await apply(0, ...HOSTILE_TEXTS.map((text, n) => sayOdd(`k${n}`, text)));
      const found = await walk(on.store, { limit: 3 });
      const alone = [];
      for (let offset: number | null = 0; offset !== null; offset = alone.at(-1)!.nextOffset) {
        alone.push(await (await on.store.source('permits')).page({ limit: 3, offset }));
      }
      assert.deepEqual(found, alone);
      assert.deepEqual(
        found.flatMap(({ records }) => records.map(({ title }) => title)),
        [...HOSTILE_TEXTS].reverse(),
      );
    });

    it('under a revision that every write changes', async () => {
      const source = await on.store.source('permits');
      const seen = new Set([await source.revision!()]);
      const steps = [
        () => apply(0, say('a'), say('b')),
        () => apply(1, say('a', { title: 'New' })),
        () => apply(2, say('a')),
        () => withdraw(3, 'a'),
        () => apply(4, say('a')),
        () => on.store.redact('permits:b', { recordedAt: at(5) }),
        () => on.store.updateRegister({ ...permits(), rights: 'CC0' }, { recordedAt: at(6) }),
      ];
      for (const [index, step] of steps.entries()) {
        await step();
        seen.add(await source.revision!());
        assert.equal(seen.size, index + 2);
        assert.equal(await source.lastChange!(), at(index));
      }
    });

    group(it, 'of ids', (it) => {
      it('lists the live, newest first, below any position', async () => {
        await apply(0, ...'abcdef'.split('').map((key) => say(key)));
        await withdraw(1, 'c', 'f');
        const ids = async (options: { below?: number; limit: number }): Promise<unknown[]> =>
          (await on.store.ids('permits', options)).map(({ id, position }) => [id, position]);
        assert.deepEqual(await ids({ limit: 3 }), [
          ['permits:e', 5],
          ['permits:d', 4],
          ['permits:b', 2],
        ]);
        assert.deepEqual(await ids({ limit: 3, below: 2 }), [['permits:a', 1]]);
        assert.deepEqual(await ids({ limit: 3, below: 1 }), []);
        assert.deepEqual(await ids({ limit: 1, below: 1000 }), [['permits:e', 5]]);
      });

      each<readonly [string, { readonly below?: number; readonly limit: number }]>(
        it,
        'refuses a wrong %s: %j',
        [
          ['limit', { limit: 10_001 }],
          ['limit', { limit: 0 }],
          ['below', { limit: 1, below: -1 }],
          ['below', { limit: 1, below: 0.5 }],
        ],
        async (parameter, options) => {
          const refused = { code: 'invalid_parameter', details: { parameter } };
          await rejects(on.store.ids('permits', options), refused);
        },
      );
    });
  });
}

// The contract of every store's pages of registers.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { rejects } from '../assertions.ts';
import { around, each, group, type Test } from '../test.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import { type CatalogueStore, REGISTERS_PAGE_SIZE, type RegistersPage } from '../../stores/contract/catalogue.ts';
import type { OpenServiceStore } from './accounts/keys.ts';
import { at, permits, say } from './said.ts';

/** More registers than a page has, in an order that is not that of their ids. */
const IDS = Array.from({ length: 2 * REGISTERS_PAGE_SIZE + 1 }, (_, n) => `feed-${(n * 7) % 1000}`);
const SORTED = [...IDS].sort();

/** Registers the suite for one implementation. */
export function catalogueContract(test: Test, open: OpenServiceStore): void {
  group(test, 'lists registers in pages', (test) => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;
    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
      },
      () => dispose(),
    );

    const make = async (ids: readonly string[]): Promise<void> => {
      for (const id of ids) await store.createRegister({ ...permits(id), uuid: null });
    };
    const idsOf = ({ registers }: RegistersPage): string[] => registers.map(({ definition }) => definition.id);
    const change = (id: string, minute: number): Promise<unknown> =>
      store.updateRegister({ ...permits(id), uuid: null, title: `At ${minute}` }, { recordedAt: at(minute) });

    const walked = async (which?: Parameters<CatalogueStore['walk']>[0]): Promise<string[]> => {
      const found: string[] = [];
      for await (const registers of store.catalogue.walk(which)) {
        found.push(...registers.map(({ definition }) => definition.id));
      }
      return found;
    };

    const whole = (offset: number): Promise<RegistersPage> =>
      store.catalogue.page({ offset, limit: REGISTERS_PAGE_SIZE });

    it('by their ids, each once', async () => {
      assert.deepEqual(await store.catalogue.page({ offset: 0, limit: 1 }), { registers: [], nextOffset: null });
      await make(IDS);
      const found: string[] = [];
      const offsets: (number | null)[] = [];
      for (let page = await whole(0); ; page = await whole(page.nextOffset)) {
        found.push(...idsOf(page));
        offsets.push(page.nextOffset);
        if (page.nextOffset === null) break;
      }
      assert.deepEqual(found, SORTED);
      assert.deepEqual(offsets, [REGISTERS_PAGE_SIZE, 2 * REGISTERS_PAGE_SIZE, null]);
      assert.deepEqual(await store.catalogue.page({ offset: IDS.length, limit: 1 }), {
        registers: [],
        nextOffset: null,
      });
      const [entry] = (await store.catalogue.page({ offset: 5, limit: 1 })).registers;
      assert.deepEqual(entry, await store.register(SORTED[5]!));
    });

    it('without a page beyond one that is just full', async () => {
      await make(['one', 'two']);
      const page = await store.catalogue.page({ offset: 0, limit: 2 });
      assert.deepEqual([idsOf(page), page.nextOffset], [['one', 'two'], null]);
    });

    it('that changed since, and never leaves one of these out', async () => {
      await make(['a', 'b', 'c', 'never']);
      for (const [minute, id] of ['c', 'a', 'b'].entries()) await change(id, minute);
      const since = async (updatedSince: string): Promise<string[]> =>
        idsOf(await store.catalogue.page({ offset: 0, limit: 10, updatedSince }));
      assert.deepEqual(await since(at(0)), ['a', 'b', 'c']);
      assert.deepEqual(await since(at(1)), ['a', 'b']);
      assert.deepEqual(await since(at(1).replace(/\.?0*Z$/, '.999Z')), ['a', 'b']);
      assert.deepEqual(await since(at(2)), ['b']);
      assert.deepEqual(await since(at(3)), []);
      assert.deepEqual(await since(at(0).slice(0, 10)), ['a', 'b', 'c']);
      const page = await store.catalogue.page({ offset: 1, limit: 1, updatedSince: at(0) });
      assert.deepEqual([idsOf(page), page.nextOffset], [['b'], 2]);
    });

    it('without those that were removed', async () => {
      await make(['one', 'two']);
      await store.removeRegister('one');
      assert.deepEqual(idsOf(await store.catalogue.page({ offset: 0, limit: 2 })), ['two']);
      assert.equal(await store.catalogue.count(), 1);
      assert.deepEqual(await walked(), ['two']);
    });

    it('that begin with a text', async () => {
      await make(['a', 'permits', 'permits-2025', 'permitz', 'z']);
      const beginning = async (startsWith: string): Promise<string[]> =>
        idsOf(await store.catalogue.page({ offset: 0, limit: 10, startsWith }));
      assert.deepEqual(await beginning('permits'), ['permits', 'permits-2025']);
      assert.deepEqual(await beginning('per'), ['permits', 'permits-2025', 'permitz']);
      assert.deepEqual(await beginning('z'), ['z']);
      assert.deepEqual(await beginning(''), ['a', 'permits', 'permits-2025', 'permitz', 'z']);
      for (const odd of ['%', '_', 'Permits', '\0', 'permits\0', '\u{1f600}'])
        assert.deepEqual(await beginning(odd), []);
    });

    it('that changed last first', async () => {
      await make(['a', 'b', 'c', 'never', 'nor-this']);
      for (const [minute, id] of ['c', 'a', 'b'].entries()) await change(id, minute);
      assert.deepEqual(idsOf(await store.catalogue.page({ offset: 0, limit: 2 })), ['a', 'b']);
      const page = await store.catalogue.page({ offset: 0, limit: 4, latestFirst: true });
      assert.deepEqual([idsOf(page), page.nextOffset], [['b', 'a', 'c', 'never'], 4]);
      assert.deepEqual(idsOf(await store.catalogue.page({ offset: 4, limit: 4, latestFirst: true })), ['nor-this']);
    });

    it('that changed last first, however their times are written', async () => {
      const times = {
        noon: '2030-01-01T12:00:00Z',
        early: '2030-01-01T13:00:00+02:00',
        evening: '2030-01-01T11:00:00-08:00',
      };
      await make(['never', ...Object.keys(times)]);
      for (const [id, recordedAt] of Object.entries(times))
        await store.updateRegister({ ...permits(id), uuid: null, title: 'Changed' }, { recordedAt });
      const page = await store.catalogue.page({ offset: 0, limit: 4, latestFirst: true });
      assert.deepEqual(idsOf(page), ['evening', 'noon', 'early', 'never']);
    });

    it('and walks through all of them, a page at a time', async () => {
      assert.deepEqual([await walked(), await store.catalogue.count()], [[], 0]);
      await make(IDS);
      const lengths: number[] = [];
      for await (const registers of store.catalogue.walk()) lengths.push(registers.length);
      assert.deepEqual(lengths, [REGISTERS_PAGE_SIZE, REGISTERS_PAGE_SIZE, 1]);
      assert.deepEqual(await walked(), SORTED);
      assert.equal(await store.catalogue.count(), IDS.length);
    });

    it('and walks on while registers come and go', async () => {
      await make(SORTED);
      const found: string[] = [];
      for await (const registers of store.catalogue.walk()) {
        if (found.length === 0) {
          await store.removeRegister(SORTED[REGISTERS_PAGE_SIZE - 1]!);
          await make(['aa', 'zz']);
        }
        found.push(...registers.map(({ definition }) => definition.id));
      }
      assert.deepEqual(found, [...SORTED, 'zz']);
    });

    it('and walks through those with prices', async () => {
      const prices = { currency: 'EUR', per_record: 5 };
      await make(['a', 'b']);
      await store.createRegister({ ...permits('sold'), uuid: null, prices });
      await store.createRegister({ ...permits('told'), uuid: null, description: 'It has "prices":{} in its text.' });
      assert.deepEqual(await walked({ withPrices: true }), ['sold']);
      assert.deepEqual(await walked(), ['a', 'b', 'sold', 'told']);
    });

    it('without one whose removal has begun, and with the one that is made in its place', async () => {
      await make(['one', 'two']);
      // So many that a store may remove them in several steps.
      const said = Array.from({ length: 600 }, (_, n) => say(String(n), {}, 'one'));
      await store.apply('one', said, { recordedAt: at(0) });
      const removal = store.removeRegister('one');
      while ((await store.register('one')) !== null) await nextTurn();
      assert.deepEqual(idsOf(await whole(0)), ['two']);
      await removal;
      await make(['one']);
      assert.deepEqual(idsOf(await whole(0)), ['one', 'two']);
    });

    it('and refuses a time that is none', async () => {
      await make(['one']);
      for (const updatedSince of ['2026-02-30', '2026-05-01T24:00:00Z', 'yesterday', '']) {
        const refused = store.catalogue.page({ offset: 0, limit: 1, updatedSince });
        await rejects(refused, { code: 'invalid_parameter', details: { parameter: 'updated_since' } });
      }
    });

    each(it, 'and refuses a wrong %s', ['limit', 'offset'], async (parameter) => {
      const wrong = parameter === 'limit' ? [0, REGISTERS_PAGE_SIZE + 1, 1.5] : [-1, 0.5];
      for (const value of wrong) {
        const range = { limit: 1, offset: 0, [parameter]: value };
        await rejects(store.catalogue.page(range), { code: 'invalid_parameter', details: { parameter } });
      }
    });
  });
}

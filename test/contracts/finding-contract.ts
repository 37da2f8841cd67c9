// Records are found in a store by what is in them now: whatever happens to them, to their register's definition and to its
// index. That every page is the one of an independent model is finding-model-contract.ts.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Field } from '../../src/register/record.ts';
import type { FindingStore } from '../../src/stores/contract/finding.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { at, keys, permits, say } from './store-register.ts';

/** A store whose indexes can be built. */
export type FindingRegisters = RegisterStore & { readonly finding: FindingStore };

/** Opens an empty one. */
type OpenFinding = () => Promise<{ readonly store: FindingRegisters; readonly dispose: () => Promise<void> }>;

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
      const building = [await now.revision!(), await now.lastModified!()] as const;
      expect(await store.finding.build('permits')).toEqual({ done: 701, all: 701 });
      // Pages may end elsewhere: what is complete is another state, once.
      const complete = [await now.revision!(), await now.lastModified!()] as const;
      expect(complete[0]).not.toBe(building[0]);
      expect(complete[1]).toBeGreaterThan(building[1]!);
      expect(await store.finding.build('permits')).toEqual({ done: 701, all: 701 });
      expect([await now.revision!(), await now.lastModified!()]).toEqual(complete);
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

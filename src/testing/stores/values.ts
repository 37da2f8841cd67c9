// The contract of stores for the values of the filters' fields and for the ids next to one.
import assert from 'node:assert/strict';
import { rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import { STATED_FILTERS } from '../../register/finding/filters.ts';
import type { CountedField, ValueCount } from '../../stores/contract/values.ts';
import { onRegister } from './on-register.ts';
import { at, type OpenStore, permits, say } from './said.ts';

/** Registers this part of the suite for one implementation. */
export function valuesContract(test: Test, open: OpenStore): void {
  onRegister(test, 'counts values', open, (it, on) => {
    const list = (field: CountedField = 'document_type', startsWith = ''): Promise<readonly ValueCount[]> =>
      on.store.values.list('permits', field, { limit: 1000, startsWith });
    const types = async (): Promise<Record<string, number>> =>
      Object.fromEntries((await list()).map(({ value, records }) => [value, records]));
    const typed = (key: string, type: string | null) => say(key, { document_type: type });

    group(it, 'of live records', (it) => {
      it('the commonest first, each field for itself, and none of a record without one', async () => {
        const other = STATED_FILTERS.find((field) => field !== 'document_type')!;
        assert.deepEqual(await list(), []);
        await on.apply(0, typed('a', 'draft'), typed('b', 'adopted'), typed('c', 'draft'), typed('d', null));
        await on.apply(1, say('e', { document_type: 'Adopted', [other]: null }));
        assert.deepEqual(await list(), [
          { value: 'draft', records: 2 },
          { value: 'Adopted', records: 1 },
          { value: 'adopted', records: 1 },
        ]);
        assert.deepEqual(await list(other), [{ value: say('a')[other], records: 4 }]);
        assert.deepEqual(await on.store.values.list('permits', 'document_type', { limit: 1 }), [
          { value: 'draft', records: 2 },
        ]);
      });

      it('through changes, withdrawals and restorations', async () => {
        await on.apply(0, typed('a', 'draft'), typed('b', 'draft'), typed('c', 'adopted'));
        await on.apply(1, typed('a', 'adopted'));
        assert.deepEqual(await types(), { adopted: 2, draft: 1 });
        await on.apply(2, typed('a', null), say('b', { document_type: 'draft', title: 'Other' }));
        assert.deepEqual(await types(), { adopted: 1, draft: 1 });
        await on.withdraw(3, 'b', 'c', 'a');
        assert.deepEqual(await types(), {});
        await on.withdraw(4, 'b');
        assert.deepEqual(await types(), {});
        await on.apply(5, say('b', { document_type: 'draft', title: 'Other' }), typed('c', 'final'));
        assert.deepEqual(await types(), { draft: 1, final: 1 });
      });

      it('and the months of their publication, through every change', async () => {
        const dated = (key: string, day: string | null) => say(key, { published_at: day });
        const months = async (limit = 1000): Promise<Record<string, number>> => {
          const told = await on.store.values.months('permits', { limit });
          const order = told.map(({ value }) => value);
          assert.deepEqual(order, [...order].sort().reverse());
          return Object.fromEntries(told.map(({ value, records }) => [value, records]));
        };
        assert.deepEqual(await months(), {});
        // A month is the one of the date as its publisher wrote it, wherever midnight is.
        await on.apply(0, dated('a', '2025-12-31'), dated('b', '2026-03-31T23:30:00-05:00'), dated('c', null));
        await on.apply(1, dated('d', '2026-03-01'));
        assert.deepEqual(await months(), { '2026-03': 2, '2025-12': 1 });
        assert.deepEqual(await months(1), { '2026-03': 2 });
        await on.apply(2, dated('d', '2026-04-01'), dated('c', '0001-01-01'));
        assert.deepEqual(await months(), { '2026-04': 1, '2026-03': 1, '2025-12': 1, '0001-01': 1 });
        await on.withdraw(3, 'a', 'd');
        await on.redact(4, 'b');
        assert.deepEqual(await months(), { '0001-01': 1 });
        await on.apply(5, dated('a', '2025-12-31'), dated('d', null));
        assert.deepEqual(await months(), { '2025-12': 1, '0001-01': 1 });
        await rejects(on.store.values.months('none', { limit: 1 }), { code: 'unknown_feed' });
        for (const limit of [0, 1001]) {
          await rejects(on.store.values.months('permits', { limit }), { code: 'invalid_parameter' });
        }
      });

      it('through redactions, and those that are lifted', async () => {
        await on.apply(0, typed('a', 'draft'), typed('b', 'draft'), typed('c', 'secret'), typed('d', 'gone'));
        await on.withdraw(1, 'd');
        for (const [minute, key] of ['a', 'c', 'd', 'c'].entries()) await on.redact(2 + minute, key);
        assert.deepEqual(await types(), { draft: 1 });
        await on.apply(6, typed('c', 'secret'));
        assert.deepEqual(await types(), { draft: 1 });
        assert.equal(await on.store.lift('permits:c'), true);
        assert.deepEqual(await types(), { draft: 1 });
        await on.apply(7, typed('c', 'public'));
        assert.deepEqual(await types(), { draft: 1, public: 1 });
      });

      it('not of a comparison, of another register, or of the one before it', async () => {
        await on.store.createRegister(permits('others'));
        await on.store.apply('others', [say('a', {}, 'others')], { recordedAt: at(0) });
        await on.store.compare('permits', [typed('a', 'draft')]);
        assert.deepEqual(await types(), {});
        await on.apply(0, typed('a', 'draft'));
        await on.store.removeRegister('permits');
        await rejects(list(), { code: 'unknown_feed' });
        await on.store.createRegister(permits());
        assert.deepEqual(await types(), {});
        assert.equal((await on.store.values.list('others', 'document_type', { limit: 1 }))[0]!.records, 1);
      });

      each<string>(
        it,
        'and finds those that begin with %j',
        ['a', '', 'A', 'é', 'a\0', '\u0001', '%'],
        async (start) => {
          const values = ['a', 'ab', 'A', 'é', 'éa', 'a\0', '\u0001', '%', '\u{1f3d7}'];
          await on.apply(0, ...values.map((value, index) => typed(`k${index}`, value)));
          assert.equal((await list()).length, values.length);
          const found = (await list('document_type', start)).map(({ value }) => value);
          const plain = (value: string): boolean => !value.includes('\0') && !value.startsWith('\u0001');
          const expected = values.filter((value) => value.startsWith(start) && plain(value));
          assert.deepEqual(found.filter(plain).toSorted(), start === '' || plain(start) ? expected.toSorted() : []);
        },
      );

      it('up to a limit that is named', async () => {
        for (const limit of [0, 1001, 1.5]) {
          await rejects(on.store.values.list('permits', 'document_type', { limit }), { code: 'invalid_parameter' });
        }
        for (const limit of [0, 101]) {
          await rejects(on.store.values.idsNear('permits:a', { limit }), { code: 'invalid_parameter' });
        }
      });
    });

    group(it, 'and knows ids', (it) => {
      it('next to one that is not there, in both directions, of live records of the register', async () => {
        await on.store.createRegister(permits('permit'));
        await on.store.createRegister(permits('permitss'));
        await on.store.apply('permit', [say('z', {}, 'permit')], { recordedAt: at(0) });
        await on.store.apply('permitss', [say('a', {}, 'permitss')], { recordedAt: at(0) });
        await on.apply(0, ...['a', 'b', 'd', 'e', 'f'].map((key) => say(key)));
        await on.withdraw(1, 'd');
        const near = (id: string, limit = 2): Promise<readonly string[]> => on.store.values.idsNear(id, { limit });
        assert.deepEqual(await near('permits:c'), ['permits:e', 'permits:f', 'permits:b', 'permits:a']);
        assert.deepEqual(await near('permits:b', 1), ['permits:b', 'permits:a']);
        assert.deepEqual(await near('permits:'), ['permits:a', 'permits:b']);
        assert.deepEqual(await near('permits:~'), ['permits:f', 'permits:e']);
        for (const none of ['others:a', 'a', '', 'permits', 'a\0:b']) assert.deepEqual(await near(none), []);
      });
    });
  });
}

// The contract of every store of registers. Each implementation runs it; tests of one engine are separate.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import type { Field, RegisterDefinition } from '../../register/record.ts';
import { ID_PATTERNS } from '../../register/identity.ts';
import type { Order } from '../../register/sources/order.ts';
import { importLogContract } from './imports/log.ts';
import { byHandContract } from './imports/by-hand.ts';
import { proposalContract } from './imports/proposals.ts';
import { importsContract } from './imports.ts';
import { leasesContract } from './leases.ts';
import { valuesContract } from './values.ts';
import { versionsContract } from './versions.ts';
import { logContract } from './log.ts';
import { pagesContract } from './pages.ts';
import { onRegister } from './on-register.ts';
import { at, keys, type OpenStore, permits, say, walk } from './said.ts';

/** Registers the suite for one implementation. */
export function registerStoreContract(test: Test, open: OpenStore): void {
  logContract(test, open);
  versionsContract(test, open);
  pagesContract(test, open);
  importsContract(test, open);
  leasesContract(test, open);
  importLogContract(test, open);
  proposalContract(test, open);
  byHandContract(test, open);
  valuesContract(test, open);

  onRegister(test, 'keeps registers', open, (it, on) => {
    const { apply } = on;

    group(it, 'as registers', (it) => {
      it('makes an empty one', async () => {
        const empty = {
          order: null,
          definitionVersion: 1,
          top: 0,
          change: 0,
          total: 0,
          lastChange: null,
          lastModified: null,
        };
        const { log, ...made } = (await on.store.register('permits'))!;
        assert.deepEqual(made, { definition: permits(), ...empty });
        const { log: other, ...others } = await on.store.createRegister(permits('others'), { order: 'newest-first' });
        assert.deepEqual(others, { definition: permits('others'), ...empty, order: 'newest-first' });
        assert.notEqual(other, log);
        assert.deepEqual(
          (await on.store.registers()).map(({ definition }) => definition.id),
          ['others', 'permits'],
        );
      });

      it('gives one without a UUID its own, which it keeps', async () => {
        const plain = { ...permits('others'), uuid: null, authority: null, year: null };
        const made = await on.store.createRegister(plain);
        assert.match(made.definition.uuid!, ID_PATTERNS.uuid);
        assert.deepEqual(made.definition, { ...plain, uuid: made.definition.uuid });
        assert.deepEqual(await on.store.register('others'), made);
        const third = await on.store.createRegister({ ...plain, id: 'third' });
        assert.notEqual(third.definition.uuid, made.definition.uuid);
        const renamed = await on.store.updateRegister({ ...plain, title: 'Others' }, { recordedAt: at(1) });
        assert.deepEqual(renamed.definition, { ...made.definition, title: 'Others' });
      });

      it('refuses one with the UUID of another', async () => {
        await rejects(on.store.createRegister({ ...permits('others'), uuid: permits().uuid }), {
          code: 'invalid_definition',
          message:
            'uuid must not be that of another register, got the one of "permits"; a register without a uuid gets its own',
          details: { member: 'uuid' },
        });
        assert.equal(await on.store.register('others'), null);
      });

      each<[keyof RegisterDefinition, Partial<RegisterDefinition>]>(
        it,
        'refuses another %s: permanent ids are made of it',
        [
          ['uuid', { uuid: permits('others').uuid }],
          ['authority', { authority: 'example.net' }],
          ['year', { year: 2027 }],
        ],
        async (member, changes) => {
          await rejects(on.store.updateRegister({ ...permits(), ...changes }, { recordedAt: at(1) }), {
            code: 'invalid_definition',
            message: `${member} must stay ${JSON.stringify(permits()[member])}, got ${JSON.stringify(changes[member])}: the permanent ids of register "permits" and its records are made of it`,
            details: { member },
          });
          matches(await on.store.register('permits'), { definition: permits(), lastChange: null });
        },
      );

      it('refuses a first authority: the permanent ids are made of the UUID', async () => {
        const plain = { ...permits('others'), authority: null, year: null };
        await on.store.createRegister(plain);
        await rejects(on.store.updateRegister(permits('others'), { recordedAt: at(1) }), {
          code: 'invalid_definition',
          details: { member: 'authority' },
        });
      });

      it('refuses a second one of the same id', async () => {
        await rejects(on.store.createRegister(permits()), {
          code: 'register_exists',
          details: { feed_id: 'permits' },
        });
      });

      it('has none of another id', async () => {
        assert.equal(await on.store.register('others'), null);
        const refused = { code: 'unknown_feed', details: { feed_id: 'others' } };
        await rejects(on.store.source('others'), refused);
        await rejects(on.store.removeRegister('others'), refused);
        await rejects(on.store.updateRegister(permits('others'), { recordedAt: at(0) }), refused);
        await rejects(on.store.changes('others', { since: 0, limit: 1 }), refused);
        await rejects(on.store.ids('others', { limit: 1 }), refused);
        await rejects(on.store.withdraw('others', [], { recordedAt: at(0) }), refused);
        await rejects(on.store.apply('others', [], { recordedAt: at(0) }), refused);
      });

      it('refuses a definition that is none, and changes nothing', async () => {
        const before = await on.store.register('permits');
        const fields = [{ name: 'Bad Name', label: 'B', type: 'text' }] as const;
        for (const wrong of [{ fields }, { title: '' }, { prices: { currency: 'EURO', per_record: 2 } }]) {
          await rejects(on.store.createRegister({ ...permits('x'), ...wrong }), { code: 'invalid_definition' });
          const options = { recordedAt: at(1) };
          await rejects(on.store.updateRegister({ ...permits(), ...wrong }, options), { code: 'invalid_definition' });
        }
        assert.equal(await on.store.register('x'), null);
        assert.deepEqual(await on.store.register('permits'), before);
      });

      each<Order>(it, 'keeps that files run %s', ['newest-first', 'oldest-first', 'by-date'], async (order) => {
        await on.store.createRegister({ ...permits('others'), uuid: null }, { order });
        assert.equal((await on.store.register('others'))?.order, order);
      });

      it('takes a new definition, and shows it to new sources', async () => {
        await apply(1, say('a'));
        const before = await on.store.source('permits');
        const revision = await before.revision!();
        const renamed = { ...permits(), title: 'Permits' };
        assert.deepEqual((await on.store.updateRegister(renamed, { recordedAt: at(2) })).definition, renamed);
        const after = await on.store.source('permits');
        assert.deepEqual(after.definition, renamed);
        assert.notEqual(await after.revision!(), revision);
        assert.equal(await after.lastChange!(), at(2));
      });

      it('shows what was said as its definition asks, without a version of any record', async () => {
        const said = say('a', { data: { amount: '12.50', applicant: 7, conditions: 'none', since: '2026-04-17' } });
        await apply(0, said, say('b'));
        const dataOf = async (fields: readonly Field[]): Promise<unknown> => {
          await on.store.updateRegister({ ...permits(), fields }, { recordedAt: at(2) });
          const { record } = (await on.store.record('permits:a'))!;
          const [version] = (await on.store.history('permits:a', { offset: 0, limit: 1 }))!;
          const { versions } = await on.store.changes('permits', { since: 0, limit: 1 });
          assert.deepEqual((await walk(on.store))[0]!.records.at(-1), record);
          assert.deepEqual([version!.record, versions[0]!.record], [record, record]);
          return record!.data;
        };
        const { fields } = permits();
        const since: Field = { name: 'since', label: 'Since', type: 'date' };
        const shown = { amount: 12.5, applicant: '7', conditions: 'none' };
        assert.deepEqual(await dataOf(fields), shown);
        assert.deepEqual(await dataOf([]), {});
        assert.deepEqual(await dataOf([since]), { since: '2026-04-17' });
        assert.deepEqual(await dataOf([...fields, since]), { ...shown, since: '2026-04-17' });
        assert.deepEqual(await dataOf([{ ...since, type: 'integer' }]), { since: null });
        // The same once more is unchanged, whatever is shown of it.
        matches(await apply(3, said, say('b')), { unchanged: 2 });
        matches(await on.store.register('permits'), { change: 2 });
        const asGiven = await on.store.source('permits', { fields: [{ ...since, name: 'amount', type: 'json' }] });
        const page = await asGiven.page({ offset: 0, limit: 9 });
        assert.deepEqual(
          page.records.map(({ data }) => data.amount),
          [12.5, '12.50'],
        );
      });

      it('shows a renamed field by its former names, and tells nothing of it to others', async () => {
        await apply(0, say('a', { data: { amount: '12.50' } }), say('b', { data: { sum: 7 } }));
        const sum: Field = { name: 'sum', label: 'Sum', type: 'number', source_names: ['amount'] };
        const { definitionVersion } = (await on.store.register('permits'))!;
        await on.store.updateRegister({ ...permits(), fields: [sum] }, { recordedAt: at(2) });
        matches(await on.store.register('permits'), { change: 2, definitionVersion: definitionVersion + 1 });
        const records = (await walk(on.store)).flatMap((page) => page.records);
        assert.deepEqual(
          records.map(({ data }) => data),
          [{ sum: 7 }, { sum: 12.5 }],
        );
        // Under whichever name the publisher states it.
        const same = [say('a', { data: { sum: '12.50' } }), say('b', { data: { amount: 7 } })];
        matches(await apply(3, ...same), { unchanged: 2 });
        matches(await apply(4, say('a', { data: { sum: '13' } })), { changed: 1 });
        const [version] = (await on.store.history('permits:a', { offset: 0, limit: 1 }))!;
        assert.deepEqual(version!.changed, ['data.sum']);
      });

      it('changes nothing for an equal definition', async () => {
        const source = await on.store.source('permits');
        const revision = await source.revision!();
        await on.store.updateRegister(permits(), { recordedAt: at(2) });
        assert.equal(await source.revision!(), revision);
        assert.equal(await source.lastChange!(), null);
      });

      it('removes one with all it has, and leaves the others', async () => {
        await on.store.createRegister(permits('others'));
        await on.store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
        await apply(1, ...Array.from({ length: 1200 }, (_, index) => say(`a${index}`)));
        await apply(2, say('a1', { title: 'New' }));
        await on.store.withdraw('permits', ['permits:a2'], { recordedAt: at(3) });
        const source = await on.store.source('permits');
        await on.store.removeRegister('permits');
        assert.equal(await on.store.register('permits'), null);
        assert.equal(await on.store.record('permits:a1'), null);
        assert.equal(await on.store.history('permits:a1', { offset: 0, limit: 10 }), null);
        assert.deepEqual(
          (await on.store.registers()).map(({ definition }) => definition.id),
          ['others'],
        );
        assert.deepEqual(await keys(on.store, {}, 'others'), ['x']);

        const again = await on.store.createRegister(permits());
        matches(again, { top: 0, change: 0, total: 0 });
        await apply(4, say('a2'));
        matches(await on.store.record('permits:a2'), { position: 1, version: 1, state: 'live' });
        assert.equal((await on.store.history('permits:a2', { offset: 0, limit: 10 }))?.length, 1);
        await rejects(async () => source.page({ offset: 0, limit: 1 }), { code: 'unknown_feed' });
      });

      it('has another revision after a removal and the same import', async () => {
        await apply(1, say('a'));
        const revision = await (await on.store.source('permits')).revision!();
        await on.store.removeRegister('permits');
        await on.store.createRegister(permits());
        await apply(2, say('a'));
        assert.notEqual(await (await on.store.source('permits')).revision!(), revision);
      });
    });

    group(it, 'as records', (it) => {
      it('gives back what was said, with what the register adds', async () => {
        await apply(0, say('a', { observed_at: '2026-04-19' }), say('b'));
        const [page] = await walk(on.store);
        assert.deepEqual(page!.records, [
          { ...say('b'), key: 'b', observed_at: at(0), updated_at: at(0), version: 1, position: 2 },
          { ...say('a'), key: 'a', observed_at: '2026-04-19', updated_at: at(0), version: 1, position: 1 },
        ]);
        assert.deepEqual(await on.store.record('permits:b'), {
          id: 'permits:b',
          feedId: 'permits',
          position: 2,
          version: 1,
          state: 'live',
          record: page!.records[0],
        });
      });

      it('knows no other ids', async () => {
        await apply(0, say('a'));
        for (const id of ['permits:b', 'others:a', 'a', '', ':', 'permits:']) {
          assert.equal(await on.store.record(id), null);
          assert.equal(await on.store.history(id, { offset: 0, limit: 10 }), null);
        }
      });

      it('is not reached by what a caller does to what it gave or got', async () => {
        const conditions = ['a'];
        const given = say('a', { data: { conditions } });
        await apply(0, given);
        conditions.push('b');
        const got = (await on.store.record('permits:a'))!.record!;
        (got.data.conditions as string[]).push('c');
        assert.deepEqual((await on.store.record('permits:a'))!.record!.data.conditions, ['a']);
      });
    });
  });
}

// The contract of stores for leases: one holder at a time, no write by another, and no write twice.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import type { Lease, NewLease, UnderLease } from '../../stores/contract/leases.ts';
import { onRegister } from './on-register.ts';
import { at, type OpenStore, permits, say } from './said.ts';

/** A lease that is asked for. */
function lease(token: string): NewLease {
  return { token, what: `import ${token}.csv`, host: 'example', pid: 7, since: at(0) };
}

/** Registers this part of the suite for one implementation. */
export function leasesContract(test: Test, open: OpenStore): void {
  onRegister(test, 'leases registers', open, (it, on) => {
    const take = (token: string, over?: Pick<Lease, 'token' | 'until'>): Promise<Lease | null> =>
      on.store.leases.take('permits', lease(token), over === undefined ? {} : { over });
    const found = async (): Promise<Lease> => (await on.store.leases.find('permits'))!;
    const superseded = { code: 'import_superseded' };

    group(it, 'to one holder', (it) => {
      it('and names it to the second', async () => {
        assert.equal(await on.store.leases.find('permits'), null);
        assert.equal(await take('first'), null);
        matches(await take('second'), { ...lease('first'), isVoid: false });
        matches(await found(), { ...lease('first'), isVoid: false });
      });

      it('each by itself', async () => {
        await on.store.createRegister(permits('others'));
        assert.equal(await take('first'), null);
        assert.equal(await on.store.leases.take('others', lease('second')), null);
      });

      it('who may take it again', async () => {
        await take('first');
        assert.equal(await take('first'), null);
        matches(await found(), { token: 'first' });
      });

      it('until it ends the lease', async () => {
        await take('first');
        await on.store.leases.release('first');
        assert.equal(await on.store.leases.find('permits'), null);
        assert.equal(await take('second'), null);
        await on.store.leases.release('first');
        matches(await found(), { token: 'second' });
      });

      it('for as long as it renews', async () => {
        await take('first');
        const { until } = await found();
        await on.store.leases.renew('first');
        assert.ok((await found()).until >= until);
        await on.store.leases.release('first');
        await rejects(on.store.leases.renew('first'), superseded);
      });

      it('to another over the one that was found, and over no other', async () => {
        await take('first');
        const { until } = await found();
        matches(await take('second', { token: 'first', until: at(0) }), { token: 'first' });
        matches(await take('second', { token: 'unknown', until }), { token: 'first' });
        assert.equal(await take('second', { token: 'first', until }), null);
        matches(await take('third', { token: 'first', until }), { token: 'second' });
        await rejects(on.store.leases.renew('first'), superseded);
      });

      it('and not at all where there is no register', async () => {
        const refused = { code: 'unknown_feed', details: { feed_id: 'others' } };
        await rejects(on.store.leases.take('others', lease('first')), refused);
        assert.equal(await on.store.leases.find('others'), null);
        await take('first');
        await on.store.removeRegister('permits', { lease: 'first' });
        await on.store.createRegister(permits());
        assert.equal(await on.store.leases.find('permits'), null);
      });
    });

    group(it, 'and checks in every write', (it) => {
      const begun = { file: 'a.csv', cause: 'source_change', who: null, begunAt: at(1) } as const;
      each<readonly [string, (lease: string) => Promise<unknown>]>(
        it,
        'that the lease is the register’s: %s',
        [
          ['apply', (lease) => on.store.apply('permits', [say('b')], { recordedAt: at(1), lease })],
          ['withdraw', (lease) => on.store.withdraw('permits', ['permits:a'], { recordedAt: at(1), lease })],
          ['redact', (lease) => on.store.redact('permits:a', { recordedAt: at(1), lease })],
          [
            'updateRegister',
            (lease) => on.store.updateRegister({ ...permits(), title: 'New' }, { recordedAt: at(1), lease }),
          ],
          ['removeRegister', (lease) => on.store.removeRegister('permits', { lease })],
          ['begin', (lease) => on.store.imports.begin('permits', begun, { key: new Uint8Array(32), lease })],
          ['setFindings', (lease) => on.store.imports.setFindings('permits', { factor: 'warn' }, { lease })],
        ],
        async (_, write) => {
          await on.apply(0, say('a'));
          const state = async (): Promise<unknown> => [
            await on.store.register('permits'),
            await on.store.imports.list('permits', { limit: 9 }).catch(() => null),
            await on.store.imports.basis('permits').catch(() => null),
          ];
          const before = await state();
          await rejects(write('none'), superseded);
          await take('first');
          await take('second', await found());
          await rejects(write('first'), superseded);
          assert.deepEqual(await state(), before);
          await write('second');
          assert.notDeepEqual(await state(), before);
        },
      );

      it('but takes a write without a lease', async () => {
        await take('first');
        matches(await on.apply(0, say('a')), { added: 1 });
      });

      each<readonly [string, (under: UnderLease) => Promise<unknown>]>(
        it,
        'that it was not made before: %s',
        [
          ['apply', (under) => on.store.apply('permits', [say('a'), say('b')], { recordedAt: at(1), ...under })],
          ['withdraw', (under) => on.store.withdraw('permits', ['permits:a'], { recordedAt: at(1), ...under })],
          ['redact', (under) => on.store.redact('permits:a', { recordedAt: at(1), ...under })],
          ['begin', (under) => on.store.imports.begin('permits', begun, { key: new Uint8Array(32), ...under })],
        ],
        async (name, write) => {
          await on.apply(0, say('a'));
          await take('first');
          const result = await write({ lease: 'first', write: 4 });
          const after = await on.changes();
          assert.deepEqual(await write({ lease: 'first', write: 4 }), result);
          assert.deepEqual(await on.changes(), after);
          assert.equal((await on.store.imports.list('permits', { limit: 9 })).length, name === 'begin' ? 1 : 0);
          await rejects(write({ lease: 'first', write: 3 }), superseded);
          if (name !== 'begin') assert.notDeepEqual(await write({ lease: 'first', write: 5 }), result);
        },
      );

      it('that a redaction was not lifted before', async () => {
        await on.apply(0, say('a'));
        await on.redact(1, 'a');
        await take('first');
        const lift = (write: number): Promise<boolean> => on.store.lift('permits:a', { lease: 'first', write });
        assert.deepEqual([await lift(1), await lift(1), await lift(2)], [true, true, false]);
      });
    });
  });
}

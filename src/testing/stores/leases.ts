// The contract of stores for leases: one holder at a time, and no write by another.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import { type Lease, LEASE_MS } from '../../stores/contract/leases.ts';
import { onRegister } from './on-register.ts';
import { at, type OpenStore, permits, say } from './said.ts';

/** A lease that is taken this many minutes after `at(0)`. */
function leaseAt(minute: number, token: string): Lease {
  const since = at(minute);
  const until = new Date(Date.parse(since) + LEASE_MS).toISOString();
  return { token, what: `import ${token}.csv`, host: 'example', pid: 7, since, until };
}

/** Registers this part of the suite for one implementation. */
export function leasesContract(test: Test, open: OpenStore): void {
  onRegister(test, 'leases registers', open, (it, on) => {
    const take = (minute: number, token: string, over?: string): Promise<Lease | null> =>
      on.store.leases.take('permits', leaseAt(minute, token), over === undefined ? {} : { over });
    const superseded = { code: 'import_superseded' };

    group(it, 'to one holder', (it) => {
      it('and names it to the second', async () => {
        assert.equal(await on.store.leases.find('permits'), null);
        assert.equal(await take(0, 'first'), null);
        assert.deepEqual(await take(0.25, 'second'), leaseAt(0, 'first'));
        assert.deepEqual(await on.store.leases.find('permits'), leaseAt(0, 'first'));
      });

      it('each by itself', async () => {
        await on.store.createRegister(permits('others'));
        assert.equal(await take(0, 'first'), null);
        assert.equal(await on.store.leases.take('others', leaseAt(0, 'second')), null);
      });

      it('until it ends the lease', async () => {
        await take(0, 'first');
        await on.store.leases.release('first');
        assert.equal(await on.store.leases.find('permits'), null);
        assert.equal(await take(0, 'second'), null);
        await on.store.leases.release('first');
        matches(await on.store.leases.find('permits'), { token: 'second' });
      });

      it('until the lease has ended by its time, and no earlier', async () => {
        await take(0, 'first');
        matches(await take(0.49, 'second'), { token: 'first' });
        assert.equal(await take(0.5, 'second'), null);
        await rejects(on.store.leases.renew('first', { until: at(9) }), superseded);
      });

      it('for longer when it renews', async () => {
        await take(0, 'first');
        await on.store.leases.renew('first', { until: at(1) });
        matches(await take(0.75, 'second'), { token: 'first', until: at(1) });
        // It ended, and nobody took the register: the holder may go on.
        await on.store.leases.renew('first', { until: at(9) });
        matches(await take(2, 'second'), { token: 'first' });
      });

      it('to another at once when the process of the first is gone', async () => {
        await take(0, 'first');
        matches(await take(0, 'second', 'unknown'), { token: 'first' });
        assert.equal(await take(0, 'second', 'first'), null);
        matches(await take(0, 'third', 'first'), { token: 'second' });
      });

      it('and not at all where there is no register', async () => {
        const refused = { code: 'unknown_feed', details: { feed_id: 'others' } };
        await rejects(on.store.leases.take('others', leaseAt(0, 'first')), refused);
        assert.equal(await on.store.leases.find('others'), null);
        await take(0, 'first');
        await on.store.removeRegister('permits', { lease: 'first' });
        await on.store.createRegister(permits());
        assert.equal(await on.store.leases.find('permits'), null);
      });
    });

    group(it, 'and checks in every write', (it) => {
      each<readonly [string, (lease: string) => Promise<unknown>]>(
        it,
        'that the lease is the register’s: %s',
        [
          ['apply', (lease) => on.store.apply('permits', [say('b')], { recordedAt: at(1), lease })],
          ['withdraw', (lease) => on.store.withdraw('permits', ['permits:a'], { recordedAt: at(1), lease })],
          ['redact', (lease) => on.store.redact('permits:a', { recordedAt: at(1), lease })],
          ['setOrder', (lease) => on.store.setOrder('permits', 'newest-first', { lease })],
          [
            'updateRegister',
            (lease) => on.store.updateRegister({ ...permits(), title: 'New' }, { recordedAt: at(1), lease }),
          ],
          ['removeRegister', (lease) => on.store.removeRegister('permits', { lease })],
        ],
        async (_, write) => {
          await on.apply(0, say('a'));
          const before = await on.store.register('permits');
          await rejects(write('none'), superseded);
          await take(0, 'first');
          await take(1, 'second');
          await rejects(write('first'), superseded);
          assert.deepEqual(await on.store.register('permits'), before);
          await write('second');
          assert.notDeepEqual(await on.store.register('permits'), before);
        },
      );

      it('but takes a write without a lease', async () => {
        await take(0, 'first');
        matches(await on.apply(0, say('a')), { added: 1 });
      });
    });
  });
}

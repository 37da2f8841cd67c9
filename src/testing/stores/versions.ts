// The contract of the log of every store of registers for reads: histories and changes.
import { matchesFilter } from '../../register/finding/filter.ts';
import assert from 'node:assert/strict';
import { rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { onRegister } from './on-register.ts';
import { at, type OpenStore, permits, say, walk } from './said.ts';

/** Registers this part of the suite for one implementation. */
export function versionsContract(test: Test, open: OpenStore): void {
  onRegister(test, 'keeps a log', open, (it, on) => {
    const { apply, withdraw, redact, history, changes } = on;

    group(it, 'of histories', (it) => {
      it('is read newest first, from any offset', async () => {
        for (let n = 0; n < 7; n++) await apply(n, say('a', { title: `Title ${n}` }), say('b'));
        const titles = async (offset: number, limit: number): Promise<unknown[]> =>
          (await on.store.history('permits:a', { offset, limit }))!.map(({ record }) => record!.title);
        assert.deepEqual(await titles(0, 3), ['Title 6', 'Title 5', 'Title 4']);
        assert.deepEqual(await titles(3, 3), ['Title 3', 'Title 2', 'Title 1']);
        assert.deepEqual(await titles(6, 3), ['Title 0']);
        assert.deepEqual(await titles(7, 3), []);
        assert.deepEqual(await titles(Number.MAX_SAFE_INTEGER, 3), []);
      });

      each<readonly [string, { readonly offset: number; readonly limit: number }]>(
        it,
        'refuses a wrong %s: %j',
        [
          ['limit', { offset: 0, limit: 101 }],
          ['limit', { offset: 0, limit: 0 }],
          ['limit', { offset: 0, limit: 1.5 }],
          ['offset', { offset: -1, limit: 1 }],
        ],
        async (parameter, options) => {
          await apply(0, say('a'));
          const refused = { code: 'invalid_parameter', details: { parameter } };
          await rejects(on.store.history('permits:a', options), refused);
        },
      );
    });

    group(it, 'of changes', (it) => {
      it('is read oldest first, after any change', async () => {
        await apply(0, say('a'), say('b'));
        await apply(1, say('a', { title: 'New' }));
        await withdraw(2, 'b');
        await apply(3, say('b'));
        const all = await changes();
        assert.deepEqual(
          all.map(({ change, record_id, version, cause }) => [change, record_id, version, cause]),
          [
            [1, 'permits:a', 1, 'first_observed'],
            [2, 'permits:b', 1, 'first_observed'],
            [3, 'permits:a', 2, 'source_change'],
            [4, 'permits:b', 2, 'withdrawn'],
            [5, 'permits:b', 3, 'restored'],
          ],
        );
        assert.deepEqual(all[2], (await history('a'))[0]);
        const { log } = (await on.store.register('permits'))!;
        assert.match(log, /^[0-9a-f]{8}$/);
        const { logUuid } = await on.store.changes('permits', { since: 0, limit: 1 });
        assert.equal(logUuid.slice(0, 8), log);
        assert.deepEqual(await on.store.changes('permits', { since: 1, limit: 2 }), {
          versions: all.slice(1, 3),
          log,
          logUuid,
          nextSince: 3,
          more: true,
        });
        assert.deepEqual(await on.store.changes('permits', { since: 3, limit: 2 }), {
          versions: all.slice(3),
          log,
          logUuid,
          nextSince: 5,
          more: false,
        });
        assert.deepEqual(await on.store.changes('permits', { since: 5, limit: 2 }), {
          versions: [],
          log,
          logUuid,
          nextSince: 5,
          more: false,
        });
      });

      it('keeps a copy of what matches a filter, by the versions of what matches before or after them', async () => {
        const filter = { document_type: ['draft', 'rare'], q: 'bridge -closed' };
        for (let n = 0; n < 40; n++) {
          const title = ['Bridge', 'A bridge, closed', 'Road'][n % 3]!;
          const document_type = ['draft', 'rare', 'adopted', null][n % 4]!;
          await apply(n, say(`k${n % 7}`, { title, document_type }), say(`n${n}`, { title, document_type }));
          if (n % 5 === 0) await withdraw(n, `k${n % 7}`);
          if (n % 10 === 9) await redact(n, `n${n - 1}`);
        }
        const copy = new Map<number, string>();
        const heard = new Set<number>();
        let since = 0;
        for (let more = true; more;) {
          const page = await on.store.changes('permits', { since, limit: 3, filter });
          for (const { position, record_id, change, matches } of page.versions) {
            heard.add(change);
            if (matches === false) copy.delete(position);
            else copy.set(position, record_id);
          }
          ({ nextSince: since, more } = page);
        }
        const matching = (await walk(on.store)).flatMap(({ records }) =>
          records
            .filter((record) => matchesFilter(record, filter, []))
            .map(({ position, id }) => [position!, id] as const),
        );
        assert.ok(matching.length > 0);
        assert.deepEqual(
          [...copy].sort(([a], [b]) => b - a),
          matching,
        );
        assert.ok(heard.size < since);
      });

      it('rebuilds the register from nothing', async () => {
        for (let n = 0; n < 40; n++) {
          await apply(n, say(`k${n % 7}`, { title: `Title ${n % 11}` }), say(`n${n}`));
          if (n % 3 === 0) await withdraw(n, `k${n % 7}`);
          if (n % 10 === 9) await redact(n, `n${n}`);
        }
        const copy = new Map<number, RegisterRecord>();
        let since = 0;
        for (let more = true; more;) {
          const page = await on.store.changes('permits', { since, limit: 7 });
          for (const { position, cause, record } of page.versions) {
            if (cause === 'withdrawn' || record === null) copy.delete(position);
            else copy.set(position, record);
          }
          ({ nextSince: since, more } = page);
        }
        const live = (await walk(on.store)).flatMap(({ records }) => records);
        assert.deepEqual(
          [...copy.values()].sort((a, b) => b.position! - a.position!),
          live,
        );
      });

      it('refuses every change number of before after a removal, however far it comes', async () => {
        await apply(1, say('a'), say('b'));
        const before = await on.store.changes('permits', { since: 1, limit: 10 });
        for (const turn of [1, 2]) {
          await on.store.removeRegister('permits');
          const made = await on.store.createRegister(permits());
          assert.notEqual(made.log, before.log, `${turn}`);
          const restarted = { code: 'log_restarted', details: { parameter: 'since', feed_id: 'permits' } };
          const refuses = async (since: number, log?: string): Promise<void> =>
            rejects(
              on.store.changes('permits', { since, ...(log === undefined ? {} : { log }), limit: 10 }),
              restarted,
            );
          // None: a reader of the previous register must not get an empty answer, which means "nothing has changed".
          await refuses(2);
          await apply(2, say('a'), say('b'), say('c'));
          for (const since of [1, 2, 3, 4]) await refuses(since);
          for (const since of [0, 2]) await refuses(since, before.log);
          const all = await on.store.changes('permits', { since: 0, limit: 10 });
          assert.equal(all.log, made.log);
          assert.equal(all.versions.length, 3);
          const { log } = all;
          assert.equal((await on.store.changes('permits', { since: 1, log, limit: 10 })).versions.length, 2);
          await rejects(on.store.changes('permits', { since: 4, log, limit: 10 }), { code: 'invalid_parameter' });
        }
        // Other registers are not concerned.
        await on.store.createRegister(permits('others'));
        await on.store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
        assert.equal((await on.store.changes('others', { since: 1, limit: 10 })).nextSince, 1);
      });

      it('goes on from the dates of the one that was removed', async () => {
        const date = async (): Promise<number> => (await on.store.register('permits'))!.lastModified!;
        await apply(1, say('a'));
        await apply(1, say('b'));
        const dates = [await date()];
        for (const minute of [1, 0]) {
          await on.store.removeRegister('permits');
          await on.store.createRegister(permits());
          dates.push(await date());
          await apply(minute, say('a'));
          dates.push(await date());
        }
        assert.deepEqual(
          dates.map((date) => date - dates[0]!),
          [0, 1, 2, 3, 4],
        );
      });

      it('keeps registers apart', async () => {
        await on.store.createRegister(permits('others'));
        await apply(0, say('a'));
        await on.store.apply('others', [say('x', {}, 'others'), say('y', {}, 'others')], { recordedAt: at(1) });
        await apply(2, say('b'));
        assert.deepEqual(
          (await changes()).map(({ record_id, change }) => [record_id, change]),
          [
            ['permits:a', 1],
            ['permits:b', 2],
          ],
        );
        assert.equal((await on.store.changes('others', { since: 0, limit: 9 })).versions.length, 2);
      });

      each<readonly [string, { readonly since: number; readonly limit: number }]>(
        it,
        'refuses a wrong %s: %j',
        [
          ['limit', { since: 0, limit: 101 }],
          ['limit', { since: 0, limit: 0 }],
          ['since', { since: -1, limit: 1 }],
          ['since', { since: 2, limit: 1 }],
          ['since', { since: 0.5, limit: 1 }],
        ],
        async (parameter, options) => {
          await apply(0, say('a'));
          const refused = { code: 'invalid_parameter', details: { parameter } };
          await rejects(on.store.changes('permits', options), refused);
        },
      );
    });
  });
}

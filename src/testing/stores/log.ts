// The log that every store of registers keeps: withdrawals, restorations, redactions.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import { onRegister } from './on-register.ts';
import { at, keys, type OpenStore, permits, say } from './said.ts';

/** Registers this part of the suite for one implementation. */
export function logContract(test: Test, open: OpenStore): void {
  onRegister(test, 'keeps a log', open, (it, on) => {
    const { apply, withdraw, redact, history, changes } = on;

    group(it, 'of withdrawals', (it) => {
      it('leaves the slot, and nothing in lists', async () => {
        await apply(0, say('a'), say('b'), say('c'));
        assert.deepEqual(await withdraw(1, 'b'), { withdrawn: 1, unchanged: 0 });
        assert.deepEqual(await keys(on.store), ['c', 'a']);
        matches(await on.store.register('permits'), { top: 3, change: 4, total: 2, lastChange: at(1) });
        const last = { ...say('b'), observed_at: at(0), updated_at: at(1), version: 2, position: 2 };
        matches(await on.store.record('permits:b'), { state: 'withdrawn', version: 2, record: last });
        matches((await history('b'))[0], { cause: 'withdrawn', changed: [], version: 2, record: last });
        await apply(2, say('d'));
        matches(await on.store.record('permits:d'), { position: 4 });
      });

      it('withdraws what is live, once', async () => {
        await apply(0, say('a'), say('b'));
        await withdraw(1, 'a');
        assert.deepEqual(await withdraw(2, 'a', 'b'), { withdrawn: 1, unchanged: 1 });
        assert.deepEqual(await withdraw(3, 'a', 'b'), { withdrawn: 0, unchanged: 2 });
        matches(await on.store.register('permits'), { change: 4, total: 0, lastChange: at(2) });
        await apply(3, say('c'));
        assert.deepEqual(await withdraw(4, 'c', 'c'), { withdrawn: 1, unchanged: 1 });
      });

      it('withdraws nothing when an id was never there', async () => {
        await on.store.createRegister(permits('others'));
        await on.store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
        await apply(0, say('a'));
        for (const id of ['permits:b', 'others:x', '']) {
          const refused = { code: 'unknown_record', details: { id } };
          await rejects(on.store.withdraw('permits', ['permits:a', id], { recordedAt: at(1) }), refused);
        }
        assert.deepEqual(await keys(on.store), ['a']);
        assert.deepEqual(await keys(on.store, {}, 'others'), ['x']);
      });
    });

    group(it, 'of restorations', (it) => {
      it('brings a record back at its old position', async () => {
        await apply(0, say('a'), say('b'), say('c'));
        await withdraw(1, 'b');
        matches(await apply(2, say('b')), { restored: 1, added: 0, changed: 0 });
        assert.deepEqual(await keys(on.store), ['c', 'b', 'a']);
        matches(await on.store.record('permits:b'), {
          position: 2,
          version: 3,
          state: 'live',
          record: { observed_at: at(0), updated_at: at(2), version: 3 },
        });
        assert.deepEqual(
          (await history('b')).map(({ cause, changed, change }) => [cause, changed, change]),
          [
            ['restored', [], 5],
            ['withdrawn', [], 4],
            ['first_observed', [], 2],
          ],
        );
        matches(await on.store.register('permits'), { top: 3, change: 5, total: 3 });
      });

      it('brings it back with what changed meanwhile', async () => {
        await apply(0, say('a'));
        await apply(1, say('a', { title: 'Second' }));
        await withdraw(2, 'a');
        matches(await apply(3, say('a', { title: 'Third' })), { restored: 1 });
        const versions = await history('a');
        assert.deepEqual(
          versions.map(({ cause, changed, record }) => [cause, changed, record!.title]),
          [
            ['restored', ['title'], 'Third'],
            ['withdrawn', [], 'Second'],
            ['source_change', ['title'], 'Second'],
            ['first_observed', [], 'Permit a'],
          ],
        );
        assert.deepEqual(
          versions.map(({ version, record }) => [version, record!.version, record!.updated_at]),
          [
            [4, 4, at(3)],
            [3, 3, at(2)],
            [2, 2, at(1)],
            [1, 1, at(0)],
          ],
        );
        matches(await apply(4, say('a', { title: 'Third' })), { unchanged: 1 });
      });

      it('shows each version as it was, absent fields included', async () => {
        await apply(0, say('a', { summary: null, content: 'First' }));
        await apply(1, say('a', { summary: 'Now', content: null }));
        await withdraw(2, 'a');
        await apply(3, say('a', { summary: null, content: null, data: {} }));
        const shown = (await history('a')).map(({ record }) => [record!.summary, record!.content, record!.data]);
        const { data } = say('a');
        assert.deepEqual(shown, [
          [null, null, { amount: null, applicant: null, conditions: null }],
          ['Now', null, data],
          ['Now', null, data],
          [null, 'First', data],
        ]);
      });
    });

    group(it, 'of redactions', (it) => {
      it('erases every version of a record and keeps the fact', async () => {
        await apply(0, say('a'), say('b', { title: 'Secret 1' }));
        await apply(1, say('b', { title: 'Secret 2', data: { secret: 3 } }));
        const before = await history('b');
        const revision = await (await on.store.source('permits')).revision!();
        assert.equal(await redact(2, 'b'), true);
        assert.deepEqual(await keys(on.store), ['a']);
        assert.deepEqual(await on.store.record('permits:b'), {
          id: 'permits:b',
          feedId: 'permits',
          position: 2,
          version: 3,
          state: 'redacted',
          record: null,
        });
        const erased = { changed: [], record: null };
        const [latest, ...earlier] = await history('b');
        matches(latest, { ...erased, cause: 'redacted', version: 3, change: 4, recorded_at: at(2) });
        assert.deepEqual(
          earlier,
          before.map((version) => ({ ...version, ...erased })),
        );
        assert.equal((await changes()).length, 4);
        assert.equal(
          JSON.stringify(await changes())
            .toLowerCase()
            .includes('secret'),
          false,
        );
        matches(await on.store.register('permits'), { top: 2, change: 4, total: 1, lastChange: at(2) });
        assert.notEqual(await (await on.store.source('permits')).revision!(), revision);
      });

      it('is not undone by an import', async () => {
        await apply(0, say('a'));
        await redact(1, 'a');
        matches(await apply(2, say('a'), say('b')), { added: 1, redacted: 1, restored: 0 });
        assert.deepEqual(await keys(on.store), ['b']);
        assert.deepEqual(await withdraw(3, 'a'), { withdrawn: 0, unchanged: 1 });
        matches(await on.store.register('permits'), { total: 1, change: 3 });
      });

      it('lets imports take the record in again once it is lifted, and still erases what it said before', async () => {
        await apply(0, say('a', { title: 'Secret 1' }), say('b'));
        await apply(1, say('a', { title: 'Secret 2', summary: 'Secret' }));
        assert.equal(await on.store.lift('permits:a'), false);
        await redact(2, 'a');
        const before = await on.store.register('permits');
        assert.equal(await on.store.lift('permits:a'), true);
        assert.equal(await on.store.lift('permits:a'), false);
        assert.deepEqual(await on.store.register('permits'), before);
        matches(await on.store.record('permits:a'), { state: 'withdrawn', version: 3, record: null });
        matches(await apply(3, say('a', { title: 'Back' }), say('b')), { restored: 1, redacted: 0, unchanged: 1 });
        matches(await apply(4, say('a', { title: 'Back' })), { unchanged: 1 });
        matches(await apply(5, say('a', { title: 'New' })), { changed: 1 });
        assert.deepEqual(
          (await history('a')).map(({ cause, changed, record }) => [cause, changed, record?.title ?? null]),
          [
            ['source_change', ['title'], 'New'],
            ['restored', [], 'Back'],
            ['redacted', [], null],
            ['source_change', [], null],
            ['first_observed', [], null],
          ],
        );
        matches(await on.store.record('permits:a'), { state: 'live', position: 1, record: { observed_at: at(3) } });
        assert.deepEqual(await keys(on.store), ['b', 'a']);
        assert.equal(await redact(6, 'a'), true);
        assert.equal((await history('a')).filter(({ record }) => record !== null).length, 0);
      });

      it('erases a withdrawn record too, and says so in the log', async () => {
        await apply(0, say('a'));
        await apply(1, say('a', { title: 'Secret' }));
        await withdraw(2, 'a');
        assert.equal(await redact(3, 'a'), true);
        assert.deepEqual(
          (await history('a')).map(({ cause, record }) => [cause, record]),
          [
            ['redacted', null],
            ['withdrawn', null],
            ['source_change', null],
            ['first_observed', null],
          ],
        );
        matches(await on.store.register('permits'), { total: 0, change: 4 });
      });

      it('does it once', async () => {
        await apply(0, say('a'));
        assert.equal(await redact(1, 'a'), true);
        const after = await on.store.register('permits');
        assert.equal(await redact(2, 'a'), false);
        assert.deepEqual(await on.store.register('permits'), after);
      });

      each(it, 'knows no record %j', ['permits:b', 'others:a', ''], async (id) => {
        await rejects(on.store.redact(id, { recordedAt: at(0) }), {
          code: 'unknown_record',
          details: { id },
        });
        await rejects(on.store.lift(id), { code: 'unknown_record' });
      });
    });
  });
}

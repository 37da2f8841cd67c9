// What every store of registers must do. Each implementation runs it; what differs by engine is tested beside it.
import { createHash } from 'node:crypto';
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { around, each, group, type Test } from '../test.ts';
import { canonicalJson, type JsonValue } from '../../register/canonical-json.ts';
import type { Order } from '../../register/order.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import { logContract } from './log.ts';
import { pagesContract } from './pages.ts';
import { at, keyOf, keys, type OpenStore, permits, say, walk } from './said.ts';

/** Registers the suite for one implementation. */
export function registerStoreContract(test: Test, open: OpenStore): void {
  logContract(test, open);
  pagesContract(test, open);

  group(test, 'keeps registers', (test) => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    const apply = (minute: number, ...batch: ReturnType<typeof say>[]) =>
      store.apply('permits', batch, { recordedAt: at(minute) });

    const it = around(
      test,
      async () => {
        ({ store, dispose } = await open());
        await store.createRegister(permits());
      },
      () => dispose(),
    );

    group(it, 'as registers', (it) => {
      it('makes an empty one', async () => {
        const empty = { order: null, top: 0, change: 0, total: 0, lastChange: null };
        assert.deepEqual(await store.register('permits'), { definition: permits(), ...empty });
        assert.deepEqual(await store.createRegister(permits('others'), { order: 'newest-first' }), {
          definition: permits('others'),
          ...empty,
          order: 'newest-first',
        });
        assert.deepEqual(
          (await store.registers()).map(({ definition }) => definition.id),
          ['others', 'permits'],
        );
      });

      it('refuses a second one of the same id', async () => {
        await rejects(store.createRegister(permits()), {
          code: 'register_exists',
          details: { feed_id: 'permits' },
        });
      });

      it('has none of another id', async () => {
        assert.equal(await store.register('others'), null);
        const refused = { code: 'unknown_feed', details: { feed_id: 'others' } };
        await rejects(store.source('others'), refused);
        await rejects(store.setOrder('others', 'newest-first'), refused);
        await rejects(store.removeRegister('others'), refused);
        await rejects(store.updateRegister(permits('others'), { recordedAt: at(0) }), refused);
        await rejects(store.changes('others', { since: 0, limit: 1 }), refused);
        await rejects(store.ids('others', { limit: 1 }), refused);
        await rejects(store.withdraw('others', [], { recordedAt: at(0) }), refused);
        await rejects(store.apply('others', [], { recordedAt: at(0) }), refused);
      });

      each<Order>(it, 'keeps that files run %s', ['newest-first', 'oldest-first'], async (order) => {
        await store.setOrder('permits', order);
        assert.equal((await store.register('permits'))?.order, order);
      });

      it('takes a new definition, and shows it to new sources', async () => {
        await apply(1, say('a'));
        const before = await store.source('permits');
        const revision = await before.revision!();
        const renamed = { ...permits(), title: 'Permits' };
        assert.deepEqual((await store.updateRegister(renamed, { recordedAt: at(2) })).definition, renamed);
        const after = await store.source('permits');
        assert.deepEqual(after.definition, renamed);
        assert.notEqual(await after.revision!(), revision);
        assert.equal(await after.lastChange!(), at(2));
      });

      it('changes nothing for an equal definition', async () => {
        const source = await store.source('permits');
        const revision = await source.revision!();
        await store.updateRegister(permits(), { recordedAt: at(2) });
        assert.equal(await source.revision!(), revision);
        assert.equal(await source.lastChange!(), null);
      });

      it('removes one with all it has, and leaves the others', async () => {
        await store.createRegister(permits('others'));
        await store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
        await apply(1, ...Array.from({ length: 1200 }, (_, index) => say(`a${index}`)));
        await apply(2, say('a1', { title: 'New' }));
        await store.withdraw('permits', ['permits:a2'], { recordedAt: at(3) });
        const source = await store.source('permits');
        await store.removeRegister('permits');
        assert.equal(await store.register('permits'), null);
        assert.equal(await store.record('permits:a1'), null);
        assert.equal(await store.history('permits:a1', { offset: 0, limit: 10 }), null);
        assert.deepEqual(
          (await store.registers()).map(({ definition }) => definition.id),
          ['others'],
        );
        assert.deepEqual(await keys(store, {}, 'others'), ['x']);

        const again = await store.createRegister(permits());
        matches(again, { top: 0, change: 0, total: 0 });
        // Whoever kept a change number of the one before must not take silence for "nothing has changed".
        await rejects(store.changes('permits', { since: 3, limit: 10 }), {
          code: 'invalid_parameter',
          message: 'since must be 0..0, got 3',
        });
        await apply(4, say('a2'));
        matches(await store.record('permits:a2'), { position: 1, version: 1, state: 'live' });
        assert.equal((await store.history('permits:a2', { offset: 0, limit: 10 }))?.length, 1);
        await rejects(async () => source.page({ offset: 0, limit: 1 }), { code: 'unknown_feed' });
      });

      it('has another revision after a removal and the same import', async () => {
        await apply(1, say('a'));
        const revision = await (await store.source('permits')).revision!();
        await store.removeRegister('permits');
        await store.createRegister(permits());
        await apply(2, say('a'));
        assert.notEqual(await (await store.source('permits')).revision!(), revision);
      });
    });

    group(it, 'as records', (it) => {
      it('gives back what was said, with what the register adds', async () => {
        await apply(0, say('a', { observed_at: '2026-04-19' }), say('b'));
        const [page] = await walk(store);
        assert.deepEqual(page!.records, [
          { ...say('b'), observed_at: at(0), updated_at: at(0), version: 1, position: 2 },
          { ...say('a'), observed_at: '2026-04-19', updated_at: at(0), version: 1, position: 1 },
        ]);
        assert.deepEqual(await store.record('permits:b'), {
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
          assert.equal(await store.record(id), null);
          assert.equal(await store.history(id, { offset: 0, limit: 10 }), null);
        }
      });

      it('is not reached by what a caller does to what it gave or got', async () => {
        const conditions = ['a'];
        const given = say('a', { data: { conditions } });
        await apply(0, given);
        conditions.push('b');
        const got = (await store.record('permits:a'))!.record!;
        (got.data.conditions as string[]).push('c');
        assert.deepEqual((await store.record('permits:a'))!.record!.data, { conditions: ['a'] });
      });
    });

    group(it, 'as imports', (it) => {
      it('adds, then finds the same unchanged', async () => {
        const batch = [say('a'), say('b'), say('c')];
        const none = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
        assert.deepEqual(await apply(0, ...batch), { ...none, added: 3 });
        const before = await store.register('permits');
        matches(before, { top: 3, change: 3, total: 3, lastChange: at(0) });
        const revision = await (await store.source('permits')).revision!();
        assert.deepEqual(await apply(9, ...batch), { ...none, unchanged: 3 });
        assert.deepEqual(await store.register('permits'), before);
        assert.equal(await (await store.source('permits')).revision!(), revision);
      });

      it('takes absent and null for the same', async () => {
        await apply(0, say('a', { data: { amount: 1, applicant: null } }));
        matches(await apply(1, say('a', { data: { amount: 1 } })), { unchanged: 1 });
        matches(await apply(2, say('a', { data: { applicant: null, amount: 1, conditions: null } })), {
          unchanged: 1,
        });
      });

      each(it, 'records a %s with its fields', ['source_change', 'extraction_correction'] as const, async (cause) => {
        await apply(0, say('a'), say('b'));
        const changed = say('a', {
          title: 'New',
          facility_id: null,
          data: { amount: 13, applicant: 'Acme', extra: 1 },
        });
        const result = await store.apply('permits', [changed, say('b')], { recordedAt: at(5), cause });
        matches(result, { added: 0, changed: 1, unchanged: 1 });
        const { record } = (await store.record('permits:a'))!;
        assert.deepEqual(record, { ...changed, observed_at: at(0), updated_at: at(5), version: 2, position: 1 });
        const history = (await store.history('permits:a', { offset: 0, limit: 10 }))!;
        for (const { sha256 } of history) assert.match(sha256, /^[0-9a-f]{64}$/);
        const [latest, earliest] = history;
        assert.deepEqual(history, [
          {
            feed_id: 'permits',
            record_id: 'permits:a',
            position: 1,
            version: 2,
            change: 3,
            cause,
            recorded_at: at(5),
            changed: ['data.amount', 'data.conditions', 'data.extra', 'facility_id', 'title'],
            sha256: latest!.sha256,
            record,
          },
          {
            feed_id: 'permits',
            record_id: 'permits:a',
            position: 1,
            version: 1,
            change: 1,
            cause: 'first_observed',
            recorded_at: at(0),
            changed: [],
            sha256: earliest!.sha256,
            record: { ...say('a'), observed_at: at(0), updated_at: at(0), version: 1, position: 1 },
          },
        ]);
      });

      each<readonly [string, Partial<PublishedRecord>]>(
        it,
        'sees a change of %s alone',
        [
          ['title', { title: 'x' }],
          ['summary', { summary: 'x' }],
          ['content', { content: 'x' }],
          ['content_type', { content_type: 'html' }],
          ['author', { author: null }],
          ['document_type', { document_type: 'draft' }],
          ['facility_id', { facility_id: 'x' }],
          ['source_url', { source_url: 'https://example.org/x' }],
          ['published_at', { published_at: '2026-04-17T00:00:00Z' }],
          ['observed_at', { observed_at: '2026-04-18' }],
          ['data.amount', { data: { ...say('a').data, amount: 12.25 } }],
          ['data.conditions', { data: { ...say('a').data, conditions: ['a', { b: 0 }] } }],
        ],
        async (field, change) => {
          await apply(0, say('a'));
          matches(await apply(1, say('a', change)), { changed: 1 });
          const [version] = (await store.history('permits:a', { offset: 0, limit: 1 }))!;
          assert.deepEqual(version!.changed, [field]);
          matches(version!.record, change);
        },
      );

      it('takes a time of its own for no statement of the publisher', async () => {
        await apply(0, say('a'), say('b', { observed_at: at(-9) }));
        matches(await apply(1, say('a'), say('b')), { unchanged: 2 });
        // The publisher now states the very time the register had taken.
        matches(await apply(2, say('a', { observed_at: at(0) })), { unchanged: 1 });
        matches(await apply(3, say('b', { title: 'New' })), { changed: 1 });
        const history = (await store.history('permits:b', { offset: 0, limit: 1 }))!;
        matches(history[0], { changed: ['title'], record: { observed_at: at(-9) } });
        matches(await apply(4, say('b', { title: 'New', observed_at: at(-9) })), { unchanged: 1 });
      });

      it('keeps the SHA-256 of the canonical JSON of what was said', async () => {
        await apply(
          0,
          say('a', { summary: 'é', data: { amount: 1, applicant: null } }),
          say('b', { observed_at: at(-1) }),
        );
        const digestOf = async (id: string): Promise<string> =>
          (await store.history(id, { offset: 0, limit: 1 }))![0]!.sha256;
        const common = {
          content_type: 'text',
          author: 'Environment Agency',
          document_type: 'adopted',
          facility_id: 'FAC-0001',
          published_at: '2026-04-17',
        };
        const said = (value: JsonValue): string => createHash('sha256').update(canonicalJson(value)).digest('hex');
        assert.equal(
          await digestOf('permits:a'),
          said({
            ...common,
            id: 'permits:a',
            title: 'Permit a',
            summary: 'é',
            source_url: 'https://example.org/permits/a',
            data: { amount: 1 },
          }),
        );
        assert.equal(
          await digestOf('permits:b'),
          said({
            ...common,
            id: 'permits:b',
            title: 'Permit b',
            source_url: 'https://example.org/permits/b',
            observed_at: at(-1),
            data: say('b').data,
          }),
        );
      });

      it('tries a batch without taking it in', async () => {
        await apply(0, say('a'), say('b'));
        await store.withdraw('permits', ['permits:b'], { recordedAt: at(1) });
        const before = await store.register('permits');
        const batch = [say('a', { title: 'New' }), say('b'), say('c')];
        matches(await store.apply('permits', batch, { recordedAt: at(2), dryRun: true }), {
          added: 1,
          changed: 1,
          restored: 1,
        });
        const withdrawal = await store.withdraw('permits', ['permits:a'], { recordedAt: at(2), dryRun: true });
        assert.deepEqual(withdrawal, { withdrawn: 1, unchanged: 0 });
        assert.deepEqual(await store.register('permits'), before);
        assert.deepEqual(await keys(store), ['a']);
      });

      each<readonly [string, readonly PublishedRecord[], string]>(
        it,
        'refuses %s, with the whole batch',
        [
          ['a record of another register', [say('x', {}, 'others')], 'invalid_record'],
          [
            'a record whose id is of another register',
            [{ ...say('x', {}, 'others'), feed_id: 'permits' }],
            'invalid_record',
          ],
          ['two records of one id', [say('a'), say('b'), say('a')], 'duplicate_id'],
          ['a number JSON cannot say', [say('a'), say('b', { data: { amount: NaN } })], 'invalid_record'],
        ],
        async (_, batch, code) => {
          await rejects(apply(0, ...batch), { code });
          matches(await store.register('permits'), { top: 0, change: 0, total: 0 });
        },
      );

      each(it, 'refuses the time %j', ['', '2026-05-01', 'now', '2026-05-01T00:00:00'], async (recordedAt) => {
        const refused = { code: 'invalid_option', details: { option: 'recordedAt' } };
        await rejects(store.apply('permits', [], { recordedAt }), refused);
        await rejects(store.withdraw('permits', [], { recordedAt }), refused);
        await rejects(store.redact('permits:a', { recordedAt }), refused);
        await rejects(store.updateRegister(permits(), { recordedAt }), refused);
      });

      it('never sets the date of the last change back', async () => {
        await apply(5, say('a'));
        await apply(3, say('b'));
        assert.equal((await store.register('permits'))?.lastChange, at(5));
      });
    });
  });
}

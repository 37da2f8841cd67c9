// The contract of stores of registers for batches: new, changed, unchanged and refused records.
import assert from 'node:assert/strict';
import { matches, rejects } from '../assertions.ts';
import { each, group, type Test } from '../test.ts';
import { coreField, STATED_FIELDS } from '../../register/fields.ts';
import type { CompareOptions, PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { onRegister } from './on-register.ts';
import { at, keys, type OpenStore, permits, say } from './said.ts';

/** The fields that the publisher states in any text. */
const TEXT_FIELDS = STATED_FIELDS.filter(
  (name) => coreField(name).type === 'text' && coreField(name).values === undefined,
);

/** Registers this part of the suite for one implementation. */
export function importsContract(test: Test, open: OpenStore): void {
  onRegister(test, 'keeps registers', open, (it, on) => {
    const { apply } = on;

    group(it, 'as imports', (it) => {
      const comparedAs = async (batch: readonly PublishedRecord[], how: CompareOptions = {}) =>
        (await on.store.compare('permits', batch, how)).map(({ outcome, changed }) => ({ outcome, changed }));

      it('adds, then finds the same unchanged', async () => {
        const batch = [say('a'), say('b'), say('c')];
        const none = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
        assert.deepEqual(await apply(0, ...batch), { ...none, added: 3 });
        const before = await on.store.register('permits');
        matches(before, { top: 3, change: 3, total: 3, lastChange: at(0) });
        const revision = await (await on.store.source('permits')).revision!();
        assert.deepEqual(await apply(9, ...batch), { ...none, unchanged: 3 });
        assert.deepEqual(await on.store.register('permits'), before);
        assert.equal(await (await on.store.source('permits')).revision!(), revision);
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
          author: null,
          data: { amount: 13, applicant: 'Acme', extra: 1 },
        });
        const result = await on.store.apply('permits', [changed, say('b')], { recordedAt: at(5), cause });
        matches(result, { added: 0, changed: 1, unchanged: 1 });
        const { record } = (await on.store.record('permits:a'))!;
        // The definition shows its own fields, absent ones as null; the others are kept.
        const data = { amount: 13, applicant: 'Acme', conditions: null };
        const added = { key: 'a', observed_at: at(0), updated_at: at(5), version: 2, position: 1 };
        assert.deepEqual(record, { ...changed, data, ...added });
        const history = (await on.store.history('permits:a', { offset: 0, limit: 10 }))!;
        assert.deepEqual(history, [
          {
            feed_id: 'permits',
            record_id: 'permits:a',
            position: 1,
            version: 2,
            change: 3,
            cause,
            recorded_at: at(5),
            changed: ['author', 'data.amount', 'data.conditions', 'data.extra', 'title'],
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
            record: { ...say('a'), key: 'a', observed_at: at(0), updated_at: at(0), version: 1, position: 1 },
          },
        ]);
      });

      each<readonly [string, Partial<PublishedRecord>]>(
        it,
        'sees a change of %s alone',
        [
          ...TEXT_FIELDS.map((name) => [name, { [name]: 'x' }] as const),
          ['author', { author: null }],
          ['content_type', { content_type: 'html' }],
          ['source_url', { source_url: 'https://example.org/x' }],
          ['published_at', { published_at: '2026-04-17T00:00:00Z' }],
          ['observed_at', { observed_at: '2026-04-18' }],
          ['data.amount', { data: { ...say('a').data, amount: 12.25 } }],
          ['data.conditions', { data: { ...say('a').data, conditions: ['a', { b: 0 }] } }],
        ],
        async (field, change) => {
          await apply(0, say('a'));
          matches(await apply(1, say('a', change)), { changed: 1 });
          const [version] = (await on.store.history('permits:a', { offset: 0, limit: 1 }))!;
          assert.deepEqual(version!.changed, [field]);
          matches(version!.record, change);
        },
      );

      it('takes a time of its own for no statement of the publisher', async () => {
        await apply(0, say('a'), say('b', { observed_at: at(-9) }));
        matches(await apply(1, say('a'), say('b')), { unchanged: 2 });
        // The publisher now states the same time that the register had recorded.
        matches(await apply(2, say('a', { observed_at: at(0) })), { unchanged: 1 });
        matches(await apply(3, say('b', { title: 'New' })), { changed: 1 });
        const history = (await on.store.history('permits:b', { offset: 0, limit: 1 }))!;
        matches(history[0], { changed: ['title'], record: { observed_at: at(-9) } });
        matches(await apply(4, say('b', { title: 'New', observed_at: at(-9) })), { unchanged: 1 });
      });

      it('refuses a text with a lone surrogate, which has no canonical JSON', async () => {
        await apply(0, say('a'));
        const lone = 'x\udfff';
        for (const said of [
          { title: lone },
          { data: { applicant: lone } },
          { data: { conditions: [{ [lone]: 1 }] } },
        ]) {
          await rejects(apply(1, say('b'), say('a', said)), { code: 'invalid_record' });
        }
        await rejects(apply(1, say('a', { data: { [lone]: 1 } })), { code: 'invalid_record' });
        const whole = { title: '\\ud800 \u{1f600}', data: { conditions: ['\\ud800', '\\\\udfff', '\u{1f600}'] } };
        matches(await apply(2, say('a', whole)), { changed: 1 });
      });

      it('says what would become of each record of a batch, and takes nothing in', async () => {
        await apply(0, say('a'), say('b'), say('c'), say('d'), say('e'));
        await on.withdraw(1, 'b', 'c');
        await on.redact(1, 'd');
        const before = await on.store.register('permits');
        const said = { title: 'New', data: { ...say('a').data, amount: 1 } };
        const batch = [say('a', said), say('b'), say('c', { title: 'New' }), say('d'), say('e'), say('f')];
        assert.deepEqual(await comparedAs(batch), [
          { outcome: 'changed', changed: ['data.amount', 'title'] },
          { outcome: 'restored', changed: [] },
          { outcome: 'restored', changed: ['title'] },
          { outcome: 'redacted', changed: [] },
          { outcome: 'unchanged', changed: [] },
          { outcome: 'added', changed: [] },
        ]);
        assert.deepEqual(await on.store.register('permits'), before);
        assert.deepEqual(await keys(on.store), ['e', 'a']);
        assert.deepEqual(await on.store.compare('permits', []), []);
        matches(await apply(2, ...batch), { added: 1, changed: 1, unchanged: 1, restored: 2, redacted: 1 });
      });

      it('compares records by the fields that the definition will have', async () => {
        const { fields } = permits();
        const renamed = fields.map((field) =>
          field.name === 'amount' ? { ...field, name: 'sum', source_names: ['amount'] } : field,
        );
        await apply(0, say('a'));
        const { amount, ...others } = say('a').data;
        const batch = [say('a', { data: { ...others, sum: amount! } })];
        const [as, then] = [await comparedAs(batch), await comparedAs(batch, { fields: renamed })];
        assert.deepEqual(as, [{ outcome: 'changed', changed: ['data.amount', 'data.sum'] }]);
        assert.deepEqual(then, [{ outcome: 'unchanged', changed: [] }]);
      });

      it('finds unchanged what differs in ignored values alone, and keeps what is stored', async () => {
        const ignored = new Set(['data.extra', 'published_at']);
        const seen = say('a', { published_at: '2026-01-02', data: { ...say('a').data, extra: 1 } });
        await apply(0, seen, say('b', { data: { extra: 1 } }));
        await on.withdraw(1, 'b');
        const now = { published_at: null, data: say('a').data };
        const batch = [say('a', now), say('b', { data: {} })];
        assert.deepEqual(await comparedAs(batch, { ignored }), [
          { outcome: 'unchanged', changed: [] },
          { outcome: 'restored', changed: [] },
        ]);
        const result = await on.store.apply('permits', batch, { recordedAt: at(2), ignored });
        matches(result, { unchanged: 1, restored: 1 });
        const statementOf = async (id: string): Promise<unknown> => {
          const range = { offset: 0, limit: 1, withStatement: true };
          return (await on.store.history(id, range))![0]!.statement;
        };
        matches(await statementOf('permits:a'), { published_at: '2026-01-02', data: { extra: 1 } });
        matches(await statementOf('permits:b'), { data: { extra: 1 } });
        const other = say('a', { ...now, title: 'New' });
        matches(await on.store.apply('permits', [other], { recordedAt: at(3), ignored }), { changed: 1 });
        assert.equal('extra' in ((await statementOf('permits:a')) as PublishedRecord).data, false);
      });

      it('refuses to compare what it refuses to apply', async () => {
        await rejects(on.store.compare('others', [say('a')]), { code: 'invalid_record' });
        await rejects(on.store.compare('others', []), { code: 'unknown_feed' });
        await rejects(on.store.compare('permits', [say('a'), say('a')]), { code: 'duplicate_id' });
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
          matches(await on.store.register('permits'), { top: 0, change: 0, total: 0 });
        },
      );

      each(it, 'refuses the time %j', ['', '2026-05-01', 'now', '2026-05-01T00:00:00'], async (recordedAt) => {
        const refused = { code: 'invalid_option', details: { option: 'recordedAt' } };
        await rejects(on.store.apply('permits', [], { recordedAt }), refused);
        await rejects(on.store.withdraw('permits', [], { recordedAt }), refused);
        await rejects(on.store.redact('permits:a', { recordedAt }), refused);
        await rejects(on.store.updateRegister(permits(), { recordedAt }), refused);
      });

      it('never records a change under an earlier time than the one before, whatever the clock says', async () => {
        await apply(5, say('a'));
        await apply(3, say('b'), say('a', { title: 'Changed' }));
        await on.withdraw(4, 'a');
        await apply(4, say('a'));
        await on.redact(4, 'b');
        const times = (await on.changes()).map(({ recorded_at }) => recorded_at);
        assert.deepEqual(times, Array<string>(6).fill(at(5)));
        assert.equal((await on.store.register('permits'))?.lastChange, at(5));
        assert.equal((await on.store.record('permits:a'))?.record?.updated_at, at(5));
        await apply(6, say('c'));
        assert.equal((await on.changes()).at(-1)?.recorded_at, at(6));
      });

      it('has another date for conditional requests with every commit, and none for what changed nothing', async () => {
        const dates: (number | null)[] = [];
        const dated = async (work: Promise<unknown>): Promise<void> => {
          await work;
          const date = (await on.store.register('permits'))!.lastModified;
          assert.equal(await (await on.store.source('permits')).lastModified!(), date);
          dates.push(date);
        };
        await dated(apply(1, say('a')));
        await dated(apply(1, say('b')));
        await dated(on.store.updateRegister({ ...permits(), title: 'Permits' }, { recordedAt: at(1) }));
        await dated(on.withdraw(0, 'a'));
        await dated(on.redact(0, 'a'));
        await dated(apply(1, say('b')));
        await dated(on.store.updateRegister({ ...permits(), title: 'Permits' }, { recordedAt: at(9) }));
        await dated(on.store.compare('permits', [say('c')]));
        await dated(apply(2, say('c')));
        const first = Date.parse(at(1)) / 1000;
        assert.deepEqual(
          dates.map((date) => date! - first),
          [0, 1, 2, 3, 4, 4, 4, 4, 60],
        );
      });
    });
  });
}

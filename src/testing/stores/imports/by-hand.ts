// The contract of stores for what was set by hand: which records it is true of, and what of their source was answered before.
import assert from 'node:assert/strict';
import { GazetteError } from '../../../errors.ts';
import { matches, rejects } from '../../assertions.ts';
import { each, type Test } from '../../test.ts';
import type { RecordAsStated, SourceSays } from '../../../stores/contract/imports/by-hand.ts';
import type { ImportEntry } from '../../../stores/contract/imports/log.ts';
import { NO_COUNTS } from '../../../stores/contract/imports/counts.ts';
import { carryOut } from '../../../stores/lease/carry-out.ts';
import { holdRegister } from '../../../stores/lease/hold-register.ts';
import { prepareRecord } from '../../../stores/rows/prepare.ts';
import { onRegister } from '../on-register.ts';
import { at, type OpenStore, permits, say } from '../said.ts';

const KEY = new Uint8Array(32).fill(1);

const says = (key: string, said: Parameters<typeof say>[1] = {}): SourceSays => {
  const record = prepareRecord(say(key, said));
  return { id: record.id, record };
};
const lacks = (key: string): SourceSays => ({ id: `permits:${key}`, record: null });

/** Registers this part of the suite for one implementation. */
export function byHandContract(test: Test, open: OpenStore): void {
  onRegister(test, 'knows of what was set by hand', open, (it, on) => {
    const begin = async (kind: ImportEntry['kind']): Promise<number> => {
      const undoes = kind === 'undo' ? 1 : null;
      const begun = { kind, undoes, file: 'a', cause: 'source_change', who: 'ada', begunAt: at(0) } as const;
      return (await on.store.imports.begin('permits', begun, { key: KEY })).number;
    };
    const apply = async (kind: ImportEntry['kind'], ...batch: ReturnType<typeof say>[]): Promise<void> => {
      await on.store.apply('permits', batch, { recordedAt: at(1), import: await begin(kind) });
    };
    /** What becomes of each record of a file: the outcome, and what is said of the hand. */
    const compare = async (...batch: ReturnType<typeof say>[]): Promise<readonly string[]> => {
      const byHand = await on.store.imports.byHand.numbers('permits');
      const compared = await on.store.compare('permits', batch, { byHand });
      return compared.map(({ outcome, byHand }) => `${outcome} ${byHand}`);
    };
    const absent = async (...keys: string[]): Promise<Record<string, string>> =>
      Object.fromEntries(
        await on.store.imports.byHand.absent(
          'permits',
          keys.map((key) => `permits:${key}`),
        ),
      );
    const keep = (...said: SourceSays[]): Promise<void> => on.store.imports.byHand.keep('permits', said);
    const other = (key: string): ReturnType<typeof say> => say(key, { title: 'Other' });

    it('which imports set it', async () => {
      assert.deepEqual(await on.store.imports.byHand.numbers('permits'), new Set());
      const [, hand, undo] = [await begin('file'), await begin('hand'), await begin('undo')];
      assert.deepEqual(await on.store.imports.byHand.numbers('permits'), new Set([hand, undo]));
      await rejects(on.store.imports.byHand.numbers('others'), { code: 'unknown_feed' });
    });

    it('what a record states, and whether it was set by hand', async () => {
      await apply('file', say('a'), say('b'));
      await apply('hand', other('b'));
      const find = (id: string): Promise<RecordAsStated | null> =>
        on.store.imports.byHand.find([id]).then((found) => found.get(id) ?? null);
      const found = async (key: string): Promise<unknown> => {
        const { state, version, statement, byHand } = (await find(`permits:${key}`))!;
        return [state, version, statement?.title, byHand];
      };
      assert.deepEqual(await found('a'), ['live', 1, 'Permit a', []]);
      assert.deepEqual(await found('b'), ['live', 2, 'Other', [2]]);
      await on.store.withdraw('permits', ['permits:a'], { recordedAt: at(2), import: await begin('undo') });
      assert.deepEqual(await found('a'), ['withdrawn', 2, 'Permit a', []]);
      await on.redact(3, 'a');
      assert.deepEqual(await found('a'), ['redacted', 3, undefined, []]);
      assert.equal(await find('permits:c'), null);
    });

    each<readonly ['hand' | 'undo']>(
      it,
      'asks about records of an import of kind %s alone',
      [['hand'], ['undo']],
      async (kind) => {
        await apply('file', say('a'), say('b'), say('c'));
        await on.store.apply('permits', [other('b')], { recordedAt: at(1), import: await begin(kind) });
        await on.store.withdraw('permits', ['permits:c'], { recordedAt: at(1), import: await begin(kind) });
        const file = [other('a'), say('b'), say('c'), say('d')];
        assert.deepEqual(await compare(...file), ['changed null', 'changed asked', 'restored asked', 'added null']);
        assert.deepEqual(await compare(other('b')), ['unchanged null']);
        assert.deepEqual(await absent('a', 'b', 'c', 'd'), { 'permits:b': 'asked' });
        const unasked = await on.store.compare('permits', file);
        assert.deepEqual(unasked.map(({ byHand }) => byHand), [null, null, null, null]); // prettier-ignore
      },
    );

    it('what was answered, until a file changes the record', async () => {
      await apply('file', say('a'));
      await keep(says('a'));
      await apply('hand', other('a'));
      assert.deepEqual(await compare(say('a')), ['unchanged kept']);
      assert.deepEqual(await compare(say('a', { title: 'Third' })), ['changed asked']);
      await keep(says('a', { title: 'Third' }), says('none'));
      await keep(lacks('a'));
      assert.deepEqual(await compare(say('a', { title: 'Third' })), ['unchanged kept']);
      assert.deepEqual(await absent('a'), { 'permits:a': 'kept' });
      // What is stored is what the source says: nothing of a hand is left.
      await apply('hand', say('a'));
      assert.deepEqual(await compare(say('a', { title: 'Fourth' })), ['changed null']);
      assert.deepEqual(await absent('a'), {});
      await apply('file', say('a', { title: 'Fourth' }));
      await apply('hand', other('a'));
      assert.deepEqual(await compare(say('a')), ['changed asked']);
      assert.deepEqual(await absent('a'), { 'permits:a': 'asked' });
    });

    it('the same of what files write in different ways', async () => {
      await apply('file', say('a', { data: { amount: '12.50', rest: 'x', none: '' }, observed_at: at(0) }));
      await keep(says('a', { data: { amount: '12.50', rest: 'x', none: '' }, observed_at: at(0) }));
      await apply('hand', other('a'));
      assert.deepEqual(await compare(say('a', { data: { amount: 12.5, rest: 'x' } })), ['unchanged kept']);
      assert.deepEqual(await compare(say('a', { data: { amount: 12.5, rest: 'y' } })), ['changed asked']);
    });

    /** Of a register where a and d were corrected by hand, and c withdrawn, a file that changes a and b, has c and e, and lacks d. */
    const propose = async (): Promise<number> => {
      await apply('file', say('a'), say('b'), say('c'), say('d'));
      await apply('hand', other('a'), other('d'));
      await on.store.withdraw('permits', ['permits:c'], { recordedAt: at(1), import: await begin('hand') });
      const number = await begin('file');
      const { proposals } = on.store.imports;
      const third = (key: string): SourceSays => says(key, { title: 'Third' });
      const byHand = 'asked';
      await proposals.keep(number, [{ ...third('a'), byHand }, third('b'), { ...third('c'), byHand }, says('e')]);
      await proposals.keep(number, [{ ...lacks('d'), byHand }]);
      const { change } = (await on.store.register('permits'))!;
      return proposals.propose(number, {
        ...{ digest: KEY, change, report: '{}', unchanged: new Uint8Array(2), fileDigest: null },
        counts: { ...NO_COUNTS, added: 1, changed: 2, restored: 1, withdrawn: 1 },
        settings: {
          ...{
            cause: 'source_change',
            indifferent: [],
            fields: permits().fields,
            isWhole: true,
            sets: {},
            replaces: {},
          },
          asked: { changed: 1, restored: 1, withdrawn: 1 },
        },
      });
    };
    const changed = async (number: number): Promise<readonly string[]> => {
      const made = await on.store.imports.made('permits', number, { after: 0, limit: 100 });
      return made.map(({ id, cause }) => `${id} ${cause}`);
    };

    each<readonly [number]>(
      it,
      'and keeps it where who approves a proposal says so, although that ended before its write %s',
      [[1], [2], [3]],
      async (write) => {
        const number = await propose();
        await on.store.imports.proposals.approve('permits', number, { who: 'bea', keepsHand: true });
        let writes = 0;
        const hold = {
          ask: <T>(ask: () => Promise<T>) => ask(),
          write: <T>(send: (under: object) => Promise<T>) =>
            ++writes < write ? send({}) : Promise.reject(new GazetteError('aborted', 'it ended')),
        };
        await rejects(carryOut(on.store, hold, { feedId: 'permits', number }), { code: 'aborted' });
        await holdRegister(on.store, 'permits', { what: 'work' }, () => Promise.resolve());
        matches(await on.store.imports.find('permits', number), {
          ...{ state: 'completed', decidedBy: 'bea' },
          counts: { ...NO_COUNTS, added: 1, changed: 1, unchanged: 2 },
        });
        assert.deepEqual(await changed(number), ['permits:b source_change', 'permits:e first_observed']);
        const again = [say('a', { title: 'Third' }), say('c', { title: 'Third' })];
        assert.deepEqual(await compare(...again), ['unchanged kept', 'unchanged kept']);
        assert.deepEqual(await absent('d'), { 'permits:d': 'kept' });
        const others = [say('a', { title: 'Fourth' }), say('c')];
        assert.deepEqual(await compare(...others), ['changed asked', 'restored asked']);
      },
    );

    it('and does what a proposal says of it where who approves it says nothing', async () => {
      const number = await propose();
      const [first] = await on.store.imports.proposals.records(number, 1);
      assert.equal(first!.byHand, 'asked');
      await on.store.imports.proposals.approve('permits', number, { who: 'bea' });
      await holdRegister(on.store, 'permits', { what: 'work' }, () => Promise.resolve());
      matches(await on.store.imports.find('permits', number), {
        counts: { ...NO_COUNTS, added: 1, changed: 2, restored: 1, withdrawn: 1 },
      });
      assert.deepEqual(
        (await changed(number)).map((one) => one.split(' ')[1]),
        ['source_change', 'source_change', 'restored', 'first_observed', 'withdrawn'],
      );
    });

    it('nothing any more of what was erased, or of a register that was removed', async () => {
      await apply('file', say('a'), say('b'));
      await keep(says('a'), says('b'));
      await apply('hand', other('a'), other('b'));
      await on.redact(2, 'a');
      await on.store.lift('permits:a');
      await apply('hand', other('a'));
      assert.deepEqual(await compare(say('a'), say('b')), ['changed asked', 'unchanged kept']);
      await on.store.removeRegister('permits');
      await on.store.createRegister(permits());
      await apply('file', say('b'));
      await apply('hand', other('b'));
      assert.deepEqual(await compare(say('b')), ['changed asked']);
    });

    it('keeps nothing for one who has lost the lease', async () => {
      await apply('file', say('a'));
      await rejects(on.store.imports.byHand.keep('permits', [says('a')], { lease: 'lost', write: 1 }), {
        code: 'import_superseded',
      });
      await rejects(on.store.imports.byHand.keep('others', []), { code: 'unknown_feed' });
    });
  });
}

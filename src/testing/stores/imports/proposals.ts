// The contract of stores for proposals: what would be written is kept, decided about, and carried out whole or not at all.
import assert from 'node:assert/strict';
import { matches, rejects } from '../../assertions.ts';
import { each, group, type Test } from '../../test.ts';
import type { ImportCounts } from '../../../stores/contract/imports/counts.ts';
import type { ImportEntry, MadeVersion, NewImport } from '../../../stores/contract/imports/log.ts';
import type { NewProposal, ProposedRecord, ProposedSettings } from '../../../stores/contract/imports/proposals.ts';
import { carryOut } from '../../../stores/lease/carry-out.ts';
import { holdRegister } from '../../../stores/lease/hold-register.ts';
import { prepareRecord, statedIn } from '../../../stores/rows/prepare.ts';
import { onRegister } from '../on-register.ts';
import { at, type OpenStore, permits, say } from '../said.ts';

const COUNTS: ImportCounts = {
  ...{ added: 1, changed: 1, unchanged: 1, restored: 0, redacted: 0 },
  ...{ withdrawn: 1, refused: 0 },
};
const KEY = new Uint8Array(32).fill(1);
const DIGEST = new Uint8Array(32).fill(7);
const OTHER = new Uint8Array(32).fill(9);

const states = (key: string, said: Parameters<typeof say>[1] = {}): ProposedRecord => {
  const record = prepareRecord(say(key, said));
  return { id: record.id, record };
};
const withdraws = (key: string): ProposedRecord => ({ id: `permits:${key}`, record: null });

/** The bits of some positions. */
const bits = (...positions: number[]): Uint8Array => {
  const found = new Uint8Array(2);
  for (const position of positions) found[position >> 3]! |= 1 << (position & 7);
  return found;
};

/** Registers this part of the suite for one implementation. */
export function proposalContract(test: Test, open: OpenStore): void {
  onRegister(test, 'keeps proposals', open, (it, on) => {
    const begin = async (more: Partial<NewImport> = {}): Promise<number> => {
      const begun = { file: 'a.csv', cause: 'source_change', who: 'ada', begunAt: at(0), ...more } as const;
      return (await on.store.imports.begin('permits', begun, { key: KEY })).number;
    };
    const proposals = () => on.store.imports.proposals;
    const settings = (more: Partial<ProposedSettings> = {}): ProposedSettings => ({
      ...{ cause: 'source_change', indifferent: [], sets: {}, replaces: { findings: {} } },
      ...{ fields: permits().fields, isWhole: true, ...more },
    });
    const proposed = (more: Partial<NewProposal> = {}): NewProposal => ({
      ...{ digest: DIGEST, change: 3, settings: settings(), report: '{"a":"\\u0000"}', unchanged: bits(2) },
      ...{ counts: COUNTS, fileDigest: DIGEST, ...more },
    });
    /** Of a register with a, b and c, a file that changes a, keeps b, lacks c and has d. */
    const propose = async (more: Partial<NewProposal> = {}): Promise<number> => {
      await on.apply(0, say('a'), say('b'), say('c'));
      const number = await begin();
      await proposals().keep(number, [states('a', { title: 'New' }), states('d')]);
      await proposals().keep(number, [withdraws('c')]);
      return proposals().propose(number, proposed(more));
    };
    const approve = (number: number, digest?: Uint8Array): Promise<void> =>
      proposals().approve('permits', number, { who: 'bea', report: '{"kept":2}', ...(digest && { digest }) });
    const find = (number: number): Promise<ImportEntry> => on.store.imports.find('permits', number);
    const stateOf = async (number: number): Promise<string> => (await find(number)).state;
    /** Works on the register, which finishes what was begun. */
    const work = (): Promise<void> => holdRegister(on.store, 'permits', { what: 'work' }, () => Promise.resolve());

    group(it, 'and', (it) => {
      it('gives what was kept as it was kept, and writes nothing of it', async () => {
        const number = await propose();
        matches(await on.store.register('permits'), { change: 3, total: 3 });
        const { digest, fileDigest, ...found } = await proposals().find('permits', number);
        assert.deepEqual([[...digest], [...fileDigest!]], [[...DIGEST], [...DIGEST]]);
        const said = { settings: settings(), report: '{"a":"\\u0000"}', counts: COUNTS };
        assert.deepEqual(found, { number, feedId: 'permits', change: 3, ...said });
        assert.equal(await proposals().isOutdated('permits', number), false);
        const first = [states('a', { title: 'New' }), states('d')];
        const batches = await Promise.all([1, 2, 3].map((batch) => proposals().records(number, batch)));
        assert.deepEqual(batches, [first, [withdraws('c')], []]);
        const entry = { kind: 'file', undoes: null, state: 'proposed', decidedBy: null, endedAt: null } as const;
        matches(await find(number), { ...entry, counts: COUNTS });
      });

      it('stands for the same proposal that is made again, and for no other', async () => {
        const number = await propose();
        const again = async (more: Partial<NewProposal> = {}): Promise<number> =>
          proposals().propose(await begin(), proposed(more));
        assert.equal(await again(), number);
        assert.deepEqual(await proposals().waiting(), [{ number, feedId: 'permits' }]);
        for (const other of [{ change: 4 }, { digest: OTHER }, { report: '{}' }])
          assert.notEqual(await again(other), number);
      });

      it('keeps texts of any characters', async () => {
        const odd = states('odd', { title: 'a\0"\u0001', data: { applicant: '\0\\u0000' } });
        const number = await begin();
        await proposals().keep(number, [odd]);
        assert.deepEqual(await proposals().records(number, 1), [odd]);
      });

      it('carries out what was approved, when anybody works on the register', async () => {
        const number = await propose();
        assert.deepEqual(await proposals().waiting(), [{ number, feedId: 'permits' }]);
        await approve(number, DIGEST);
        assert.deepEqual(await proposals().waiting(), []);
        assert.deepEqual(await proposals().begun(), [{ number, feedId: 'permits' }]);
        await work();
        matches(await find(number), { state: 'completed', decidedBy: 'bea', counts: COUNTS });
        const changes = (await on.changes()).slice(3).map(({ record_id, cause }) => `${record_id} ${cause}`);
        assert.deepEqual(changes, ['permits:a source_change', 'permits:d first_observed', 'permits:c withdrawn']);
        assert.deepEqual(await proposals().begun(), []);
        assert.deepEqual(await proposals().records(number, 1), []);
        await rejects(proposals().find('permits', number), { code: 'proposal_ended' });
      });

      it('does the rest of what ended in the middle', async () => {
        const number = await propose();
        await approve(number);
        // The first batch.
        const records = (await proposals().records(number, 1)).map(({ record }) => record!);
        await on.store.apply('permits', records, { recordedAt: at(1), import: number });
        await work();
        assert.equal(await stateOf(number), 'completed');
        assert.equal((await on.changes()).length, 6);
      });

      it('goes on with what was ended by its caller', async () => {
        const number = await propose();
        await approve(number);
        const signal = AbortSignal.abort();
        const hold = {
          ask: <T>(ask: () => Promise<T>) => ask(),
          write: <T>(send: (under: object) => Promise<T>) => send({}),
        };
        await rejects(carryOut(on.store, hold, { feedId: 'permits', number }, { signal }), { code: 'aborted' });
        assert.equal(await stateOf(number), 'approved');
        await work();
        assert.equal(await stateOf(number), 'completed');
      });

      it('sets the order, the fields and the ignored columns that it says', async () => {
        const newFields = [...permits().fields, { name: 'more', label: 'More', type: 'text' as const }];
        const sets = { order: 'newest-first', ignored: ['seen'], fields: newFields } as const;
        const more = settings({ sets });
        const number = await propose({ settings: more });
        await approve(number);
        await work();
        const before = { order: null, ignored: [], fields: permits().fields };
        assert.deepEqual(await proposals().replaced('permits', number), { before, after: sets, now: sets });
      });

      each<readonly [string, () => Promise<unknown>]>(
        it,
        'carries nothing out where %s meanwhile',
        [
          ['a record that it changes did', () => on.apply(1, say('a', { title: 'Other' }))],
          ['a record that it leaves as it is did', () => on.apply(1, say('b', { title: 'Other' }))],
          ['a record that it withdraws did', () => on.withdraw(1, 'c')],
          ['a record that it adds came', () => on.apply(1, say('d'))],
          ['a record came that the whole file lacks', () => on.apply(1, say('e'))],
          ['somebody set what it replaces', () => on.store.imports.setFindings('permits', { factor: 'warn' })],
          [
            'the register got other fields',
            () => on.store.updateRegister({ ...permits(), fields: [] }, { recordedAt: at(1) }),
          ],
        ],
        async (_, change) => {
          const number = await propose();
          await change();
          await rejects(approve(number), { code: 'proposal_outdated', details: { import: number } });
          assert.equal(await stateOf(number), 'proposed');
          assert.equal(await proposals().isOutdated('permits', number), true);
        },
      );

      it('minds no other record where the file need not be whole', async () => {
        const number = await propose({ settings: settings({ isWhole: false }) });
        await on.apply(1, say('e'));
        await approve(number);
        assert.equal(await stateOf(number), 'approved');
      });

      it('approves only what was read', async () => {
        const number = await propose();
        await rejects(approve(number, KEY), { code: 'proposal_outdated' });
        await approve(number, DIGEST);
        assert.equal(await proposals().said('permits', number), '{"kept":2}');
        await rejects(approve(number), { code: 'proposal_ended', details: { import: number, state: 'approved' } });
      });

      it('forgets what was discarded, but for what is kept of it until a record is erased', async () => {
        const number = await propose();
        await proposals().discard('permits', number, { who: 'bea', at: at(1), report: '{"kept":1}' });
        matches(await find(number), { state: 'discarded', decidedBy: 'bea', endedAt: at(1) });
        assert.deepEqual(await proposals().records(number, 1), []);
        await rejects(approve(number), { code: 'proposal_ended' });
        await rejects(proposals().discard('permits', number, { who: null, at: at(1) }), { code: 'proposal_ended' });
        assert.equal(await proposals().said('permits', number), '{"kept":1}');
        await on.redact(2, 'b');
        assert.equal(await proposals().said('permits', number), null);
      });

      it('is told once at a time, and again when it still waits', async () => {
        const number = await propose();
        const { proposals } = on.store.imports;
        const take = async (now: number): Promise<unknown> =>
          (await proposals.takeNotice({ now: at(now), until: at(now + 10) }))?.number;
        assert.deepEqual([await take(1), await take(2), await take(11)], [number, undefined, number]);
        await proposals.endNotice(number, at(1000));
        assert.deepEqual([await take(999), await take(1000)], [undefined, number]);
      });

      it('discards what waited for more than thirty days, and keeps what did not', async () => {
        const number = await propose();
        await proposals().tidy(at(30 * 24 * 60));
        assert.equal(await stateOf(number), 'proposed');
        await proposals().tidy(at(31 * 24 * 60));
        matches(await find(number), { state: 'discarded', error: 'proposal_expired', decidedBy: null });
        assert.deepEqual(await proposals().records(number, 1), []);
      });

      it('forgets what an interrupted import had kept', async () => {
        const number = await begin();
        await proposals().keep(number, [states('a')]);
        await begin();
        await proposals().tidy(at(1));
        assert.deepEqual(await proposals().records(number, 1), []);
      });

      it('discards with a record the proposals that have it, leave it as it is, or may have refused it', async () => {
        const first = await propose({ settings: settings({ isWhole: false }) });
        const refusing = await begin();
        await proposals().propose(refusing, proposed({ counts: { ...COUNTS, refused: 1 }, report: '{"refused":1}' }));
        const other = await begin();
        await proposals().keep(other, [states('d')]);
        await proposals().propose(other, proposed({ digest: OTHER }));
        await on.redact(1, 'a');
        const ends = async () => (await Promise.all([first, refusing, other].map(stateOf))).join(' ');
        assert.equal(await ends(), 'discarded discarded proposed');
        matches(await find(first), { error: 'record_redacted', decidedBy: null });
        await on.redact(2, 'b');
        assert.equal(await ends(), 'discarded discarded discarded');
      });

      it('knows only imports of registers that exist', async () => {
        const number = await propose();
        await rejects(proposals().find('others', number), { code: 'unknown_feed' });
        await rejects(proposals().find('permits', 99), {
          code: 'unknown_import',
          details: { import: 99 },
        });
        await rejects(on.store.imports.find('permits', 99), { code: 'unknown_import' });
        await on.store.createRegister({ ...permits(), id: 'others', uuid: null });
        await rejects(proposals().approve('others', number, { who: null }), { code: 'unknown_import' });
        await on.store.removeRegister('permits');
        await on.store.createRegister(permits());
        await rejects(proposals().find('permits', number), { code: 'unknown_import' });
        assert.deepEqual(await proposals().records(number, 1), []);
      });
    });

    group(it, 'and says what an import made of records', (it) => {
      const made = (number: number): Promise<readonly MadeVersion[]> =>
        on.store.imports.made('permits', number, { after: 0, limit: 100 });

      it('what they were before, and what they are now', async () => {
        await on.apply(0, say('a'), say('b'), say('c'));
        await on.withdraw(1, 'c');
        const number = await begin();
        const as = { recordedAt: at(2), import: number };
        await on.store.apply('permits', [say('a', { title: 'New' }), say('c', { title: 'Back' }), say('d')], as);
        await on.store.withdraw('permits', ['permits:b'], as);
        await on.apply(3, say('a', { title: 'Newer' }));
        const [a, c, d, b, ...none] = await made(number);
        assert.deepEqual(none, []);
        matches(a, { id: 'permits:a', position: 1, cause: 'source_change', wasLive: true, state: 'live' });
        assert.deepEqual([statedIn(a!.before!).title, a!.made?.title, a!.now?.title], ['Permit a', 'New', 'Newer']);
        matches(c, { id: 'permits:c', cause: 'restored', wasLive: false, before: null, state: 'live' });
        assert.deepEqual([c!.made?.title, c!.now?.title], ['Back', 'Back']);
        matches(d, { id: 'permits:d', cause: 'first_observed', wasLive: false, before: null, state: 'live' });
        matches(b, { id: 'permits:b', cause: 'withdrawn', wasLive: true, state: 'withdrawn' });
        assert.equal(statedIn(b!.before!).title, 'Permit b');
        assert.deepEqual(await on.store.imports.made('permits', number, { after: b!.change, limit: 1 }), []);
      });

      it('and nothing of what was erased', async () => {
        const number = await begin();
        await on.store.apply('permits', [say('a')], { recordedAt: at(1), import: number });
        await on.redact(2, 'a');
        matches(await made(number), [{ state: 'redacted', made: null, now: null, before: null }]);
      });

      it('and which version takes an import back', async () => {
        await on.apply(0, say('a'));
        const number = await begin({ kind: 'undo', undoes: 17 });
        await on.store.apply('permits', [say('a', { title: 'New' })], { recordedAt: at(1), import: number });
        matches(await on.changes(), [{ change: 1 }, { change: 2, undoes: 17 }]);
        assert.equal('undoes' in (await on.changes())[0]!, false);
      });
    });
  });
}

// The log that every store of registers keeps: withdrawals, restorations, redactions, histories and changes.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RegisterRecord, RecordVersion } from '../../src/register/record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { at, keys, type OpenStore, permits, say, walk } from './store-register.ts';

/** Registers this part of the suite for one implementation. */
export function logContract(name: string, open: OpenStore): void {
  describe(`${name} keeps a log`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    const apply = (minute: number, ...batch: ReturnType<typeof say>[]) =>
      store.apply('permits', batch, { recordedAt: at(minute) });
    const withdraw = (minute: number, ...names: string[]) =>
      store.withdraw(
        'permits',
        names.map((key) => `permits:${key}`),
        { recordedAt: at(minute) },
      );
    const redact = (minute: number, key: string) => store.redact(`permits:${key}`, { recordedAt: at(minute) });
    const history = async (key: string): Promise<readonly RecordVersion[]> =>
      (await store.history(`permits:${key}`, { offset: 0, limit: 100 }))!;
    const changes = async (): Promise<readonly RecordVersion[]> =>
      (await store.changes('permits', { since: 0, limit: 100 })).versions;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.createRegister(permits());
    });
    afterEach(() => dispose());

    describe('of withdrawals', () => {
      it('leaves the slot, and nothing in lists', async () => {
        await apply(0, say('a'), say('b'), say('c'));
        expect(await withdraw(1, 'b')).toEqual({ withdrawn: 1, unchanged: 0 });
        expect(await keys(store)).toEqual(['c', 'a']);
        expect(await store.register('permits')).toMatchObject({ top: 3, change: 4, total: 2, lastChange: at(1) });
        const last = { ...say('b'), observed_at: at(0), updated_at: at(1), version: 2, position: 2 };
        expect(await store.record('permits:b')).toMatchObject({ state: 'withdrawn', version: 2, record: last });
        expect((await history('b'))[0]).toMatchObject({ cause: 'withdrawn', changed: [], version: 2, record: last });
        await apply(2, say('d'));
        expect(await store.record('permits:d')).toMatchObject({ position: 4 });
      });

      it('withdraws what is live, once', async () => {
        await apply(0, say('a'), say('b'));
        await withdraw(1, 'a');
        expect(await withdraw(2, 'a', 'b')).toEqual({ withdrawn: 1, unchanged: 1 });
        expect(await withdraw(3, 'a', 'b')).toEqual({ withdrawn: 0, unchanged: 2 });
        expect(await store.register('permits')).toMatchObject({ change: 4, total: 0, lastChange: at(2) });
        await apply(3, say('c'));
        expect(await withdraw(4, 'c', 'c')).toEqual({ withdrawn: 1, unchanged: 1 });
      });

      it('withdraws nothing when an id was never there', async () => {
        await store.createRegister(permits('others'));
        await store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
        await apply(0, say('a'));
        for (const id of ['permits:b', 'others:x', '']) {
          const refused = { code: 'unknown_record', details: { id } };
          await expect(store.withdraw('permits', ['permits:a', id], { recordedAt: at(1) })).rejects.toMatchObject(
            refused,
          );
        }
        expect(await keys(store)).toEqual(['a']);
        expect(await keys(store, {}, 'others')).toEqual(['x']);
      });
    });

    describe('of restorations', () => {
      it('brings a record back at its old position', async () => {
        await apply(0, say('a'), say('b'), say('c'));
        await withdraw(1, 'b');
        expect(await apply(2, say('b'))).toMatchObject({ restored: 1, added: 0, changed: 0 });
        expect(await keys(store)).toEqual(['c', 'b', 'a']);
        expect(await store.record('permits:b')).toMatchObject({
          position: 2,
          version: 3,
          state: 'live',
          record: { observed_at: at(0), updated_at: at(2), version: 3 },
        });
        expect((await history('b')).map(({ cause, changed, change }) => [cause, changed, change])).toEqual([
          ['restored', [], 5],
          ['withdrawn', [], 4],
          ['first_observed', [], 2],
        ]);
        expect(await store.register('permits')).toMatchObject({ top: 3, change: 5, total: 3 });
      });

      it('brings it back with what changed meanwhile', async () => {
        await apply(0, say('a'));
        await apply(1, say('a', { title: 'Second' }));
        await withdraw(2, 'a');
        expect(await apply(3, say('a', { title: 'Third' }))).toMatchObject({ restored: 1 });
        const versions = await history('a');
        expect(versions.map(({ cause, changed, record }) => [cause, changed, record!.title])).toEqual([
          ['restored', ['title'], 'Third'],
          ['withdrawn', [], 'Second'],
          ['source_change', ['title'], 'Second'],
          ['first_observed', [], 'Permit a'],
        ]);
        expect(versions.map(({ version, record }) => [version, record!.version, record!.updated_at])).toEqual([
          [4, 4, at(3)],
          [3, 3, at(2)],
          [2, 2, at(1)],
          [1, 1, at(0)],
        ]);
        expect(versions[1]!.sha256).toBe(versions[2]!.sha256);
        expect(new Set(versions.map(({ sha256 }) => sha256)).size).toBe(3);
        expect(await apply(4, say('a', { title: 'Third' }))).toMatchObject({ unchanged: 1 });
      });

      it('shows each version as it was, absent fields included', async () => {
        await apply(0, say('a', { summary: null, content: 'First' }));
        await apply(1, say('a', { summary: 'Now', content: null }));
        await withdraw(2, 'a');
        await apply(3, say('a', { summary: null, content: null, data: {} }));
        const shown = (await history('a')).map(({ record }) => [record!.summary, record!.content, record!.data]);
        const { data } = say('a');
        expect(shown).toEqual([
          [null, null, {}],
          ['Now', null, data],
          ['Now', null, data],
          [null, 'First', data],
        ]);
      });
    });

    describe('of redactions', () => {
      it('erases every version of a record and keeps the fact', async () => {
        await apply(0, say('a'), say('b', { title: 'Secret 1' }));
        await apply(1, say('b', { title: 'Secret 2', data: { secret: 3 } }));
        const before = await history('b');
        const revision = await (await store.source('permits')).revision!();
        expect(await redact(2, 'b')).toBe(true);
        expect(await keys(store)).toEqual(['a']);
        expect(await store.record('permits:b')).toEqual({
          id: 'permits:b',
          feedId: 'permits',
          position: 2,
          version: 3,
          state: 'redacted',
          record: null,
        });
        const erased = { changed: [], record: null };
        const [latest, ...earlier] = await history('b');
        expect(latest).toMatchObject({ ...erased, cause: 'withdrawn', version: 3, change: 4, recorded_at: at(2) });
        expect(earlier).toEqual(before.map((version) => ({ ...version, ...erased })));
        expect(await changes()).toHaveLength(4);
        expect(JSON.stringify(await changes()).toLowerCase()).not.toContain('secret');
        expect(await store.register('permits')).toMatchObject({ top: 2, change: 4, total: 1, lastChange: at(2) });
        expect(await (await store.source('permits')).revision!()).not.toBe(revision);
      });

      it('is not undone by an import', async () => {
        await apply(0, say('a'));
        await redact(1, 'a');
        expect(await apply(2, say('a'), say('b'))).toMatchObject({ added: 1, redacted: 1, restored: 0 });
        expect(await keys(store)).toEqual(['b']);
        expect(await withdraw(3, 'a')).toEqual({ withdrawn: 0, unchanged: 1 });
        expect(await store.register('permits')).toMatchObject({ total: 1, change: 3 });
      });

      it('erases a withdrawn record too, and says so in the log', async () => {
        await apply(0, say('a'));
        await apply(1, say('a', { title: 'Secret' }));
        await withdraw(2, 'a');
        expect(await redact(3, 'a')).toBe(true);
        expect((await history('a')).map(({ cause, record }) => [cause, record])).toEqual([
          ['withdrawn', null],
          ['withdrawn', null],
          ['source_change', null],
          ['first_observed', null],
        ]);
        expect(await store.register('permits')).toMatchObject({ total: 0, change: 4 });
      });

      it('does it once', async () => {
        await apply(0, say('a'));
        expect(await redact(1, 'a')).toBe(true);
        const after = await store.register('permits');
        expect(await redact(2, 'a')).toBe(false);
        expect(await store.register('permits')).toEqual(after);
      });

      it.each(['permits:b', 'others:a', ''])('knows no record %j', async (id) => {
        await expect(store.redact(id, { recordedAt: at(0) })).rejects.toMatchObject({
          code: 'unknown_record',
          details: { id },
        });
      });
    });

    describe('of histories', () => {
      it('is read newest first, from any offset', async () => {
        for (let n = 0; n < 7; n++) await apply(n, say('a', { title: `Title ${n}` }), say('b'));
        const titles = async (offset: number, limit: number): Promise<unknown[]> =>
          (await store.history('permits:a', { offset, limit }))!.map(({ record }) => record!.title);
        expect(await titles(0, 3)).toEqual(['Title 6', 'Title 5', 'Title 4']);
        expect(await titles(3, 3)).toEqual(['Title 3', 'Title 2', 'Title 1']);
        expect(await titles(6, 3)).toEqual(['Title 0']);
        expect(await titles(7, 3)).toEqual([]);
        expect(await titles(Number.MAX_SAFE_INTEGER, 3)).toEqual([]);
      });

      it.each([
        ['limit', { offset: 0, limit: 101 }],
        ['limit', { offset: 0, limit: 0 }],
        ['limit', { offset: 0, limit: 1.5 }],
        ['offset', { offset: -1, limit: 1 }],
      ])('refuses a wrong %s: %j', async (parameter, options) => {
        await apply(0, say('a'));
        const refused = { code: 'invalid_parameter', details: { parameter } };
        await expect(store.history('permits:a', options)).rejects.toMatchObject(refused);
      });
    });

    describe('of changes', () => {
      it('is read oldest first, after any change', async () => {
        await apply(0, say('a'), say('b'));
        await apply(1, say('a', { title: 'New' }));
        await withdraw(2, 'b');
        await apply(3, say('b'));
        const all = await changes();
        expect(all.map(({ change, record_id, version, cause }) => [change, record_id, version, cause])).toEqual([
          [1, 'permits:a', 1, 'first_observed'],
          [2, 'permits:b', 1, 'first_observed'],
          [3, 'permits:a', 2, 'source_change'],
          [4, 'permits:b', 2, 'withdrawn'],
          [5, 'permits:b', 3, 'restored'],
        ]);
        expect(all[2]).toEqual((await history('a'))[0]);
        expect(await store.changes('permits', { since: 1, limit: 2 })).toEqual({
          versions: all.slice(1, 3),
          nextSince: 3,
          more: true,
        });
        expect(await store.changes('permits', { since: 3, limit: 2 })).toEqual({
          versions: all.slice(3),
          nextSince: 5,
          more: false,
        });
        expect(await store.changes('permits', { since: 5, limit: 2 })).toEqual({
          versions: [],
          nextSince: 5,
          more: false,
        });
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
          const page = await store.changes('permits', { since, limit: 7 });
          for (const { position, cause, record } of page.versions) {
            if (cause === 'withdrawn' || record === null) copy.delete(position);
            else copy.set(position, record);
          }
          ({ nextSince: since, more } = page);
        }
        const live = (await walk(store)).flatMap(({ records }) => records);
        expect([...copy.values()].sort((a, b) => b.position! - a.position!)).toEqual(live);
      });

      it('keeps registers apart', async () => {
        await store.createRegister(permits('others'));
        await apply(0, say('a'));
        await store.apply('others', [say('x', {}, 'others'), say('y', {}, 'others')], { recordedAt: at(1) });
        await apply(2, say('b'));
        expect((await changes()).map(({ record_id, change }) => [record_id, change])).toEqual([
          ['permits:a', 1],
          ['permits:b', 2],
        ]);
        expect((await store.changes('others', { since: 0, limit: 9 })).versions).toHaveLength(2);
      });

      it.each([
        ['limit', { since: 0, limit: 101 }],
        ['limit', { since: 0, limit: 0 }],
        ['since', { since: -1, limit: 1 }],
        ['since', { since: 2, limit: 1 }],
        ['since', { since: 0.5, limit: 1 }],
      ])('refuses a wrong %s: %j', async (parameter, options) => {
        await apply(0, say('a'));
        const refused = { code: 'invalid_parameter', details: { parameter } };
        await expect(store.changes('permits', options)).rejects.toMatchObject(refused);
      });
    });
  });
}

// What every store of registers must do. Each implementation runs it; what differs by engine is tested beside it.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { Order } from '../../src/register/order.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { logContract } from './store-log-contract.ts';
import { pagesContract } from './store-pages-contract.ts';
import { walkContract } from './store-walk-contract.ts';
import { nonEmptyTexts, RUNS, texts } from '../properties/arbitraries.ts';
import { at, keyOf, keys, type OpenStore, permits, say, walk } from './store-register.ts';

/** Registers the suite for one implementation. */
export function storeContract(name: string, open: OpenStore): void {
  logContract(name, open);
  pagesContract(name, open);
  walkContract(name, open);

  describe(`${name} keeps registers`, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    const apply = (minute: number, ...batch: ReturnType<typeof say>[]) =>
      store.apply('permits', batch, { recordedAt: at(minute) });

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.createRegister(permits());
    });
    afterEach(() => dispose());

    describe('as registers', () => {
      it('makes an empty one', async () => {
        const empty = { order: null, top: 0, change: 0, total: 0, lastChange: null };
        expect(await store.register('permits')).toEqual({ definition: permits(), ...empty });
        expect(await store.createRegister(permits('others'), { order: 'newest-first' })).toEqual({
          definition: permits('others'),
          ...empty,
          order: 'newest-first',
        });
        expect((await store.registers()).map(({ definition }) => definition.id)).toEqual(['others', 'permits']);
      });

      it('refuses a second one of the same id', async () => {
        await expect(store.createRegister(permits())).rejects.toMatchObject({
          code: 'register_exists',
          details: { feed_id: 'permits' },
        });
      });

      it('has none of another id', async () => {
        expect(await store.register('others')).toBeNull();
        const refused = { code: 'unknown_feed', details: { feed_id: 'others' } };
        await expect(store.source('others')).rejects.toMatchObject(refused);
        await expect(store.setOrder('others', 'newest-first')).rejects.toMatchObject(refused);
        await expect(store.removeRegister('others')).rejects.toMatchObject(refused);
        await expect(store.updateRegister(permits('others'), { recordedAt: at(0) })).rejects.toMatchObject(refused);
        await expect(store.changes('others', { since: 0, limit: 1 })).rejects.toMatchObject(refused);
        await expect(store.ids('others', { limit: 1 })).rejects.toMatchObject(refused);
        await expect(store.withdraw('others', [], { recordedAt: at(0) })).rejects.toMatchObject(refused);
        await expect(store.apply('others', [], { recordedAt: at(0) })).rejects.toMatchObject(refused);
      });

      it.each<Order>(['newest-first', 'oldest-first'])('keeps that files run %s', async (order) => {
        await store.setOrder('permits', order);
        expect((await store.register('permits'))?.order).toBe(order);
      });

      it('takes a new definition, and shows it to new sources', async () => {
        await apply(1, say('a'));
        const before = await store.source('permits');
        const revision = await before.revision!();
        const renamed = { ...permits(), title: 'Permits' };
        expect((await store.updateRegister(renamed, { recordedAt: at(2) })).definition).toEqual(renamed);
        const after = await store.source('permits');
        expect(after.definition).toEqual(renamed);
        expect(await after.revision!()).not.toBe(revision);
        expect(await after.lastChange!()).toBe(at(2));
      });

      it('changes nothing for an equal definition', async () => {
        const source = await store.source('permits');
        const revision = await source.revision!();
        await store.updateRegister(permits(), { recordedAt: at(2) });
        expect(await source.revision!()).toBe(revision);
        expect(await source.lastChange!()).toBeNull();
      });

      it('removes one with all it has, and leaves the others', async () => {
        await store.createRegister(permits('others'));
        await store.apply('others', [say('x', {}, 'others')], { recordedAt: at(0) });
        await apply(1, ...Array.from({ length: 1200 }, (_, index) => say(`a${index}`)));
        await apply(2, say('a1', { title: 'New' }));
        await store.withdraw('permits', ['permits:a2'], { recordedAt: at(3) });
        const source = await store.source('permits');
        await store.removeRegister('permits');
        expect(await store.register('permits')).toBeNull();
        expect(await store.record('permits:a1')).toBeNull();
        expect(await store.history('permits:a1', { offset: 0, limit: 10 })).toBeNull();
        expect((await store.registers()).map(({ definition }) => definition.id)).toEqual(['others']);
        expect(await keys(store, {}, 'others')).toEqual(['x']);

        const again = await store.createRegister(permits());
        expect(again).toMatchObject({ top: 0, change: 0, total: 0 });
        // Whoever kept a change number of the one before must not take silence for "nothing has changed".
        await expect(store.changes('permits', { since: 3, limit: 10 })).rejects.toMatchObject({
          code: 'invalid_parameter',
          message: 'since must be 0..0, got 3',
        });
        await apply(4, say('a2'));
        expect(await store.record('permits:a2')).toMatchObject({ position: 1, version: 1, state: 'live' });
        expect(await store.history('permits:a2', { offset: 0, limit: 10 })).toHaveLength(1);
        await expect(async () => source.page({ offset: 0, limit: 1 })).rejects.toMatchObject({ code: 'unknown_feed' });
      });

      it('has another revision after a removal and the same import', async () => {
        await apply(1, say('a'));
        const revision = await (await store.source('permits')).revision!();
        await store.removeRegister('permits');
        await store.createRegister(permits());
        await apply(2, say('a'));
        expect(await (await store.source('permits')).revision!()).not.toBe(revision);
      });
    });

    describe('as records', () => {
      it('gives back what was said, with what the register adds', async () => {
        await apply(0, say('a', { observed_at: '2026-04-19' }), say('b'));
        const [page] = await walk(store);
        expect(page!.records).toEqual([
          { ...say('b'), observed_at: at(0), updated_at: at(0), version: 1, position: 2 },
          { ...say('a'), observed_at: '2026-04-19', updated_at: at(0), version: 1, position: 1 },
        ]);
        expect(await store.record('permits:b')).toEqual({
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
          expect(await store.record(id)).toBeNull();
          expect(await store.history(id, { offset: 0, limit: 10 })).toBeNull();
        }
      });

      it('keeps any text to the last unit, and finds it by its filters', async () => {
        const texted = fc.record({
          title: nonEmptyTexts(),
          summary: fc.option(texts()),
          content: fc.option(texts()),
          author: fc.option(texts(2)),
          document_type: fc.option(texts(2)),
          facility_id: fc.option(texts(2)),
          data: fc.dictionary(
            fc.oneof(texts(1), fc.constant('__proto__')),
            fc.oneof(texts(2), fc.jsonValue({ maxDepth: 1 })),
          ),
        });
        let count = 0;
        await fc.assert(
          fc.asyncProperty(texted, async (given) => {
            const data = JSON.parse(JSON.stringify(given.data)) as Record<string, JsonValue>;
            const key = `k${++count}`;
            const said = say(key, { ...given, data });
            await apply(0, said);
            expect((await store.record(said.id))?.record).toMatchObject({ ...said, observed_at: at(0) });
            const filter = {
              ...(said.document_type === null ? {} : { documentType: said.document_type }),
              ...(said.facility_id === null ? {} : { facilityId: said.facility_id }),
            };
            const page = await (await store.source('permits')).page({ offset: 0, limit: 1, filter });
            expect(page.records.map(keyOf)).toEqual([key]);
            // The same once more is unchanged, whatever text it is made of.
            expect(await apply(1, said)).toMatchObject({ unchanged: 1 });
          }),
          { numRuns: RUNS },
        );
      });

      it('is not reached by what a caller does to what it gave or got', async () => {
        const conditions = ['a'];
        const given = say('a', { data: { conditions } });
        await apply(0, given);
        conditions.push('b');
        const got = (await store.record('permits:a'))!.record!;
        (got.data.conditions as string[]).push('c');
        expect((await store.record('permits:a'))!.record!.data).toEqual({ conditions: ['a'] });
      });
    });

    describe('as imports', () => {
      it('adds, then finds the same unchanged', async () => {
        const batch = [say('a'), say('b'), say('c')];
        const none = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
        expect(await apply(0, ...batch)).toEqual({ ...none, added: 3 });
        const before = await store.register('permits');
        expect(before).toMatchObject({ top: 3, change: 3, total: 3, lastChange: at(0) });
        const revision = await (await store.source('permits')).revision!();
        expect(await apply(9, ...batch)).toEqual({ ...none, unchanged: 3 });
        expect(await store.register('permits')).toEqual(before);
        expect(await (await store.source('permits')).revision!()).toBe(revision);
      });

      it('takes absent and null for the same', async () => {
        await apply(0, say('a', { data: { amount: 1, applicant: null } }));
        expect(await apply(1, say('a', { data: { amount: 1 } }))).toMatchObject({ unchanged: 1 });
        expect(await apply(2, say('a', { data: { applicant: null, amount: 1, conditions: null } }))).toMatchObject({
          unchanged: 1,
        });
      });

      it.each(['source_change', 'extraction_correction'] as const)('records a %s with its fields', async (cause) => {
        await apply(0, say('a'), say('b'));
        const changed = say('a', {
          title: 'New',
          facility_id: null,
          data: { amount: 13, applicant: 'Acme', extra: 1 },
        });
        const result = await store.apply('permits', [changed, say('b')], { recordedAt: at(5), cause });
        expect(result).toMatchObject({ added: 0, changed: 1, unchanged: 1 });
        const { record } = (await store.record('permits:a'))!;
        expect(record).toEqual({ ...changed, observed_at: at(0), updated_at: at(5), version: 2, position: 1 });
        const history = (await store.history('permits:a', { offset: 0, limit: 10 }))!;
        expect(history).toEqual([
          {
            feed_id: 'permits',
            record_id: 'permits:a',
            position: 1,
            version: 2,
            change: 3,
            cause,
            recorded_at: at(5),
            changed: ['data.amount', 'data.conditions', 'data.extra', 'facility_id', 'title'],
            sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
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
            sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
            record: { ...say('a'), observed_at: at(0), updated_at: at(0), version: 1, position: 1 },
          },
        ]);
      });

      it.each([
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
      ] as const)('sees a change of %s alone', async (field, change) => {
        await apply(0, say('a'));
        expect(await apply(1, say('a', change))).toMatchObject({ changed: 1 });
        const [version] = (await store.history('permits:a', { offset: 0, limit: 1 }))!;
        expect(version!.changed).toEqual([field]);
        expect(version!.record).toMatchObject(change);
      });

      it('takes a time of its own for no statement of the publisher', async () => {
        await apply(0, say('a'), say('b', { observed_at: at(-9) }));
        expect(await apply(1, say('a'), say('b'))).toMatchObject({ unchanged: 2 });
        // The publisher now states the very time the register had taken.
        expect(await apply(2, say('a', { observed_at: at(0) }))).toMatchObject({ unchanged: 1 });
        expect(await apply(3, say('b', { title: 'New' }))).toMatchObject({ changed: 1 });
        const history = (await store.history('permits:b', { offset: 0, limit: 1 }))!;
        expect(history[0]).toMatchObject({ changed: ['title'], record: { observed_at: at(-9) } });
        expect(await apply(4, say('b', { title: 'New', observed_at: at(-9) }))).toMatchObject({ unchanged: 1 });
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
        expect(await digestOf('permits:a')).toBe(
          said({
            ...common,
            id: 'permits:a',
            title: 'Permit a',
            summary: 'é',
            source_url: 'https://example.org/permits/a',
            data: { amount: 1 },
          }),
        );
        expect(await digestOf('permits:b')).toBe(
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
        expect(await store.apply('permits', batch, { recordedAt: at(2), dryRun: true })).toMatchObject({
          added: 1,
          changed: 1,
          restored: 1,
        });
        const withdrawal = await store.withdraw('permits', ['permits:a'], { recordedAt: at(2), dryRun: true });
        expect(withdrawal).toEqual({ withdrawn: 1, unchanged: 0 });
        expect(await store.register('permits')).toEqual(before);
        expect(await keys(store)).toEqual(['a']);
      });

      it.each([
        ['a record of another register', [say('x', {}, 'others')], 'invalid_record'],
        [
          'a record whose id is of another register',
          [{ ...say('x', {}, 'others'), feed_id: 'permits' }],
          'invalid_record',
        ],
        ['two records of one id', [say('a'), say('b'), say('a')], 'duplicate_id'],
        ['a number JSON cannot say', [say('a'), say('b', { data: { amount: NaN } })], 'invalid_record'],
      ] as const)('refuses %s, with the whole batch', async (_, batch, code) => {
        await expect(apply(0, ...batch)).rejects.toMatchObject({ code });
        expect(await store.register('permits')).toMatchObject({ top: 0, change: 0, total: 0 });
      });

      it.each(['', '2026-05-01', 'now', '2026-05-01T00:00:00'])('refuses the time %j', async (recordedAt) => {
        const refused = { code: 'invalid_option', details: { option: 'recordedAt' } };
        await expect(store.apply('permits', [], { recordedAt })).rejects.toMatchObject(refused);
        await expect(store.withdraw('permits', [], { recordedAt })).rejects.toMatchObject(refused);
        await expect(store.redact('permits:a', { recordedAt })).rejects.toMatchObject(refused);
        await expect(store.updateRegister(permits(), { recordedAt })).rejects.toMatchObject(refused);
      });

      it('never sets the date of the last change back', async () => {
        await apply(5, say('a'));
        await apply(3, say('b'));
        expect((await store.register('permits'))?.lastChange).toBe(at(5));
      });
    });
  });
}

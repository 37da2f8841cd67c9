// Records get other keys: they keep their ids, positions and histories, and imports, look-ups and filters follow, whatever happened
// before and after.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importRecords } from '../../src/import/importer.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { ImportOptions, ImportResult } from '../../src/import/import-options.ts';
import { Records } from '../../src/operate/records.ts';
import { WorkByHand } from '../../src/operate/registers/hand.ts';
import { type ImportDone, Imports } from '../../src/operate/registers/imports.ts';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { source } from '../import/sources.ts';
import { tries } from '../effort.ts';
import { inspected } from './overwrites.ts';
import { Model, step } from './renumbering-model.ts';
import { at } from './store-register.ts';
import { COPIED } from '../wings/copied.ts';

const WHO = { who: 'ada' } as const;

/** Of the keys of records, what they say: `{ a: 'One' }`. */
type Said = Readonly<Record<string, string>>;

/** Registers the suite for one implementation. */
export function renumberingContract(
  name: string,
  open: () => Promise<{ readonly store: InspectedStore; readonly dispose: () => Promise<void> }>,
): void {
  describe(`${name} gives records new keys`, () => {
    let store: InspectedStore;
    let dispose: () => Promise<void>;
    let feedId: string;
    let minute: number;
    let feeds = 0;
    beforeAll(async () => {
      ({ store, dispose } = await open());
    });
    afterAll(async () => {
      expect(await inspected(store)).toEqual([]);
      await dispose();
    });
    beforeEach(async () => {
      feedId = `renumbered-${++feeds}`;
      minute = 0;
      await store.createRegister(
        defineRegister({ id: feedId, title: 'Renumbered', created_at: at(0), access: 'open' }),
      );
    });

    const now = (): number => Date.parse(at(++minute));
    const file = (said: Said): ReturnType<typeof ndjsonReader> => {
      const rows = Object.entries(said).map(([id, title]) => ({ id, title, source_url: 'https://example.org/' }));
      return ndjsonReader(source(rows.map((row) => JSON.stringify(row)).join('\n'), 1000, 'permits.ndjson'));
    };
    const take = (said: Said, options: ImportOptions = {}): Promise<ImportResult> =>
      importRecords(store, feedId, file(said), { order: 'oldest-first', now, ...options });
    const WHOLE: ImportOptions = { withdrawMissing: true, accept: ['absences', 'renumbered', 'same-field'] };
    const give = (keys: Said, options: { readonly propose?: boolean } = {}): Promise<ImportDone> => {
      const rows = Object.entries(keys).map(([from, to], at) => ({ from, to, where: `map.csv: line ${at + 1}` }));
      return renumber(store, feedId, { name: 'map.csv', rows }, { ...WHO, now, ...options });
    };
    const id = (key: string): string => `${feedId}:${key}`;
    /** What live records say, by their ids and keys, the oldest first. */
    const shown = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for await (const { records } of pages(await store.source(feedId))) {
        found.push(...records.map(({ id, key, title }) => `${id.slice(feedId.length + 1)}=${key}: ${title}`));
      }
      return found.reverse();
    };
    const byKeys = async (...key: string[]): Promise<readonly string[]> => {
      const found = await (await store.source(feedId)).page({ offset: 0, limit: 100, filter: { key } });
      return found.records.map((record) => record.id.slice(feedId.length + 1));
    };
    const history = async (key: string): Promise<readonly string[]> => {
      const versions = (await store.history(id(key), { offset: 0, limit: 100 }))!;
      return versions.map(({ cause, changed, record }) => `${cause} [${changed.join()}] ${record?.key}`).reverse();
    };
    const imports = (): Imports => new Imports(store, { now });

    it('so that they keep their ids, positions and histories, and imports, filters and look-ups follow', async () => {
      await take({ a: 'One', b: 'Two' });
      await give({ a: 'x' });
      expect(await shown()).toEqual(['a=x: One', 'b=b: Two']);
      expect(await take({ x: 'One', b: 'Two' }, WHOLE)).toMatchObject({ unchanged: 2, added: 0, withdrawn: 0 });
      expect(await take({ x: 'Other', b: 'Two' }, WHOLE)).toMatchObject({ unchanged: 1, changed: 1, added: 0 });
      expect(await history('a')).toEqual(['first_observed [] a', 'renumbered [key] x', 'source_change [title] x']);
      expect((await store.record(id('a')))!.position).toBe(1);
      expect([await byKeys('x'), await byKeys('a'), await byKeys('b', 'x')]).toEqual([['a'], [], ['b', 'a']]);
      expect(await take({ b: 'Two' }, WHOLE)).toMatchObject({ unchanged: 1, withdrawn: 1 });
      expect(await take({ x: 'Other', b: 'Two' }, WHOLE)).toMatchObject({ restored: 1, added: 0 });
      expect(await shown()).toEqual(['a=x: Other', 'b=b: Two']);
    });

    it('three times, in a chain of one map, and swapped', async () => {
      await take({ a: 'One', b: 'Two', c: 'Three' });
      await give({ a: 'x' });
      await give({ x: 'y' });
      await give({ y: 'z' });
      expect(await shown()).toEqual(['a=z: One', 'b=b: Two', 'c=c: Three']);
      await give({ z: 'b', b: 'c', c: 'd' });
      expect(await shown()).toEqual(['a=b: One', 'b=c: Two', 'c=d: Three']);
      await give({ b: 'c', c: 'b' });
      expect(await shown()).toEqual(['a=c: One', 'b=b: Two', 'c=d: Three']);
      expect(await take({ c: 'One', b: 'Two', d: 'Three' }, WHOLE)).toMatchObject({ unchanged: 3 });
      expect(await history('b')).toEqual(['first_observed [] b', 'renumbered [key] c', 'renumbered [key] b']);
    });

    it('and new records may have the freed ones, under ids of their own', async () => {
      await take({ 'a/1': 'One' });
      await give({ 'a/1': 'x' });
      expect(await take({ 'a/1': 'New', x: 'One' })).toMatchObject({ added: 1, unchanged: 1 });
      await give({ 'a/1': 'y' });
      expect(await take({ 'a/1': 'Newer' })).toMatchObject({ added: 1 });
      expect(await shown()).toEqual(['a~2F1=x: One', 'a~2F1~~2=y: New', 'a~2F1~~3=a/1: Newer']);
      expect(await take({ x: 'One', y: 'New', 'a/1': 'Newer' }, WHOLE)).toMatchObject({ unchanged: 3 });
      expect([await byKeys('a/1'), await byKeys('y')]).toEqual([['a~2F1~~3'], ['a~2F1~~2']]);
    });

    it('and none that an erased record ever had is taken in again, until its redaction is lifted', async () => {
      await take({ a: 'One', b: 'Two' });
      await give({ a: 'x' });
      await give({ x: 'y' });
      await new Records(store, { now }).erase(id('a'));
      for (const key of ['a', 'x', 'y']) expect(await take({ [key]: 'One' })).toMatchObject({ redacted: 1, added: 0 });
      await expect(give({ b: 'x' })).rejects.toMatchObject({ code: 'key_taken', details: { id: id('a') } });
      expect(await shown()).toEqual(['b=b: Two']);
      await new Records(store, { now }).lift(id('a'));
      expect(await take({ y: 'One' })).toMatchObject({ restored: 1, added: 0 });
      expect(await take({ x: 'Another' })).toMatchObject({ added: 1 });
      expect(await shown()).toEqual(['a=y: One', 'b=b: Two', 'x=x: Another']);
    });

    it('and a file that has several keys of an erased record is taken in without them', async () => {
      await take({ a: 'One' });
      await give({ a: 'x' });
      await new Records(store, { now }).erase(id('a'));
      expect(await take({ a: 'One', b: 'Two', x: 'Three' })).toMatchObject({ added: 1, refused: 0 });
      expect(await shown()).toEqual(['b=b: Two']);
    });

    it.each(['a', 'x'])('and a redaction discards a proposal that has the record as %j', async (key) => {
      await take({ a: 'One' });
      if (key === 'a') await give({ a: 'x' });
      const { number } = await take({ [key === 'a' ? 'a' : 'x']: 'New' }, { propose: true });
      if (key === 'x') await give({ a: 'x' });
      await new Records(store, { now }).erase(id('a'));
      expect(await store.imports.find(feedId, number!)).toMatchObject({ state: 'discarded' });
    });

    it('which an undo gives back, and an undo of that takes again', async () => {
      await take({ a: 'One', b: 'Two' });
      const { number } = await give({ a: 'b', b: 'a' });
      await take({ b: 'Other', a: 'Two' });
      const undone = await imports().undo(feedId, number, WHO);
      expect(await shown()).toEqual(['a=a: Other', 'b=b: Two']);
      expect(await history('a')).toEqual([
        ...['first_observed [] a', 'renumbered [key] b', 'source_change [title] b', 'renumbered [key] a'],
      ]);
      await imports().undo(feedId, undone.number, WHO);
      expect(await shown()).toEqual(['a=b: Other', 'b=a: Two']);
    });

    it('which an undo does not give back where another record has them, and what waits for them stays too', async () => {
      await take({ a: 'One', b: 'Two', c: 'Three' });
      const { number } = await give({ a: 'b', b: 'c', c: 'd' });
      await take({ a: 'New' });
      const { report } = await imports().undo(feedId, number, WHO);
      expect(report.findings).toMatchObject([{ code: 'key-taken', records: [id('a'), id('b'), id('c')] }]);
      expect(await shown()).toEqual(['a=b: One', 'b=c: Two', 'c=d: Three', 'a~~2=a: New']);
    });

    it('and an undo of an import before gives the content back, under the new key', async () => {
      await take({ a: 'One' });
      const { number } = await take({ a: 'Wrong' });
      await give({ a: 'x' });
      await imports().undo(feedId, number!, WHO);
      expect(await shown()).toEqual(['a=x: One']);
      expect(await take({ x: 'One' })).toMatchObject({ unchanged: 1 });
    });

    it('and what was set by hand stays so', async () => {
      await take({ a: 'One' });
      await new WorkByHand(store, { now }).correct(id('a'), new Map([['title', 'Right']]), WHO);
      await give({ a: 'x' });
      expect(await take({ x: 'One' })).toMatchObject({ keptByHand: 1, changed: 0 });
      await expect(take({ x: 'Third' })).rejects.toMatchObject({ details: { findings: 'kept-by-hand' } });
      expect(await take({ x: 'Third' }, { accept: ['take-source'] })).toMatchObject({ changed: 1 });
      await give({ x: 'y' });
      expect(await take({ y: 'Fourth' })).toMatchObject({ changed: 1 });
      await new WorkByHand(store, { now }).correct(id('a'), new Map([['title', 'By hand']]), WHO);
      expect(await shown()).toEqual(['a=y: By hand']);
    });

    it.each([
      ['of no record', { q: 'x' }, 'unknown_record', /line 1: no record of register .* has the key "q"/],
      [
        'that another record keeps',
        { a: 'c', b: 'x' },
        'key_taken',
        /line 1: the new key "c" .* is that of record ".*:c", which keeps it/,
      ],
      ['that a withdrawn record has', { a: 'w' }, 'key_taken', /which keeps it/],
      ['twice', { a: 'x', b: 'x' }, 'duplicate_id', /line 2: the new key "x" is also that of map.csv: line 1/],
      ['that is an id', { a: 'ID' }, 'invalid_record', /line 1: the new key must be a key of 1..200 characters/],
      ['that is too long', { a: 'k'.repeat(201) }, 'invalid_record', /line 1: the new key must be a key/],
      ['that the records have', { a: 'a' }, 'invalid_option', /have these keys already/],
    ])('but none %s, and then nothing changes', async (_, keys: Said, code, message) => {
      await take({ a: 'One', b: 'Two', c: 'Three', w: 'Four' });
      await take({ a: 'One', b: 'Two', c: 'Three' }, WHOLE);
      const said = Object.fromEntries(Object.entries(keys).map(([from, to]) => [from, to === 'ID' ? id('y') : to]));
      const { change } = (await store.register(feedId))!;
      await expect(give(said)).rejects.toMatchObject({ code, message: expect.stringMatching(message) as string });
      expect((await store.register(feedId))!.change).toBe(change);
    });

    it('but leaves withdrawn and erased ones as they are, and names them', async () => {
      await take({ a: 'One', b: 'Two', c: 'Three' });
      await take({ a: 'One', c: 'Three' }, WHOLE);
      await new Records(store, { now }).erase(id('c'));
      const { report } = await give({ a: 'x', b: 'y', c: 'z' });
      expect(report.findings).toMatchObject([{ code: 'not-live', stops: false, records: [id('b'), id('c')] }]);
      expect(report.counts).toMatchObject({ changed: 1 });
      expect(await shown()).toEqual(['a=x: One']);
    });

    it('as a proposal, which waits until it is approved', async () => {
      await take({ a: 'One' });
      const { number } = await give({ a: 'x' }, { propose: true });
      expect(await shown()).toEqual(['a=a: One']);
      await take({ b: 'Two' });
      await imports().approve(feedId, number, WHO);
      expect(await shown()).toEqual(['a=x: One', 'b=b: Two']);
      expect(await store.imports.find(feedId, number)).toMatchObject({
        kind: 'hand',
        cause: 'renumbered',
        file: 'map.csv',
      });
    });

    it('whole, by whoever works on the register next, where a process ended once they were approved', async () => {
      await take({ a: 'One', b: 'Two' });
      const { number } = await give({ a: 'b', b: 'a' }, { propose: true });
      await store.imports.proposals.approve(feedId, number, WHO);
      expect(await take({ b: 'One', a: 'Two' }, WHOLE)).toMatchObject({ unchanged: 2 });
      expect(await store.imports.find(feedId, number)).toMatchObject({ state: 'completed' });
    });

    it('and a proposal is outdated where keys have changed since, or a new record has one of them', async () => {
      await take({ a: 'One', b: 'Two' });
      const [first, second] = [await give({ a: 'x' }, { propose: true }), await give({ b: 'y' }, { propose: true })];
      const { number } = await take({ z: 'New' }, { propose: true });
      await take({ x: 'Came' });
      const outdated = { code: 'proposal_outdated' };
      await expect(imports().approve(feedId, first.number, WHO)).rejects.toMatchObject(outdated);
      await imports().approve(feedId, second.number, WHO);
      await expect(imports().approve(feedId, number!, WHO)).rejects.toMatchObject(outdated);
      expect(await shown()).toEqual(['a=a: One', 'b=y: Two', 'x=x: Came']);
    });

    it('and files that name records by their ids, as exports do, mean the same records', async () => {
      await take({ a: 'One', b: 'Two' });
      await give({ a: 'b', b: 'a' });
      expect(await take({ [id('a')]: 'One', [id('b')]: 'Two' }, WHOLE)).toMatchObject({ unchanged: 2 });
      expect(await take({ [id('a')]: 'Other', a: 'Two' }, WHOLE)).toMatchObject({ unchanged: 1, changed: 1 });
      expect(await shown()).toEqual(['a=b: Other', 'b=a: Two']);
    });

    it('and wings that copy the register make the same records of it', async () => {
      await take({ a: 'One', b: 'Two' });
      await give({ a: 'b', b: 'a' });
      await take({ b: 'Other', c: 'Three' });
      const { versions } = await store.changes(feedId, { since: 0, limit: 100, withStatement: true });
      for (const copied of COPIED) expect(copied(versions)).toEqual(versions.map(({ record }) => record));
    });

    it('as a plain model of files, maps, redactions and undos does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
          feedId = `renumbered-${++feeds}`;
          await store.createRegister(
            defineRegister({ id: feedId, title: 'Random', created_at: at(0), access: 'open' }),
          );
          const model = new Model(feedId);
          for (const one of steps) {
            if (one.kind === 'file') {
              model.file(one.rows, one.isWhole);
              await take(Object.fromEntries(one.rows), one.isWhole ? WHOLE : {});
            } else if (one.kind === 'map') {
              const moves = model.map(one.rows);
              const given = give(Object.fromEntries(one.rows));
              if (moves === null) await expect(given).rejects.toMatchObject({ name: 'GazetteError' });
              else model.give((await given).number, moves);
            } else if (one.kind === 'redact') {
              const record = model.find(one.key);
              if (record === undefined || record.state === 'redacted') continue;
              model.redact(record);
              await new Records(store, { now }).erase(record.id);
            } else {
              const number = model.pick(one.pick);
              if (number === null) continue;
              model.undo(number);
              await imports().undo(feedId, number, WHO);
            }
            expect(await shown()).toEqual(model.shown());
          }
        }),
        { numRuns: tries(25) },
      );
    });

    it('whose redacted keys go with the register', async () => {
      await take({ a: 'One' });
      await give({ a: 'x' });
      await new Records(store, { now }).erase(id('a'));
      await store.removeRegister(feedId);
      await store.createRegister(defineRegister({ id: feedId, title: 'Again', created_at: at(0) }));
      expect(await take({ x: 'One', a: 'Two' })).toMatchObject({ added: 2 });
    });
  });
}

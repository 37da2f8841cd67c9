// What an import promises of files whose rows have no identifier of their own, and of columns that are not taken in, on any
// store.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportOptions, ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { Registers } from '../../src/operate/registers.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RegisterRecord } from '../../src/register/record.ts';
import { pages } from '../../src/register/sources/source.ts';
import type { OpenStore } from '../../src/testing/stores/said.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';
import { source } from '../import/sources.ts';

const SOURCE = 'source_url=https://example.org/';

/** A file without an identifier: two of its rows are equal. */
const ROWS = 'name;amount\nX;3 000\nY;1 250\nX;3 000\n';

/** Tests importers on the stores that `open` opens. */
export function rowKeysContract(name: string, open: OpenStore): void {
  describe(name, () => {
    let store: RegisterStore;
    let dispose: () => Promise<void>;
    let runs = 0;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      runs = 0;
      await store.createRegister(defineRegister({ id: 'rows', title: 'Rows', created_at: '2026-01-01T00:00:00Z' }));
    });
    afterEach(() => dispose());

    const take = (
      text: string,
      options: Partial<ImportOptions> = {},
      map = `title=name,${SOURCE}`,
    ): Promise<ImportResult> => {
      const now = Date.UTC(2026, 4, ++runs);
      return importRecords(store, 'rows', csvReader(source(text, undefined, 'rows.csv')), {
        ...{ now: () => now, mapping: parseMapping([map]), order: 'oldest-first' as const },
        ...options,
      });
    };
    const rows = { key: 'row', withdrawMissing: true } as const;
    const live = async (): Promise<RegisterRecord[]> => {
      const all: RegisterRecord[] = [];
      for await (const { records } of pages(await store.source('rows'))) all.push(...records);
      return all;
    };
    const change = async (): Promise<number> => (await store.register('rows'))!.change;
    const list = (count: number, of: (n: number) => string, head = 'name;amount'): string =>
      `${head}\n${Array.from({ length: count }, (_, n) => `${of(n)}\n`).join('')}`;

    describe('rows without an identifier', () => {
      it('are all records, equal ones too', async () => {
        expect(await take(ROWS, rows)).toMatchObject({ added: 3, refused: 0 });
        const keys = (await live()).map(({ key }) => key).reverse();
        expect(keys[0]).toMatch(/^[0-9a-f]{24}$/);
        expect(keys).toEqual([keys[0], expect.stringMatching(/^[0-9a-f]{24}$/), `${keys[0]}-2`]);
      });

      it('keep their keys in any order of rows and columns, whatever is retyped, renamed or mapped', async () => {
        await take('name;amount;seen\nX;3000;\nY;1250;a\nX;3000;\n', rows, `title={name},${SOURCE}`);
        const before = await live();
        const unchanged = { unchanged: 3, added: 0, changed: 0, withdrawn: 0 };
        const turned = 'seen;amount;name\n;3000;X\n;3000;X\na;1250;Y\n';
        expect(await take(turned, rows, `title={name},${SOURCE}`)).toMatchObject(unchanged);
        const registers = new Registers(store);
        await registers.retype('rows', new Map([['amount', 'text']]));
        await registers.renameField('rows', 'seen', 'seen_by');
        const last = await change();
        expect(await take(turned, rows, `title={name},${SOURCE}`)).toMatchObject(unchanged);
        expect(await change()).toBe(last);
        expect((await live()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
        // Only the title of Y is another one.
        const map = `title={seen|X},${SOURCE}`;
        expect(await take(turned, rows, map)).toMatchObject({ changed: 1, unchanged: 2, added: 0, withdrawn: 0 });
      });

      it('have another record where a row was corrected, and the old one is withdrawn', async () => {
        await take(ROWS, rows);
        expect(await take(ROWS.replace('1 250', '1 260'), rows)).toMatchObject({
          added: 1,
          withdrawn: 1,
          unchanged: 2,
        });
        expect(await take('name;amount\nX;3 000\n', rows)).toMatchObject({ withdrawn: 2, unchanged: 1 });
        // Which of two equal rows went is of no matter: the second one did.
        expect((await live()).map(({ key }) => key)).toEqual([expect.stringMatching(/^[0-9a-f]{24}$/)]);
      });

      it('may have columns that are called id and key', async () => {
        expect(await take('id;key;name\n1;a;X\n1;b;X\n1;b;X\n', rows)).toMatchObject({ added: 3 });
        expect((await live())[2]!.data).toEqual({ id_2: 1, key_2: 'a' });
      });

      it('have other keys in another register', async () => {
        await take(ROWS, rows);
        const keys = (await live()).map(({ key }) => key);
        await store.removeRegister('rows');
        await store.createRegister(defineRegister({ id: 'rows', title: 'Rows', created_at: '2026-01-01T00:00:00Z' }));
        await take(ROWS, rows);
        expect((await live()).map(({ key }) => key)).not.toEqual(keys);
      });

      it('are withdrawn within the bound, from which new ones are subtracted', async () => {
        await take(
          list(40, (n) => `N;${n}`),
          rows,
        );
        const other = list(40, (n) => `N;${n + 100}`);
        expect(await take(other, rows)).toMatchObject({ added: 40, withdrawn: 40 });
        const few = list(20, (n) => `N;${n + 200}`);
        const refused = { code: 'import_stopped', details: { findings: 'absences', absent: 40, live: 40 } };
        await expect(take(few, rows)).rejects.toMatchObject(refused);
        expect((await take(few, { ...rows, dryRun: true })).refusal).toMatchObject(refused);
        expect(await take(few, { ...rows, accept: ['absences'] })).toMatchObject({ added: 20, withdrawn: 40 });
        // Those that come back stand for others, too.
        expect(await take(other, rows)).toMatchObject({ restored: 40, withdrawn: 20 });
      });

      it.each<readonly [what: string, file: string, came: readonly string[], went: readonly string[], way: string]>([
        ['renamed', 'name;amount m²;note', ['amount m²'], ['amount'], 'write the file as it was before'],
        ['added', 'name;amount;note;Seen', ['Seen'], [], 'ignore what is new with --ignore Seen'],
        ['removed', 'name;amount', [], ['note'], 'write the file as it was before'],
        ['renamed that a rule reads', 'nom;amount;note', [], [], 'a column that --map reads has another name'],
      ])('are not all made anew in silence where a column is %s', async (_, head, came, went, way) => {
        const row = (n: number): string => `N${n};${n * 7};n`;
        const file = list(30, row, 'name;amount;note');
        await take(file, rows);
        const columns = head.split(';').length;
        const cells = (n: number): string => `${row(n)};x`.split(';').slice(0, columns).join(';');
        const other = list(30, cells, head);
        const map = `title=${head.split(';')[0]!},${SOURCE}`;
        const refusal = { code: 'import_stopped', details: { came: came.join(', '), went: went.join(', ') } };
        const error = await take(other, rows, map).catch((thrown: unknown) => thrown);
        expect(error).toMatchObject(refusal);
        for (const said of [...came, ...went, '30 live records', way, '--accept renumbered'])
          expect((error as Error).message).toContain(said);
        expect((await take(other, { ...rows, dryRun: true }, map)).refusal).toMatchObject(refusal);
        expect(await take(file, rows)).toMatchObject({ unchanged: 30 });
        expect(await take(other, { ...rows, accept: ['renumbered'] }, map)).toMatchObject({ added: 30, withdrawn: 30 });
      });

      it('are not all made anew in silence where a column without a letter of ASCII is renamed', async () => {
        const file = (head: string): string => list(30, (n) => `N${n};${n * 7};n`, head);
        await take(file('имя;сумма;вид'), rows, `title=имя,${SOURCE}`);
        await expect(take(file('имя;итог;вид'), rows, `title=имя,${SOURCE}`)).rejects.toMatchObject({
          code: 'import_stopped',
          details: { came: 'итог', went: 'сумма' },
        });
      });

      it('keep their keys where a column that was added is ignored', async () => {
        await take(
          list(30, (n) => `N${n};${n}`),
          rows,
        );
        const more = list(30, (n) => `N${n};${n};x`, 'name;amount;Seen');
        expect(await take(more, { ...rows, ignore: ['Seen'] })).toMatchObject({ unchanged: 30, withdrawn: 0 });
      });

      it('may all be others under other columns, or have a column without a value', async () => {
        const file = (from: number, note: string, head = 'name;amount;note'): string =>
          list(30, (n) => `N;${from + n};${note}`, head);
        await take(file(0, 'n'), rows);
        const anew = { added: 30, withdrawn: 30 };
        expect(await take(file(100, ''), rows)).toMatchObject(anew);
        expect(await take(file(200, 'x'), rows)).toMatchObject(anew);
        expect(await take(file(300, 'x', 'name;amount;Note 2'), rows)).toMatchObject(anew);
      });

      it('only accumulate where none is withdrawn', async () => {
        await take(ROWS, { key: 'row' });
        expect(await take('name;amount\nX;3 000\nZ;1\n', { key: 'row' })).toMatchObject({ added: 1, unchanged: 1 });
        expect(await live()).toHaveLength(4);
      });

      it('lose no record to a row that cannot be read, as long as none is missing', async () => {
        const file = `${ROWS}Z\n`;
        const options = { ...rows, onRefused: () => undefined };
        const read = (text: string, more: Partial<ImportOptions> = {}): Promise<ImportResult> =>
          importRecords(store, 'rows', csvReader(source(text), { keepsFaults: true }), {
            mapping: parseMapping([`title=name,${SOURCE}`]),
            order: 'oldest-first',
            ...options,
            ...more,
          });
        expect(await read(file)).toMatchObject({ added: 3, refused: 1 });
        expect(await read(file)).toMatchObject({ unchanged: 3, refused: 1 });
        const fewer = 'name;amount\nX;3 000\nZ\n';
        await expect(read(fewer)).rejects.toMatchObject({ code: 'invalid_input' });
        expect(await read(fewer, { accept: ['absences'] })).toMatchObject({ unchanged: 1, withdrawn: 2, refused: 1 });
      });

      it('are not said to have an id as well', async () => {
        await expect(take(ROWS, rows, `id=name,title=name,${SOURCE}`)).rejects.toMatchObject({
          code: 'invalid_mapping',
          message: expect.stringContaining('id=name says nothing') as string,
        });
      });
    });

    describe('columns that are ignored', () => {
      const MAP = `id=no,title=name,${SOURCE}`;
      const seen = (at: string, name = 'X'): string => `no;name;Seen at\n1;${name};${at}\n2;Y;${at}\n`;

      it('make no record a changed one, which keeps what it said, and are in no new statement', async () => {
        await take(seen('a'), {}, MAP);
        const last = await change();
        expect(await take(seen('b'), { ignore: ['Seen at'] }, MAP)).toMatchObject({ unchanged: 2, changed: 0 });
        // It is kept with the register.
        expect(await take(seen('c'), {}, MAP)).toMatchObject({ unchanged: 2 });
        expect(await change()).toBe(last);
        expect((await live()).map(({ data }) => data)).toEqual([{ seen_at: 'a' }, { seen_at: 'a' }]);
        expect(await take(seen('d', 'Z'), {}, MAP)).toMatchObject({ changed: 1, unchanged: 1 });
        const [, first] = await live();
        expect(first).toMatchObject({ title: 'Z', data: { seen_at: null } });
        // Nothing is ignored any more.
        expect(await take(seen('d', 'Z'), { ignore: [] }, MAP)).toMatchObject({ changed: 2 });
      });

      it('are those of renamed fields and of core fields, too', async () => {
        const map = `${MAP},published_at=day`;
        await take('no;name;day;Seen at\n1;X;2026-01-01;a\n', {}, map);
        await new Registers(store).renameField('rows', 'seen_at', 'seen_by');
        const options = { ignore: ['day', ' Seen at '] };
        expect(await take('no;name;day;Seen at\n1;X;2026-01-02;b\n', options, map)).toMatchObject({ unchanged: 1 });
        expect(await live()).toMatchObject([{ published_at: '2026-01-01', data: { seen_by: 'a' } }]);
      });

      it('are members of objects, where these are columns', async () => {
        const feature = (name: string, seen: string): object => {
          const geometry = { type: 'Point', coordinates: [1, 2] };
          return { type: 'Feature', properties: { name, seen, state: seen }, geometry, state: 'x' };
        };
        const read = (seen: string, options: Partial<ImportOptions>): Promise<ImportResult> => {
          const text = JSON.stringify([feature('A', seen), feature('A', seen), feature('B', seen)]);
          const mapping = parseMapping([`title=name,${SOURCE}`]);
          const ignore = ['seen', 'properties.state'];
          return importRecords(store, 'rows', jsonReader(source(text)), { mapping, ignore, ...rows, ...options });
        };
        expect(await read('a', {})).toMatchObject({ added: 3 });
        expect(await read('b', {})).toMatchObject({ unchanged: 3, withdrawn: 0 });
        expect((await live())[0]!.data).toMatchObject({ state: 'x', latitude: 2, longitude: 1 });
        await expect(read('c', { ignore: ['sen'] })).rejects.toMatchObject({
          message: expect.stringContaining('nearest to it: "seen"') as string,
        });
      });

      it('are columns of the file', async () => {
        await expect(take(seen('a'), { ignore: ['Seen'] }, MAP)).rejects.toMatchObject({
          code: 'invalid_option',
          message: expect.stringContaining('"Seen" is not a column of the file; nearest to it: "Seen at"') as string,
        });
        expect((await store.register('rows'))!.top).toBe(0);
      });

      it('are no part of the keys of rows, so that other ones make all of them anew, where that is meant', async () => {
        const file = (at: string): string => list(30, (n) => `N;${n};${at}`, 'name;amount;seen');
        await take(file('a'), rows);
        const ignore = { ...rows, ignore: ['seen'] };
        await expect(take(file('b'), ignore)).rejects.toMatchObject({
          code: 'import_stopped',
          details: { findings: 'renumbered' },
        });
        expect((await take(file('b'), { ...ignore, dryRun: true })).refusal).toMatchObject({
          code: 'import_stopped',
          details: { findings: 'renumbered' },
        });
        expect((await store.imports.basis('rows')).ignored).toEqual([]);
        const accepted = await take(file('b'), { ...ignore, accept: ['renumbered'] });
        expect(accepted).toMatchObject({ added: 30, withdrawn: 30 });
        expect(await take(file('c'), ignore)).toMatchObject({ unchanged: 30, withdrawn: 0 });
      });
    });

    describe('an import that changes most records in the same field', () => {
      const MAP = `id=no,title=name,${SOURCE}`;
      const file = (at: (n: number) => string, count = 100, name = (n: number) => `N${n}`): string =>
        list(count, (n) => `${n};${name(n)};${at(n)};${at(n)}`, 'no;name;Seen, at;Run');

      it('is stopped, names it, and says how to ignore it', async () => {
        await take(
          file(() => 'a'),
          {},
          MAP,
        );
        const [before, next] = [await change(), file((n) => (n < 49 ? 'a' : 'b'))];
        const refused = {
          code: 'import_stopped',
          details: { findings: 'same-field' },
          message: expect.stringContaining(
            `51 of 100 known records would change, all of them in data.run and data.seen_at: ignore it with --ignore 'Run,Seen\\, at' if`,
          ) as string,
        };
        await expect(take(next, {}, MAP)).rejects.toMatchObject(refused);
        expect((await take(next, { dryRun: true }, MAP)).refusal).toMatchObject(refused);
        expect(await change()).toBe(before);
        expect(await take(next, { ignore: ['Run', 'Seen, at'] }, MAP)).toMatchObject({ unchanged: 100 });
        expect(await take(next, { ignore: [], accept: ['same-field'] }, MAP)).toMatchObject({ changed: 51 });
      });

      it.each<readonly [string, string, Partial<ImportOptions>]>([
        ['that is a correction', file(() => 'b'), { cause: 'extraction_correction' }],
        ['of half of them', file((n) => (n < 50 ? 'a' : 'b')), {}],
        ['of 99', file(() => 'b', 99), {}],
        [
          'where a third field changes',
          file(
            () => 'b',
            100,
            (n) => (n === 0 ? 'other' : `N${n}`),
          ),
          {},
        ],
      ])('is not stopped: one %s', async (_, next, options) => {
        await take(
          file(() => 'a'),
          {},
          MAP,
        );
        expect(await take(next, options, MAP)).toMatchObject({ refusal: null });
      });
    });
  });
}

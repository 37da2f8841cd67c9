import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importRecords } from '../../src/import/importer.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { Registers } from '../../src/operate/registers.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { defineRegister, type DefinitionInput } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { holdRegister } from '../../src/stores/lease/hold-register.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';
import { source } from '../import/sources.ts';

let store: SqliteStore;
let registers: Registers;

beforeEach(() => {
  store = SqliteStore.open(':memory:');
  registers = new Registers(store, { now: () => Date.parse(at(60)) });
});
afterEach(() => store.close());

const AMT = { name: 'amt', type: 'text', label: 'Fee in euros' } as const;

const make = (fields: DefinitionInput['fields']): Promise<unknown> =>
  registers.add(defineRegister({ id: 'permits', title: 'Permits', created_at: at(0), fields: fields ?? [] }));

/** Imports records with one own column each, ids 1, 2, …; returns how many versions that made. */
async function take(column: string, ...values: readonly string[]): Promise<number> {
  const rows = values.map((value, index) => `${index + 1},T,https://example.org/,${value}\n`);
  const file = `id,title,source_url,${column}\n${rows.join('')}`;
  const before = (await registers.find('permits')).change;
  const now = (): number => Date.parse(at(1));
  await importRecords(store, 'permits', csvReader(source(file, 100, 'f.csv')), { now, order: 'oldest-first' });
  return (await registers.find('permits')).change - before;
}

/** What the records show of their own fields, oldest first. */
async function shown(): Promise<unknown> {
  const all: Record<string, JsonValue>[] = [];
  for await (const { records } of pages(await store.source('permits'))) all.push(...records.map(({ data }) => data));
  return all.reverse();
}

const define = (fields: DefinitionInput['fields']): Promise<unknown> =>
  registers.update('permits', { members: { fields: fields ?? [] } });

describe('a retyped field', () => {
  it('shows its values in the new type, and the same file makes no version', async () => {
    await make([AMT]);
    await take('amt', '12.50', '7');
    const entry = await registers.retype('permits', new Map([['amt', 'number']]));
    expect(entry).toMatchObject({ change: 2, definitionVersion: 2 });
    expect(await shown()).toEqual([{ amt: 12.5 }, { amt: 7 }]);
    expect(await take('amt', '12.50', '7')).toBe(0);
    expect((await registers.retype('permits', new Map([['amt', 'number']]))).definitionVersion).toBe(2);
  });

  it('is refused where values do not fit: the first versions are named, and how many there are', async () => {
    await make([AMT]);
    await take('amt', ...Array.from({ length: 120 }, (_, index) => (index === 0 ? '5' : `about ${index}`)));
    await expect(registers.retype('permits', new Map([['amt', 'integer']]))).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringMatching(
        /amt cannot be of type integer: the values of 119 versions \(permits:2 version 1, .*permits:6 version 1 and 114 more versions\)/,
      ) as string,
    });
    expect((await registers.find('permits')).definitionVersion).toBe(1);
    await expect(registers.retype('permits', new Map([['sum', 'integer']]))).rejects.toMatchObject({
      message: expect.stringContaining('has no field "sum"; its fields are amt') as string,
    });
  });
});

describe('values of before', () => {
  it('must fit a type too, be they replaced or withdrawn, because histories show them', async () => {
    await make([AMT]);
    await take('amt', 'about 5', '7', 'unknown');
    await take('amt', '5', '7', '9');
    const integer = new Map([['amt', 'integer'] as const]);
    await expect(registers.retype('permits', integer)).rejects.toMatchObject({
      message: expect.stringContaining('2 versions (permits:1 version 1, permits:3 version 1) do not fit') as string,
    });
    await store.redact('permits:1', { recordedAt: at(2) });
    await store.withdraw('permits', ['permits:3'], { recordedAt: at(3) });
    await expect(registers.retype('permits', integer)).rejects.toMatchObject({
      message: expect.stringContaining('1 version (permits:3 version 1) do') as string,
    });
    await store.redact('permits:3', { recordedAt: at(4) });
    expect((await registers.retype('permits', integer)).definition.fields).toMatchObject([{ type: 'integer' }]);
  });

  it('must not be under the new name of another field', async () => {
    await make([AMT]);
    await take('sum,amt', '1,2');
    await take('amt', '2');
    await expect(registers.renameField('permits', 'amt', 'sum')).rejects.toMatchObject({
      message: expect.stringContaining('1 version (permits:1 version 1) hold other values') as string,
    });
  });
});

describe('a renamed field', () => {
  it('is filled by files with the old and with the new column, which make no version', async () => {
    await make([{ name: 'amt', type: 'number' }]);
    await take('amt', '1', '2');
    const { definition } = await registers.renameField('permits', 'amt', 'amount');
    expect(definition.fields).toEqual([{ name: 'amount', label: 'amount', type: 'number', source_names: ['amt'] }]);
    expect(await shown()).toEqual([{ amount: 1 }, { amount: 2 }]);
    expect([await take('amt', '1', '2'), await take('amount', '1', '2')]).toEqual([0, 0]);
    expect(await take('amount', '1', '3')).toBe(1);
    expect(await shown()).toEqual([{ amount: 1 }, { amount: 3 }]);
    expect((await store.history('permits:2', { offset: 0, limit: 1 }))![0]).toMatchObject({ changed: ['data.amount'] });
    await registers.renameField('permits', 'amount', 'amt');
    expect(await shown()).toEqual([{ amt: 1 }, { amt: 3 }]);
    expect([await take('amt', '1', '3'), await take('amount', '1', '3')]).toEqual([0, 0]);
    // A description that does not state the names keeps them.
    await define([{ name: 'amt', type: 'number', label: 'Amount' }]);
    expect(await shown()).toEqual([{ amt: 1 }, { amt: 3 }]);
  });

  it('keeps its values apart from those of others', async () => {
    await make([
      { name: 'amt', type: 'number' },
      { name: 'pages', type: 'text' },
    ]);
    await take('sum,amt', 'x,1');
    for (const taken of ['pages', 'title', 'sum', 'Amt']) {
      await expect(registers.renameField('permits', 'amt', taken)).rejects.toMatchObject({
        code: 'invalid_definition',
      });
    }
    expect((await registers.find('permits')).definitionVersion).toBe(1);
  });

  it('is held while it is renamed, and an import waits', async () => {
    await make([AMT]);
    const busy = { code: 'register_busy', details: { what: 'import f.csv' } };
    await holdRegister(store, 'permits', { what: 'import f.csv' }, async () => {
      await expect(registers.renameField('permits', 'amt', 'sum')).rejects.toMatchObject(busy);
      await expect(registers.retype('permits', new Map([['amt', 'json']]))).rejects.toMatchObject(busy);
      await expect(define([])).rejects.toMatchObject(busy);
    });
  });
});

describe('a field with another name than its property', () => {
  it.each([
    ['dropped and restored', [AMT], [[], [AMT]]],
    ['declared late', [], [[{ name: 'other', type: 'text' }], [AMT]]],
  ] as const)('makes no version when it is %s', async (_, first, later) => {
    // A register without fields would find them.
    await make(first.length === 0 ? [{ name: 'other', type: 'text' }] : first);
    expect(await take('Fee in euros', '1', '2')).toBe(2);
    for (const fields of later) {
      await define(fields);
      expect(await take('Fee in euros', '1', '2')).toBe(0);
    }
    expect(await shown()).toEqual([{ amt: '1' }, { amt: '2' }]);
  });

  it('shows what statements hold from the moment in which it is declared', async () => {
    await make([{ name: 'other', type: 'text' }]);
    await take('Fee in euros', '1', '2');
    await define([AMT]);
    expect(await shown()).toEqual([{ amt: '1' }, { amt: '2' }]);
    await expect(define([{ ...AMT, name: 'built', type: 'date' }])).rejects.toMatchObject({
      code: 'invalid_definition',
    });
  });
});

it('an own field `key` of an older store is filled by the publisher’s column `key`', async () => {
  await make([{ name: 'own_key', label: 'Key', type: 'text', source_names: ['key'] }]);
  expect(await take('key', 'A 1', 'A 2')).toBe(2);
  expect(await shown()).toEqual([{ own_key: 'A 1' }, { own_key: 'A 2' }]);
  expect((await store.record('permits:1'))!.record).toMatchObject({ key: '1' });
  expect(await take('key', 'A 1', 'A 2')).toBe(0);
});

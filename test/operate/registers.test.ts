import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markProcess } from '../../src/files/process-mark.ts';
import { Imports } from '../../src/operate/registers/imports.ts';
import { defineNew, type RegisterDescription, Registers } from '../../src/operate/registers.ts';
import type { DefinitionInput } from '../../src/register/definition.ts';
import { recordUri } from '../../src/register/identity.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../contracts/store-register.ts';

let store: SqliteStore;
let registers: Registers;

beforeEach(async () => {
  store = SqliteStore.open(':memory:');
  registers = new Registers(store, { now: () => Date.parse(at(60)) });
  await registers.add(permits());
});
afterEach(() => store.close());

/** A whole definition, as a file would have it. */
const whole = (value: unknown): RegisterDescription => ({ members: {}, whole: { value, name: 'permits.json' } });

const FIELDS: NonNullable<DefinitionInput['fields']> = [{ name: 'amount', type: 'text' }];

describe('a register', () => {
  it('is made, listed, found and removed', async () => {
    const made = await registers.add(defineNew('notices', { members: { title: 'Notices' } }, Date.parse(at(5))));
    expect(made.definition).toMatchObject({ id: 'notices', title: 'Notices' });
    expect(Date.parse(made.definition.created_at)).toBe(Date.parse(at(5)));
    const [page] = await Array.fromAsync(registers.walk());
    expect(page!.map(({ definition }) => definition.id)).toEqual(['notices', 'permits']);
    await registers.remove('notices');
    await expect(registers.find('notices')).rejects.toMatchObject({ code: 'unknown_feed' });
    await expect(registers.remove('notices')).rejects.toMatchObject({ code: 'unknown_feed' });
    await expect(registers.add(permits())).rejects.toMatchObject({ code: 'register_exists' });
  });

  it('keeps what is not said of it, unless a whole definition is given', async () => {
    const entry = await registers.update('permits', { members: { rights: 'CC0' } });
    expect(entry.definition).toMatchObject({ title: 'Environmental permits', rights: 'CC0', authority: 'example.org' });
    expect(entry.definition.fields).toHaveLength(3);
    const whole = { value: { title: 'Permits', language: 'de', fields: [] }, name: 'permits.json' };
    const lost = {
      code: 'definition_loses',
      details: { lost: 'the field amount, the field applicant, the field conditions' },
    };
    await expect(registers.update('permits', { members: {}, whole })).rejects.toMatchObject(lost);
    const other = await registers.update('permits', { members: { language: 'en' }, whole }, { replaces: true });
    expect(other.definition).toMatchObject({
      title: 'Permits',
      rights: null,
      language: 'en',
      fields: [],
    });
    const { created_at, uuid, authority, year } = permits();
    expect(other.definition).toMatchObject({ created_at, uuid, authority, year });
    expect(other.lastChange).toBe(entry.lastChange);
    expect(Date.parse(other.lastChange!)).toBe(Date.parse(at(60)));
  });

  it.each<[keyof DefinitionInput, Partial<DefinitionInput>]>([
    ['authority', { authority: 'other.example' }],
    ['year', { year: 2027 }],
    ['authority', { authority: null, year: null }],
    ['uuid', { uuid: '2ed6657d-e927-568b-95e1-2665a8aea6a2' }],
  ])('keeps its permanent ids: another %s is refused (%j)', async (member, members) => {
    const refused = { code: 'invalid_definition', details: { member } };
    await expect(registers.update('permits', { members })).rejects.toMatchObject(refused);
    await expect(
      registers.update('permits', whole({ title: 'Permits', ...members }), { replaces: true }),
    ).rejects.toMatchObject(refused);
    expect((await registers.find('permits')).definition).toEqual(permits());
  });

  it('keeps the ids made of its UUID: its first authority is refused', async () => {
    const made = await registers.add(defineNew('notices', { members: { title: 'Notices' } }));
    expect(recordUri(made.definition, 'notices:1')).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    await expect(
      registers.update('notices', { members: { authority: 'example.org', year: 2026 } }),
    ).rejects.toMatchObject({ code: 'invalid_definition', details: { member: 'authority' } });
  });

  it.each([
    [['a'], /^permits\.json: /],
    [{ title: 5 }, /^permits\.json: title/],
    [{ id: 'notices', title: 'N' }, /^permits\.json: id is "notices", but the register is "permits"$/],
  ])('is not described by %j, and a message names the definition', async (value, message) => {
    const refused = { code: 'invalid_definition', message: expect.stringMatching(message) as string };
    await expect(registers.update('permits', whole(value))).rejects.toMatchObject(refused);
    expect(() => defineNew('permits', whole(value))).toThrow(expect.objectContaining(refused));
  });

  it('keeps the type of a field while there are records, whatever is said of it', async () => {
    await registers.update('permits', { members: { fields: FIELDS } });
    await registers.update('permits', { members: { fields: permits().fields } });
    await store.apply('permits', [say('1', { data: { amount: 5 } })], { recordedAt: at(1) });
    await expect(registers.update('permits', { members: { fields: FIELDS } })).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining('amount is of type number in 1 record, and cannot become text') as string,
    });
    // Taken away and named again, the records still hold it.
    await registers.update('permits', { members: { fields: [] } });
    const dates = [{ name: 'amount', type: 'date' }] as const;
    await expect(registers.update('permits', { members: { fields: dates } })).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining('amount cannot be of type date') as string,
    });
    // A number is shown as text.
    await registers.update('permits', { members: { fields: FIELDS } });
    expect((await store.record('permits:1'))?.record?.data).toEqual({ amount: '5' });
    await registers.update('permits', { members: { fields: [] } });
    await registers.update('permits', { members: { fields: permits().fields } });
  });

  it('is not changed where there is none', async () => {
    const changed = registers.update('notices', whole(['not looked at']));
    await expect(changed).rejects.toMatchObject({ code: 'unknown_feed' });
  });
});

describe('an import that has not ended', () => {
  const begun = { file: 'a.csv', cause: 'source_change', who: null, begunAt: at(60) } as const;
  const lease = { token: 'one', what: 'import a.csv', host: 'h', pid: 7, since: at(60) };
  const states = async (): Promise<readonly string[]> =>
    (await new Imports(store).list('permits')).map(({ state }) => state);

  it('is running while its lease holds, and interrupted as soon as that is void', async () => {
    const mark = markProcess(tmpdir(), 'one')!;
    await store.leases.take('permits', lease);
    const { number } = await store.imports.begin('permits', begun, { key: new Uint8Array(32) });
    expect(await states()).toEqual(['running']);
    mark.leave();
    expect(await states()).toEqual(['interrupted']);
    mark.end();
    await store.leases.release('one');
    expect(await states()).toEqual(['interrupted']);
    // Other work that began later keeps nothing alive.
    await store.leases.take('permits', { ...lease, token: 'two', what: 'record redact', since: at(60.5) });
    expect(await states()).toEqual(['interrupted']);
    const counts = { added: 1, changed: 0, unchanged: 0, restored: 0, redacted: 0, withdrawn: 0, refused: 0 };
    await store.imports.end(number, { counts, endedAt: at(61), error: null, digest: null });
    expect(await states()).toEqual(['completed']);
  });
});

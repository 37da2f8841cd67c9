// Registers as stores kept them before they had UUIDs and dates for conditional requests, and what they must be
// afterwards.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { canonicalJson, type JsonValue } from '../../src/register/canonical-json.ts';
import type { RegisterDefinition } from '../../src/register/record.ts';
import { feedUri } from '../../src/register/identity.ts';
import type { InspectedStore } from '../../src/stores/contract/inspection.ts';
import { inspected } from './overwrites.ts';
import { at, permits } from './store-register.ts';

const PERMITS = Object.fromEntries(Object.entries(permits()).filter(([member]) => member !== 'uuid'));

/** Their ids and the definitions in their rows: canonical JSON. */
export const OLD_DEFINITIONS: readonly (readonly [string, string])[] = [
  PERMITS,
  { ...PERMITS, id: 'plain', authority: null, year: null },
  { ...PERMITS, id: 'keyed', authority: null, year: null, fields: [{ name: 'key', label: 'Key', type: 'text' }] },
  { ...PERMITS, id: 'hostile', title: '漢字 \u0000 ","year":1999} \\', authority: null, year: null },
].map((definition) => [definition.id as string, canonicalJson(definition as JsonValue)]);

/** When they last changed, and the dates that they must have: later than what was said before. */
export const OLD_CHANGES: Readonly<Record<string, readonly [changed: string | null, date: number | null]>> = {
  permits: ['2026-05-01T12:00:00.500Z', Date.UTC(2026, 4, 1, 12, 0, 1) / 1000],
  plain: [null, null],
  keyed: [null, null],
  hostile: ['2026-05-01T14:00:00+02:00', Date.UTC(2026, 4, 1, 12, 0, 1) / 1000],
};

/** Two registers with one UUID, which older code could make at the same time: id, definition and log. */
export const TWINS: readonly (readonly [string, string, string])[] = ['one', 'two'].map((id) => [
  id,
  canonicalJson({ ...permits(), id } as unknown as JsonValue),
  randomUUID(),
]);

/** Opens a store that has {@link TWINS}: both are kept, and a third one is refused. */
export async function expectTwins(open: () => InspectedStore | Promise<InspectedStore>): Promise<void> {
  const store = await open();
  expect((await store.registers()).map(({ definition }) => definition.id)).toEqual(['one', 'two']);
  expect(await inspected(store)).toEqual([]);
  await expect(store.createRegister(permits())).rejects.toMatchObject({ details: { member: 'uuid' } });
  await store.close();
}

/** Opens a store that has these registers, twice. */
export async function expectIdentified(open: () => InspectedStore | Promise<InspectedStore>): Promise<void> {
  const first = await open();
  const entries = await first.registers();
  expect(await inspected(first)).toEqual([]);
  await first.close();
  for (const [id, definition] of OLD_DEFINITIONS) {
    const { uuid, ...rest } = entries.find((entry) => entry.definition.id === id)!.definition;
    const before = JSON.parse(definition) as RegisterDefinition;
    // `key` is a core field now.
    const fields = before.fields.map((field) =>
      field.name === 'key' ? { ...field, name: 'own_key', source_names: ['key'] } : field,
    );
    expect(rest).toEqual({ ...before, fields });
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  for (const { definition, lastChange, lastModified } of entries) {
    expect([lastChange, lastModified]).toEqual(OLD_CHANGES[definition.id]);
  }
  expect(new Set(entries.map(({ definition }) => definition.uuid)).size).toBe(OLD_DEFINITIONS.length);
  expect(new Set(entries.map(({ log }) => log)).size).toBe(OLD_DEFINITIONS.length);
  for (const { log } of entries) expect(log).toMatch(/^[0-9a-f]{8}$/);
  expect(entries.map(({ definition }) => feedUri(definition).slice(0, 9))).toEqual([
    'urn:uuid:',
    'urn:uuid:',
    'tag:examp',
    'urn:uuid:',
  ]);
  const second = await open();
  expect(await second.registers()).toEqual(entries);
  // The row is what the code would have written: the same definition changes nothing.
  for (const entry of entries) {
    expect(await second.updateRegister(entry.definition, { recordedAt: at(1) })).toEqual(entry);
  }
  await second.close();
}

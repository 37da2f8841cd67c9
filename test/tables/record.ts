// A record with a field of every type, of a register that has them.
import { defineRegister } from '../../src/register/definition.ts';
import { type RecordInput, toRecord } from '../../src/register/record-input.ts';
import type { FieldType, RegisterDefinition, RegisterRecord } from '../../src/register/record.ts';

/** The types, each of the field `a_` and its name. */
export const TYPES: readonly FieldType[] = [
  ...(['text', 'number', 'decimal', 'integer', 'boolean', 'date', 'datetime', 'url', 'json'] as const),
];

export const definition: RegisterDefinition = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  fields: TYPES.map((type) => ({ name: `a_${type}`, type })),
});

/** The least that a record states. */
export const SAID: RecordInput = {
  id: '2026-0417',
  title: 'Permit',
  source_url: 'https://example.org/p/0417',
  observed_at: '2026-04-19T08:12:44Z',
};

/** Reads a statement as line 7 of a file. */
export function toSampleRecord(input: unknown): RegisterRecord {
  return toRecord(definition, input as RecordInput, { where: 'line 7', position: 12 });
}

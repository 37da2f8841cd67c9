// The one table of core fields is true of records: every property is in it, and what it says of tiers and columns is what
// register/tier.ts and the stores do.
import { STATED_FILTERS } from '../../src/register/finding/filters.ts';
import { expect, it } from 'vitest';
import { CORE_FIELDS, STATED_COLUMNS, STATED_FIELDS } from '../../src/register/fields.ts';
import { ID_PATTERNS, isRecordId, MAX_ID_LENGTH, recordId, reusedId } from '../../src/register/identity.ts';
import { AGENT_PRO_FIELDS, tierAgentRecord, tierRecord } from '../../src/register/tier.ts';
import { sampleRecords } from '../contracts/sample-register.ts';

const record = sampleRecords(1)[0]!;

const namesOf = (...tiers: readonly string[]): readonly string[] =>
  CORE_FIELDS.filter(({ tier }) => tiers.includes(tier))
    .map(({ name }) => name)
    .sort();

it('has every property of a record but data, in the order of the JSON', () => {
  expect([...CORE_FIELDS.map(({ name }) => name), 'data']).toEqual(Object.keys(record));
});

it('says which tier sees a field as it is served', () => {
  const preview = Object.keys(tierRecord(record, 'public', false)).filter(
    (name) => !['preview', 'note'].includes(name),
  );
  expect(preview.sort()).toEqual(namesOf('preview'));
  expect(Object.keys(tierAgentRecord(record, 'public', true, 'https://example.org/')!).sort()).toEqual(
    namesOf('preview', 'latest'),
  );
  expect([...AGENT_PRO_FIELDS].sort()).toEqual([...namesOf('key'), 'data'].sort());
});

it('gives each stated field a column of its own, filters first', () => {
  expect([...STATED_COLUMNS].sort()).toEqual([...STATED_FIELDS].sort());
  expect(CORE_FIELDS.flatMap(({ column }) => column ?? []).sort((a, b) => a - b)).toEqual([...STATED_COLUMNS.keys()]);
  expect(STATED_COLUMNS.slice(0, STATED_FILTERS.length)).toEqual(STATED_FILTERS);
});

it('describes ids by a pattern and a length that the longest id just fits', () => {
  const id = reusedId(recordId('a'.repeat(64), '/'.repeat(66) + 'xx'), 999_999);
  expect(id).toHaveLength(MAX_ID_LENGTH);
  expect([ID_PATTERNS.record.test(id), isRecordId('a'.repeat(64), id)]).toEqual([true, true]);
  expect(ID_PATTERNS.record.test(`a${id}`)).toBe(false);
});

// `data` has the types that a definition declares; what is checked here is checked by the compiler.
import { expect, expectTypeOf, it } from 'vitest';
import { type RecordOf, records } from '../../src/client/index.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { defineRegister } from '../../src/register/definition.ts';
import type { RegisterRecord } from '../../src/register/record.ts';

const permits = {
  id: 'permits',
  fields: [
    { name: 'place', type: 'text' },
    { name: 'area', type: 'number' },
    { name: 'price', type: 'decimal' },
    { name: 'count', type: 'integer' },
    { name: 'is_new', type: 'boolean' },
    { name: 'more', type: 'json' },
  ],
} as const;

it('types the own fields of a record, and leaves records without a definition as they are', () => {
  const made = { title: 'Permits', created_at: '2026-01-01T00:00:00Z' };
  expect(defineRegister({ ...permits, ...made }).fields).toMatchObject(permits.fields);
  expectTypeOf<RecordOf<typeof permits>['data']>().toEqualTypeOf<{
    readonly place: string | null;
    readonly area: number | null;
    readonly price: string | null;
    readonly count: number | string | null;
    readonly is_new: boolean | null;
    readonly more: JsonValue;
  }>();
  expectTypeOf<RecordOf<typeof permits>['title']>().toEqualTypeOf<string>();
  const walk = (): AsyncGenerator<RecordOf<typeof permits>, void, undefined> =>
    records<typeof permits>('https://registers.example.org/api/v1/feeds/permits/records');
  expectTypeOf(walk).returns.toEqualTypeOf<AsyncGenerator<RecordOf<typeof permits>, void, undefined>>();
  expectTypeOf(records('https://registers.example.org/')).toEqualTypeOf<
    AsyncGenerator<RegisterRecord, void, undefined>
  >();
});

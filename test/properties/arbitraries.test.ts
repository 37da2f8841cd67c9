import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { toRecord } from '../../src/register/record-input.ts';
import type { Field, RegisterRecord } from '../../src/register/record.ts';
import { definitions, pagesOf, registers, RUNS } from './arbitraries.ts';

/** The value of a field as a record enters the register: whole numbers have one form, which an embedder need not keep to. */
function entered(field: Field, record: RegisterRecord): JsonValue {
  const value = Object.hasOwn(record.data, field.name) ? record.data[field.name]! : null;
  return field.type === 'integer' && Number.isSafeInteger(Number(value)) && value !== null ? Number(value) : value;
}

describe('the arbitraries', () => {
  it('make definitions that pass the check of definitions', () => {
    fc.assert(
      fc.property(definitions(), ({ homepage, ...definition }) => {
        // A title of white space alone is refused; nothing else of a generated definition may be.
        fc.pre([definition.title, definition.author, definition.rights].every((text) => text?.trim() !== ''));
        fc.pre(definition.fields.every(({ label, description }) => label.trim() !== '' && description?.trim() !== ''));
        expect(defineRegister({ ...definition, homepage })).toEqual({ ...definition, homepage });
      }),
      { numRuns: RUNS },
    );
  });

  it('make records that fit their definition, with unique ids', () => {
    fc.assert(
      fc.property(registers(), ({ definition, records }) => {
        expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
        for (const record of records) {
          const context = { where: 'record', position: record.position };
          const data = Object.fromEntries(definition.fields.map((field) => [field.name, entered(field, record)]));
          expect(toRecord(definition, record, context)).toEqual({ ...record, data });
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('cut records into pages that hold them all, in order, and end with nextOffset null', () => {
    fc.assert(
      fc.property(
        registers().chain(({ records }) => fc.tuple(fc.constant(records), pagesOf(records))),
        ([records, pages]) => {
          expect(pages.flatMap((page) => page.records)).toEqual(records);
          expect(pages.map(({ nextOffset }) => nextOffset === null)).toEqual(
            pages.map((_, index) => index === pages.length - 1),
          );
        },
      ),
      { numRuns: RUNS },
    );
  });
});

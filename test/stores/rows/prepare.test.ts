// What a version commits to, made of a prepared record's columns, is the canonical JSON of what the publisher stated.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGazetteError } from '../../../src/errors.ts';
import { Staging } from '../../../src/import/staging.ts';
import { canonicalJson, type JsonValue } from '../../../src/register/canonical-json.ts';
import { canonicalIn, prepareRecord, statedIn } from '../../../src/stores/rows/prepare.ts';
import { canonicalStatement, toPublishedRecord } from '../../../src/stores/rows/published-record.ts';
import { registers, RUNS } from '../../properties/arbitraries.ts';

type Members = Readonly<Record<string, JsonValue>>;

const withoutNulls = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

/** Whether a statement has a canonical JSON (RFC 8785): no lone surrogate, NaN or infinity anywhere. */
function hasCanonical(statement: unknown): boolean {
  let has = true;
  JSON.stringify(statement, (name, member: unknown) => {
    has &&= name.isWellFormed() && (typeof member !== 'string' || member.isWellFormed());
    has &&= typeof member !== 'number' || Number.isFinite(member);
    return member;
  });
  return has;
}

describe('a prepared record', () => {
  it('has the canonical JSON of its statement, or is refused where it has none', () => {
    fc.assert(
      fc.property(registers({ maxRecords: 4, large: false }), fc.boolean(), ({ records }, isStated) => {
        const statements = records.map((record) => toPublishedRecord(record, isStated));
        for (const statement of statements) {
          const { feed_id: feedId, data, ...stated } = statement;
          if (!hasCanonical(statement)) {
            expect(() => prepareRecord(statement)).toThrow(
              expect.toSatisfy((error) => isGazetteError(error, 'invalid_record')),
            );
            continue;
          }
          const expected = canonicalJson({ ...withoutNulls(stated), data: withoutNulls(data) });
          expect(canonicalStatement(statement)).toBe(expected);
          expect(stated.id.startsWith(`${feedId}:`)).toBe(true);
          expect(canonicalIn(prepareRecord(statement))).toBe(expected);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is the same after it was staged', () => {
    fc.assert(
      fc.property(registers({ maxRecords: 4, large: false }), ({ records }) => {
        const prepared = records
          .map((record) => toPublishedRecord(record, true))
          .filter(hasCanonical)
          .map((statement) => prepareRecord(statement));
        if (prepared.length === 0) return;
        const staging = new Staging();
        for (const [at, record] of prepared.entries()) staging.add({ record, at }, null);
        staging.seal();
        const staged = [...staging.accepted()];
        staging.close();
        expect(staged).toEqual(prepared);
        expect(staged.map(statedIn)).toEqual(prepared.map(statedIn));
      }),
      { numRuns: RUNS },
    );
  });
});

// Counts how many live records have each value of the filters' fields. The counters change in the transaction that
// changes the records; a value that no live record has any more leaves the store.
import {
  COUNTED_FIELDS,
  type CountedField,
  type ValueCount,
  VALUES_EXAMINED,
  type ValueStore,
} from '../contract/values.ts';
import {
  CONTENT_AT,
  columnText,
  columnTextOrNull,
  type SqlValue,
  type StoredContent,
  textOf,
} from '../rows/columns.ts';
import { checkNearLimit, checkValuesLimit, feedIdOf, unknownFeed } from '../rows/register.ts';
import { asNumber, asText, asTextOrNull, IS_PRESENT, numberIn, shape, table, withoutNul } from '../rows/sql.ts';
import type { Engine, Rule, Sql } from './rule.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const COUNTS = table('value_counts');

const NUMBER = numberIn('number');
const ID = shape(['id'], ([id]) => asText(id));
const VALUE = shape(['value', 'records'], ([value, records]): ValueCount => ({
  value: textOf(value!),
  records: asNumber(records),
}));
const FILTERED = shape(['document_type', 'facility_id'], (columns) => columns.map(asTextOrNull));

/** Above every text in the order of bytes that begins with the text before it. */
const LAST_CHARACTER = '\u{10ffff}';

/** By how much the number of live records with a value changes. */
export interface ValueChange {
  readonly field: CountedField;
  /** As its column has it. */
  readonly value: string;
  readonly by: number;
}

/** What a transaction changes in the counters of a register. */
export class ValueTally {
  readonly #changes = COUNTED_FIELDS.map(() => new Map<string, number>());

  /** @param columns a content's, or only the first of them */
  count(columns: readonly SqlValue[], by: 1 | -1): void {
    this.#count(0, columns[CONTENT_AT.documentType]!, by);
    this.#count(1, columns[CONTENT_AT.facilityId]!, by);
  }

  /** Counts a content that was read. */
  countRead({ statement }: StoredContent, by: 1 | -1): void {
    this.#count(0, columnTextOrNull(statement.document_type), by);
    this.#count(1, columnTextOrNull(statement.facility_id), by);
  }

  /** What changes at all. */
  changes(): readonly ValueChange[] {
    return this.#changes.flatMap((values, at) =>
      [...values].filter(([, by]) => by !== 0).map(([value, by]) => ({ field: COUNTED_FIELDS[at]!, value, by })),
    );
  }

  #count(field: 0 | 1, value: SqlValue, by: 1 | -1): void {
    if (typeof value !== 'string') return;
    const values = this.#changes[field]!;
    values.set(value, (values.get(value) ?? 0) + by);
  }
}

/**
 * The migration that makes the counters, of what the store holds.
 *
 * @param schema the prefix of the tables' names
 * @param text the type of a text
 * @param options what follows the columns
 */
export function countingSql(schema: string, text: string, options = ''): string {
  const counts = COUNTED_FIELDS.map(
    (field) => `
INSERT INTO ${schema}value_counts (register, field, value, records)
  SELECT slot >> 32, '${field}', ${field}, count(*) FROM ${schema}records WHERE ${field} IS NOT NULL GROUP BY 1, 3;`,
  );
  return `
CREATE TABLE ${schema}value_counts (
  register integer NOT NULL,
  field ${text} NOT NULL,
  value ${text} NOT NULL,
  records integer NOT NULL,
  PRIMARY KEY (register, field, value)
)${options};${counts.join('')}`;
}

/** The values of a store. */
export function valuesOn(engine: Engine): ValueStore {
  return {
    list: async (feedId, field, { limit, startsWith = '' }) => {
      checkValuesLimit(limit);
      return engine.read(valuesOf, feedId, field, { limit, startsWith });
    },
    idsNear: async (recordId, { limit }) => {
      checkNearLimit(limit);
      return engine.read(idsNear, recordId, limit);
    },
  };
}

/** Takes a live record's values out of the counters, before the record leaves. */
export function* uncountRecord(sql: Sql, register: number, slot: number): Rule<void> {
  const columns = yield* sql.one(FILTERED)`SELECT ${FILTERED} FROM ${RECORDS} WHERE slot = ${slot}`;
  for (const [at, value] of (columns ?? []).entries()) {
    const field = COUNTED_FIELDS[at]!;
    yield* sql.run`UPDATE ${COUNTS} SET records = records - 1
      WHERE register = ${register} AND field = ${field} AND value = ${value}`;
    yield* sql.run`DELETE FROM ${COUNTS}
      WHERE register = ${register} AND field = ${field} AND value = ${value} AND records = 0`;
  }
}

function* valuesOf(
  sql: Sql,
  feedId: string,
  field: CountedField,
  { limit, startsWith }: { readonly limit: number; readonly startsWith: string },
): Rule<readonly ValueCount[]> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) throw unknownFeed(feedId);
  const first = columnText(startsWith);
  return yield* sql.all(VALUE)`SELECT ${VALUE} FROM (SELECT ${VALUE} FROM ${COUNTS}
    WHERE register = ${register} AND field = ${field} AND value >= ${first} AND value < ${first + LAST_CHARACTER}
    ORDER BY value LIMIT ${VALUES_EXAMINED}) AS examined ORDER BY records DESC, value LIMIT ${limit}`;
}

function* idsNear(sql: Sql, recordId: string, limit: number): Rule<readonly string[]> {
  const id = withoutNul(recordId);
  const register = yield* sql.one(
    NUMBER,
  )`SELECT ${NUMBER} FROM ${REGISTERS} WHERE id = ${feedIdOf(id)} AND ${IS_PRESENT}`;
  if (register === null) return [];
  const feedId = feedIdOf(id);
  // A semicolon comes next after a colon.
  const after = yield* sql.all(ID)`SELECT ${ID} FROM ${RECORDS} WHERE id >= ${id} AND id < ${`${feedId};`}
    ORDER BY id LIMIT ${limit}`;
  const before = yield* sql.all(ID)`SELECT ${ID} FROM ${RECORDS} WHERE id < ${id} AND id > ${`${feedId}:`}
    ORDER BY id DESC LIMIT ${limit}`;
  return [...after, ...before];
}

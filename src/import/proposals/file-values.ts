// What is odd in the values of a file, counted while it is read: dates before 1900 or in the future, and values that do not fit
// the types of their fields, for which rows are refused.
import { isGazetteError } from '../../errors.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { coreField, STATED_FIELDS } from '../../register/fields.ts';
import type { FieldType } from '../../register/record.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import { type Column, columnIn, readFirst } from '../mapping/columns.ts';
import { keptValue } from '../mapping/kept-values.ts';
import { findSource } from '../mapping/mapping.ts';
import type { ImportPlan } from '../mapping/plan.ts';
import { isRawObject, type RawRecord } from '../readers/raw-record.ts';
import type { Staging } from '../staging.ts';
import { EXAMPLES } from './report.ts';

/** The core fields that are dates of the publisher. */
export const STATED_DATES: readonly (typeof STATED_FIELDS)[number][] = STATED_FIELDS.filter(
  (name) => coreField(name).type === 'datetime',
);

/** Dates before it are odd. */
const FIRST_YEAR = '1900';

/** A date may be tomorrow where the file is from, in milliseconds. */
const DAY = 86_400_000;

/** Of so many records at most the odd dates are kept in memory; of others they are counted alone. */
const MOST_ODD = 10_000;

/** So many values at least do not fit. */
const LEAST_UNFIT = 3;

/** Values that were counted, with the first of them. */
export interface Counted {
  count: number;
  readonly examples: string[];
}

/** A field most of whose values do not fit its type. */
export interface LostType extends Readonly<Counted> {
  readonly label: string;
  readonly type: FieldType;
  /** How many values fit; where it is less than those that do not. */
  readonly fitting: number;
}

/** Counts odd values. */
export class FileValues {
  /** How many dates there are, and how many of them are odd, by the names of fields. */
  readonly #dates = new Map<string, { all: number; odd: number }>();
  /** Odd dates by the ids of records. */
  readonly #odd = new Map<string, (readonly [field: string, value: string])[]>();
  /** Those of records that are not among these. */
  readonly #moreOdd = new Map<string, Counted>();
  readonly #unfit = new Map<string, Counted>();
  readonly #plan: ImportPlan;
  /** The fields of dates, with the names under which statements hold them. */
  readonly #dateFields: readonly (readonly [field: string, held: readonly string[]])[];
  readonly #latest: string;

  /** @param now milliseconds since 1970 */
  constructor(plan: ImportPlan, now: number) {
    this.#plan = plan;
    this.#latest = new Date(now + DAY).toISOString();
    this.#dateFields = plan.columns
      .filter(({ type }) => type === 'date' || type === 'datetime')
      .map((column) => [`data.${column.name}`, heldNames(column)]);
  }

  /** Odd dates, by the names of fields. A field of own dates that are odd most of the time, as a deadline is, is not odd. */
  get oddDates(): ReadonlyMap<string, Counted> {
    const counts = new Map([...this.#moreOdd].map(([field, more]) => [field, { ...more, examples: [] }]));
    for (const [field, value] of [...this.#odd.values()].flat()) count(counts, field, value);
    const isOdd = (field: string): boolean => {
      const { all, odd } = this.#dates.get(field)!;
      return !field.startsWith('data.') || odd * 2 <= all;
    };
    return new Map([...counts].filter(([field]) => isOdd(field)));
  }

  /** Forgets the dates of a record that is not written: they are not new, or may have been erased. */
  forget(id: string): void {
    this.#odd.delete(id);
  }

  /** Looks at a record that is taken. */
  see(statement: PublishedRecord): void {
    const { id, data } = statement;
    for (const name of STATED_DATES) this.#seeDate(id, name, statement[name]);
    for (const [field, names] of this.#dateFields) for (const name of names) this.#seeDate(id, field, data[name]);
  }

  /** Looks at a record that is refused. */
  refuse(error: unknown, { value: raw }: RawRecord): void {
    if (!isGazetteError(error, 'invalid_record')) return;
    const column = this.#plan.columns.find(({ name }) => error.details.field === `data.${name}`);
    const whole = this.#plan.ignored.without(raw);
    if (column === undefined || column.type === null || !isRawObject(whole)) return;
    const { value, stated } = this.#plan.partsOf(whole);
    const { rule, paths } = columnIn(column, stated);
    const item = rule === null ? readFirst(paths, stated) : findSource(rule, value);
    const kept = keptValue(item ?? null);
    if (kept !== null) count(this.#unfit, column.name, typeof kept === 'string' ? kept : JSON.stringify(kept));
  }

  /** The fields of which less than half of the values in the file fit. */
  lostTypes(staging: Staging): readonly LostType[] {
    const lost = [...this.#unfit].filter(([, unfit]) => unfit.count >= LEAST_UNFIT);
    return lost.flatMap(([name, unfit]) => {
      const column = this.#plan.columns.find((each) => each.name === name)!;
      const names = heldNames(column);
      let fitting = 0;
      for (const { data } of staging.accepted()) {
        const values = JSON.parse(data) as Readonly<Record<string, JsonValue>>;
        if (names.some((each) => Object.hasOwn(values, each))) fitting++;
        if (fitting >= unfit.count) return [];
      }
      return [{ ...unfit, label: column.label, type: column.type!, fitting }];
    });
  }

  #seeDate(id: string, field: string, value: JsonValue | undefined): void {
    if (typeof value !== 'string') return;
    const dates = this.#dates.get(field) ?? { all: 0, odd: 0 };
    this.#dates.set(field, dates);
    dates.all++;
    if (value >= FIRST_YEAR && value <= this.#latest) return;
    dates.odd++;
    const known = this.#odd.get(id);
    if (known !== undefined) known.push([field, value]);
    else if (this.#odd.size < MOST_ODD) this.#odd.set(id, [[field, value]]);
    else count(this.#moreOdd, field, value);
  }
}

function heldNames({ name, held, byName }: Column): readonly string[] {
  return [...new Set([name, ...held, ...(byName?.column.held ?? [])])];
}

function count(counts: Map<string, Counted>, name: string, value: string): void {
  const counted = counts.get(name) ?? { count: 0, examples: [] };
  counts.set(name, counted);
  counted.count++;
  if (counted.examples.length < EXAMPLES && !counted.examples.includes(value)) counted.examples.push(value);
}

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

/** In how many of the first records is looked for numbers that can be read in two ways. */
export const LOOKED_AT = 2000;

/** A number that is less than a thousand, or one with its thousands: `1,234`. */
const UNCLEAR = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/;

/** One of which the sign shows what it is: `1,5`, `0.125`, `1.234,5`, `1,234,567`. */
const CLEAR =
  /^[+-]?(?:\d+[.,](?:\d{1,2}|\d{4,})|0[.,]\d+|\d{4,}[.,]\d+|\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}([.,])\d{3}(?:\1\d{3})+)$/;

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
  readonly #unclear = new Map<string, Counted>();
  #isClear = false;
  #lookedAt = 0;
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

  /**
   * Numbers that can be read in two ways, by the names of their fields, as the file has them; none where another number
   * among the first two thousand records shows how they are meant.
   */
  get unclearNumbers(): ReadonlyMap<string, Counted> {
    return this.#isClear ? new Map<string, Counted>() : this.#unclear;
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

  /** Looks at the texts of a record that is taken: they may be numbers. */
  seeTexts(raw: RawRecord): void {
    if (this.#isClear || !this.#plan.textValues || this.#lookedAt++ >= LOOKED_AT) return;
    const parts = this.#partsIn(raw);
    for (const column of this.#plan.columns) {
      const text = MAY_BE_UNCLEAR.has(column.type) ? valueIn(column, parts) : null;
      if (typeof text !== 'string') continue;
      const number = text.trim();
      this.#isClear ||= CLEAR.test(number);
      if (UNCLEAR.test(number)) count(this.#unclear, column.name, number);
    }
  }

  /** What fields are read of; null: it is no object. */
  #partsIn({ value }: RawRecord): ReturnType<ImportPlan['partsOf']> | null {
    const whole = this.#plan.ignored.without(value);
    return isRawObject(whole) ? this.#plan.partsOf(whole) : null;
  }

  /** Looks at a record that is refused. */
  refuse(error: unknown, raw: RawRecord): void {
    if (!isGazetteError(error, 'invalid_record')) return;
    const column = this.#plan.columns.find(({ name }) => error.details.field === `data.${name}`);
    if (column === undefined || column.type === null) return;
    const kept = valueIn(column, this.#partsIn(raw));
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

/** The types of fields whose numbers may be less than a thousand; null: it is found. */
const MAY_BE_UNCLEAR: ReadonlySet<FieldType | null> = new Set(['number', 'decimal', null]);

/** What a record has in a column. */
function valueIn(column: Column, parts: ReturnType<ImportPlan['partsOf']> | null): ReturnType<typeof keptValue> {
  if (parts === null) return null;
  const { value, stated } = parts;
  const { rule, paths } = columnIn(column, stated);
  return keptValue((rule === null ? readFirst(paths, stated) : findSource(rule, value)) ?? null);
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

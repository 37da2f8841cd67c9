// What the columns of a file are like, seen from all records: how many values they have, whether no two are equal, and
// of which types they are.
import type { FieldType } from '../../register/record.ts';
import { ColumnTypes } from '../fields/column-types.ts';
import { IdSet } from '../id-set.ts';
import { MAX_FOUND_FIELDS } from '../mapping/plan.ts';
import { TextForms } from '../mapping/text-forms.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import { isRawObject, type RawRecord, type RawValue } from '../readers/raw-record.ts';
import { TextShapes } from './text-shapes.ts';

/** What is known of a column. */
export interface ColumnProfile {
  /** The publisher's name. */
  readonly name: string;
  /** In how many records it has a value that is neither null nor an empty text. */
  readonly filled: number;
  /** Whether every record has a value. */
  readonly isFull: boolean;
  /** The type that all values fit, without a form of dates or amounts. */
  readonly type: FieldType;
  /** The first two places with the same value; null where no two are equal, or where nobody looked. */
  readonly repeated: Repeated | null;
  /** Whether no two records that have a value have the same; of columns that were compared to the end. */
  readonly isDistinct: boolean;
  /** Whether every record has a value, and no two have the same. */
  readonly isUnique: boolean;
  /** The length of the longest text, in UTF-16 units. */
  readonly longest: number;
  /** The mean length of texts, in UTF-16 units. */
  readonly meanLength: number;
  /** The forms of its texts. */
  readonly shapes: TextShapes;
}

/** A value that occurs twice. */
export interface Repeated {
  readonly value: string;
  /** Both places, as {@link RawRecord.at}. */
  readonly at: readonly [number, number];
}

/**
 * The maximum number of columns whose values are compared after the first {@link FREE_RECORDS}: those without two equal
 * ones, in the order of the file. Each takes about 40 bytes for every record.
 */
const MAX_COMPARED = 8;

/** The number of records in which all columns are compared. */
const FREE_RECORDS = 1000;

/** Reads the columns of records. */
export class ColumnSurvey {
  readonly #columns = new Map<string, Column>();
  readonly #textValues: () => boolean;
  #records = 0;

  /** @param textValues whether numbers and booleans are texts, as in CSV: a reader may know it only while it reads */
  constructor(textValues: () => boolean) {
    this.#textValues = textValues;
  }

  /** The number of records so far. */
  get records(): number {
    return this.#records;
  }

  /** Adds a record; one that is not an object has no columns. */
  add({ value, at }: RawRecord): void {
    this.#records++;
    if (!isRawObject(value)) return;
    for (const [name, item] of Object.entries(value)) this.#column(name)?.add(item, at);
    if (this.#records === FREE_RECORDS) this.#compareFewer();
  }

  /** The columns in the order in which they were met. */
  profiles(): readonly ColumnProfile[] {
    return [...this.#columns].map(([name, column]) => column.profile(name, this.#records));
  }

  /** Null beyond the number of columns that an import would accept. */
  #column(name: string): Column | null {
    const known = this.#columns.get(name);
    if (known !== undefined) return known;
    if (this.#columns.size > MAX_FOUND_FIELDS) return null;
    const column = new Column(this.#textValues());
    this.#columns.set(name, column);
    return column;
  }

  #compareFewer(): void {
    const distinct = [...this.#columns].filter(([name, column]) => column.profile(name, this.#records).isDistinct);
    const kept = new Set(distinct.slice(0, MAX_COMPARED).map(([name]) => name));
    for (const [name, column] of this.#columns) if (!kept.has(name)) column.stopComparing();
  }
}

class Column {
  readonly #types: ColumnTypes;
  readonly #shapes = new TextShapes();
  #values: IdSet | null = new IdSet();
  #repeated: Repeated | null = null;
  #filled = 0;
  #longest = 0;
  #length = 0;

  constructor(textValues: boolean) {
    this.#types = new ColumnTypes({ readsTexts: true, textValues, forms: new TextForms({}) });
  }

  add(value: RawValue, at: number): void {
    if (value === null || (typeof value === 'string' && value.trim() === '')) return;
    this.#filled++;
    this.#types.add(value);
    if (typeof value === 'string') this.#shapes.add(value);
    else this.#shapes.addOther();
    if (typeof value === 'object' && !isExactNumber(value)) {
      this.stopComparing();
      return;
    }
    const text = String(value);
    this.#longest = Math.max(this.#longest, text.length);
    this.#length += text.length;
    const earlier = this.#values?.add(text, at) ?? null;
    if (earlier === null) return;
    this.#repeated = { value: text, at: [earlier, at] };
    this.stopComparing();
  }

  stopComparing(): void {
    this.#values = null;
  }

  profile(name: string, records: number): ColumnProfile {
    const isFull = this.#filled === records && records > 0;
    return {
      name,
      filled: this.#filled,
      isFull,
      type: this.#types.type,
      repeated: this.#repeated,
      isDistinct: this.#filled > 0 && this.#values !== null,
      isUnique: isFull && this.#values !== null,
      longest: this.#longest,
      meanLength: this.#filled === 0 ? 0 : this.#length / this.#filled,
      shapes: this.#shapes,
    };
  }
}

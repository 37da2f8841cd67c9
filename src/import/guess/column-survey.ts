// What the columns of a file are like, seen from all records: how many values they have, whether no two are equal, and
// of which types they are.
import { MAX_KEY_LENGTH, recordIdOrNull } from '../../register/identity.ts';
import type { FieldType } from '../../register/record.ts';
import { repairUrl } from '../../register/url.ts';
import { ColumnTypes } from '../fields/column-types.ts';
import { IdSet } from '../../register/sources/id-set.ts';
import { MAX_FOUND_FIELDS } from '../mapping/plan.ts';
import { TextForms } from '../mapping/text-forms.ts';
import { formatPath } from '../readers/value-path.ts';
import { isGeometry } from '../rows/nested-records.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import { isRawObject, type RawObject, type RawRecord, type RawValue } from '../readers/raw-record.ts';
import { readsLikeWords, TextShapes } from './text-shapes.ts';

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
  /** Whether no two records that have a value have the same; of columns that were compared to the end. */
  readonly isDistinct: boolean;
  /** Whether every record has a value, and no two have the same. */
  readonly isUnique: boolean;
  /** How many different values it has: of all records where there are at most {@link FEW_VALUES}, else of the first thousand. */
  readonly different: number;
  /** In how many of the records in which `different` was counted it has a value. */
  readonly counted: number;
  /** The share of its values that read like words: no codes, numbers or addresses on the web. */
  readonly words: number;
  /** The share of its values that have a digit among the words, as addresses of houses have. */
  readonly numbered: number;
  /** The length of the longest text, in UTF-16 units. */
  readonly longest: number;
  /** The length of the longest value as it is written in an id; more than a key may have where it cannot be one. */
  readonly longestKey: number;
  /** The mean length of texts, in UTF-16 units. */
  readonly meanLength: number;
  /** The forms of its texts. */
  readonly shapes: TextShapes;
}

/**
 * The maximum number of columns whose values are compared after the first {@link FREE_RECORDS}: those without two equal
 * ones, in the order of the file. Each takes about 40 bytes for every record.
 */
const MAX_COMPARED = 8;

/** The number of records in which all columns are compared. */
const FREE_RECORDS = 1000;

/** The greatest number of different values of a column that readers may choose from. */
export const FEW_VALUES = 200;

/** Reads the columns of records. */
export class ColumnSurvey {
  readonly #columns = new Map<string, Column>();
  readonly #textValues: () => boolean;
  #records = 0;

  readonly #forms: TextForms;

  /**
   * @param textValues whether numbers and booleans are texts, as in CSV: a reader may know it only while it reads
   * @param missing words for no value besides those that are known
   */
  constructor(textValues: () => boolean, missing: readonly string[] = []) {
    this.#textValues = textValues;
    this.#forms = new TextForms({ missing });
  }

  /** The number of records so far. */
  get records(): number {
    return this.#records;
  }

  /** Adds a record; one that is not an object has no columns. */
  add({ value }: RawRecord): void {
    this.#records++;
    if (!isRawObject(value)) return;
    for (const [name, item] of Object.entries(value)) this.#column(name)?.add(item);
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
    const column = new Column(this.#textValues(), this.#forms);
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
  /** The different values, as long as they are counted. */
  readonly #different = new Set<string>();
  #counted = 0;
  #words = 0;
  #numbered = 0;
  #filled = 0;
  #longest = 0;
  #longestKey = 0;
  #length = 0;

  readonly #forms: TextForms;

  constructor(textValues: boolean, forms: TextForms) {
    this.#forms = forms;
    this.#types = new ColumnTypes({ readsTexts: true, textValues, forms });
  }

  add(value: RawValue): void {
    if (value === null || (typeof value === 'string' && value.trim() === '')) return;
    this.#filled++;
    this.#types.add(typeof value === 'string' ? repairUrl(value) : value);
    if (typeof value !== 'string') this.#shapes.addOther();
    else if (!this.#forms.isMissing(value)) {
      this.#shapes.add(value);
      if (readsLikeWords(value)) {
        this.#words++;
        if (/\p{N}/u.test(value)) this.#numbered++;
      }
    }
    if (typeof value === 'object' && !isExactNumber(value)) {
      this.stopComparing();
      return;
    }
    const text = String(value);
    this.#longest = Math.max(this.#longest, text.length);
    this.#length += text.length;
    if (this.#filled <= FREE_RECORDS || this.#different.size <= FEW_VALUES) {
      this.#different.add(text);
      this.#counted++;
    }
    this.#longestKey = Math.max(this.#longestKey, keyLength(text));
    if ((this.#values?.add(text, 0) ?? null) !== null) this.stopComparing();
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
      isDistinct: this.#filled > 0 && this.#values !== null,
      isUnique: isFull && this.#values !== null,
      different: this.#different.size,
      counted: this.#counted,
      words: this.#filled === 0 ? 0 : this.#words / this.#filled,
      numbered: this.#filled === 0 ? 0 : this.#numbered / this.#filled,
      longest: this.#longest,
      longestKey: this.#longestKey,
      meanLength: this.#filled === 0 ? 0 : this.#length / this.#filled,
      shapes: this.#shapes,
    };
  }
}

function keyLength(text: string): number {
  // No key is longer than this, whatever it is made of.
  if (text.length > MAX_KEY_LENGTH) return text.length;
  return (recordIdOrNull('', text)?.length ?? Infinity) - 1;
}

/** How deep values inside of a record are looked at. */
const MAX_INSIDE = 3;

/** The values inside of a record's objects and of the first items of its lists, under their paths. */
export function membersInside(record: RawValue): RawObject {
  const members: [string, RawValue][] = [];
  const add = (value: RawValue, path: readonly string[]): void => {
    const inner = Array.isArray(value) && value.length > 0 ? { 0: value[0] as RawValue } : value;
    if (isRawObject(inner) && !isGeometry(value) && path.length <= MAX_INSIDE) {
      for (const [name, member] of Object.entries(inner)) add(member, [...path, name]);
    } else if (path.length > 1) {
      members.push([formatPath(path), value]);
    }
  };
  add(record, []);
  return Object.fromEntries(members.filter(([path]) => !path.startsWith('/')));
}

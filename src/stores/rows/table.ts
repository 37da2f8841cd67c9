// Tables, each said once for both databases: of every column its type, how it is read, and what its value alone must be,
// whatever the other rows say. The statements that make them, the shapes that read them and their inspection are made of this.
import { isWhole } from '../../checks.ts';
import { isCurrency } from '../../money.ts';
import { isDateTime } from '../../register/time.ts';
import type { SqlRow, SqlValue } from './columns.ts';
import { asFlag, asNumber, asText, Fragment, Shape } from './sql.ts';
import { storedJson } from './stored-json.ts';

/** A column. Integers are inspected as text: a driver refuses those that a double does not hold. */
export interface Column<T = unknown> {
  readonly type: 'text' | 'bigint' | 'integer' | 'flag' | 'bytes';
  readonly isNullable?: boolean;
  /** What follows in the statement that makes it. */
  readonly words?: string;
  /** Whether it is the id of an account. */
  readonly isOfAccount?: boolean;
  /** What it must be, in the words of a message. */
  readonly expected: string;
  /** Whether it is that. Null: it is inspected with what it depends on. */
  readonly fits: ((value: SqlValue) => boolean) | null;
  readonly read: (value: SqlValue | undefined) => T;
}

/** Any text. */
export const TEXT: Column<string> = {
  type: 'text',
  expected: 'a text',
  fits: (value) => typeof value === 'string',
  read: asText,
};

/** A text that a test accepts. */
export function textThat(fits: (text: string) => boolean, expected: string): Column<string> {
  return { ...TEXT, expected, fits: (value) => typeof value === 'string' && fits(value) };
}

/** A text of this pattern. */
export function matching(pattern: RegExp, expected: string): Column<string> {
  return textThat((text) => pattern.test(text), expected);
}

/** One of these texts. */
export function oneOf<const T extends string>(texts: readonly T[]): Column<T> {
  return {
    ...textThat((text) => texts.some((one) => one === text), `one of ${texts.join(', ')}`),
    read: asText as () => T,
  };
}

/** An RFC 3339 date-time. */
export const TIME: Column<string> = textThat(isDateTime, 'an RFC 3339 date-time');

/** A JSON array of texts, as it would be written. */
export const TEXT_LIST: Column<readonly string[]> = {
  ...textThat((text) => {
    const list = jsonIn(text);
    return isTexts(list) && JSON.stringify(list) === text;
  }, 'a JSON array of texts'),
  read: (value) => storedJson(asText(value)) as string[],
};

/** A JSON object whose values are texts, as it would be written. */
export const TEXT_OBJECT: Column = {
  ...textThat((text) => {
    const object = jsonIn(text);
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return false;
    const fits = Object.values(object).every((item) => typeof item === 'string' || isTexts(item));
    return fits && JSON.stringify(object) === text;
  }, 'a JSON object of texts and lists of texts'),
  read: (value) => storedJson(asText(value)),
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** A JSON text. */
export const JSON_TEXT: Column<string> = textThat((text) => jsonIn(text) !== undefined, 'a JSON text');

/** Any bytes, at least so many. */
export function bytes(min: number, max: number = Number.MAX_SAFE_INTEGER): Column<Uint8Array> {
  return {
    type: 'bytes',
    expected: min === max ? `${min} bytes` : `at least ${min} bytes`,
    fits: (value) => value instanceof Uint8Array && value.length >= min && value.length <= max,
    read: (value) => value as Uint8Array,
  };
}

/** A whole number. */
export function whole(min: number, max: number = Number.MAX_SAFE_INTEGER): Column<number> {
  return {
    type: 'bigint',
    expected: max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min} on` : `a whole number ${min}..${max}`,
    fits: (value) => value !== null && isWhole(Number(value), min, max),
    read: asNumber,
  };
}

/** A whole number for which 32 bits are enough. */
export function small(min: number, max?: number): Column<number> {
  return { ...whole(min, max), type: 'integer' };
}

/** 0 or 1. */
export const FLAG: Column<boolean> = { ...whole(0, 1), type: 'flag', read: asFlag };

/** Such a value, or null. */
export function orNull<T>(column: Column<T>): Column<T | null> {
  const { expected, fits, read } = column;
  return {
    ...column,
    isNullable: true,
    expected: `${expected}, or null`,
    fits: fits && ((value) => value === null || fits(value)),
    read: (value) => (value == null ? null : read(value)),
  };
}

/** A column whose value nobody states when a row is made. */
export function byDefault<T>(column: Column<T>, value: string | number): Column<T> {
  return { ...column, words: ` DEFAULT ${typeof value === 'string' ? `'${value}'` : value}` };
}

/** A column of which no two rows have one value. */
export function unique<T>(column: Column<T>): Column<T> {
  return { ...column, words: ' UNIQUE' };
}

/** A column that is inspected with what it depends on. */
export function elsewhere<T>(column: Column<T>): Column<T> {
  return { ...column, fits: null };
}

/** The currency of money. */
export const CURRENCY: Column<string> = textThat(isCurrency, 'a code of ISO 4217');

/** The id of an account that exists. */
export const ACCOUNT_ID: Column<string> = { ...TEXT, isOfAccount: true };

/** The value of a JSON text; undefined where it is none. */
export function jsonIn(text: SqlValue): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The columns of a table, in their order. */
type Columns = Readonly<Record<string, Column>>;

/** What a column is read as. */
type Read<C> = C extends Column<infer T> ? T : never;

/** How a table is made. */
interface TableOptions<Name> {
  /** The columns of its primary key, in their order. */
  readonly key: readonly Name[];
  /** Whether its key counts from 1, and gives no number twice. */
  readonly isCounted?: boolean;
  /** Whether its rows are short, and are found by a key of several columns or of a text. */
  readonly isKeyed?: boolean;
  /** Whether a crash may empty it. */
  readonly isFleeting?: boolean;
  /** After its columns. */
  readonly constraint?: string;
  readonly indexes?: readonly Index[];
}

/** An index of a table. */
interface Index {
  readonly name: string;
  /** From its columns on. */
  readonly on: Fragment | string;
  readonly isUnique: boolean;
}

/** An index. */
export function index(name: string, on: Fragment | string): Index {
  return { name, on, isUnique: false };
}

/** An index that has no value twice. */
export function uniqueIndex(name: string, on: Fragment | string): Index {
  return { name, on, isUnique: true };
}

/** After the columns of an index, whose rows are in the order of their numbers. */
export const BY_NUMBER: Fragment = new Fragment(({ tables }) => tables.byNumber);

/** A table. In a statement it represents its name. */
export class Table<C extends Columns = Columns> extends Fragment {
  readonly name: string;
  readonly columns: C;
  readonly options: TableOptions<string>;

  constructor(name: string, columns: C, options: TableOptions<keyof C & string>) {
    super((dialect) => dialect.table(name));
    this.name = name;
    this.columns = columns;
    this.options = options;
  }

  /** The statements that make it. */
  get made(): Fragment {
    const { key, isCounted, isKeyed, isFleeting, constraint, indexes = [] } = this.options;
    return new Fragment((dialect) => {
      const words = dialect.tables;
      const typeOf = ({ type, isNullable, words: more = '', isOfAccount }: Column, name: string): string => {
        const word = type === 'integer' ? type : words[type];
        if (key.length === 1 && name === key[0]) return `${word} ${isCounted === true ? words.counter : 'PRIMARY KEY'}`;
        return `${word}${isNullable === true ? '' : ' NOT NULL'}${isOfAccount === true ? words.ofAccount : ''}${more}`;
      };
      const own = words.ownColumns[this.name];
      const lines = [
        ...Object.entries(this.columns).map(([name, column]) => `${name} ${typeOf(column, name)}`),
        ...(own === undefined ? [] : [own]),
        ...(key.length === 1 ? [] : [`PRIMARY KEY (${key.join(', ')})`]),
        ...(constraint === undefined ? [] : [constraint]),
      ];
      const create = isFleeting === true ? words.createFleeting : 'CREATE TABLE';
      const table = `\n${create} ${this.in(dialect)} (\n  ${lines.join(',\n  ')}\n)${isKeyed === true ? words.keyed : words.rows};`;
      const made = indexes.map(({ name, on, isUnique }) => {
        const of = typeof on === 'string' ? on : on.in(dialect);
        return `\nCREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${this.in(dialect)} ${of};`;
      });
      return table + made.join('');
    });
  }

  /** A shape of some columns, given by the names of the properties that they are read as. */
  shape<P extends Readonly<Record<string, keyof C & string>>>(
    places: P,
  ): Shape<{ readonly [K in keyof P]: Read<C[P[K]]> }> {
    const names = Object.keys(places);
    const reads = Object.values(places).map((name) => this.columns[name]!.read);
    const read = (row: SqlRow): Record<string, unknown> => {
      const found: Record<string, unknown> = {};
      for (let at = 0; at < names.length; at++) found[names[at]!] = reads[at]!(row[at]);
      return found;
    };
    return new Shape(Object.values(places), read as (row: SqlRow) => { readonly [K in keyof P]: Read<C[P[K]]> });
  }
}

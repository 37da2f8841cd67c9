// Which column fills which core field: by what publishers call it, and by what its values are. What no column shows is
// proposed as a template, with a remark.
import { quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { UNKNOWN_SOURCE } from '../../register/url.ts';
import {
  CODES,
  GUESSED_FIELDS,
  type GuessedField,
  isOtherDate,
  likelyColumns,
  namedAs,
} from '../mapping/column-words.ts';
import type { MappingRule } from '../mapping/mapping.ts';
import { readsColumn, slotOf, sourceOf } from './column-sources.ts';
import { type ColumnProfile, FEW_VALUES } from './column-survey.ts';
import { KEY_SEPARATOR } from './find-key.ts';
import { type GuessedForms, isDateColumn } from './guess-forms.ts';
import { fitsKey, keyColumns, mayBeKey } from './key-columns.ts';
import { bestTitle, FEW_RECORDS, isWords, lastPart, LEAST_SHARE, MOSTLY } from './title-column.ts';

/** The guessed rules. */
export interface GuessedMapping {
  /** `FIELD=SOURCE`, each for one `--map`: first what the caller said, then what was guessed. */
  readonly rules: readonly string[];
  /** What a person has to look at, in sentences. */
  readonly remarks: readonly string[];
  /** Where no column has a different value in every record: those that an id may be made of, as `findKey()` takes them. */
  readonly keyColumns: readonly (readonly string[])[];
  /** Whether the key of each record is made of its row. */
  readonly isOfRow: boolean;
}

/** What is known of a file. */
export interface Surveyed {
  /** How many records the file has. */
  readonly records: number;
  readonly columns: readonly ColumnProfile[];
  readonly forms: GuessedForms;
  /** The caller's own rules. */
  readonly given: readonly MappingRule[];
  /** The columns that tell the records apart together; null: there are none; undefined: nobody looked. */
  readonly key?: readonly string[] | null;
  /** The fields that no column fills. */
  readonly without: readonly string[];
  /** Whether the caller said that the key is made of the row. */
  readonly isOfRow: boolean;
}

/** What a title says where a record has none. */
const NO_TITLE = 'untitled';

/** Fields that may also be taken from a column whose name does not tell. */
const BY_VALUES: readonly GuessedField[] = ['id', 'source_url', 'published_at', 'title'];

/** The rules for the core fields of a file. */
export function guessMapping(surveyed: Surveyed): GuessedMapping {
  const guess = new MappingGuess(surveyed);
  const id = guess.id();
  guess.sourceUrl(id);
  guess.publishedAt();
  guess.title(id);
  for (const field of GUESSED_FIELDS) if (!BY_VALUES.includes(field)) guess.byName(field);
  return guess;
}

class MappingGuess implements GuessedMapping {
  readonly rules: string[] = [];
  readonly remarks: string[] = [];
  keyColumns: readonly (readonly string[])[] = [];
  isOfRow: boolean;
  readonly #surveyed: Surveyed;
  readonly #targets: Set<string>;
  readonly #taken: Set<string>;
  /** How many records have an id. */
  #records: number;
  /** The id as a part of a template; null: there is none. */
  #idSlots: string | null = null;

  constructor(surveyed: Surveyed) {
    const { given, without, columns, records, isOfRow } = surveyed;
    this.isOfRow = isOfRow;
    this.#records = records;
    this.#surveyed = surveyed;
    this.rules.push(...given.map(({ target, written }) => `${target}=${written}`));
    this.#targets = new Set([...given.map(({ target }) => target), ...without]);
    this.#taken = new Set(
      columns.filter(({ name }) => given.some((rule) => readsColumn(rule, name))).map((c) => c.name),
    );
  }

  /** @returns the column of the id; null where there is none */
  id(): ColumnProfile | null {
    if (this.#targets.has('id')) return this.#columnOf('id');
    if (this.isOfRow) return null;
    const { columns, key } = this.#surveyed;
    const free = this.#free((column) => mayBeKey(column, column === columns[0]));
    const unique = free.filter(({ isUnique }) => isUnique);
    const isCode = ({ type }: ColumnProfile): boolean => type === 'text' || type === 'integer';
    const named = first('id', unique) ?? this.#nearlyUnique(free) ?? unique.find(isCode) ?? unique[0];
    if (named !== undefined) {
      this.#records = named.filled;
      return this.#take('id', named);
    }
    this.keyColumns = keyColumns(
      this.#free(() => true),
      this.#records,
    );
    if (key === undefined && this.keyColumns.length > 0) return null;
    if (key != null && fitsKey(key, columns)) {
      this.#madeOf(key, columns);
      return null;
    }
    if (this.#records === 0) return null;
    this.isOfRow = true;
    this.remarks.push(
      'two rows can be alike in every column that could be their id, so a record is known by its whole row: a corrected row is a new record, and the old one is withdrawn; each file has to hold all rows, because rows that it lacks are withdrawn',
    );
    return null;
  }

  /** The id is a template of these columns. */
  #madeOf(key: readonly string[], columns: readonly ColumnProfile[]): void {
    const slots = key.map((name) => {
      const isFull = columns.some((column) => column.name === name && this.#isFull(column));
      return `{${slotOf(name)!}${isFull ? '' : '|'}}`;
    });
    this.#idSlots = slots.join(KEY_SEPARATOR);
    this.#add('id', this.#idSlots);
    const names = key.map(quote);
    this.remarks.push(
      `no column has a different value in every record: the id is made of ${names.slice(0, -1).join(', ')} and ${names.at(-1)}; say another with --map id=SOURCE`,
    );
  }

  /** A column that is called an id, where all but a few records have one: lines with totals are no records. */
  #nearlyUnique(columns: readonly ColumnProfile[]): ColumnProfile | undefined {
    const least = Math.min(this.#records - 1, this.#records * LEAST_SHARE);
    return first(
      'id',
      columns.filter(({ isDistinct, filled }) => isDistinct && filled >= least),
    );
  }

  #isFull({ filled }: ColumnProfile): boolean {
    return filled >= this.#records;
  }

  sourceUrl(id: ColumnProfile | null): void {
    if (this.#targets.has('source_url')) return;
    const urls = this.#free(({ type, filled }) => type === 'url' && filled > 0);
    const full = urls.filter((column) => this.#isFull(column));
    const column = first('source_url', full) ?? full[0] ?? first('source_url', urls) ?? urls[0];
    if (column !== undefined && this.#isFull(column)) {
      this.#take('source_url', column);
      return;
    }
    const slot = column === undefined ? null : slotOf(column.name);
    if (column !== undefined && slot !== null) {
      this.#taken.add(column.name);
      this.#add('source_url', `{${slot}|${UNKNOWN_SOURCE}}`);
      this.remarks.push(
        `${quote(column.name)} has an address in ${counted(column.filled, 'record')} only: write the address of the others instead of ${UNKNOWN_SOURCE}`,
      );
      return;
    }
    const idSlot = id === null ? null : slotOf(id.name);
    this.#add('source_url', `${UNKNOWN_SOURCE}${this.#idSlots ?? (idSlot === null ? '' : `{${idSlot}}`)}`);
    this.remarks.push(
      `no column has the web address of a record at its publisher: write that address as source_url, instead of ${UNKNOWN_SOURCE}`,
    );
  }

  publishedAt(): void {
    if (this.#targets.has('published_at')) return;
    const dates = this.#free((column) => isDateColumn(column, this.#surveyed.forms) && !isOtherDate(column.name));
    const column = first('published_at', dates) ?? (dates.length === 1 ? dates[0] : undefined);
    if (column !== undefined) this.#take('published_at', column);
    else if (dates.length > 1) {
      const names = dates.map(({ name }) => quote(name)).join(', ');
      this.remarks.push(
        `none of the dates (${names}) is called a date of publication: say one with --map published_at=SOURCE`,
      );
    }
  }

  title(id: ColumnProfile | null): void {
    if (this.#targets.has('title')) return;
    const { columns } = this.#surveyed;
    const isOpen = (column: ColumnProfile): boolean => column === id || !this.#taken.has(column.name);
    const fits = columns.filter((one) => {
      return isOpen(one) && one.filled > 0 && one.type !== 'json' && sourceOf('title', one.name) !== null;
    });
    // Where nothing reads like words, the id: better a title that is a date or a code than none.
    const full = fits.filter((one) => this.#isFull(one));
    const column =
      bestTitle(fits, this.#records) ?? id ?? full.find(({ type }) => type === 'text') ?? full[0] ?? fits[0];
    const slot = column === undefined ? null : slotOf(column.name);
    if (column === undefined || (slot === null && !this.#isFull(column))) {
      this.#add('title', `{title|${NO_TITLE}}`);
      this.remarks.push('no column can be a title: say it with --map title=SOURCE');
      return;
    }
    this.#taken.add(column.name);
    if (this.#isFull(column)) this.#add('title', sourceOf('title', column.name)!);
    else {
      this.#add('title', `{${slot!}|${NO_TITLE}}`);
      this.remarks.push(
        `${quote(column.name)} is empty in some records: write what their title is instead of ${NO_TITLE}`,
      );
    }
    if (namedAs('title', lastPart(column.name)) === 0) {
      this.remarks.push(
        `no column is called a title: ${quote(column.name)} is taken, say another with --map title=SOURCE`,
      );
    }
  }

  byName(field: GuessedField): void {
    if (this.#targets.has(field)) return;
    const limit = CORE_FIELDS.find(({ name }) => name === field)?.maxLength ?? Infinity;
    const fits = (column: ColumnProfile): boolean =>
      column.filled > 0 &&
      column.longest <= limit &&
      (column.type === 'text' || (CODES.includes(field) && column.type === 'integer')) &&
      (field !== 'author' || (isWords(column, field) && column.filled >= this.#records * MOSTLY)) &&
      (field !== 'document_type' || this.#isKind(column));
    const column = first(field, this.#free(fits));
    if (column !== undefined) this.#take(field, column);
  }

  /** Whether the values sort the records, and do not tell them apart. */
  #isKind({ name, different, counted }: ColumnProfile): boolean {
    if (name === 'document_type') return true;
    if (this.#surveyed.key?.includes(name) === true) return false;
    if (counted < FEW_RECORDS) return different > 1 || this.#records === 1;
    return different > 1 && different <= FEW_VALUES && different * 2 <= counted;
  }

  #free(fits: (column: ColumnProfile) => boolean): readonly ColumnProfile[] {
    return this.#surveyed.columns.filter(
      (column) => !this.#taken.has(column.name) && fits(column) && sourceOf('id', column.name) !== null,
    );
  }

  #take(target: GuessedField, column: ColumnProfile): ColumnProfile {
    this.#taken.add(column.name);
    this.#add(target, sourceOf(target, column.name)!);
    return column;
  }

  #add(target: string, source: string): void {
    this.rules.push(`${target}=${source}`);
  }

  #columnOf(target: string): ColumnProfile | null {
    const { given, columns } = this.#surveyed;
    const rule = given.find((one) => one.target === target);
    return columns.find(({ name }) => rule !== undefined && readsColumn(rule, name)) ?? null;
  }
}

/**
 * The likeliest of these columns. Of values inside of objects, those of an object with a likely name come first:
 * `office.name` is hardly the record's name.
 */
function first(field: GuessedField, columns: readonly ColumnProfile[]): ColumnProfile | undefined {
  const names = columns.map((column) => column.name);
  const heads = names.filter((name) => likelyColumns(field, [name.split('.')[0]!]).length > 0);
  const plain = names.filter((name) => !name.includes('.'));
  const [name] = [plain, heads, names].flatMap((some) => likelyColumns(field, some));
  return columns.find((column) => column.name === name);
}

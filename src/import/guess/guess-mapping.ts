// Which column fills which core field: by what publishers call it, and by what its values are. What no column shows is
// proposed as a template, with a remark.
import { quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { MAX_KEY_LENGTH } from '../../register/identity.ts';
import type { FieldType } from '../../register/record.ts';
import { UNKNOWN_SOURCE } from '../../register/url.ts';
import { CODES, GUESSED_FIELDS, type GuessedField, likelyColumns } from '../mapping/column-words.ts';
import type { MappingRule } from '../mapping/mapping.ts';
import { readsColumn, slotOf, sourceOf } from './column-sources.ts';
import type { ColumnProfile } from './column-survey.ts';
import { KEY_SEPARATOR } from './find-key.ts';
import { type GuessedForms, isDateColumn } from './guess-forms.ts';

/** The guessed rules. */
export interface GuessedMapping {
  /** `FIELD=SOURCE`, each for one `--map`: first what the caller said, then what was guessed. */
  readonly rules: readonly string[];
  /** What a person has to look at, in sentences. */
  readonly remarks: readonly string[];
  /** Where no column has a different value in every record: those that an id may be made of, the likeliest first. */
  readonly keyColumns: readonly string[];
}

/** What is known of a file. */
export interface Surveyed {
  /** How many records the file has. */
  readonly records: number;
  readonly columns: readonly ColumnProfile[];
  readonly forms: GuessedForms;
  /** The caller's own rules. */
  readonly given: readonly MappingRule[];
  /** The columns that tell the records apart together; null: nobody looked, or there are none. */
  readonly key: readonly string[] | null;
  /** Describes a place of the file. */
  readonly where: (at: number) => string;
}

/** In how many records an id must have a value, if they are many; of few, all but one. */
const LEAST_SHARE = 0.98;

/** A part of an id is a code, no name: the greatest length of its values, and the greatest mean. */
const PART = { longest: 60, mean: 20 };

/** The number of columns that an id may be made of. */
const MAX_CANDIDATES = 16;

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
  keyColumns: readonly string[] = [];
  readonly #surveyed: Surveyed;
  readonly #targets: Set<string>;
  readonly #taken: Set<string>;
  /** How many records have an id. */
  #records: number;
  /** The id as a part of a template; null: there is none. */
  #idSlots: string | null = null;

  constructor(surveyed: Surveyed) {
    const { given, columns, records } = surveyed;
    this.#records = records;
    this.#surveyed = surveyed;
    this.rules.push(...given.map(({ target, written }) => `${target}=${written}`));
    this.#targets = new Set(given.map(({ target }) => target));
    this.#taken = new Set(
      columns.filter(({ name }) => given.some((rule) => readsColumn(rule, name))).map((c) => c.name),
    );
  }

  /** @returns the column of the id; null where there is none */
  id(): ColumnProfile | null {
    if (this.#targets.has('id')) return this.#columnOf('id');
    const free = this.#free((column) => isScalar(column.type) && column.longest <= MAX_KEY_LENGTH);
    const unique = free.filter(({ isUnique }) => isUnique);
    const isCode = ({ type }: ColumnProfile): boolean => type === 'text' || type === 'integer';
    const named = first('id', unique) ?? this.#nearlyUnique(free) ?? unique.find(isCode) ?? unique[0];
    if (named !== undefined) {
      this.#records = named.filled;
      return this.#take('id', named);
    }
    const likely =
      first(
        'id',
        free.filter(({ isFull }) => isFull),
      ) ?? null;
    const { key } = this.#surveyed;
    if (key !== null) {
      this.#madeOf(key, free);
      return null;
    }
    this.keyColumns = keyColumns(free, likely);
    const why = likely?.repeated ?? null;
    if (likely === null || why === null) {
      this.remarks.push(
        'no column has a different value in every record: say the id with --map id=SOURCE, such as a template of several columns',
      );
      return null;
    }
    const [earlier, at] = why.at;
    const { where } = this.#surveyed;
    this.remarks.push(
      `no column has a different value in every record: ${quote(likely.name)} has ${quote(why.value)} in ${where(earlier)} and in ${where(at)}; say another id with --map, such as a template of several columns`,
    );
    return this.#take('id', likely);
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
      `no column has an absolute address for source_url: write the publisher’s own instead of ${UNKNOWN_SOURCE}, with {+…} where a slash in a value is to stay`,
    );
  }

  publishedAt(): void {
    if (this.#targets.has('published_at')) return;
    const dates = this.#free((column) => isDateColumn(column, this.#surveyed.forms));
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
    const texts = this.#free(({ type, filled }) => type === 'text' && filled > 0);
    const full = texts.filter((column) => this.#isFull(column));
    const named = first('title', full) ?? first('title', texts);
    if (named !== undefined && this.#isFull(named)) {
      this.#take('title', named);
      return;
    }
    const slot = named === undefined ? null : slotOf(named.name);
    if (named !== undefined && slot !== null) {
      this.#taken.add(named.name);
      this.#add('title', `{${slot}|${NO_TITLE}}`);
      this.remarks.push(
        `${quote(named.name)} is empty in some records: write what their title is instead of ${NO_TITLE}`,
      );
      return;
    }
    // The longest of the short ones: a name rather than a code or a whole text.
    const [longest] = full.filter(({ longest }) => longest <= 300).sort((a, b) => b.meanLength - a.meanLength);
    // A key that is called a name is also the title: nothing says more of the features of a map.
    const isNamedKey = id?.type === 'text' && first('title', [id]) !== undefined;
    const column = isNamedKey ? id : (longest ?? id);
    if (column !== null) {
      if (column === id) this.#add('title', sourceOf('title', column.name) ?? NO_TITLE);
      else this.#take('title', column);
      this.remarks.push(
        `no column is called a title: ${quote(column.name)} is taken, say another with --map title=SOURCE`,
      );
    } else {
      this.remarks.push('no column can be a title: say it with --map title=SOURCE');
    }
  }

  byName(field: GuessedField): void {
    if (this.#targets.has(field)) return;
    const limit = CORE_FIELDS.find(({ name }) => name === field)?.maxLength ?? Infinity;
    const fits = ({ type, longest, filled }: ColumnProfile): boolean =>
      filled > 0 && longest <= limit && (type === 'text' || (CODES.includes(field) && type === 'integer'));
    const column = first(field, this.#free(fits));
    if (column !== undefined) this.#take(field, column);
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

/** The columns whose values may be a part of an id: short texts and whole numbers, those with a value in every record first. */
function keyColumns(columns: readonly ColumnProfile[], likely: ColumnProfile | null): readonly string[] {
  const fit = columns.filter(({ name, type, filled, longest, meanLength }) => {
    const isCode = type === 'text' || type === 'integer' || type === 'date';
    const isShort = longest <= PART.longest && meanLength <= PART.mean;
    return isCode && isShort && filled > 0 && !name.includes('.') && slotOf(name) !== null;
  });
  const ordered = fit.toSorted((a, b) => Number(b === likely) - Number(a === likely) || b.filled - a.filled);
  return ordered.slice(0, MAX_CANDIDATES).map(({ name }) => name);
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

function isScalar(type: FieldType): boolean {
  return type !== 'json' && type !== 'boolean';
}

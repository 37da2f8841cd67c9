// Which column fills which core field: by what publishers call it, and by what its values are. What no column shows is
// proposed as a template, with a remark.
import { quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { CORE_FIELDS } from '../../register/fields.ts';
import { MAX_KEY_LENGTH } from '../../register/identity.ts';
import type { FieldType } from '../../register/record.ts';
import { type GuessedField, likelyColumns } from '../mapping/column-words.ts';
import { type MappingRule, parseMapping } from '../mapping/mapping.ts';
import { formatPath, type Place, placeAt } from '../readers/value-path.ts';
import type { ColumnProfile } from './column-survey.ts';
import { type GuessedForms, isDateColumn } from './guess-forms.ts';

/** The guessed rules. */
export interface GuessedMapping {
  /** `FIELD=SOURCE`, each for one `--map`: first what the caller said, then what was guessed. */
  readonly rules: readonly string[];
  /** What a person has to look at, in sentences. */
  readonly remarks: readonly string[];
}

/** What is known of a file. */
export interface Surveyed {
  /** How many records the file has. */
  readonly records: number;
  readonly columns: readonly ColumnProfile[];
  readonly forms: GuessedForms;
  /** The caller's own rules. */
  readonly given: readonly MappingRule[];
  /** Describes a place of the file. */
  readonly where: (at: number) => string;
}

/** Where a source stands that nobody knows: a name that belongs to no one (RFC 2606). */
const EXAMPLE = 'https://example.org/';

/** In how many records an id must have a value, if they are many; of few, all but one. */
const LEAST_SHARE = 0.98;

/** What a title says where a record has none. */
const NO_TITLE = 'untitled';

/** Fields that are only taken from a column with a telling name. */
const BY_NAME = ['summary', 'author', 'document_type', 'facility_id'] as const;

/** The rules for the core fields of a file. */
export function guessMapping(surveyed: Surveyed): GuessedMapping {
  const guess = new MappingGuess(surveyed);
  const id = guess.id();
  guess.sourceUrl(id);
  guess.publishedAt();
  guess.title(id);
  for (const field of BY_NAME) guess.byName(field);
  return guess;
}

class MappingGuess implements GuessedMapping {
  readonly rules: string[] = [];
  readonly remarks: string[] = [];
  readonly #surveyed: Surveyed;
  readonly #targets: Set<string>;
  readonly #taken: Set<string>;
  /** How many records have an id. */
  #records: number;

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
      this.#add('source_url', `{${slot}|${EXAMPLE}}`);
      this.remarks.push(
        `${quote(column.name)} has an address in ${counted(column.filled, 'record')} only: write the address of the others instead of ${EXAMPLE}`,
      );
      return;
    }
    const idSlot = id === null ? null : slotOf(id.name);
    this.#add('source_url', idSlot === null ? EXAMPLE : `${EXAMPLE}{${idSlot}}`);
    this.remarks.push(
      `no column has an absolute address for source_url: write the publisher’s own instead of ${EXAMPLE}, with {+…} where a slash in a value is to stay`,
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

  byName(field: (typeof BY_NAME)[number]): void {
    if (this.#targets.has(field)) return;
    const limit = CORE_FIELDS.find(({ name }) => name === field)?.maxLength ?? Infinity;
    const fits = ({ type, longest, filled }: ColumnProfile): boolean =>
      filled > 0 && longest <= limit && (type === 'text' || (field === 'facility_id' && type === 'integer'));
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

/** Whether a rule takes a column, whole or in a template. */
export function usesColumn({ source }: MappingRule, column: string): boolean {
  if (source.kind === 'path') return reads(source.place, column);
  return source.template.parts.some((part) => typeof part === 'object' && reads(part.place, column));
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

/** How `--map` names a column; null for a name that it cannot say. */
export function sourceOf(target: string, column: string): string | null {
  const isSaid = (written: string): boolean => {
    const rules = parsed(`${target}=${written}`);
    return rules.length === 1 && readsColumn(rules[0]!, column);
  };
  return waysToName(column).find(isSaid) ?? null;
}

/** How a template names a column; null for a name that it cannot say. */
function slotOf(column: string): string | null {
  const isSaid = (written: string): boolean => {
    const [rule, more] = parsed(`title={${written}}`);
    if (rule?.source.kind !== 'template' || more !== undefined) return false;
    const [, slot, last] = rule.source.template.parts;
    return (
      typeof slot === 'object' &&
      last === '' &&
      slot.fallback === null &&
      !slot.keepsReserved &&
      reads(slot.place, column)
    );
  };
  return waysToName(column).find(isSaid) ?? null;
}

function waysToName(column: string): readonly string[] {
  const pointer = formatPath(['', column]).slice(1);
  return [column, pointer];
}

function parsed(expression: string): readonly MappingRule[] {
  try {
    return parseMapping([expression]);
  } catch {
    // A name with signs that mean something in a mapping.
    return [];
  }
}

function readsColumn({ source }: MappingRule, column: string): boolean {
  return source.kind === 'path' && reads(source.place, column);
}

function reads(place: Place, column: string): boolean {
  return placeAt({ [column]: true }, place) === true;
}

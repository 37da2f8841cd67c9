// What a transaction changes in the counters of values: of document types and facilities as their columns have them, of the
// months of publication, and of filterable own fields as readers see them. Counters of own fields are made again when the definition shows other values:
// newest record first, while those who write keep the counters right for the records that were counted already.
import { facetValues, isCountedLength } from '../../register/finding/facets.ts';
import { type CountedField, STATED_FILTERS } from '../../register/finding/filters.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { showData } from '../../register/declared-values.ts';
import {
  CONTENT_AT,
  CONTENT_COLUMNS,
  columnText,
  columnTextOrNull,
  SLOT_SPAN,
  type SqlValue,
  type StoredContent,
} from '../rows/columns.ts';
import { asNumber, asText, type Shape, shape } from '../rows/sql.ts';
import { storedJson } from '../rows/stored-json.ts';

/** The number of the rule by which values are counted: counters that were made by another one are made again. */
const VALUE_RULE = 1;

/** The name of the counters of months. No filter has it. */
export const MONTH_FIELD = 'published_month';

/** The signature of counters that are to be made again. */
export const STALE = 'stale';

/** What the counters of a register hold. */
export interface CountState {
  /** {@link countSignature} of the own values in them; empty: none of own values. */
  readonly signature: string;
  /** The highest position whose record may be missing among the own values; 0: none is. */
  readonly next: number;
  /** How many values each field has. */
  readonly totals: Readonly<Record<string, number>>;
}

/** Its columns. */
export const COUNT_STATE: Shape<CountState> = shape(
  ['signature', 'next_position', 'totals'],
  ([signature, next, totals]) => ({
    signature: asText(signature),
    next: asNumber(next),
    totals: storedJson(asText(totals)) as Readonly<Record<string, number>>,
  }),
);

/** The columns of a record that {@link ValueTally.countRow} takes. */
export const TALLIED_COLUMNS: string = [...STATED_FILTERS, 'published_at', 'data', 'slot'].join(', ');

/** Where a content has them. */
const COUNTED_AT = STATED_FILTERS.map((field) => [field, CONTENT_COLUMNS.indexOf(field)] as const);

/** What is counted of every record, by the name of its counters: SQL over its columns. */
export const CORE_COUNTS: readonly (readonly [field: string, sql: string])[] = [
  ...STATED_FILTERS.map((field) => [field, field] as const),
  [MONTH_FIELD, 'substr(published_at, 1, 7)'],
];

/** By how much the number of live records with a value changes. */
export interface ValueChange {
  /** As filters name it. */
  readonly field: string;
  /** As a column has it. */
  readonly value: string;
  readonly by: number;
}

/** A text that changes whenever readers see other values in filterable fields; empty: there are none. */
export function countSignature({ fields }: Pick<RegisterDefinition, 'fields'>): string {
  const own = filterable(fields).map(({ name, type, source_names }) => [name, type, source_names ?? []]);
  if (own.length === 0) return '';
  return JSON.stringify([VALUE_RULE, own.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))]);
}

/** The counters of a register, and what a transaction changes in them. */
export interface Tallied {
  readonly state: CountState;
  readonly tally: ValueTally;
}

/** Whether the counters hold all values that are shown so. */
export function isCounted({ signature, next }: CountState, shown: Pick<RegisterDefinition, 'fields'>): boolean {
  return next === 0 && signature === countSignature(shown);
}

/** The totals after changes. */
export function totalsAfter(
  totals: CountState['totals'],
  changes: Iterable<readonly [field: string, by: number]>,
): CountState['totals'] {
  const after = new Map(Object.entries(totals));
  for (const [field, by] of changes) after.set(field, (after.get(field) ?? 0) + by);
  return Object.fromEntries([...after].filter(([, total]) => total !== 0));
}

/** The totals without those of own fields. */
export function coreTotals(totals: CountState['totals']): CountState['totals'] {
  return Object.fromEntries(Object.entries(totals).filter(([field]) => !field.startsWith(OWN_PREFIX)));
}

/**
 * The counters after own values that are shown in another way now were removed from them.
 *
 * @param top the position of the newest record
 * @param isClear whether none is left: the values are counted again then
 */
export function clearedState(
  { totals }: CountState,
  definition: Pick<RegisterDefinition, 'fields'>,
  top: number,
  isClear: boolean,
): CountState {
  const signature = isClear ? countSignature(definition) : STALE;
  return { signature, next: signature === '' ? 0 : top, totals: coreTotals(totals) };
}

/** What a transaction changes in the counters of a register. */
export class ValueTally {
  readonly #changes = new Map<string, Map<string, number>>();
  readonly #own: readonly Field[];
  readonly #next: number;

  /** @param definition that of the register: by another one than that of the state, no own value is counted */
  constructor(state: CountState, definition: Pick<RegisterDefinition, 'fields'>) {
    const isCurrent = state.signature !== '' && state.signature === countSignature(definition);
    this.#own = isCurrent ? filterable(definition.fields) : [];
    this.#next = state.next;
  }

  /**
   * Counts a content.
   *
   * @param values its columns
   * @param position null: the record is new
   */
  count(values: readonly SqlValue[], position: number | null, by: 1 | -1): void {
    for (const [field, at] of COUNTED_AT) this.#countStated(field, values[at]!, by);
    this.#countMonth(values[CONTENT_AT.publishedAt]!, by);
    this.#countData(values[CONTENT_AT.data] as string, position, by);
  }

  /** Counts a row of {@link TALLIED_COLUMNS}. */
  countRow(row: readonly SqlValue[], by: 1 | -1): void {
    for (const [at, field] of STATED_FILTERS.entries()) this.#countStated(field, row[at]!, by);
    const [published, data, slot] = row.slice(STATED_FILTERS.length);
    this.#countMonth(published!, by);
    this.#countData(data as string, Number(slot) % SLOT_SPAN, by);
  }

  /** Counts a content that was read. */
  countRead({ statement }: StoredContent, position: number, by: 1 | -1): void {
    for (const field of STATED_FILTERS) this.#countStated(field, columnTextOrNull(statement[field]), by);
    this.#countMonth(statement.published_at, by);
    if (this.#counts(position)) this.#countOwn(statement.data, by);
  }

  /** Counts the own values of a record that is missing among them. @param data as a column has it */
  countMissing(data: string): void {
    this.#countOwn(storedJson(data) as RegisterRecord['data'], 1);
  }

  /** What changes at all. */
  changes(): readonly ValueChange[] {
    return [...this.#changes].flatMap(([field, values]) =>
      [...values].filter(([, by]) => by !== 0).map(([value, by]) => ({ field, value, by })),
    );
  }

  #counts(position: number | null): boolean {
    return this.#own.length > 0 && (position === null || position > this.#next);
  }

  #countStated(field: CountedField, value: SqlValue, by: 1 | -1): void {
    if (typeof value === 'string' && isCountedLength(value)) this.#add(field, value, by);
  }

  #countMonth(published: SqlValue, by: 1 | -1): void {
    if (published !== null) this.#add(MONTH_FIELD, (published as string).slice(0, 7), by);
  }

  #countData(data: string, position: number | null, by: 1 | -1): void {
    if (this.#counts(position)) this.#countOwn(storedJson(data) as RegisterRecord['data'], by);
  }

  #countOwn(stated: RegisterRecord['data'], by: 1 | -1): void {
    const data = showData(this.#own, stated);
    for (const { name } of this.#own) {
      for (const value of facetValues(data[name] ?? null)) this.#add(OWN_PREFIX + name, columnText(value), by);
    }
  }

  #add(field: string, value: string, by: 1 | -1): void {
    const values = this.#changes.get(field) ?? new Map<string, number>();
    this.#changes.set(field, values);
    values.set(value, (values.get(value) ?? 0) + by);
  }
}

function filterable(fields: readonly Field[]): Field[] {
  return fields.filter((field) => field.filterable === true);
}

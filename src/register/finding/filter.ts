// What a page is restricted to: the values of filters as they are given, checked once against the register's definition,
// and the one function that decides whether a record matches. Indexes only make it quicker (terms.ts).
import { isWhole } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { JsonValue } from '../canonical-json.ts';
import { compareNumbers, decimalOf } from '../decimal.ts';
import { coreField } from '../fields.ts';
import { refusal, type TextsParameter, unknownParameter } from '../parameters.ts';
import type { Field, FieldType, RegisterRecord } from '../record.ts';
import { showValue } from '../declared-values.ts';
import type { CanonicalFilter, Filter } from '../page.ts';
import { compareInstants, instantOf, valueKey } from './compare.ts';
import { type FilterField, FILTERS, type FilterTest } from './filters.ts';
import { OWN_PREFIX, type OwnFilter, ownFilters, type OwnTest, unknownOwnFilter } from './own-filters.ts';
import { matchesWords, parseWords, type WordPart } from './word-query.ts';

export type { CanonicalFilter as FilterInput, Filter } from '../page.ts';

/** One of some values. `values` are as {@link valueKey} writes them. */
export interface ExactCondition {
  readonly kind: 'exact';
  /** A core field, or `data.` and the name of an own field. */
  readonly name: string;
  /** Null: a core field. */
  readonly type: FieldType | null;
  readonly values: ReadonlySet<string>;
}

/** Within bounds; null: none. Times: `from` is included, `to` is not. Numbers: both are. */
export interface SpanCondition {
  readonly kind: 'times' | 'numbers';
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A condition on one field. */
export type Condition = ExactCondition | SpanCondition;

/** A filter that was checked against a definition. */
export interface RecordFilter {
  readonly canonical: CanonicalFilter;
  readonly conditions: readonly Condition[];
  /** What is asked of the words; null: nothing. */
  readonly words: readonly WordPart[] | null;
  /** What of a record it looks at. Absent: all. */
  readonly preview?: (record: RegisterRecord) => RegisterRecord;
  /**
   * Whether a record matches.
   *
   * @param areWordsFound the words that `q` asks for alone are known to be there: they are not looked for again
   */
  matches(record: RegisterRecord, areWordsFound?: boolean): boolean;
}

/** Options of {@link compileFilter}. */
export interface FilterOptions {
  /** The filters there are besides those of own fields. Default: {@link FILTERS}. */
  readonly filters?: readonly FilterField[];
  /** The names of filters that the source knows. Default: all. */
  readonly known?: readonly string[];
}

/**
 * Checks a filter against a register's own fields; null when it asks for nothing.
 *
 * @throws GazetteError `invalid_parameter` for a value that does not fit, `unknown_parameter` for a filter that there is not,
 *   naming those that there are
 * @example compileFilter({ document_type: 'adopted', 'data.area_min': '100' }, definition.fields)
 */
export function compileFilter(
  filter: Filter | undefined,
  fields: readonly Field[],
  { filters = FILTERS, known }: FilterOptions = {},
): RecordFilter | null {
  if (filter === undefined) return null;
  const own = ownFilters(fields);
  const all: readonly (FilterField | OwnFilter)[] = [...filters, ...own];
  const asked: Record<string, readonly string[]> = {};
  for (const name of Object.keys(filter)) {
    const isKnown = all.some((one) => one.name === name) && (known === undefined || known.includes(name));
    if (isKnown) continue;
    throw known === undefined && name.startsWith(OWN_PREFIX)
      ? unknownOwnFilter(name, fields)
      : unknownParameter(name, known ?? all.map((one) => one.name));
  }
  for (const one of all) {
    if (!Object.hasOwn(filter, one.name)) continue;
    asked[one.name] = valuesOf(one, filter[one.name]!);
  }
  if (Object.keys(asked).length === 0) return null;
  const conditions = [...coreConditions(asked, filters), ...ownConditions(asked, own)];
  const tests = conditions.map(testOf);
  const words = asked.q === undefined ? null : parseWords(asked.q[0]!);
  return {
    canonical: asked,
    conditions,
    words,
    matches: (record, areWordsFound = false) =>
      tests.every((isMet) => isMet(record)) && (words === null || matchesWords(words, record, fields, areWordsFound)),
  };
}

/** A filter that looks at what is seen of records alone. */
export function filterPreviews(filter: RecordFilter, seen: (record: RegisterRecord) => RegisterRecord): RecordFilter {
  return { ...filter, preview: seen, matches: (record, areWordsFound) => filter.matches(seen(record), areWordsFound) };
}

/** Whether a record of a register with these fields passes the filter. */
export function matchesFilter(record: RegisterRecord, filter: Filter | undefined, fields: readonly Field[]): boolean {
  return compileFilter(filter, fields)?.matches(record) ?? true;
}

/** The names and values of a filter, one pair for each value: for URLs and texts. */
export function filterEntries(filter: Filter | undefined): readonly (readonly [name: string, value: string])[] {
  if (filter === undefined) return [];
  const rank = (name: string): number => {
    const at = FILTERS.findIndex((one) => one.name === name);
    return at < 0 ? FILTERS.length : at;
  };
  const names = Object.keys(filter).toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
  return names.flatMap((name) => [...new Set(listOf(filter[name]!))].sort().map((value) => [name, value] as const));
}

/** A filter as the query of a URL has it (application/x-www-form-urlencoded). Equal filters have equal texts. */
export function filterText(filter: Filter): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of filterEntries(filter)) parameters.append(name, value);
  return parameters.toString();
}

/** The name of a filter for people: that of its field. @example filterLabel('document_type', []) // 'Document type' */
export function filterLabel(name: string, fields: readonly Field[]): string {
  const known: readonly (FilterField | OwnFilter)[] = [...FILTERS, ...ownFilters(fields)];
  const filter = known.find((one) => one.name === name);
  if (filter === undefined) return name;
  if (filter.field === null) return 'Words';
  const label = typeof filter.field === 'string' ? coreField(filter.field).label : filter.field.label;
  return `${label}${TEST_TEXTS[filter.test]}`;
}

/** What follows the name of a field, by what is asked of it. */
const TEST_TEXTS: Readonly<Record<FilterTest | OwnTest, string>> = {
  exact: '',
  since: ' since',
  until: ' until',
  min: ' at least',
  max: ' at most',
  words: '',
};

/** The values in order, each once. @throws GazetteError `invalid_parameter` */
function valuesOf(parameter: TextsParameter, given: string | readonly string[]): readonly string[] {
  const values = listOf(given);
  // How long a value may be is for those who read requests.
  if (!isWhole(values.length, 1, parameter.maxItems)) throw refusal(parameter, values);
  return [...new Set(values)].sort();
}

function listOf(given: string | readonly string[]): readonly string[] {
  return typeof given === 'string' ? [given] : given;
}

function coreConditions(asked: CanonicalFilter, filters: readonly FilterField[]): readonly Condition[] {
  const spans = new Map<string, SpanCondition>();
  const conditions: Condition[] = [];
  for (const { name, test, field } of filters) {
    const values = asked[name];
    if (values === undefined || field === null) continue;
    if (test === 'exact') conditions.push({ kind: 'exact', name: field, type: null, values: new Set(values) });
    else narrow(spans, 'times', field, test, checkTime(name, values[0]!));
  }
  return [...conditions, ...spans.values()];
}

function ownConditions(asked: CanonicalFilter, own: readonly OwnFilter[]): readonly Condition[] {
  const spans = new Map<string, SpanCondition>();
  const conditions: Condition[] = [];
  for (const { name, test, field } of own) {
    const values = asked[name];
    if (values === undefined) continue;
    const at = OWN_PREFIX + field.name;
    if (test === 'exact') {
      const keys = values.map((value) => valueKey(field.type, checkValue(name, field, value)));
      conditions.push({ kind: 'exact', name: at, type: field.type, values: new Set(keys) });
    } else if (test === 'since' || test === 'until') {
      narrow(spans, 'times', at, test, checkTime(name, values[0]!));
    } else {
      narrow(spans, 'numbers', at, test, checkNumber(name, values[0]!));
    }
  }
  return [...conditions, ...spans.values()];
}

function narrow(
  spans: Map<string, SpanCondition>,
  kind: SpanCondition['kind'],
  name: string,
  test: 'since' | 'until' | 'min' | 'max' | 'words',
  bound: string,
): void {
  const { from, to } = spans.get(name) ?? { from: null, to: null };
  const isFrom = test === 'since' || test === 'min';
  spans.set(name, { kind, name, from: isFrom ? bound : from, to: isFrom ? to : bound });
}

/** Checks that a value is a date or a date-time. @returns it @throws GazetteError `invalid_parameter` */
export function checkTime(name: string, value: string): string {
  if (instantOf(value) !== null) return value;
  throw invalid(name, 'a date such as 2026-04-01, or a date-time such as 2026-04-01T00:00:00Z', value);
}

function checkNumber(name: string, value: string): string {
  const number = decimalOf(value);
  if (number !== null) return number;
  throw invalid(name, 'a number such as 12.5', value);
}

function checkValue(name: string, field: Field, value: string): string | number | boolean {
  const shown = showValue(field, value);
  if (typeof shown === 'string' || typeof shown === 'number' || typeof shown === 'boolean') return shown;
  throw invalid(name, `a value of type ${field.type}`, value);
}

function invalid(name: string, expected: string, value: string): GazetteError {
  return new GazetteError('invalid_parameter', `${name} must be ${expected}, got ${quote(value)}`, {
    details: { parameter: name },
  });
}

/** Whether a record meets a condition: what the condition says is read once for all records. */
function testOf(condition: Condition): (record: RegisterRecord) => boolean {
  const { name } = condition;
  const isMet = condition.kind === 'exact' ? isOneOf(condition) : isWithin(condition);
  return (record) => {
    const value = valueIn(record, name);
    return typeof value === 'object' ? itemsOf(value).some(isMet) : isMet(value);
  };
}

type ValueTest = (value: string | number | boolean) => boolean;

function isOneOf({ type, values }: ExactCondition): ValueTest {
  return (value) => values.has(valueKey(type, value));
}

function isWithin({ kind, from, to }: SpanCondition): ValueTest {
  if (kind === 'numbers') {
    return (value) =>
      (from === null || (compareNumbers(String(value), from) ?? -1) >= 0) &&
      (to === null || (compareNumbers(String(value), to) ?? 1) <= 0);
  }
  const [since, until] = [from, to].map((time) => (time === null ? null : instantOf(time)));
  return (value) => {
    const at = instantOf(String(value));
    return at !== null && (!since || compareInstants(at, since) >= 0) && (!until || compareInstants(at, until) < 0);
  };
}

/** What filters compare of a value: the texts of a list, or the value itself; nothing of null and of objects. */
export function itemsOf(value: JsonValue): readonly (string | number | boolean)[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  return typeof value === 'object' ? [] : [value];
}

/** The value of a core field, or of `data.` and an own field; null if there is none. */
export function valueIn(record: RegisterRecord, name: string): RegisterRecord['data'][string] {
  const value = name.startsWith(OWN_PREFIX)
    ? record.data[name.slice(OWN_PREFIX.length)]
    : (record as unknown as RegisterRecord['data'])[name];
  return value ?? null;
}

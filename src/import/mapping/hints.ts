// What the error of a refused record says besides what is wrong: all required fields that the record lacks, what the
// record has instead, and how to say where a field is.
import { GazetteError, quote } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { counted } from '../../register/counted.ts';
import type { CoreFieldName } from '../../register/record.ts';
import { isRawObject, type RawValue } from '../readers/raw-record.ts';
import { likelyColumns } from './column-words.ts';
import { asciiName } from './field-name.ts';
import { findSource, type MappingRule } from './mapping.ts';
import { shellWord } from '../shell-word.ts';
import type { CoreSource, ImportPlan } from './plan.ts';

/** The fields that every record must have, in the order in which they are checked. */
const REQUIRED: readonly CoreFieldName[] = ['id', 'title', 'source_url', 'observed_at'];

/** The maximum number of columns that a message names. */
const MAX_COLUMNS_NAMED = 40;

/** The error of a refused record, with what helps to correct the mapping; the error itself if nothing does. */
export function withHint(error: GazetteError, value: RawValue, plan: ImportPlan): GazetteError {
  const { field } = error.details;
  const hint = typeof field === 'string' ? hintFor(field, error.message, value, plan) : null;
  return hint === null
    ? error
    : new GazetteError('invalid_record', `${error.message}; ${hint}`, { cause: error, details: error.details });
}

/** The required fields that a record lacks, in the order in which they are checked. */
export function missingFields(value: RawValue, { core, observedAt, rowSecret }: ImportPlan): readonly CoreFieldName[] {
  return REQUIRED.filter((name) => {
    if (name === 'observed_at' ? observedAt !== null : name === 'id' && rowSecret !== undefined) return false;
    const source = core.find((each) => each.name === name);
    const item = readCore(source, value);
    return item === undefined || item === null;
  });
}

/** How to say where missing fields are, with the columns that may be meant, and all columns of the record. */
export function waysToMap(missing: readonly CoreFieldName[], value: RawValue, plan: ImportPlan): string {
  const columns = columnsOf(value);
  const free = columns.filter((column) => !plan.isTaken(column));
  const own = missing.filter((name) => name !== 'observed_at');
  const rules = own.map((name) => `${name}=${likelyColumns(name, free)[0] ?? 'SOURCE'}`);
  // A column that has the field's name is the right one, although it is empty here.
  const lacksColumn = own.some((name) => !columns.includes(name));
  const ways = [
    ...(missing.includes('observed_at') ? ['give --observed-at, or --map observed_at=SOURCE'] : []),
    ...(rules.length > 0
      ? [`say where ${rules.length === 1 ? 'it is' : 'they are'} with --map ${shellWord(rules.join(','))}`]
      : []),
    ...(own.includes('id') && likelyColumns('id', free).length === 0
      ? ['where no column identifies a record, give --key row']
      : []),
    ...(lacksColumn ? columnsIn(columns) : []),
  ];
  return ways.join('; ');
}

function hintFor(field: string, message: string, value: RawValue, plan: ImportPlan): string | null {
  const rule = ruleOf(field, plan);
  const form = formHint(message);
  const isAbsent = message.endsWith('got nothing');
  if (rule !== null) {
    const lacks = isAbsent || message.endsWith(', which is absent');
    const others = isAbsent ? missingFields(value, plan).filter((name) => name !== field) : [];
    return [
      `mapped from ${quote(rule.written)}`,
      ...(lacks ? nearestTo(rule, columnsOf(value)) : []),
      ...alsoMissing(others),
    ].join('; ');
  }
  if (field.startsWith('data.')) {
    return plan.sampled === null
      ? null
      : `its type was found from the first ${plan.sampled} records; give --definition to say it`;
  }
  if (form.length > 0) return form.join('');
  if (!isAbsent && plan.isCore(field) && !REQUIRED.some((name) => name === field)) {
    return `where it means something else, take it in under another name: --map data.${asciiName(field)}=${field}`;
  }
  if (!isAbsent || !REQUIRED.some((name) => name === field)) return null;
  const missing = missingFields(value, plan);
  return [...alsoMissing(missing.filter((name) => name !== field)), waysToMap(missing, value, plan)].join('; ');
}

/** What to do about a date in another form than RFC 3339. */
function formHint(message: string): readonly string[] {
  const text = / must be a date .*, got "([^"]*)"$/.exec(message)?.[1] ?? '';
  if (/^\d{4}-\d\d-\d\d[T ]\d?\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text)) {
    return ['it has no offset from UTC; give --date-format YYYY-MM-DD to read such times as UTC'];
  }
  return /^(?!\d{4}-\d\d-\d\d)\d{1,4}[-./ ]+\d{1,2}[-./ ]+\d{2,4}(?:\D|$)/.test(text)
    ? ['give --date-format, such as DD.MM.YYYY, to read dates in this form']
    : [];
}

function ruleOf(field: string, { ownRules, core }: ImportPlan): MappingRule | null {
  const rule = field.startsWith('data.')
    ? ownRules.get(field.slice('data.'.length))
    : core.find(({ name }) => name === field)?.rule;
  return rule ?? null;
}

function readCore(source: CoreSource | undefined, value: RawValue): RawValue | undefined {
  if (source === undefined || !isRawObject(value)) return undefined;
  if (source.rule === null) return Object.hasOwn(value, source.name) ? value[source.name] : undefined;
  return findSource(source.rule, value);
}

function alsoMissing(names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`also missing: ${names.join(', ')}`];
}

function nearestTo({ source, written }: MappingRule, columns: readonly string[]): readonly string[] {
  const names = source.kind === 'path' ? [written] : [...written.matchAll(/\{\+?([^{}|]+)/g)].map(([, name]) => name!);
  const absent = names.filter((name) => !columns.includes(name));
  const near = [...new Set(absent.flatMap((name) => nearest(name, columns)))];
  const words = near.length === 0 ? [] : [`nearest to it: ${near.map((name) => quote(name)).join(', ')}`];
  return [...words, ...columnsIn(columns)];
}

function columnsIn(columns: readonly string[]): readonly string[] {
  if (columns.length === 0) return [];
  const named = columns.slice(0, MAX_COLUMNS_NAMED).map((name) => quote(name));
  const more = columns.length > named.length ? ` and ${columns.length - named.length} more` : '';
  return [`the record has ${named.join(', ')}${more}`];
}

function columnsOf(value: RawValue): readonly string[] {
  return isRawObject(value) ? Object.keys(value) : [];
}

/** How many fields a note names. */
const MAX_NAMED = 5;

/** What is said of words for no value; null where there was none. */
export function missingNote(missing: ReadonlyMap<string, number>): string | null {
  if (missing.size === 0) return null;
  const named = [...missing].slice(0, MAX_NAMED).map(([name, count]) => `${name} (${counted(count, 'record')})`);
  const more = missing.size > MAX_NAMED ? ` and ${missing.size - MAX_NAMED} more` : '';
  return `words and signs such as n/a and - mean no value in ${named.join(', ')}${more}`;
}

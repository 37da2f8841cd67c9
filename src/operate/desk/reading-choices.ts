// What an editor can choose of how a file is read: which column fills which field, and in which form its texts, dates and amounts
// are. A form says a column by its number: names of columns are whatever the publisher wrote.
import { sourceOf } from '../../import/guess/column-sources.ts';
import { omit } from '../../import/from-file/file-options.ts';
import type { RegisterPlan } from '../../import/from-file/register-plan.ts';
import { bareName } from '../../import/rows/ignored-columns.ts';
import type { FileReading } from '../../import/proposals/report.ts';
import type { Field } from '../../register/record.ts';
import { GUESSED_FIELDS } from '../../import/mapping/column-words.ts';
import { coreField } from '../../register/fields.ts';
import { UNKNOWN_SOURCE } from '../../register/url.ts';
import type { Chosen } from './upload-folder.ts';

/** How a choice is called in words of the page; `columns`: the text is made of columns. */
export type ChoiceWord = 'none' | 'row' | 'columns' | 'unknown' | 'found' | 'comma' | 'point' | 'tab' | 'newest-first' | 'oldest-first' | 'by-date' | 'stay' | 'withdrawn' | 'kept' | 'allLeftOut' | 'oneLeftOut'; // prettier-ignore

/** Something that can be chosen: in words of the page, or in those of the file. */
export interface ChoiceOption {
  /** Empty: as it is. */
  readonly value: string;
  readonly word: ChoiceWord | null;
  readonly text: string;
}

/** One choice. */
export interface ReadingChoice {
  /** A field, as rules name it; or `sheet`, `encoding`, `delimiter`, `dateFormat`, `decimal`, `order`, `missing`, `unshown`. */
  readonly name: string;
  /** What is so now comes first. */
  readonly options: readonly ChoiceOption[];
}

/** How a file is read now. */
export interface PresentReading {
  /** The names of its columns. */
  readonly columns: readonly string[];
  /** What fills a field: a column, or a text with columns in it; null: nothing. */
  readonly sourceOf: (field: string) => { readonly text: string; readonly word: ChoiceWord | null } | null;
  /** Own fields of the register that no column fills, by their rules' names. */
  readonly unfilled: readonly string[];
  /** The columns that fill no field, and yet are taken in. */
  readonly unshown: readonly string[];
  readonly encoding: string | null;
  readonly delimiter: string | null;
  readonly dateFormat: string | null;
  readonly decimalComma: boolean;
  readonly order: string;
  /** The names of a workbook's sheets, that first which is read; none where there is one. */
  readonly sheets: readonly string[];
  /** Whether records that the file lacks are withdrawn. Null: there are none. */
  readonly isWhole: boolean | null;
}

/** Columns beyond these are not offered. */
const MOST_COLUMNS = 200;

const ENCODINGS = ['utf-8', 'windows-1252', 'iso-8859-15', 'windows-1250', 'windows-1251', 'utf-16le', 'macintosh'];
const DELIMITERS = [',', ';', '\t', '|'];
const DATE_FORMATS = ['DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD-MM-YYYY', 'YYYY/MM/DD', 'YYYYMMDD'];
const MISSING = ['stay', 'withdrawn'] as const;
const ORDERS = ['newest-first', 'oldest-first', 'by-date'] as const;

/** The choices there are. */
export function choicesOf(reading: PresentReading): readonly ReadingChoice[] {
  const { columns, encoding, delimiter, dateFormat, decimalComma, order, sheets, isWhole } = reading;
  const all = columns.slice(0, MOST_COLUMNS).map((text, at) => ({ value: `c${at}`, word: null, text }));
  const fields = [...GUESSED_FIELDS, ...reading.unfilled].map((name): ReadingChoice => {
    const now = reading.sourceOf(name);
    const others = all.filter(({ text }) => text !== now?.text && sourceOf(name, text) !== null);
    const words: ChoiceOption[] = [
      ...(isOptional(name) && now !== null ? [word('none', 'none')] : []),
      ...(name === 'id' && now?.word !== 'row' ? [word('row', 'row')] : []),
    ];
    const present = now === null ? word('', 'none') : { value: '', ...now };
    return { name, options: [present, ...others, ...words] };
  });
  const forms: readonly (readonly [string, string, readonly string[]] | null)[] = [
    encoding === null ? null : ['encoding', encoding, ENCODINGS],
    delimiter === null ? null : ['delimiter', delimiter, DELIMITERS],
    ['dateFormat', dateFormat ?? 'found', DATE_FORMATS],
    ['decimal', decimalComma ? 'comma' : 'point', ['comma', 'point']],
    ['order', order, ORDERS],
    isWhole === null ? null : ['missing', MISSING[Number(isWhole)]!, MISSING],
  ];
  const { unshown } = reading;
  const [sheet, ...others] = sheets.map((text, at) => ({ value: at === 0 ? '' : `s${at}`, word: null, text }));
  return [
    ...fields,
    ...(unshown.length === 0 ? [] : [{ name: 'unshown', options: leavingOut(unshown) }]),
    ...(sheet === undefined ? [] : [{ name: 'sheet', options: [sheet, ...others] }]),
    ...forms
      .filter((form) => form !== null)
      .map(([name, now, others]) => ({
        name,
        options: [inWords('', now), ...others.filter((one) => one !== now).map((one) => inWords(one, one))],
      })),
  ];
}

/** What can be left out of the columns that fill no field: all of them, or one. */
function leavingOut(columns: readonly string[]): readonly ChoiceOption[] {
  const one = columns.map((text, at) => ({ value: `u${at}`, word: 'oneLeftOut' as const, text }));
  return [
    { ...word('', 'kept'), text: columns.join(', ') },
    ...(columns.length === 1 ? [] : [word('all', 'allLeftOut')]),
    ...one.slice(0, MOST_COLUMNS),
  ];
}

/** Whether a record can be without a field. */
function isOptional(field: string): boolean {
  return GUESSED_FIELDS.some((name) => name === field && coreField(name).nullable);
}

const WORDS: readonly string[] = ['found', 'comma', 'point', ...ORDERS, ...MISSING];

function inWords(value: string, text: string): ChoiceOption {
  if (text === '\t') return { ...word(value, 'tab'), value: value === '' ? '' : 'tab' };
  return WORDS.includes(text) ? word(value, text as ChoiceWord) : { value, word: null, text };
}

function word(value: string, said: ChoiceWord): ChoiceOption {
  return { value, word: said, text: '' };
}

/**
 * What a form chooses beside what was chosen before.
 *
 * @param present how the file was read when the form was made
 * @returns null where it chooses nothing
 */
export function chosenBy(
  form: URLSearchParams,
  before: Chosen,
  { columns, unfilled, unshown, sheets }: PresentReading,
): Chosen | null {
  let { map = [], without = [] } = before;
  let isOther = false;
  let others: Chosen = before;
  for (const field of [...GUESSED_FIELDS, ...unfilled]) {
    const value = form.get(`of-${field}`) ?? '';
    if (value === '') continue;
    const column = columns[Number(/^c(\d{1,4})$/.exec(value)?.[1] ?? -1)];
    const source = column === undefined ? null : sourceOf(field, column);
    if (source === null && value !== 'none' && value !== 'row') continue;
    isOther = true;
    map = map.filter((rule) => !rule.startsWith(`${field}=`));
    without = without.filter((name) => name !== field);
    if (field === 'id') others = value === 'row' ? { ...before, key: 'row' } : omit(before, ['key']);
    if (source !== null) map = [...map, `${field}=${source}`];
    else if (isOptional(field)) without = [...without, field];
  }
  const said = (name: string, choices: readonly string[]): string | undefined => {
    const value = form.get(name) === 'tab' ? '\t' : (form.get(name) ?? '');
    return choices.includes(value) ? value : undefined;
  };
  const [encoding, delimiter] = [said('encoding', ENCODINGS), said('delimiter', DELIMITERS)];
  const [dateFormat, decimal] = [said('dateFormat', DATE_FORMATS), said('decimal', ['comma', 'point'])];
  const order = ORDERS.find((one) => one === form.get('order'));
  const pick = sheets[Number(/^s(\d{1,4})$/.exec(form.get('sheet') ?? '')?.[1] ?? -1)];
  const missing = said('missing', MISSING);
  const unwanted = form.get('unshown') ?? '';
  const leftOut = unwanted === 'all' ? unshown : unshown.filter((_, at) => unwanted === `u${at}`);
  const forms = {
    ...(leftOut.length > 0 && { leftOut: [...(before.leftOut ?? []), ...leftOut] }),
    ...(pick !== undefined && { pick }),
    ...(encoding !== undefined && { encoding }),
    ...(delimiter !== undefined && { delimiter }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(decimal !== undefined && { decimalComma: decimal === 'comma' }),
    ...(order !== undefined && { order }),
    ...(missing !== undefined && { withdrawMissing: missing === 'withdrawn' }),
  };
  if (!isOther && Object.keys(forms).length === 0) return null;
  return { ...others, map, without, ...forms };
}

/** Options of an import, and the choices that say them. What else is chosen is what the register is called, not how its file is read. */
const OPTION_CHOICES: readonly (readonly [keyof Chosen, choice: string])[] = [
  ['key', 'id'],
  ['pick', 'sheet'],
  ['encoding', 'encoding'],
  ['delimiter', 'delimiter'],
  ['dateFormat', 'dateFormat'],
  ['decimalComma', 'decimal'],
  ['order', 'order'],
  ['withdrawMissing', 'missing'],
  ['leftOut', 'unshown'],
];

/** The names of the choices that were made. */
export function namesIn({ map = [], without = [], ...chosen }: Chosen): ReadonlySet<string> {
  const fields = [...map.map((rule) => rule.slice(0, rule.indexOf('='))), ...without];
  const forms = OPTION_CHOICES.flatMap(([option, choice]) => (Object.hasOwn(chosen, option) ? [choice] : []));
  return new Set([...fields, ...forms]);
}

/** How a plan of a new register reads its file. */
export function readingOfPlan({ answer, options, sheets }: RegisterPlan): PresentReading {
  const { columns, map, key } = answer;
  return {
    columns: columns.map(({ name }) => name),
    sourceOf: (field) => {
      if (field === 'id' && key === 'row') return { text: '', word: 'row' };
      const column = columns.find((one) => one.field === field);
      const rule = map.find((one) => one.startsWith(`${field}=`));
      const source = rule?.slice(field.length + 1);
      const isWhole = source?.includes('{') !== true;
      if (column !== undefined && isWhole) return { text: column.name, word: null };
      return source === undefined ? null : sourceText(source);
    },
    unfilled: [],
    unshown: [],
    encoding: answer.format === 'xlsx' ? null : answer.encoding,
    delimiter: answer.format === 'csv' ? answer.delimiter : null,
    dateFormat: answer.date_format,
    decimalComma: answer.decimal_comma || options.decimalComma === true,
    order: answer.order,
    sheets,
    isWhole: null,
  };
}

/** A template, as the columns that it is made of. */
export function sourceText(source: string): { readonly text: string; readonly word: ChoiceWord | null } {
  if (source.startsWith(UNKNOWN_SOURCE)) return { text: '', word: 'unknown' };
  return source.includes('{') ? { text: source, word: 'columns' } : { text: source, word: null };
}

/** How a proposal read its file. @param file its name @param ignored the names of columns that are not taken in */
export function readingOfReport(
  reading: FileReading,
  file: string,
  fields: readonly Field[],
  ignored: readonly string[],
): PresentReading {
  const { columns, rules } = reading;
  const isSheet = /\.xlsx$/i.test(file);
  const isTable = reading.delimiter !== null || /\.(?:csv|tsv|txt)(?:\.gz|\.zst)?$/i.test(file);
  const ruleOf = (field: string): string | undefined => rules.find((rule) => rule.startsWith(`${field}=`));
  const columnOf = (field: string): string | undefined => columns.find((one) => one.fields.includes(field))?.name;
  return {
    columns: columns.map(({ name }) => name),
    sourceOf: (field) => {
      const [rule, column] = [ruleOf(field), columnOf(field)];
      if (rule !== undefined) return sourceText(rule.slice(field.length + 1));
      if (column !== undefined) return { text: column, word: null };
      return field === 'id' ? { text: '', word: 'row' } : null;
    },
    unfilled: fields
      .map(({ name }) => `data.${name}`)
      .filter((field) => columnOf(field) === undefined && ruleOf(field) === undefined),
    unshown: columns
      .filter((column) => column.fields.length === 0 && !rules.some((rule) => rule.includes(`{${column.name}`)))
      .map(({ name }) => name)
      .filter((name) => !ignored.includes(bareName(name))),
    encoding: isSheet ? null : (reading.encoding ?? 'utf-8'),
    delimiter: isTable ? (reading.delimiter ?? ',') : null,
    dateFormat: reading.date_format,
    decimalComma: reading.decimal_comma,
    order: reading.order,
    sheets: reading.sheets,
    isWhole: reading.withdraw_missing,
  };
}

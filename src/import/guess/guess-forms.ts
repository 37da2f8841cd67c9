// How a file writes dates and amounts, from the forms of all its columns.
import { quote } from '../../errors.ts';
import type { ColumnProfile } from './column-survey.ts';

/** The forms of a file. */
export interface GuessedForms {
  /** The form of dates for `--date-format`; null where dates are RFC 3339, or no form is certain. */
  readonly dateFormat: string | null;
  /** Whether amounts have a decimal comma. */
  readonly decimalComma: boolean;
  /** What a person has to decide, in sentences. */
  readonly remarks: readonly string[];
}

/** What the caller has said. */
export interface GivenForms {
  readonly dateFormat?: string;
  readonly decimalComma?: boolean;
}

/** The forms that most columns with dates and amounts have. */
export function guessForms(columns: readonly ColumnProfile[], given: GivenForms): GuessedForms {
  const dates = given.dateFormat === undefined ? guessDates(columns) : { dateFormat: given.dateFormat, remarks: [] };
  const amounts =
    given.decimalComma === undefined ? guessAmounts(columns) : { decimalComma: given.decimalComma, remarks: [] };
  return { ...dates, ...amounts, remarks: [...dates.remarks, ...amounts.remarks] };
}

/** Whether every value of a column is a date, with the form of dates of the file. */
export function isDateColumn({ type, shapes }: ColumnProfile, { dateFormat }: GuessedForms): boolean {
  if (type === 'date' || type === 'datetime') return true;
  return dateFormat !== null && shapes.dateFormats.includes(dateFormat);
}

function guessDates(columns: readonly ColumnProfile[]): Omit<GuessedForms, 'decimalComma'> {
  const counts = new Map<string, number>();
  for (const { shapes } of columns) {
    for (const format of shapes.dateFormats) counts.set(format, (counts.get(format) ?? 0) + 1);
  }
  const most = Math.max(0, ...counts.values());
  const [format = null, ...others] = [...counts].filter(([, count]) => count === most).map(([name]) => name);
  const clash = format === null ? undefined : others.find((other) => clashes(format, other));
  if (format === null || clash === undefined) return { dateFormat: format, remarks: [] };
  const names = columns.filter(({ shapes }) => shapes.dateFormats.includes(format)).map(({ name }) => quote(name));
  const remark = `the dates in ${names.join(', ')} may be ${format} or ${clash}: no value shows which number is the day; say it with --date-format`;
  return { dateFormat: null, remarks: [remark] };
}

/** Whether two forms read the same text as different days. */
function clashes(one: string, other: string): boolean {
  const separator = /[-./]/.exec(one)?.[0] ?? '';
  return one.length === other.length && other.includes(separator);
}

function guessAmounts(columns: readonly ColumnProfile[]): Omit<GuessedForms, 'dateFormat'> {
  const named = (form: 'comma' | 'point'): readonly string[] =>
    columns.filter(({ shapes }) => shapes.amounts === form).map(({ name }) => quote(name));
  const [commas, points] = [named('comma'), named('point')];
  if (commas.length === 0 || points.length === 0) return { decimalComma: commas.length > 0, remarks: [] };
  const remark = `amounts have a comma in ${commas.join(', ')} and a point in ${points.join(', ')}; those with a comma stay text unless you give --decimal-comma`;
  return { decimalComma: false, remarks: [remark] };
}

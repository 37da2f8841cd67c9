// Which columns may identify a record: codes, names and days, never what was measured or when, because the next file has
// other values of the same thing.
import { MAX_KEY_LENGTH } from '../../register/identity.ts';
import { likelyColumns } from '../mapping/column-words.ts';
import { slotOf } from './column-sources.ts';
import type { ColumnProfile } from './column-survey.ts';

/** A part of an id is a code, no name: the greatest length of its values, and the greatest mean. */
const PART = { longest: 60, mean: 20 };

/** The number of columns that an id may be made of. */
const MAX_CANDIDATES = 16;

/** The digits that all values of a column have where they are codes or years, and no counts. */
const LEAST_DIGITS = 4;

/** Numbers of so few digits in so many records are codes: months, districts, kinds. */
const FEW_DIGITS = 2;
const MANY_RECORDS = 100;

/** From how many records on numbers without two equal ones are given out, if there are at most so many numbers to each record. */
const NUMBERED = { records: 1000, spread: 100 };

/** Names of columns that are identifiers, in addition to those of `column-words.ts`: `OBJECTID`, `permit_nr`. */
const ID_NAMES = [/(?:^|[^\p{L}])(?:id|nr|no|fid|gid|code|uuid)\.?$|^objectid$/iu, /[a-z](?:Id|ID|Nr|No)$/];

/** Names of counts that have the words of identifiers. */
const COUNT_NAME = /(?<!\p{L})(?:number|numero|número|nombre|numer|no)\.?[\s_](?:of|di|dei|degli|de|del|des|d)\b/iu;

/** Whether a column can be the id of a record by itself, if no two records have the same. */
export function mayBeKey(column: ColumnProfile, isFirst: boolean): boolean {
  const { type, longestKey, shapes } = column;
  if (longestKey > MAX_KEY_LENGTH || type === 'json' || type === 'boolean' || isTime(column)) return false;
  if (isCalledId(column)) return true;
  if (type === 'integer') return isFirst || hasFixedDigits(column) || areNumbered(column);
  return isDay(column) ? isFirst : (type === 'text' || type === 'url') && !shapes.areMeasured;
}

/**
 * The columns whose values may be a part of an id, those with a value in every record first. Days are in a list after the others:
 * they are a part only where these do not suffice.
 */
export function keyColumns(columns: readonly ColumnProfile[], records: number): readonly (readonly string[])[] {
  const isNumber = (column: ColumnProfile): boolean =>
    isCalledId(column) || hasFixedDigits(column) || (column.longest <= FEW_DIGITS && records >= MANY_RECORDS);
  const fit = columns.filter((column) => {
    const { name, type, filled, longest, meanLength, shapes } = column;
    const isShort = longest <= PART.longest && meanLength <= PART.mean;
    const isCode = type === 'integer' ? isNumber(column) : isDay(column) || type === 'text';
    const isSaid = !name.includes('.') && slotOf(name) !== null;
    return isCode && isShort && filled > 0 && isSaid && !isTime(column) && !shapes.areMeasured;
  });
  const ordered = fit.toSorted((a, b) => Number(isCalledId(b)) - Number(isCalledId(a)) || b.filled - a.filled);
  const likeliest = ordered.slice(0, MAX_CANDIDATES);
  const lists = [false, true].map((isOfDays) => likeliest.filter((one) => isDay(one) === isOfDays));
  return lists.filter(({ length }) => length > 0).map((list) => list.map(({ name }) => name));
}

/** Whether an id can be made of these columns: of several, as one alone would be the id, and it is never too long. */
export function fitsKey(key: readonly string[], columns: readonly ColumnProfile[]): boolean {
  if (key.length < 2) return false;
  const parts = columns.filter(({ name }) => key.includes(name)).map(({ longestKey }) => longestKey);
  return parts.reduce((sum, length) => sum + length, parts.length - 1) <= MAX_KEY_LENGTH;
}

function isCalledId({ name }: ColumnProfile): boolean {
  return (
    !COUNT_NAME.test(name) && (likelyColumns('id', [name]).length > 0 || ID_NAMES.some((names) => names.test(name)))
  );
}

function hasFixedDigits({ longest, meanLength }: ColumnProfile): boolean {
  return longest === meanLength && longest >= LEAST_DIGITS;
}

/** Whether whole numbers are given out, and not counted: of so many from so few, counts would hardly all be different. */
function areNumbered({ isUnique, filled, longest }: ColumnProfile): boolean {
  return isUnique && filled >= NUMBERED.records && 10 ** longest <= filled * NUMBERED.spread;
}

function isDay({ type, shapes }: ColumnProfile): boolean {
  return type === 'date' || (type === 'text' && shapes.dateFormats.length > 0);
}

/** A day with a time, in whichever form. */
function isTime({ type, shapes, longest }: ColumnProfile): boolean {
  return type === 'datetime' || (shapes.dateFormats.length > 0 && longest > 'DD.MM.YYYY'.length);
}

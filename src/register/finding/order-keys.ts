// Spans of times and numbers, so that an index finds a range by a few names: each value lies in one span of each size, and
// a range is the fewest spans that together hold it. The names begin with another letter for each kind: `t` and `a`, `z`
// for times, `p`, `n` and `o` for numbers. Spans hold at least what is asked for; never less.
import { type Instant, instantOf } from './compare.ts';
import type { SpanCondition } from './filter.ts';

/** What a span condition asks for. */
type Bounds = Pick<SpanCondition, 'from' | 'to'>;

/** Decades, years and months, in months. Each size is a term more for each time of a record. */
const TIME_SIZES = [120, 12, 1] as const;

/** The months that have spans of their own, counted from the year 0; all times before, and all after, are one span each. */
const FIRST_MONTH = 1900 * 12;
const END_MONTH = 2100 * 12;

/** Powers of ten, and their first digit, first two, three and four digits, in steps of the fourth digit. */
const NUMBER_SIZES = [9000, 1000, 100, 10, 1] as const;

/** The powers of ten that have spans of their own; smaller and larger numbers count as the least and the greatest step. */
const LEAST_POWER = -6;
const MOST_POWER = 18;
const STEPS = (MOST_POWER - LEAST_POWER + 1) * NUMBER_SIZES[0];

/** The spans in which a time lies. */
export function spansOfTime({ ms }: Instant): readonly string[] {
  const month = monthOf(ms);
  if (month < FIRST_MONTH) return ['a'];
  if (month >= END_MONTH) return ['z'];
  return TIME_SIZES.map((size, level) => `t${level}${Math.floor(month / size)}`);
}

/** Spans that hold every time within bounds: at most 60. None: no time is within them. */
export function timeSpans({ from, to }: Bounds): readonly string[] {
  const first = from === null ? -Infinity : monthOf(instantOf(from)!.ms);
  const end = to === null ? Infinity : endMonthOf(instantOf(to)!);
  const inner = cover(Math.max(first, FIRST_MONTH), Math.min(end, END_MONTH), TIME_SIZES);
  return [
    ...(first < FIRST_MONTH && end > first ? ['a'] : []),
    ...inner.map((span) => `t${span}`),
    ...(end > END_MONTH && end > first ? ['z'] : []),
  ];
}

/** The spans in which a number lies; none for NaN. */
export function spansOfNumber(number: number): readonly string[] {
  if (Number.isNaN(number)) return [];
  if (number === 0) return ['o'];
  const step = Math.abs(stepOf(number)) - 1;
  return NUMBER_SIZES.map((size, level) => `${number < 0 ? 'n' : 'p'}${level}${Math.floor(step / size)}`);
}

/** Spans that hold every number within bounds: at most 119. None: no number is within them. */
export function numberSpans({ from, to }: Bounds): readonly string[] {
  const first = from === null ? -STEPS : stepOf(Number(from));
  const last = to === null ? STEPS : stepOf(Number(to));
  const positive = cover(Math.max(first, 1) - 1, last, NUMBER_SIZES);
  const negative = cover(Math.max(-last, 1) - 1, -first, NUMBER_SIZES);
  return [
    ...positive.map((span) => `p${span}`),
    ...(first <= 0 && last >= 0 ? ['o'] : []),
    ...negative.map((span) => `n${span}`),
  ];
}

/** The months from the year 0 until a time. */
function monthOf(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The first month that begins at a time or after it. */
function endMonthOf({ ms, ns }: Instant): number {
  const month = monthOf(ms);
  const isItsBeginning = ns === 0 && monthOf(ms - 1) < month;
  return isItsBeginning ? month : month + 1;
}

/**
 * A number's place in the order of numbers: 0 for zero, from 1 to {@link STEPS} for positive numbers, below zero for
 * negative ones. A greater number never has a lesser place.
 */
function stepOf(number: number): number {
  if (number === 0) return 0;
  const step = Math.min(Math.max(placeOf(Math.abs(number)), 0), STEPS - 1);
  return number < 0 ? -step - 1 : step + 1;
}

/** Steps from the least power of ten to a positive number; negative below it. */
function placeOf(number: number): number {
  if (number === Infinity) return STEPS;
  // All digits of the double: fewer would be rounded, perhaps to the next power of ten.
  const [digits = '', power = ''] = number.toExponential(16).split('e');
  return (Number(power) - LEAST_POWER) * NUMBER_SIZES[0] + Number(digits[0]! + digits.slice(2, 5)) - 1000;
}

/** The fewest spans that are exactly the numbers from `first` to before `end`, as their size's index and their own number. */
function cover(first: number, end: number, sizes: readonly number[]): readonly string[] {
  const spans: string[] = [];
  for (let at = first; at < end;) {
    const level = sizes.findIndex((size) => at % size === 0 && at + size <= end);
    const size = sizes[level]!;
    spans.push(`${level}${at / size}`);
    at += size;
  }
  return spans;
}

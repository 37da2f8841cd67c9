// Times and numbers as whole numbers of 32 bits in the same order, so that an index compares them without reading records.
// Values that are near each other share one: times of the same minute, and numbers with the same seven first digits. So a
// range of these keys holds at least what is asked for, and never less.
import { type Instant, instantOf } from './compare.ts';
import type { SpanCondition } from './filter.ts';

/** The keys between two bounds, both included; none when `lowest` is above `highest`. */
export interface KeyRange {
  readonly lowest: number;
  readonly highest: number;
}

/** No key is 0, so that a store may keep it for a record without a value. */
const LEAST = 1;
const GREATEST = 2 ** 32 - 1;

const MINUTE_MS = 60_000;

/** The beginning of the year 0, in minutes since 1970. Times from the year 8166 on have the greatest key. */
const FIRST_MINUTE = -1_036_120_320;

/** The key of a time. */
export function keyOfTime({ ms }: Instant): number {
  return within(minuteOf(ms));
}

/** The key of a number; null for NaN. */
export function keyOfNumber(number: number): number | null {
  if (Number.isNaN(number)) return null;
  // Positive floats are in the order of their bits, negative ones in the opposite order. Zero has two forms.
  FLOAT[0] = number === 0 ? 0 : number;
  const bits = BITS[0]!;
  return bits < 0x8000_0000 ? bits + 0x8000_0000 : 0xffff_ffff - bits;
}

const FLOAT = new Float32Array(1);
const BITS = new Uint32Array(FLOAT.buffer);

/** The keys of every value that meets a condition. */
export function keysWithin({ kind, from, to }: Pick<SpanCondition, 'kind' | 'from' | 'to'>): KeyRange {
  return {
    lowest: from === null ? LEAST : kind === 'times' ? keyOfTime(instantOf(from)!) : keyOfNumber(Number(from))!,
    highest: to === null ? GREATEST : kind === 'times' ? keyBefore(instantOf(to)!) : keyOfNumber(Number(to))!,
  };
}

/** The keys of which every value meets a condition. */
export function keysInside(condition: Pick<SpanCondition, 'kind' | 'from' | 'to'>): KeyRange {
  const { lowest, highest } = keysWithin(condition);
  const { kind, from, to } = condition;
  // A minute that a bound lies in has times on both sides of it, and so has what stands for all times beyond.
  const isSure = (bound: string | null, key: number): boolean =>
    bound === null || (kind === 'times' && isMinute(instantOf(bound)!) && key > LEAST && key < GREATEST);
  return { lowest: isSure(from, lowest) ? lowest : lowest + 1, highest: isSure(to, highest) ? highest : highest - 1 };
}

function isMinute({ ms, ns }: Instant): boolean {
  return ns === 0 && ms % MINUTE_MS === 0;
}

/** The key of the last time before another one. */
function keyBefore(instant: Instant): number {
  return within(isMinute(instant) ? minuteOf(instant.ms) - 1 : minuteOf(instant.ms));
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS) - FIRST_MINUTE + LEAST;
}

function within(key: number): number {
  return Math.min(Math.max(key, LEAST), GREATEST);
}

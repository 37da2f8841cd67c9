// When a delivery is tried again: a finite list of delays, each with some jitter, and the receiver's `Retry-After`.
import { GazetteError, quote } from '../../errors.ts';
import { httpDate } from '../../web/http-date.ts';

/** The delays before each attempt, in seconds: ten attempts in a little more than three days. */
export const DEFAULT_SCHEDULE: readonly number[] = [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** The jitter of a delay in both directions, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;

const MAX_ATTEMPTS = 100;
const MAX_DELAY_SECONDS = 7 * 86_400;

/** A `Retry-After` (RFC 9110 10.2.3) is honoured up to the longest default delay, or the schedule's own where longer. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/**
 * A schedule: seconds before each attempt, the first of them 0.
 *
 * @throws GazetteError `invalid_option`
 */
export function checkSchedule(delays: readonly number[]): readonly number[] {
  const isDelay = (delay: number): boolean => delay >= 0 && delay <= MAX_DELAY_SECONDS;
  if (delays[0] === 0 && delays.length <= MAX_ATTEMPTS && delays.every(isDelay)) return delays;
  throw new GazetteError(
    'invalid_option',
    `the webhook schedule must be 1..${MAX_ATTEMPTS} numbers of seconds, 0..${MAX_DELAY_SECONDS}, beginning with 0, got ${quote(delays.join(','))}`,
    { details: { option: 'schedule' } },
  );
}

/** The values besides the schedule that determine a delay. */
export interface DelayOptions {
  /** The number of attempts made, at least one. */
  readonly tries: number;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
  /** The delay that the response asked for, in milliseconds. Null: none. */
  readonly retryAfterMs: number | null;
}

/** Milliseconds until the next attempt; null when there is none. */
export function nextDelayMs(schedule: readonly number[], options: DelayOptions): number | null {
  const seconds = schedule[options.tries];
  if (seconds === undefined) return null;
  const delay = seconds * 1000 * (1 - JITTER + 2 * JITTER * options.random());
  const longest = Math.max(MAX_RETRY_AFTER_SECONDS, ...schedule) * 1000;
  return Math.round(Math.max(delay, Math.min(options.retryAfterMs ?? 0, longest)));
}

/** A `Retry-After` header: seconds, or a date. Null if it is absent or malformed. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,10}$/.test(header)) return Number(header) * 1000;
  const date = httpDate(header, () => nowMs);
  return date === null ? null : Math.max(0, date * 1000 - nowMs);
}

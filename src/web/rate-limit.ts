// A rate limit: how many requests in how long.
import { checkWhole } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';

/** A number of requests in a window that begins with the first of them. */
export interface RateLimit {
  /** 1..1,000,000. */
  readonly limit: number;
  /** 1..86,400. */
  readonly windowSeconds: number;
}

/** Checks a limit. @param name how the error names it @throws GazetteError `invalid_option` */
export function checkRateLimit(name: string, rate: RateLimit): RateLimit {
  checkWhole(`${name}.limit`, rate.limit, 1, 1_000_000);
  checkWhole(`${name}.windowSeconds`, rate.windowSeconds, 1, 86_400);
  return rate;
}

/** A limit as text. @example rateText({ limit: 600, windowSeconds: 60 }) // '600/60' */
export function rateText({ limit, windowSeconds }: RateLimit): string {
  return `${limit}/${windowSeconds}`;
}

/** Reads a limit such as `600/60`. @param name how the error names it @throws GazetteError `invalid_option` */
export function parseRate(name: string, text: string): RateLimit {
  const [, limit, windowSeconds] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? [];
  if (limit === undefined) {
    const message = `${name} must be requests/seconds such as 600/60, got ${quote(text)}`;
    throw new GazetteError('invalid_option', message, { details: { option: name } });
  }
  return checkRateLimit(name, { limit: Number(limit), windowSeconds: Number(windowSeconds) });
}

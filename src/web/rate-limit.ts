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

/** Limits as texts: at most 1000000/86400. */
export const RATES: { readonly pattern: RegExp } = {
  pattern: /^(?:[1-9]\d{0,5}|1000000)\/(?:[1-9]\d{0,3}|[1-7]\d{4}|8[0-5]\d{3}|86[0-3]\d{2}|86400)$/,
};

/** Reads a limit such as `600/60`. @param name how the error names it @throws GazetteError `invalid_option` */
export function parseRate(name: string, text: string): RateLimit {
  if (!RATES.pattern.test(text)) {
    const message = `${name} must be requests/seconds such as 600/60, at most 1000000/86400, got ${quote(text)}`;
    throw new GazetteError('invalid_option', message, { details: { option: name } });
  }
  const [limit, windowSeconds] = text.split('/').map(Number);
  return { limit: limit!, windowSeconds: windowSeconds! };
}

// The limits of callers as options: `600/60` is 600 requests in 60 seconds, `none` turns a limit off.
import { InvalidArgumentError } from 'commander';
import {
  ADDRESS_LIMIT,
  FAILURE_LIMIT,
  KEY_LIMIT,
  PREVIEW_LIMIT,
  type RateLimitOptions,
} from '../../access/rate-limits.ts';
import { isGazetteError } from '../../errors.ts';
import { parseRate, type RateLimit, rateText } from '../../web/rate-limit.ts';
import { type Option, type Options, settings } from '../command.ts';

/** A limit as an option. */
export type Rate = RateLimit | 'none';

/** The limits of all callers, as options. */
export interface LimitOptions {
  readonly limitKey: Rate;
  readonly limitAddress: Rate;
  readonly limitPreviews: Rate;
  readonly limitFailures: Rate;
}

/** The limits of all callers. */
export const LIMIT_OPTIONS: Options<LimitOptions> = settings({
  limitKey: limit('how much each key may request; none for no limit', KEY_LIMIT),
  limitAddress: limit('how much an address without a key may request', ADDRESS_LIMIT),
  limitPreviews: limit('how many previews an address may request; an unknown id counts twice', PREVIEW_LIMIT),
  limitFailures: limit('how many keys that do not exist an address may send', FAILURE_LIMIT),
});

/** The limit of one account. */
export const ACCOUNT_LIMIT: Option<Rate | undefined> = {
  value: '<requests/seconds>',
  description: 'how much its keys may request together, such as 1200/60; none: each as much as any key',
  default: undefined,
  read: readRate,
};

function limit(description: string, rate: RateLimit): Option<Rate> {
  return { value: '<requests/seconds>', description, default: rate, defaultText: rateText(rate), read: readRate };
}

/** The limits for the service. */
export function limitsOf(options: LimitOptions): RateLimitOptions {
  return {
    perKey: limitOf(options.limitKey),
    perAddress: limitOf(options.limitAddress),
    previews: limitOf(options.limitPreviews),
    failures: limitOf(options.limitFailures),
  };
}

/** The limit of a rate; null: none. */
export function limitOf(rate: Rate): RateLimit | null {
  return rate === 'none' ? null : rate;
}

/** Reads a limit. @throws InvalidArgumentError */
function readRate(text: string): Rate {
  if (text === 'none') return text;
  try {
    return parseRate('it', text);
  } catch (error) {
    if (!isGazetteError(error)) throw error;
    throw new InvalidArgumentError('It must be requests/seconds, such as 600/60, at most 1000000/86400, or none.');
  }
}

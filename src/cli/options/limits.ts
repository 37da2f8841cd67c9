// The limits of callers as options: `600/60` is 600 requests in 60 seconds, `none` turns a limit off.
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  ADDRESS_LIMIT,
  FAILURE_LIMIT,
  KEY_LIMIT,
  PREVIEW_LIMIT,
  type RateLimitOptions,
} from '../../access/rate-limits.ts';
import { isGazetteError } from '../../errors.ts';
import { parseRate, type RateLimit, rateText } from '../../web/rate-limit.ts';

/** A limit as commander gives it, which makes an empty text of null. */
export type Rate = RateLimit | 'none';

/** The limits as commander gives them. */
export interface LimitOptions {
  readonly limitKey: Rate;
  readonly limitAddress: Rate;
  readonly limitPreviews: Rate;
  readonly limitFailures: Rate;
}

/** Adds the limits of all callers. */
export function addLimitOptions(command: Command): Command {
  const limit = (name: string, description: string, rate: RateLimit): Option =>
    new Option(`--limit-${name} <requests/seconds>`, description).argParser(readRate).default(rate, rateText(rate));
  return command
    .addOption(limit('key', 'how much each key may request; none for no limit', KEY_LIMIT))
    .addOption(limit('address', 'how much an address without a key may request', ADDRESS_LIMIT))
    .addOption(limit('previews', 'how many previews an address may request; an unknown id counts twice', PREVIEW_LIMIT))
    .addOption(limit('failures', 'how many keys that do not exist an address may send', FAILURE_LIMIT));
}

/** The limit of one account. */
export function accountLimitOption(): Option {
  return new Option(
    '--limit <requests/seconds>',
    'how much its keys may request together, such as 1200/60; none: each as much as any key',
  ).argParser(readRate);
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

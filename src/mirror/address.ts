// The address of a register that is copied, and the wait between two requests.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { addressOf } from '../client/address.ts';
import { GazetteError } from '../errors.ts';

/** What an address must look like. */
const EXAMPLE = 'https://example.org/api/v1/feeds/permits';

/** The address of a register, as it is requested. @throws GazetteError `invalid_option`, `usage` */
export function registerAddress(address: string | URL): URL {
  const feed = addressOf(address);
  if (feed.search !== '' || feed.hash !== '' || !/\/feeds\/[^/]+\/*$/.test(feed.pathname)) {
    throw new GazetteError('usage', `the address must be that of a register, such as ${EXAMPLE}, and no more`);
  }
  feed.pathname = feed.pathname.replace(/\/+$/, '');
  return feed;
}

/** Ends early when the signal fires; the next request then reports it. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

// Reads a record's versions, newest first, until a page is shorter than requested (specification 4.3.1 and 4.3.2).
import { GazetteError } from '../errors.ts';
import { isObject } from '../checks.ts';
import { PAGE_SIZE } from '../register/page.ts';
import type { RecordVersion } from '../register/record.ts';
import { addQuery, addressOf, numberIn } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { MAX_REPEATED, repeats } from './repeats.ts';
import { jsonOf, Requester, where } from './requester.ts';

/** Options of {@link history}. */
export interface HistoryOptions extends ClientOptions {
  /** Versions per page, 1 to 100. Default: the value in the URL, else 100. */
  readonly limit?: number;
  /** Whether each version carries its statement. Default: the URL decides. */
  readonly withStatement?: boolean;
}

/**
 * The versions of a record, newest first, each exactly once, even if new ones are recorded meanwhile.
 *
 * @param url URL of the history: `https://example.org/api/v1/records/permits:2026-0417/history`
 * @throws GazetteError `invalid_option`, `invalid_answer`, `body_too_large`, `request_refused`, `request_failed`, `aborted`.
 * @example for await (const { version, cause, changed } of history(url, { key })) console.log(version, cause, changed);
 */
export async function* history(
  url: string | URL,
  options: HistoryOptions = {},
): AsyncGenerator<RecordVersion, void, undefined> {
  const address = addressOf(url);
  const requester = new Requester(address, options);
  addQuery(address, { limit: options.limit ?? numberIn(address, 'limit', PAGE_SIZE) });
  if (options.withStatement === true) address.searchParams.set('statement', '1');
  let lowest = Infinity;
  let repeated = 0;
  for (let offset = numberIn(address, 'offset', 0); ;) {
    address.searchParams.set('offset', String(offset));
    const versions = jsonOf(await requester.getPage(address, 'application/json'));
    const limit = numberIn(address, 'limit', PAGE_SIZE);
    if (!Array.isArray(versions) || !versions.every(isVersion) || versions.length > limit) {
      throw new GazetteError('invalid_answer', `${where(address)} must answer an array of at most ${limit} versions`);
    }
    const before = lowest;
    for (const version of versions) {
      // A version recorded meanwhile shifts the others down, so some are received twice.
      if (version.version >= lowest) continue;
      lowest = version.version;
      yield version;
    }
    if (versions.length < limit) return;
    repeated = lowest < before ? 0 : repeated + 1;
    if (repeated === MAX_REPEATED) throw repeats(address);
    offset += versions.length;
  }
}

function isVersion(value: unknown): value is RecordVersion {
  return isObject(value) && Number.isSafeInteger(value.version);
}

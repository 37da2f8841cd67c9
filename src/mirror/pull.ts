// A complete copy of a register from a service, in one file, checked to be complete. It may be stopped or killed at any
// moment; a further run with `resume` continues where it stopped.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { addressOf } from '../client/address.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { Requester } from '../client/requester.ts';
import { GazetteError, quote } from '../errors.ts';
import { copyRegister, type PullResult } from './copy.ts';
import { type JoinedFormat, JOINERS } from './joiners.ts';
import { PulledFile } from './partial-file.ts';

/** Options of {@link pullRegister}: how to request, and what to do with the responses. */
export interface PullOptions extends Omit<ClientOptions, 'cache'> {
  /** What to write. */
  readonly format: JoinedFormat;
  /**
   * The file to write; it appears only once it is complete. Until then, `OUTPUT.part` and `OUTPUT.pull.json` are next
   * to it.
   */
  readonly output: string;
  /**
   * Whether to continue an interrupted copy, if there is one. Default: such a copy is kept, and the pull is refused.
   */
  readonly resume?: boolean;
  /** Called after each page with the progress of the copy. */
  readonly onProgress?: (progress: PullProgress) => void;
  /** Called before each wait for a retry, with its duration in milliseconds. */
  readonly onWait?: (ms: number) => void;
}

/** The progress of a copy. */
export interface PullProgress {
  /** Records in the file. */
  readonly records: number;
  /**
   * The view of the copy: the register's highest position when it began, and therefore the maximum number of records.
   */
  readonly asOf: number;
}

/** What an address must look like. */
const EXAMPLE = 'https://example.org/api/v1/feeds/permits';

/**
 * Copies a whole register from a service into one file. The copy shows the register at the moment when it began: the
 * service returned each of its positions, or reported it as withdrawn.
 *
 * A pull that fails leaves the received pages in `OUTPUT.part`. It can be resumed, unless it failed with
 * `incomplete_copy` or `register_changed`: then a further pull begins from the start.
 *
 * @param register its address: `https://example.org/api/v1/feeds/permits`
 * @param options a whole register needs an API key, `options.key`
 * @throws GazetteError `invalid_option`, `unknown_format` and `usage` for an address, a format, an output or an earlier
 *   copy that cannot be used, `invalid_input` for the damaged state of an earlier copy, `output_failed`, also while
 *   another run is at the same file; `incomplete_copy`, `register_changed`, `invalid_answer`, `request_refused`,
 *   `request_failed`, `foreign_address`, `aborted`.
 *
 * @example
 * const { records } = await pullRegister('https://example.org/api/v1/feeds/permits', { key, format: 'csv', output: 'permits.csv' });
 */
export async function pullRegister(register: string | URL, options: PullOptions): Promise<PullResult> {
  const { format, output, resume = false, onProgress, onWait, sleep = wait, ...client } = options;
  const feed = registerAddress(register);
  if (!Object.hasOwn(JOINERS, format)) {
    const names = Object.keys(JOINERS).join(', ');
    throw new GazetteError('unknown_format', `format must be one of ${names}, got ${quote(format)}`);
  }
  const pause = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
    onWait?.(ms);
    await sleep(ms, signal);
  };
  const requester = new Requester(feed, { ...client, sleep: pause });
  const file = await PulledFile.open(output, resume);
  try {
    return await copyRegister({
      feed,
      format,
      file,
      requester,
      pause: (ms) => pause(ms, client.signal),
      onPage: ({ records, asOf }) => onProgress?.({ records, asOf }),
    });
  } finally {
    await file.close();
  }
}

/** @throws GazetteError `invalid_option`, `usage` */
function registerAddress(address: string | URL): URL {
  const feed = addressOf(address);
  if (feed.search !== '' || feed.hash !== '' || !/\/feeds\/[^/]+\/*$/.test(feed.pathname)) {
    throw new GazetteError('usage', `the address must be that of a register, such as ${EXAMPLE}, and no more`);
  }
  feed.pathname = feed.pathname.replace(/\/+$/, '');
  return feed;
}

/** Ends early when the signal fires; the next request then reports it. */
async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

// A complete copy of a register from a service, in one file, proved to be complete. It may be stopped or killed at any
// moment; a further run with `resume` continues where it stopped.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { addressOf } from '../client/address.ts';
import type { ClientOptions } from '../client/client-options.ts';
import { Requester } from '../client/requester.ts';
import { GazetteError, quote } from '../errors.ts';
import { copyRegister, type PullResult } from './copy.ts';
import { type JoinedFormat, JOINERS } from './joiners.ts';
import { PulledFile } from './partial-file.ts';

/** What {@link pullRegister} takes: how the service is asked, and what is made of its answers. */
export interface PullOptions extends Omit<ClientOptions, 'cache'> {
  /** What to write. */
  readonly format: JoinedFormat;
  /** The file to write: whole or not at all. Until it is complete, `OUTPUT.part` and `OUTPUT.pull.json` lie beside it. */
  readonly output: string;
  /** Continue a copy that was stopped, where there is one. Default: such a copy is kept, and the pull is refused. */
  readonly resume?: boolean;
  /** Told after each page how far the copy is. */
  readonly onProgress?: (progress: PullProgress) => void;
  /** Told before each wait, in milliseconds, for an answer that can be used. */
  readonly onWait?: (ms: number) => void;
}

/** How far a copy is. */
export interface PullProgress {
  /** Records in the file. */
  readonly records: number;
  /** The view that the copy is of: the register's highest position when it was begun, and so at most as many records. */
  readonly asOf: number;
}

/** What an address must look like. */
const EXAMPLE = 'https://example.org/api/v1/feeds/permits';

/**
 * Copies a whole register from a service into one file. The copy is of the moment at which it was begun, and each of its
 * positions was answered by the service or withdrawn.
 *
 * A pull that fails leaves what came in `OUTPUT.part`. It can be resumed, unless it failed with `incomplete_copy` or
 * `register_changed`: then a further pull begins from the start.
 *
 * @param register its address: `https://example.org/api/v1/feeds/permits`
 * @param options a whole register needs an API key, `options.key`
 * @throws GazetteError `invalid_option`, `unknown_format` and `usage` for an address, a format, an output or an earlier copy
 *   that cannot be used, `invalid_input` for the damaged state of an earlier copy, `output_failed`, also while another run is at the same file;
 *   `incomplete_copy`, `register_changed`, `invalid_answer`, `request_refused`, `request_failed`, `foreign_address`,
 *   `aborted`.
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

/** Ends early when the signal fires; the request that follows then says so. */
async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleepFor(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

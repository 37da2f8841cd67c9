// A complete copy of a register from a service, in one file, checked to be complete. It may be stopped or killed at any
// moment; a further run with `resume` continues where it stopped.
import type { ClientOptions } from '../client/client-options.ts';
import { Requester } from '../client/requester.ts';
import { GazetteError, quote } from '../errors.ts';
import { registerAddress, wait } from './address.ts';
import { copyRegister, type PullResult } from './copy.ts';
import { type JoinedFormat, JOINERS } from './joiners.ts';
import { PulledFile } from './partial-file.ts';
import { PROVING } from '../wings/proving.ts';
import type { BegunCopy, CopyProver, ProveOptions } from './prover.ts';

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
  /**
   * Compares every record with what the register's log signed; of the format `ndjson` alone. `vkey` is the key of the log, from
   * somebody whom you trust. The signed checkpoints of the log and of the log of logs are kept in `OUTPUT.note`, and the next such copy
   * checks that both begin with what they had then; otherwise the evidence is kept in `OUTPUT.note.forked`. `policy` is a policy file
   * (C2SP tlog-policy): its quorum of witnesses must have signed the log of logs. Default: the copy is complete by the service's word.
   */
  readonly prove?: {
    readonly vkey: string;
    readonly policy?: Uint8Array | string;
  };
  /** Called with the progress of the copy after each page, or piece of the whole. */
  readonly onProgress?: (progress: PullProgress) => void;
  /** Called when the copy begins anew by itself, with the reason: as a rule, the register has changed since the connection broke. */
  readonly onRestart?: (reason: GazetteError) => void;
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

/**
 * Copies a whole register from a service into one file. The copy shows the register at the moment when it began: the
 * service returned each of its positions, or reported it as withdrawn.
 *
 * The register comes as one answer, or page by page where its service has no such answer, or where it changes again and again while the
 * connection breaks.
 *
 * A pull that fails leaves what it received in `OUTPUT.part`. It can be resumed, unless it failed with
 * `incomplete_copy`, `register_changed`, `invalid_proof` or `log_forked`: then a further pull begins from the start.
 *
 * @param register its address: `https://example.org/api/v1/feeds/permits`
 * @param options a whole register needs an API key, `options.key`, unless it is open
 * @throws GazetteError `invalid_option`, `unknown_format` and `usage` for an address, a format, an output or an earlier
 *   copy that cannot be used, `invalid_input` for the damaged state of an earlier copy, `output_failed`, also while
 *   another run is at the same file; `incomplete_copy`, `register_changed`, `invalid_answer`, with `prove` also `invalid_proof`,
 *   `log_stale`, `log_forked` and `invalid_log_key`; `request_refused`,
 *   `request_failed`, `body_too_large`, `foreign_address`, `credentials_required` without a key of a register that is not open, `aborted`.
 *
 * @example
 * const { records } = await pullRegister('https://example.org/api/v1/feeds/permits', { key, format: 'csv', output: 'permits.csv' });
 */
export async function pullRegister(register: string | URL, options: PullOptions): Promise<PullResult> {
  const { format, output, resume = false, prove, onProgress, onRestart, onWait, sleep = wait, ...client } = options;
  const feed = registerAddress(register);
  if (!Object.hasOwn(JOINERS, format)) {
    const names = Object.keys(JOINERS).join(', ');
    throw new GazetteError('unknown_format', `format must be one of ${names}, got ${quote(format)}`);
  }
  // Refused before anything is read.
  const proverOf = prove === undefined ? null : provingOf(prove, format);
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
      onRestart,
      ...(proverOf && { prover: proverOf({ feed, requester, client: { ...client, sleep: pause }, path: file.path }) }),
    });
  } finally {
    await file.close();
  }
}

/** @throws GazetteError `usage`, `invalid_log_key`, `invalid_option` */
function provingOf(prove: ProveOptions, format: JoinedFormat): (copy: BegunCopy) => CopyProver {
  if (format !== 'ndjson') {
    throw new GazetteError(
      'usage',
      `a proved copy is of the format ndjson, which says all that was signed, not ${format}`,
    );
  }
  const [wing] = PROVING;
  if (wing === undefined) throw new GazetteError('usage', 'copies are not proved here: prove must be absent');
  return wing.copies(prove);
}

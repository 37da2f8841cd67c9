// `gazette pull`: a complete copy of a register from a service, in one file (mirror/pull.ts).
import { GazetteError, isGazetteError } from '../../errors.ts';
import type { PullResult } from '../../mirror/copy.ts';
import { type JoinedFormat, JOINERS } from '../../mirror/joiners.ts';
import type { ProveOptions } from '../../mirror/prover.ts';
import { pullRegister } from '../../mirror/pull.ts';
import { counted } from '../../register/counted.ts';
import { type Argument, choice, type Undescribed, command, flag, required, text, type Options } from '../command.ts';
import { Progress } from '../io/progress.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** The environment variable with the key: other users can read a command line. */
export const KEY_VARIABLE = 'GAZETTE_API_KEY';

/** The register. */
export const ADDRESS: Argument & readonly ['<url>', string] = [
  '<url>',
  'the address of the register, such as https://example.org/api/v1/feeds/permits',
];

/** What is written, and where. */
export interface PulledOptions {
  readonly format: JoinedFormat;
  readonly output: string;
  readonly resume?: true;
}

/** The options of it. */
export const PULL_OPTIONS: Options<PulledOptions> = {
  format: required(choice('<name>', 'what to write', Object.keys(JOINERS) as readonly JoinedFormat[])),
  output: required(text('<file>', 'the file to write; it appears complete or not at all')),
  resume: flag('continue an interrupted copy, if there is one'),
};

/** `gazette pull`. */
export const pullCommand: Undescribed = command({
  arguments: [ADDRESS],
  options: PULL_OPTIONS,
  async run([url], options, { io, signal }) {
    await pull(url, options, io, signal);
  },
});

/**
 * Copies a register, and says so.
 *
 * @param prove by what the copy is proved. Default: it is not
 * @throws GazetteError as `pullRegister()`
 */
export async function pull(
  address: string,
  options: PulledOptions,
  io: Io,
  signal: AbortSignal,
  prove?: ProveOptions,
): Promise<PullResult> {
  const key = io.env[KEY_VARIABLE];
  const progress = new Progress(io.stderr, null);
  try {
    const copy = await pullRegister(address, {
      ...(key === undefined || key === '' ? {} : { key }),
      ...{ signal, format: options.format, output: options.output, resume: options.resume === true },
      ...(prove && { prove }),
      onProgress: ({ records, asOf }) => {
        progress.update({ records, bytesRead: 0, of: asOf });
      },
      onRestart: ({ message }) => {
        progress.clear();
        say(io, `begins anew: ${message}`);
      },
      onWait: (ms) => {
        progress.say(`no usable answer; trying again in ${Math.ceil(ms / 1000)} s`);
      },
    });
    progress.clear();
    say(io, `${options.output} is complete: ${proofOf(copy)}`);
    return copy;
  } catch (error) {
    throw withKeyVariable(error);
  } finally {
    progress.clear();
  }
}

/** The error for a command: one that asks for a key says where the key is read from. */
export function withKeyVariable(error: unknown): unknown {
  if (!isGazetteError(error)) return error;
  const { code, message, details } = error;
  const refusal = code === 'request_refused' ? details.code : code;
  return refusal === 'credentials_required'
    ? new GazetteError('usage', `${message}; set ${KEY_VARIABLE}`, { cause: error })
    : error;
}

function proofOf({ asOf, records, withdrawn, provedTo }: PullResult): string {
  const proof = asOf === 0 ? '' : `, each position from ${asOf} down to 1 answered`;
  const signed = provedTo === undefined ? '' : `; complete and unrewritten to change ${provedTo}`;
  return counted(records, 'record') + proof + (withdrawn === 0 ? '' : `, or withdrawn (${withdrawn})`) + signed;
}

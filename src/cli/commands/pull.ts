// `gazette pull`: a complete copy of a register from a service, in one file (mirror/pull.ts).
import { GazetteError, isGazetteError } from '../../errors.ts';
import type { PullResult } from '../../mirror/copy.ts';
import { type JoinedFormat, JOINERS } from '../../mirror/joiners.ts';
import { pullRegister } from '../../mirror/pull.ts';
import { counted } from '../../register/counted.ts';
import { choice, type Undescribed, command, flag, required, text, type ValuesOf } from '../command.ts';
import { listingTexts } from '../../wings/proofs/cli/verify.ts';
import { Progress } from '../io/progress.ts';
import { policyOptions, readPolicy } from '../../wings/proofs/cli/policy.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** The environment variable with the key: other users can read a command line. */
const KEY_VARIABLE = 'GAZETTE_API_KEY';

const OPTIONS = {
  format: required(choice('<name>', 'what to write', Object.keys(JOINERS) as readonly JoinedFormat[])),
  output: required(text('<file>', 'the file to write; it appears complete or not at all')),
  resume: flag('continue an interrupted copy, if there is one'),
  prove: flag('compare every record with what the log of the register signed; needs --vkey and --format ndjson'),
  vkey: text('<key>', 'for --prove: the key that checks the signatures of the log'),
  ...policyOptions('for --prove'),
};

/** `gazette pull`. */
export const pullCommand: Undescribed = command({
  arguments: [['<url>', 'the address of the register, such as https://example.org/api/v1/feeds/permits']],
  options: OPTIONS,
  run: ([url], options, { io, signal }) => pull(url, options, io, signal),
});

async function pull(address: string, options: ValuesOf<typeof OPTIONS>, io: Io, signal: AbortSignal): Promise<void> {
  const key = io.env[KEY_VARIABLE];
  if ((options.prove === true) !== (options.vkey !== undefined)) {
    throw new GazetteError(
      'usage',
      '--prove and --vkey go together: the key of the register’s log says what is proved',
    );
  }
  const { vkey } = options;
  if (vkey === undefined && (options.witness !== undefined || options.policy !== undefined))
    throw new GazetteError('usage', '--witness and --policy need --prove');
  const policy = readPolicy(options);
  const progress = new Progress(io.stderr, null);
  try {
    const copy = await pullRegister(address, {
      ...(key === undefined || key === '' ? {} : { key }),
      ...{ signal, format: options.format, output: options.output, resume: options.resume === true },
      ...(vkey === undefined ? {} : { prove: { vkey, ...(policy === undefined ? {} : { policy }) } }),
      onProgress: ({ records, asOf }) => {
        progress.update({ records, bytesRead: 0, of: asOf });
      },
      onWait: (ms) => {
        progress.say(`no usable answer; trying again in ${Math.ceil(ms / 1000)} s`);
      },
    });
    progress.clear();
    say(io, `${options.output} is complete: ${proofOf(copy)}`);
    if (copy.listing !== undefined) for (const line of listingTexts(copy.listing)) say(io, line);
  } catch (error) {
    if (!isGazetteError(error, 'credentials_required')) throw error;
    throw new GazetteError('usage', `${error.message}; set ${KEY_VARIABLE}`, { cause: error });
  } finally {
    progress.clear();
  }
}

function proofOf({ asOf, records, withdrawn, provedTo }: PullResult): string {
  const proof = asOf === 0 ? '' : `, each position from ${asOf} down to 1 answered`;
  const signed = provedTo === undefined ? '' : `; complete and unrewritten to change ${provedTo}`;
  return counted(records, 'record') + proof + (withdrawn === 0 ? '' : `, or withdrawn (${withdrawn})`) + signed;
}

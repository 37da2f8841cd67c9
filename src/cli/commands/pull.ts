// `gazette pull`: a complete copy of a register from a service, in one file (mirror/pull.ts).
import { type Command, Option } from 'commander';
import { GazetteError, isGazetteError } from '../../errors.ts';
import type { PullResult } from '../../mirror/copy.ts';
import { type JoinedFormat, JOINERS } from '../../mirror/joiners.ts';
import { pullRegister } from '../../mirror/pull.ts';
import { counted } from '../../register/counted.ts';
import { listingTexts } from './log/verify.ts';
import { Progress } from '../io/progress.ts';
import { addPolicyOptions, type PolicyOptions, readPolicy } from './log/policy.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** The command's options as commander gives them. */
interface PullCommandOptions extends PolicyOptions {
  readonly format: JoinedFormat;
  readonly output: string;
  readonly resume?: true;
  readonly prove?: true;
  readonly vkey?: string;
}

/** The environment variable with the key: other users can read a command line. */
const KEY_VARIABLE = 'GAZETTE_API_KEY';

/** Adds `gazette pull` to the program. */
export function addPull(program: Command, io: Io, signal: AbortSignal): void {
  const command = program
    .command('pull')
    .description(
      `Copy a whole register from a service into one file. The API key, which an open register does not need, is read from ${KEY_VARIABLE}.`,
    )
    .argument('<url>', 'the address of the register, such as https://example.org/api/v1/feeds/permits')
    .addOption(new Option('--format <name>', 'what to write').choices(Object.keys(JOINERS)).makeOptionMandatory())
    .requiredOption('--output <file>', 'the file to write; it appears complete or not at all')
    .option('--resume', 'continue an interrupted copy, if there is one')
    .option(
      '--prove',
      'compare every record with what the log of the register signed; needs --vkey and --format ndjson',
    )
    .option('--vkey <key>', 'for --prove: the key that checks the signatures of the log');
  addPolicyOptions(command, 'for --prove').action((url: string, options: PullCommandOptions) =>
    pull(url, options, io, signal),
  );
}

async function pull(address: string, options: PullCommandOptions, io: Io, signal: AbortSignal): Promise<void> {
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

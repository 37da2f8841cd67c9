// `gazette pull`: a complete copy of a register from a service, in one file, proved to be complete. It can be stopped and
// killed at any moment and goes on where it stopped.
import { setTimeout } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { addressOf } from '../../client/address.ts';
import { Requester } from '../../client/requester.ts';
import { GazetteError } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { type Copy, copyRegister } from '../../mirror/copy-register.ts';
import { type JoinedFormat, JOINERS } from '../../mirror/joiners.ts';
import { Progress } from '../io/progress.ts';
import { PulledFile } from '../../mirror/partial-file.ts';

/** The command's options as commander gives them. */
interface PullOptions {
  readonly format: JoinedFormat;
  readonly output: string;
  readonly resume?: true;
}

/** The variable with the key: on a command line others could read it. */
const KEY_VARIABLE = 'GAZETTE_API_KEY';

const EXAMPLE = 'https://example.org/api/v1/feeds/permits';

/** Adds `gazette pull` to the program. */
export function addPull(program: Command, signal: AbortSignal): void {
  program
    .command('pull')
    .description(`Copies a whole register from a service into one file. The API key is taken from ${KEY_VARIABLE}.`)
    .argument('<url>', `the register, such as ${EXAMPLE}`)
    .addOption(new Option('--format <name>', 'what to write').choices(Object.keys(JOINERS)).makeOptionMandatory())
    .requiredOption('--output <file>', 'the file to write: whole or not at all')
    .option('--resume', 'go on with a copy that was stopped, where there is one')
    .action((url: string, options: PullOptions) => pull(url, options, signal));
}

async function pull(address: string, options: PullOptions, signal: AbortSignal): Promise<void> {
  const key = process.env[KEY_VARIABLE];
  if (key === undefined || key === '') {
    throw new GazetteError('usage', `a whole register needs an API key: set ${KEY_VARIABLE}`);
  }
  const feed = registerAddress(address);
  const progress = new Progress(process.stderr, null);
  const pause = async (ms: number): Promise<void> => {
    progress.say(`no answer that can be used; asking again in ${Math.ceil(ms / 1000)} s`);
    // Whoever waits looks at the signal afterwards.
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  };
  const requester = new Requester(feed, { key, signal, sleep: pause });
  const file = await PulledFile.open(options.output, options.resume === true);
  try {
    const copy = await copyRegister({
      feed,
      format: options.format,
      file,
      requester,
      pause,
      onPage: ({ records, asOf }) => {
        progress.update({ records, bytesRead: 0, of: asOf });
      },
    });
    progress.clear();
    process.stderr.write(`gazette: ${options.output} is complete: ${proofOf(copy)}\n`);
  } finally {
    progress.clear();
    await file.close();
  }
}

/** @throws GazetteError `invalid_option`, `usage` */
function registerAddress(address: string): URL {
  const feed = addressOf(address);
  if (feed.search !== '' || feed.hash !== '' || !/\/feeds\/[^/]+\/*$/.test(feed.pathname)) {
    throw new GazetteError('usage', `the address must be that of a register, such as ${EXAMPLE}, and no more`);
  }
  feed.pathname = feed.pathname.replace(/\/+$/, '');
  return feed;
}

function proofOf({ asOf, records, withdrawn }: Copy): string {
  const proof = asOf === 0 ? '' : `, each position from ${asOf} down to 1 answered`;
  return counted(records, 'record') + proof + (withdrawn === 0 ? '' : `, or withdrawn (${withdrawn})`);
}

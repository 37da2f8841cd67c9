// `gazette log`: the logs of registers, by which copies are proved: shown, keys made, and begun again where a store contradicts
// what was signed before.
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { GazetteError } from '../../../errors.ts';
import { parseCheckpoint } from '../../../proofs/checkpoint.ts';
import { parseNote } from '../../../proofs/note.ts';
import type { RegisterLog } from '../../../stores/contract/proofs/logs.ts';
import { confirm } from '../../io/confirm.ts';
import type { Io } from '../../io/io.ts';
import { say } from '../../io/say.ts';
import { openStore, storeOption, type StoreOptions, withStore } from '../../options/store.ts';

/** Adds `gazette log` and its subcommands to the program. */
export function addLog(program: Command, io: Io): void {
  const log = program
    .command('log')
    .description('Show the logs by which registers are proved, and make keys for them.');
  log
    .command('show')
    .description(
      'Show the log of each register: its name, its size, the size that is signed, and the key that checks it.',
    )
    .argument('[feed_id]', 'the register (default: all)')
    .addOption(storeOption())
    .action((feedId: string | undefined, options: StoreOptions) =>
      withStore(options, io, async ({ logs }) => {
        const found = feedId === undefined ? await logs.all() : [await logs.of(feedId)];
        for (const one of found) showLog(one, io);
      }),
    );
  log
    .command('key')
    .description(
      'Make a key that signs logs, for GAZETTE_LOG_KEY. Keep it: signatures of before stay valid with it alone.',
    )
    .action(() => {
      io.stdout.write(`${randomBytes(32).toString('hex')}\n`);
    });
  log
    .command('recover')
    .description('Decide how a log goes on whose store contradicts what was signed before.')
    .argument('<feed_id>', 'the register')
    .addOption(storeOption())
    .option('--new-log', 'begin a new log, under a new name; consumers begin their copies again')
    .option('--yes', 'do not ask')
    .action((feedId: string, options: StoreOptions & { newLog?: true; yes?: true }) => recover(feedId, options, io));
}

/** The size of a log that is signed; null when none is. */
function signedSize({ checkpoint }: RegisterLog): number | null {
  return checkpoint === null ? null : parseCheckpoint(parseNote(checkpoint).text).size;
}

function showLog(log: RegisterLog, { stdout }: Io): void {
  const { feedId, origin, vkey, size, changes } = log;
  const rest = size < changes ? ` of ${changes} changes; gazette serve adds the others` : '';
  const lines = [
    ['register', feedId],
    ['entries', `${size}${rest}`],
    ['signed', signedSize(log) ?? 'not yet'],
    ...(origin === null ? [] : [['origin', origin] as const]),
    ...(vkey === null ? [] : [['key', vkey] as const]),
  ] as const;
  for (const [name, value] of lines) stdout.write(`${name.padEnd(8)}  ${value}\n`);
  stdout.write('\n');
}

async function recover(
  feedId: string,
  options: StoreOptions & { readonly newLog?: true; readonly yes?: true },
  io: Io,
): Promise<void> {
  if (options.newLog !== true) {
    throw new GazetteError(
      'usage',
      'restore the latest state of the store if there is one, and gazette serve goes on signing; if there is none, pass --new-log',
    );
  }
  const { store, close } = await openStore(options.store, false);
  try {
    await store.logs.of(feedId);
    const question = `Begin a new log of ${feedId}? Its change numbers of before are refused from then on.`;
    if (options.yes !== true && !(await confirm(io, question)))
      throw new GazetteError('aborted', 'nothing was changed');
    await store.beginNewLogs({ at: new Date().toISOString(), feedId });
    say(io, `${feedId} has a new log; gazette serve signs it`);
  } finally {
    await close();
  }
}

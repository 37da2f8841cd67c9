// `gazette witness`: signs the checkpoints of other people's logs that only ever grew (C2SP tlog-witness), and makes the key for
// that.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { startServer } from '../../../adapters/server.ts';
import { GazetteError } from '../../../errors.ts';
import {
  formatVerifierKey,
  generateSignerKey,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
} from '../../../proofs/keys.ts';
import { counted } from '../../../register/counted.ts';
import { witnessHandler } from '../../../witness/handler.ts';
import { WitnessState } from '../../../witness/state.ts';
import { trustedLogs, Witness } from '../../../witness/witness.ts';
import type { Io } from '../../io/io.ts';
import { say } from '../../io/say.ts';
import { repeatable } from '../../options/collect.ts';
import { wholeNumber } from '../../options/metrics.ts';

/** The environment variable that contains the key. */
const WITNESS_KEY_VARIABLE = 'GAZETTE_WITNESS_KEY';

/** Logs share an address rarely: each asks one question at a time. */
const CONNECTIONS_PER_ADDRESS = 256;

interface ServeOptions {
  readonly log: readonly string[];
  readonly logs?: string;
  readonly state: string;
  readonly port: number;
  readonly host: string;
}

/** Adds `gazette witness` and its subcommands to the program. */
export function addWitness(program: Command, io: Io, signal: AbortSignal): void {
  const witness = program
    .command('witness')
    .description('Sign the logs of others, so that everybody is shown the same register.');
  witness
    .command('serve')
    .description(
      'Sign the checkpoints of these logs over HTTP, each only if it begins with the one before, with the key in GAZETTE_WITNESS_KEY.',
    )
    .addOption(repeatable('--log <key>', 'the key of a log that is signed, as gazette log show prints it', 'none'))
    .option('--logs <file>', 'a file with such keys, one in a line; lines with # are comments')
    .requiredOption('--state <file>', 'where to keep what was signed last of each log; never an older copy of it')
    .option('--port <number>', 'the port that the witness listens on; 0 for any free one', wholeNumber(0, 65_535), 8090)
    .option('--host <address>', 'the address that the witness listens on', '127.0.0.1')
    .action((options: ServeOptions) => serve(options, io, signal));
  witness
    .command('key')
    .description('Make a key of a witness, for GAZETTE_WITNESS_KEY, and print the key that checks what it signs.')
    .argument('<name>', 'the name of the witness: an address of yours without https://, such as example.org/witness')
    .action((name: string) => {
      const key = generateSignerKey(name, 'witness');
      io.stdout.write(`${key}\n`);
      say(io, `the key that checks its signatures: ${formatVerifierKey(parseSignerKey(key))}`);
    });
}

/** @throws GazetteError `usage`, `invalid_log_key`, `invalid_option`, `listen_failed` */
async function serve(options: ServeOptions, io: Io, signal: AbortSignal): Promise<void> {
  const key = keyIn(io);
  const logs = trustedLogs([...options.log, ...(await linesOf(options.logs))].map(parseVerifierKey));
  if (logs.size === 0) throw new GazetteError('usage', 'gazette witness serve needs --log or --logs');
  const state = WitnessState.open(options.state);
  try {
    const handler = witnessHandler(new Witness({ key, logs, state }), (error) => {
      say(io, `a request failed: ${error instanceof Error ? error.message : String(error)}`);
    });
    const { port, host } = options;
    const server = await startServer(handler, { port, host, connectionsPerAddress: CONNECTIONS_PER_ADDRESS });
    say(io, `signing ${counted(logs.size, 'log')} on ${server.url}`);
    say(io, `the key of the witness: ${formatVerifierKey(key)}`);
    if (!signal.aborted) await once(signal, 'abort');
    await server.stop();
  } finally {
    state.close();
  }
}

function keyIn({ env }: Io): SignerKey {
  const key = env[WITNESS_KEY_VARIABLE] ?? '';
  if (key !== '') return parseSignerKey(key.trim());
  throw new GazetteError('usage', `gazette witness serve needs ${WITNESS_KEY_VARIABLE}: gazette witness key NAME`);
}

async function linesOf(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GazetteError('invalid_option', `--logs cannot be read: ${why}`, { cause });
  });
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#'));
}

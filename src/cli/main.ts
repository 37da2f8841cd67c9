// Combines the commands, and converts every ending to an exit code: 0 done, 1 failed, 2 wrong usage, or the signal that
// ended it. Data goes to standard output, messages to standard error.
import { existsSync } from 'node:fs';
import { CommanderError } from 'commander';
import { type ErrorCode, GazetteError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { CONFIG_VARIABLE, CONFIGURATION_NAME, configOption } from './configuration/config-option.ts';
import { ConfiguredCommand, originsNamedIn, type Sources } from './configuration/configured-command.ts';
import { hasVariables, leavesOf } from './configuration/names.ts';
import type { Io } from './io/io.ts';
import { say } from './io/say.ts';

/** Adds a command to the program, which reads and writes what `io` gives. `signal` fires when the user interrupts. */
export type AddCommand = (program: ConfiguredCommand, io: Io, signal: AbortSignal) => void;

/**
 * Every command by its name, in the order of the help. A new command needs one file and one line here. Only the command
 * that is asked for is loaded: that takes half of the time that loading all of them takes.
 */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  init: async () => (await import('./commands/init.ts')).addInit,
  serve: async () => (await import('./commands/serve.ts')).addServe,
  register: async () => (await import('./commands/register.ts')).addRegister,
  record: async () => (await import('./commands/record.ts')).addRecord,
  mcp: async () => (await import('./commands/mcp.ts')).addMcp,
  import: async () => (await import('./commands/import.ts')).addImport,
  export: async () => (await import('./commands/export.ts')).addExport,
  account: async () => (await import('./commands/account.ts')).addAccount,
  key: async () => (await import('./commands/key.ts')).addKey,
  webhook: async () => (await import('./commands/webhook.ts')).addWebhook,
  log: async () => (await import('./commands/log/log.ts')).addLog,
  reconcile: async () => (await import('./commands/reconcile.ts')).addReconcile,
  backup: async () => (await import('./commands/backup.ts')).addBackup,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  pull: async () => (await import('./commands/pull.ts')).addPull,
  snapshot: async () => (await import('./commands/snapshot.ts')).addSnapshot,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
};

/** The names of all commands, in the order of the help. */
export const COMMAND_NAMES: readonly string[] = Object.keys(COMMANDS);

/** The codes of errors in the command line itself. */
const USAGE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'authority_required',
  'invalid_mapping',
  'invalid_option',
  'invalid_parameter',
  'unknown_format',
  'usage',
]);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the program with these arguments (without the interpreter and the script) and sets the process's exit code. */
export async function main(args: readonly string[]): Promise<void> {
  const interruption = new AbortController();
  for (const name of SIGNALS) {
    // Once: a second Ctrl-C ends the process at once.
    process.once(name, () => {
      interruption.abort(name);
    });
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed output (`| head`) is not a failure; a command that writes data reports other errors itself.
    if (error.code === 'EPIPE' || process.stdout.listenerCount('error') > 1) return;
    complain(process, `standard output cannot be written: ${error.message}`, 'output_failed');
    process.exitCode = 1;
  });
  // The reader of the messages may leave too (`2>&1 | head`): what is being written is ended or put away all the same.
  process.stderr.on('error', () => undefined);
  process.exitCode = await run(args, process, interruption.signal);
  for (const name of SIGNALS) process.removeAllListeners(name);
  // A caller that checks how the program ended sees the signal, as shells expect (a loop then ends too). A command that
  // had finished by then, or that is meant to be ended by a signal, has not failed.
  if (interruption.signal.aborted && process.exitCode !== 0)
    process.kill(process.pid, interruption.signal.reason as NodeJS.Signals);
}

/**
 * The program with these commands.
 *
 * @param names some of `COMMAND_NAMES`. Default: all
 * @param sources where values come from besides the arguments. Default: nowhere else
 */
export async function createProgram(
  io: Io,
  signal: AbortSignal,
  names: readonly string[] = COMMAND_NAMES,
  sources: Sources | null = null,
): Promise<ConfiguredCommand> {
  const program = new ConfiguredCommand('gazette', sources);
  program
    .description('Publishes registers of public records.')
    .version(VERSION, '--version', 'print the version')
    .helpCommand(false)
    .helpOption('--help', 'print this help')
    .addHelpText(
      'after',
      '\nOptions may also be variables of the environment (GAZETTE_PORT for --port) and members of gazette.json.',
    )
    .exitOverride()
    // Errors are printed below, once, in one form.
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // As wide as the terminal.
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      outputError: () => undefined,
    });
  for (const add of await Promise.all(names.map((name) => COMMANDS[name]!()))) add(program, io, signal);
  // Commander adds a command `help` to each that has subcommands, and does not ask the program.
  for (const command of program.commands) command.helpCommand(false);
  for (const command of leavesOf(program)) {
    const flags = command.options.map(({ long }) => long);
    if (flags.includes('--store') && !flags.includes('--config')) command.addOption(configOption());
  }
  return program;
}

/** Where values may come from besides the arguments; null where there is nothing else. */
async function findSources(args: readonly string[], io: Io): Promise<Sources | null> {
  const hasFile =
    args.some((arg) => /^--config(?:=|$)/.test(arg)) ||
    (io.env[CONFIG_VARIABLE] ?? '') !== '' ||
    existsSync(CONFIGURATION_NAME);
  if (!hasFile && !hasVariables(io.env)) return null;
  return (await import('./configuration/sources.ts')).sourcesOf(io, hasFile);
}

/**
 * Runs the program to its end.
 *
 * @param args without the interpreter and the script
 * @returns the exit code; an interruption by `signal` is 1, if the command did not end well in spite of it
 */
export async function run(args: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  // What begins with no command gets the help, or the name that was meant: all commands are needed then.
  const [name = ''] = args;
  const needed = COMMAND_NAMES.includes(name) ? [name] : COMMAND_NAMES;
  const names = name === '--version' ? [] : needed;
  const program = await createProgram(io, signal, names, await findSources(args, io));
  try {
    await program.parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (!(error instanceof CommanderError)) return report(error, program, io, signal);
    if (error.exitCode === 0) return 0;
    // Without a command, commander has already printed the help.
    if (error.code !== 'commander.help') {
      const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
      complain(io, message + originsNamedIn(message, program), 'usage');
    }
    return 2;
  }
}

function report(error: unknown, program: ConfiguredCommand, io: Io, signal: AbortSignal): number {
  if (signal.aborted) {
    complain(io, 'interrupted', 'aborted');
    return 1;
  }
  if (error instanceof GazetteError) {
    complain(io, error.message + originsNamedIn(error.message, program), error.code);
    // A fork is what others must hear of: scripts know it by its code.
    if (error.code === 'log_forked') return 3;
    return USAGE_CODES.has(error.code) ? 2 : 1;
  }
  complain(io, error instanceof Error ? (error.stack ?? error.message) : String(error), 'internal_error');
  return 1;
}

function complain(io: Io, message: string, code: ErrorCode): void {
  say(io, `${message} (${code})`);
}

// Combines the commands, and converts every ending to an exit code: 0 done, 1 failed, 2 wrong usage, or the signal that
// ended it. Data goes to standard output, messages to standard error.
import { existsSync } from 'node:fs';
import { CommanderError, type Command as Program } from 'commander';
import { type ErrorCode, GazetteError } from '../errors.ts';
import type { Command, CommandGroup } from './command.ts';
import type { Io } from './io/io.ts';
import { say } from './io/say.ts';
import { CONFIG_VARIABLE, CONFIGURATION_NAME, createProgram, HELP, originsNamedIn, type Sources } from './program.ts';

/**
 * Every command by its name, in the order of the help. A new command needs one file and one line here. Only the command
 * that is asked for is loaded: that takes half of the time that loading all of them takes.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command | CommandGroup>>> = {
  init: async () => (await import('./commands/init.ts')).initCommand,
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  register: async () => (await import('./commands/register.ts')).registerCommand,
  record: async () => (await import('./commands/record.ts')).recordCommand,
  mcp: async () => (await import('./commands/mcp.ts')).mcpCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  imports: async () => (await import('./commands/import/imports.ts')).importsCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  account: async () => (await import('./commands/account.ts')).accountCommand,
  key: async () => (await import('./commands/key.ts')).keyCommand,
  editor: async () => (await import('./commands/editor/editor.ts')).editorCommand,
  webhook: async () => (await import('./commands/webhook.ts')).webhookCommand,
  log: async () => (await import('./commands/log/log.ts')).logCommand,
  reconcile: async () => (await import('./commands/reconcile.ts')).reconcileCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  pull: async () => (await import('./commands/pull.ts')).pullCommand,
  snapshot: async () => (await import('./commands/snapshot.ts')).snapshotCommand,
  verify: async () => (await import('./commands/verify.ts')).verifyCommand,
  completion: async () => (await import('./completion.ts')).completionCommand(loadCommands),
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

/** The option that asks for help, as it may be written. */
const ASKS_FOR_HELP = /^(?:-h|--help(?:=all)?)$/;

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

/** These commands, by their names. @param names some of `COMMAND_NAMES`. Default: all */
export async function loadCommands(
  names: readonly string[] = COMMAND_NAMES,
): Promise<Readonly<Record<string, Command | CommandGroup>>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await COMMANDS[name]!()] as const)));
}

/** Where values may come from besides the arguments. What reads gazette.json loads the validator. */
async function findSources(args: readonly string[], { env }: Io): Promise<Sources> {
  const hasFile =
    args.some((arg) => /^--config(?:=|$)/.test(arg)) ||
    (env[CONFIG_VARIABLE] ?? '') !== '' ||
    existsSync(CONFIGURATION_NAME);
  return { env, read: hasFile ? (await import('./configuration/file.ts')).readConfiguration : null };
}

/**
 * Runs the program to its end.
 *
 * @param args without the interpreter and the script
 * @returns the exit code; an interruption by `signal` is 1, if the command did not end well in spite of it
 */
export async function run(args: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const { words, help } = withoutHelp(args);
  // What begins with no command gets the help, or the name that was meant: all commands are needed then.
  const [name = ''] = words;
  const isCommand = COMMAND_NAMES.includes(name);
  const commands = await loadCommands(name === '--version' ? [] : isCommand ? [name] : COMMAND_NAMES);
  const how = { sources: await findSources(args, io), showsBasics: help === 'basics' };
  const program = createProgram(commands, io, signal, how);
  // A name that is none is refused as it is without a wish for help.
  const isHelp = help !== null && (isCommand || name === '');
  try {
    await program.parseAsync(isHelp ? [...words, HELP] : words, { from: 'user' });
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

/** The arguments without what asks for help: `help serve`, `serve -h`, `serve --help all`. */
function withoutHelp(args: readonly string[]): {
  readonly words: readonly string[];
  readonly help: 'basics' | 'all' | null;
} {
  const isFirst = args[0] === 'help';
  const at = isFirst ? 0 : args.findIndex((arg) => ASKS_FOR_HELP.test(arg));
  if (at === -1) return { words: args, help: null };
  const words = args.toSpliced(at, 1);
  const isAll = words[isFirst ? words.length - 1 : at] === 'all' || args[at] === `${HELP}=all`;
  return { words: words.filter((word) => !(isAll && word === 'all')), help: isAll ? 'all' : 'basics' };
}

function report(error: unknown, program: Program, io: Io, signal: AbortSignal): number {
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

// Combines the commands, and converts every ending to an exit code: 0 done, 1 failed, 2 wrong usage, or the signal that
// ended it. Data goes to standard output, messages to standard error.
import { CommanderError, type Command as Program } from 'commander';
import { type ErrorCode, GazetteError } from '../errors.ts';
import {
  type Argument,
  type Command,
  type CommandGroup,
  FEED_ID,
  JSON_OUTPUT,
  type UndescribedGroup,
} from './command.ts';
import type { Io } from './io/io.ts';
import { COMMANDS as WING_COMMANDS } from '../wings/commands.ts';
import { say } from './io/say.ts';
import type { ListedCommand } from './wings.ts';
import { loadPluginCommands } from './named-plugins.ts';
import { configurationPathIn, createProgram, HELP, originsNamedIn, type Sources } from './program.ts';

/** Every command of the core by its name, in the order of the help. A new command needs one file and one entry here. */
const CORE: Readonly<Record<string, ListedCommand>> = {
  init: {
    usage: '[options] [file]',
    description:
      'Make a register of a file of yours: find out how to read it, write gazette.json, import and serve it.',
    load: async () => (await import('./commands/init.ts')).initCommand,
  },
  serve: {
    usage: '[options]',
    description: 'Serve the registers of a store over HTTP, and send webhooks if GAZETTE_SECRETS_KEY is set.',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  register: {
    usage: '',
    description: 'Manage registers: create, change, list, show or delete one, or print its XML schema.',
    load: async () => (await import('./commands/register.ts')).registerCommand,
  },
  record: {
    usage: '',
    description:
      'Show one record, correct, withdraw or restore it by hand, erase its content, or give records new keys.',
    load: async () => (await import('./commands/record.ts')).recordCommand,
  },
  mcp: {
    usage: '[options]',
    description: 'Let an agent on this machine read all records of a store, over standard input and output (MCP).',
    load: async () => (await import('./commands/mcp.ts')).mcpCommand,
  },
  import: {
    usage: `[options] ${FEED_ID} [file]`,
    description: 'Load a file into a register. Only new and changed records are added.',
    load: async () => (await import('./commands/import.ts')).importCommand,
  },
  imports: {
    usage: '',
    description: 'List the imports of a register, decide about proposals, take an import back.',
    load: async () => (await import('./commands/import/imports.ts')).importsCommand,
  },
  export: {
    usage: `[options] ${FEED_ID}`,
    description:
      'Write a register, or the records of a file, as CSV, XLSX, XML, RSS, Atom, NDJSON, Parquet or GeoJSON.',
    load: async () => (await import('./commands/export.ts')).exportCommand,
  },
  account: {
    usage: '',
    description: 'Manage accounts: who has access, and until when.',
    load: async () => (await import('./commands/account.ts')).accountCommand,
  },
  key: {
    usage: '',
    description: 'Create, change, rotate, revoke and list the API keys of an account.',
    load: async () => (await import('./commands/key.ts')).keyCommand,
  },
  editor: {
    usage: '',
    description: 'Manage editors: who works on registers at the desk, the pages of gazette serve --desk.',
    load: async () => (await import('./commands/editor/editor.ts')).editorCommand,
  },
  webhook: {
    usage: '',
    description: 'Manage webhooks: where events go, and what became of each.',
    load: async () => (await import('./commands/webhook.ts')).webhookCommand,
  },
  backup: {
    usage: '[options] <file>',
    description: 'Copy a SQLite store to a new file. It may be in use meanwhile.',
    load: async () => (await import('./commands/backup.ts')).backupCommand,
  },
  doctor: {
    usage: '[options]',
    description:
      'Check an installation: its settings, every row of its store, the modes of its files, what interrupted commands left; and with --base-url, what the world sees.',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  pull: {
    usage: '[options] <url>',
    description:
      'Copy a whole register from a service into one file. The API key, which an open register does not need, is read from GAZETTE_API_KEY.',
    load: async () => (await import('./commands/pull.ts')).pullCommand,
  },
  mirror: {
    usage: '[options] <url> [feed_id]',
    description:
      'Keep a register of another service in this store: all its records and versions, and whatever changes. The API key, which an open register does not need, is read from GAZETTE_API_KEY.',
    load: async () => (await import('./commands/mirror.ts')).mirrorCommand,
  },
  snapshot: {
    usage: '[options]',
    description: 'Write registers as files for a static host. A later run writes only what has changed.',
    load: async () => (await import('./commands/snapshot.ts')).snapshotCommand,
  },
  verify: {
    usage: '[options] <folder>',
    description: 'Check a snapshot: find changed, missing and extra files, and wrong counts.',
    load: async () => (await import('./commands/verify.ts')).verifyCommand,
  },
  completion: {
    usage: '<shell>',
    description: 'Print a script that lets a shell complete commands and options.',
    load: async () => (await import('./completion.ts')).completionCommand(loadCommands),
  },
};

const COMMANDS = withWings(CORE);

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

/** What stands in the help for any options. */
const OPTIONS = '[options]';

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
  const load = async (name: string): Promise<readonly [string, Command | CommandGroup]> => {
    const { description, load } = COMMANDS[name]!;
    const own = await load();
    return [name, { ...('commands' in own ? await withBelow(name, own) : own), description }];
  };
  return Object.fromEntries(await Promise.all(names.map(load)));
}

/** All commands as their help lists them: they can do nothing. */
export function listedCommands(): Readonly<Record<string, Command>> {
  const listed = ({ usage, description }: ListedCommand): Command => {
    const words = usage === '' ? [] : usage.split(' ');
    return {
      description,
      arguments: words.filter((word) => word !== OPTIONS).map((word) => [word as Argument[0]]),
      options: words.includes(OPTIONS) ? { any: JSON_OUTPUT } : {},
      run: () => undefined,
    };
  };
  return Object.fromEntries(Object.entries(COMMANDS).map(([name, entry]) => [name, listed(entry)]));
}

/** All commands, those of wings in their places. */
function withWings(core: Readonly<Record<string, ListedCommand>>): Readonly<Record<string, ListedCommand>> {
  const all: Record<string, ListedCommand> = {};
  for (const [name, one] of Object.entries(core)) {
    for (const { before, commands } of WING_COMMANDS) if (before === name) Object.assign(all, commands);
    all[name] = Object.assign({}, one, ...WING_COMMANDS.map(({ instead }) => instead?.[name])) as ListedCommand;
  }
  return all;
}

/** A group of the core, with the commands that wings have below it. */
async function withBelow(name: string, group: UndescribedGroup): Promise<UndescribedGroup> {
  let commands = Object.entries(group.commands);
  for (const { below } of WING_COMMANDS) {
    const own = below?.[name];
    if (own === undefined) continue;
    const at = commands.findIndex(([other]) => other === own.before);
    commands = commands.toSpliced(at, 0, ...Object.entries(await own.load()));
  }
  return { ...group, commands: Object.fromEntries(commands) };
}

/** Where values may come from besides the arguments. What reads gazette.json loads the validator. */
async function findSources(args: readonly string[], { env }: Io): Promise<Sources> {
  const hasFile = configurationPathIn(args, env) !== null;
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
  // What begins with no command gets the help, or the name that was meant.
  const name = words.find((word) => word !== '--') ?? '';
  const isOurs = COMMAND_NAMES.includes(name);
  const others = isOurs || name.startsWith('-') ? {} : await loadPluginCommands(args, io, COMMAND_NAMES);
  const isCommand = isOurs || name in others;
  const commands = isOurs ? await loadCommands([name]) : { ...listedCommands(), ...others };
  const how = { sources: isCommand ? await findSources(args, io) : null, showsBasics: help === 'basics' };
  const program = createProgram(commands, io, signal, how);
  // A name that is none is refused as it is without a wish for help.
  const isHelp = help !== null && (isCommand || words.length === 0);
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

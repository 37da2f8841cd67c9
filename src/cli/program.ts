// Commands as a program: commander reads the arguments, and what the arguments do not say comes from where
// configuration/values.ts finds it.
import { existsSync } from 'node:fs';
import { Command as Commander, Option as CommanderOption, type ParseOptionsResult } from 'commander';
import { VERSION } from '../version.ts';
import {
  type AnyOptions,
  type Configuration,
  type Given,
  memberOf,
  type Option,
  type Run,
  type Runnable,
  spellingsOf,
  text,
  type Undescribed,
} from './command.ts';
import { findValue, isEmpty, readValue } from './configuration/values.ts';
import type { Io } from './io/io.ts';

/** The name of the file with the settings, in the working folder. */
export const CONFIGURATION_NAME = 'gazette.json';

/** The variable that names the file. */
export const CONFIG_VARIABLE = 'GAZETTE_CONFIG';

/** The option that asks for help. */
export const HELP = '--help';

/** `--config`, which every command with a store has. */
const CONFIG: Option<string | undefined> = text(
  '<file>',
  `a file with the settings of this installation (default: ${CONFIGURATION_NAME}, if there is one)`,
);

/** Where commands find values that are no arguments. */
export interface Sources {
  readonly env: Io['env'];
  /** Reads gazette.json; null where none is named and none is in the working folder. */
  readonly read: ((path: string) => Configuration) | null;
}

/** How a program is made. */
export interface ProgramOptions {
  /** Where values come from besides the arguments. Default: nowhere else. */
  readonly sources?: Sources | null;
  /** Whether the help of a command shows its basics alone. Default: false. */
  readonly showsBasics?: boolean;
}

/** The origins of values that are no configuration. */
const OWN_ORIGINS: ReadonlySet<string> = new Set(['cli', 'default', 'implied']);

/** The options of a command, with those that it has because of others. */
export function optionsOf({ options }: Undescribed): AnyOptions {
  return 'store' in options && !('config' in options) ? { ...options, config: CONFIG } : options;
}

/** The program with these commands, by their names. */
export function createProgram(
  commands: Readonly<Record<string, Runnable>>,
  io: Io,
  signal: AbortSignal,
  { sources = null, showsBasics = false }: ProgramOptions = {},
): Commander {
  const program = new Parser('gazette', { io, signal }, sources, showsBasics);
  program
    .description('Publishes registers of public records.')
    .version(VERSION, '--version', 'print the version')
    // main.ts reads it; here it is only listed.
    .helpCommand('help [command]', 'print the help of a command, with `all` behind it every option')
    .helpOption(`-h, ${HELP}`, 'print this help')
    .addHelpText(
      'after',
      '\nOptions may also be variables of the environment (GAZETTE_PORT for --port) and members of gazette.json.',
    )
    .exitOverride()
    // Errors are printed by main.ts, once, in one form.
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // As wide as the terminal.
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      outputError: () => undefined,
    });
  program.add(commands);
  return program;
}

/** A command that knows its sources, and so do the commands below it. */
class Parser extends Commander {
  readonly #run: Omit<Run, 'configuration'>;
  readonly #sources: Sources | null;
  readonly #showsBasics: boolean;
  #options: AnyOptions = {};
  #configuration: Configuration | null = null;

  constructor(name: string, run: Omit<Run, 'configuration'>, sources: Sources | null, showsBasics: boolean) {
    super(name);
    this.#run = run;
    this.#sources = sources;
    this.#showsBasics = showsBasics;
  }

  override createCommand(name = ''): Parser {
    return new Parser(name, this.#run, this.#sources, this.#showsBasics);
  }

  add(commands: Readonly<Record<string, Runnable>>): void {
    for (const [name, spec] of Object.entries(commands)) {
      const parser = this.command(name) as Parser;
      // Commander adds a command `help` to each that has subcommands.
      parser.description(spec.description ?? '').helpCommand(false);
      if ('commands' in spec) parser.add(spec.commands);
      else parser.#define(spec);
    }
  }

  #define(spec: Undescribed): void {
    this.#options = optionsOf(spec);
    for (const [name, description] of spec.arguments) this.argument(name, description);
    const { basics } = spec;
    for (const [name, option] of Object.entries(this.#options)) {
      const isHidden = this.#showsBasics && basics !== undefined && !basics.includes(name) && option !== CONFIG;
      for (const made of toCommander(name, option)) this.addOption(made.hideHelp(isHidden));
    }
    const hidden = this.options.filter((option) => option.hidden).length;
    if (hidden > 0) this.addHelpText('after', `\nThe other ${hidden} options: gazette ${this.name()} --help all`);
    this.action(async (...given: unknown[]) => {
      const args = given.slice(0, spec.arguments.length) as never;
      if (this.#configuration !== null) this.#takeBesides(spec.alsoFrom?.(this.#configuration, args));
      await spec.run(args, this.opts(), { ...this.#run, configuration: this.#configuration });
    });
  }

  /** Reads the arguments, and then what else says an option. @throws GazetteError those of the options and of the file */
  override parseOptions(args: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(args);
    const isRun = this.parent !== null && this.commands.length === 0 && !parsed.unknown.includes(HELP);
    if (isRun && this.#sources !== null) this.#configure(this.#sources);
    return parsed;
  }

  #configure({ env, read }: Sources): void {
    this.#configuration = read === null ? null : this.#readFile(env, read);
    for (const [name, option] of Object.entries(this.#options)) {
      if (option === CONFIG || this.getOptionValueSource(name) === 'cli') continue;
      const found = findValue(name, option, wordsOf(this), env, this.#configuration);
      if (found !== null) this.#take(name, readValue(name, option, found), found.origin);
    }
  }

  /** The file that is named, else the one in the working folder; its path becomes the value of `--config`. */
  #readFile(env: Io['env'], read: (path: string) => Configuration): Configuration | null {
    if (this.#options.config !== CONFIG) return null;
    const given = this.getOptionValue('config') as string | undefined;
    const path = configurationPath(given, env);
    if (path === null) return null;
    const isNamed = given !== undefined || !isEmpty(env[CONFIG_VARIABLE]);
    this.setOptionValueWithSource('config', path, isNamed ? CONFIG_VARIABLE : 'default');
    return read(path);
  }

  /** Gives values to options that nothing else has said. */
  #takeBesides(values: ReadonlyMap<string, Given> | undefined): void {
    for (const [name, option] of Object.entries(this.#options)) {
      const member = memberOf(name);
      const value = values?.get(member);
      if (value === undefined || !['default', undefined].includes(this.getOptionValueSource(name))) continue;
      const origin = `${this.#configuration!.path} (${member})`;
      this.#take(name, readValue(name, option, { value, origin }), origin);
    }
  }

  #take(name: string, value: unknown, origin: string): void {
    // A flag that is taken away keeps its default, and nothing else says it any more.
    this.setOptionValueWithSource(name, value ?? this.getOptionValue(name), origin);
  }
}

/** The file with the settings: the one that is given, else that of the variable or of the working folder; null: there is none. */
function configurationPath(given: string | undefined, env: Io['env']): string | null {
  const variable = env[CONFIG_VARIABLE];
  const named = given ?? (isEmpty(variable) ? undefined : variable);
  return named ?? (existsSync(CONFIGURATION_NAME) ? CONFIGURATION_NAME : null);
}

/** The same before the arguments are read by commander. */
export function configurationPathIn(args: readonly string[], env: Io['env']): string | null {
  const at = args.findIndex((arg) => /^--config(?:=|$)/.test(arg));
  const given = at === -1 ? undefined : (/=(.*)/s.exec(args[at]!)?.[1] ?? args[at + 1]);
  return configurationPath(given, env);
}

/** An option as commander reads it, and the flag that takes it away. */
function toCommander(name: string, option: Option<unknown>): readonly CommanderOption[] {
  const { value, description, default: fallback, defaultText, choices, conflicts, negation } = option;
  const [flag, no] = spellingsOf(name, option);
  const made = new CommanderOption(value === null ? flag! : `${flag} ${value}`, description);
  if (choices !== undefined) made.choices(choices);
  if (option.read !== undefined) made.argParser((text, before) => option.read!(text, before));
  // Commander gives `--no-…` its default by itself.
  if (fallback !== undefined && !made.negate) made.default(fallback, defaultText);
  if (conflicts !== undefined) made.conflicts(conflicts);
  made.makeOptionMandatory(option.isRequired === true);
  return no === undefined ? [made] : [made, new CommanderOption(no, negation)];
}

/** The words of a command, such as `['key', 'create']`. */
function wordsOf(command: Commander): readonly string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/**
 * Where the values of the options come from that a message names, as its end; empty where all are arguments or defaults.
 *
 * @param program the program that was run
 */
export function originsNamedIn(message: string, program: Commander): string {
  const origins = new Set<string>();
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    for (const option of command.options) {
      const key = option.attributeName();
      const origin = command.getOptionValueSource(key);
      if (origin === undefined || OWN_ORIGINS.has(origin) || message.includes(origin)) continue;
      const isNamed = new RegExp(`--(?:no-)?${option.name().replace(/^no-/, '')}(?![\\w-])|^${key}\\b`).test(message);
      if (isNamed) origins.add(`${option.long} is from ${origin}`);
    }
  }
  return origins.size === 0 ? '' : `; ${[...origins].join(', ')}`;
}

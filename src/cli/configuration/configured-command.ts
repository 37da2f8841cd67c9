// A command whose options may also be said by variables of the environment and by gazette.json. An argument wins, then the
// variable, then the file, then HOST and PORT, then the default. A value is checked by its option, wherever it comes from.
import { existsSync } from 'node:fs';
import { Command, type Option, type ParseOptionsResult } from 'commander';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { withoutPassword } from '../options/store.ts';
import type { Io } from '../io/io.ts';
import type { Configuration } from './file.ts';
import { isFlag, isRepeatable, isSetting, memberOf, variableOf, wordsOf } from './names.ts';
import { CONFIG_VARIABLE, CONFIGURATION_NAME, isConfigOption } from './config-option.ts';
import type { Given } from './schema.ts';

/** Where commands find values that are no arguments. */
export interface Sources {
  readonly env: Io['env'];
  /** The options of `gazette serve`. */
  readonly settings: readonly Option[];
  /** Reads gazette.json; null where none is named and none is in the working folder. */
  readonly read: ((path: string) => Configuration) | null;
}

/** A value, and what messages call the place that it comes from. */
interface Found {
  readonly value: Given;
  readonly origin: string;
}

/** Variables of many platforms, by the option that they say. */
const COMMON: ReadonlyMap<string, string> = new Map([
  ['host', 'HOST'],
  ['port', 'PORT'],
]);

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off)$/i;

/** The origins of values that are no configuration. */
const OWN_ORIGINS: ReadonlySet<string> = new Set(['cli', 'default', 'implied']);

/** A command that knows its sources, and so do the commands below it. */
export class ConfiguredCommand extends Command {
  readonly #sources: Sources | null;
  #configuration: Configuration | null = null;

  /** @param sources null: arguments alone */
  constructor(name: string, sources: Sources | null) {
    super(name);
    this.#sources = sources;
  }

  /** Makes a command below this one. */
  override createCommand(name = ''): ConfiguredCommand {
    return new ConfiguredCommand(name, this.#sources);
  }

  /** What gazette.json says; null where there is none, or before the arguments are read. */
  get configuration(): Configuration | null {
    return this.#configuration;
  }

  /**
   * Gives values to the options that nothing else has said.
   *
   * @param values by the members of the options
   * @param place what messages call the place that they come from
   */
  take(values: ReadonlyMap<string, Given>, place: string): void {
    for (const option of this.options) {
      const source = this.getOptionValueSource(option.attributeName());
      const member = memberOf(option);
      const value = source === undefined || source === 'default' ? values.get(member) : undefined;
      if (value !== undefined) this.#take(option, { value, origin: `${place} (${member})` });
    }
  }

  /** Reads the arguments, and then what else says an option. @throws GazetteError those of the options and of the file */
  override parseOptions(args: string[]): ParseOptionsResult {
    const parsed = super.parseOptions(args);
    const isRun = this.parent !== null && this.commands.length === 0 && !parsed.unknown.includes('--help');
    if (isRun && this.#sources !== null) this.#configure(this.#sources);
    return parsed;
  }

  #configure(sources: Sources): void {
    const file = this.#readFile(sources);
    this.#configuration = file;
    const done = new Set<string>();
    for (const option of this.options) {
      const key = option.attributeName();
      if (done.has(key) || isConfigOption(option) || this.getOptionValueSource(key) === 'cli') continue;
      done.add(key);
      const found = this.#find(option, sources, file);
      if (found !== null) this.#take(option, found);
    }
  }

  /** The file that is named, else the one in the working folder; its path becomes the value of `--config`. */
  #readFile({ env, read }: Sources): Configuration | null {
    const option = this.options.find(isConfigOption);
    if (option === undefined || read === null) return null;
    const key = option.attributeName();
    const named = (this.getOptionValue(key) as string | undefined) ?? textOf(env[CONFIG_VARIABLE]);
    const path = named ?? (existsSync(CONFIGURATION_NAME) ? CONFIGURATION_NAME : undefined);
    if (path === undefined) return null;
    this.setOptionValueWithSource(key, path, named === undefined ? 'default' : CONFIG_VARIABLE);
    return read(path);
  }

  #find(option: Option, { env, settings }: Sources, file: Configuration | null): Found | null {
    const isShared = isSetting(option, settings);
    const words = wordsOf(this);
    const variables = [
      ...(words[0] === 'serve' ? [] : [variableOf(option, words)]),
      ...(isShared ? [variableOf(option)] : []),
    ];
    const variable = variables.find((name) => textOf(env[name]) !== undefined);
    if (variable !== undefined) return { value: env[variable]!, origin: variable };
    const member = memberOf(option);
    const value = isShared ? file?.settings.get(member) : undefined;
    if (value !== undefined) return { value, origin: `${file!.path} (${member})` };
    const common = isShared ? textOf(env[COMMON.get(member) ?? '']) : undefined;
    return common === undefined ? null : { value: common, origin: COMMON.get(member)! };
  }

  #take(option: Option, { value, origin }: Found): void {
    const key = option.attributeName();
    if (!isFlag(option)) {
      this.setOptionValueWithSource(key, readValue(option, value, origin), origin);
      return;
    }
    const isOn = readFlag(option, value, origin);
    const has = this.options.some((other) => other.attributeName() === key && other.negate !== isOn);
    if (has) this.setOptionValueWithSource(key, isOn, origin);
  }
}

/**
 * The value of an option, checked as an argument is.
 *
 * @param origin what messages call the place that it comes from
 * @throws GazetteError `usage`; those of the option's own check
 */
function readValue(option: Option, value: Given, origin: string): unknown {
  const parse = option.parseArg as ((text: string, before: unknown) => unknown) | undefined;
  let read: unknown = option.defaultValue;
  for (const text of textsOf(option, value)) {
    try {
      read = parse === undefined ? text : parse(text, read);
    } catch (error) {
      throw refusal(option, text, origin, error);
    }
  }
  return read;
}

/** Whether a flag is on. @throws GazetteError `usage` */
function readFlag(option: Option, value: Given, origin: string): boolean {
  const text = String(value);
  if (YES.test(text) || NO.test(text)) return YES.test(text);
  throw refusal(option, text, origin, new Error('It must be true or false.'));
}

/** A repeatable option has one value on each line, or, on a single line, separated by commas. */
function textsOf(option: Option, value: Given): readonly string[] {
  if (typeof value === 'object') return value;
  const text = String(value);
  if (!isRepeatable(option)) return [text];
  const parts = text.split(text.trim().includes('\n') ? '\n' : ',');
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** An empty variable says nothing: files of compositions set such. */
function textOf(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function refusal(option: Option, text: string, origin: string, cause: unknown): GazetteError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (isGazetteError(cause))
    return new GazetteError(cause.code, `${origin}: ${message}`, { cause, details: cause.details });
  return new GazetteError(
    'usage',
    `${origin}: ${quote(withoutPassword(text))} is invalid for ${option.long}. ${message}`,
  );
}

/**
 * Where the values of the options come from that a message names, as its end; empty where all are arguments or defaults.
 *
 * @param program the program that was run
 */
export function originsNamedIn(message: string, program: Command): string {
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

// A command of the program as one object: its arguments, its options, and what it does. Its help, the variables of the environment,
// the members of gazette.json with their schema, the reference in docs/ and the checks of values are all made of it.
//
// The names of an option follow from its key: `baseUrl` is `--base-url`, GAZETTE_BASE_URL, and `base_url` in gazette.json.
import { InvalidArgumentError } from 'commander';
import type { FindingActions } from '../import/proposals/finding-codes.ts';
import type { RegisterDefinition } from '../register/record.ts';
import type { Io } from './io/io.ts';

/** An option of a command, whose value is a T. */
export interface Option<T> {
  /** What stands for the value in the help; null for a flag, which has none. */
  readonly value: `<${string}>` | null;
  /** What the help says of it. */
  readonly description: string;
  /** The value where nothing says one. Of a flag that is written `--no-…`, true. */
  readonly default: T;
  /** The default in the words of the help, where the value itself would say little. */
  readonly defaultText?: string;
  readonly choices?: readonly string[];
  /** Whether it may be given several times; its value is a list. */
  readonly isList?: boolean;
  /** Whether the command refuses to run without it. */
  readonly isRequired?: boolean;
  /** The key of an option that may not be given beside it. */
  readonly conflicts?: string;
  /** What the help says of the flag `--no-…`, where there is one beside it. */
  readonly negation?: string;
  /**
   * Whether it is a setting of an installation: for all commands that have it, it is one variable, without a command in its
   * name, and a member of gazette.json. All options of `gazette serve` are settings.
   */
  readonly isSetting?: boolean;
  /** A variable of many platforms that says it where nothing else does, such as PORT. */
  readonly commonVariable?: string;
  /** Reads the text of a value. Absent: the text is the value. @throws InvalidArgumentError, GazetteError */
  read?(text: string, before: T): T;
}

/** The options that give the members of T. */
export type Options<T> = { readonly [Name in keyof T]-?: Option<T[Name]> };

/** Any options. */
export type AnyOptions = Readonly<Record<string, Option<unknown>>>;

type ValueOf<O> = O extends Option<infer T> ? T : never;

type OptionalIn<O> = { readonly [Name in keyof O]: undefined extends ValueOf<O[Name]> ? Name : never }[keyof O];

/** The values of options, as a command is given them. */
export type ValuesOf<O> = { readonly [Name in Exclude<keyof O, OptionalIn<O>>]: ValueOf<O[Name]> } & {
  readonly [Name in OptionalIn<O>]?: Exclude<ValueOf<O[Name]>, undefined>;
};

/** An argument as the help shows it, `<file>` or, where it may be missing, `[file]`, and what the help says of it. */
export type Argument = readonly [name: `<${string}>` | `[${string}]`, description?: string];

/** The values of arguments: a text, undefined where it is missing, or a list for one that ends in `...`. */
type ArgumentsOf<A extends readonly Argument[]> = {
  readonly [At in keyof A]: A[At][0] extends `${string}...${string}`
    ? readonly string[]
    : A[At][0] extends `[${string}`
      ? string | undefined
      : string;
};

/** The value of a member of gazette.json, or of a variable, before its option has checked it. */
export type Given = string | number | boolean | readonly string[];

/** A register as gazette.json describes it. */
export interface ConfiguredRegister {
  readonly definition: RegisterDefinition;
  /** The file that fills it; null: none. */
  readonly file: string | null;
  /** How its files are read: options of `gazette import`, by their members. */
  readonly reading: ReadonlyMap<string, Given>;
  /** What imports do with findings where it is not the default. */
  readonly findings: FindingActions;
}

/** What gazette.json says. */
export interface Configuration {
  /** The path of the file, for messages too. */
  readonly path: string;
  /** Settings, by their members. */
  readonly settings: ReadonlyMap<string, Given>;
  readonly registers: readonly ConfiguredRegister[];
}

/** What a command is run with. */
export interface Run {
  readonly io: Io;
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
  /** What gazette.json says; null where there is none. */
  readonly configuration: Configuration | null;
}

/** A command, without what the help says of it: main.ts says that of those in its table. */
export interface Undescribed<A extends readonly Argument[] = readonly Argument[], O = AnyOptions> {
  readonly arguments: A;
  readonly options: O;
  /** The options that `--help` shows, where that is not all: `--help all` does. */
  readonly basics?: readonly (keyof O)[];
  /** What gazette.json says besides its settings, for options that nothing else says. */
  alsoFrom?(configuration: Configuration, args: ArgumentsOf<A>): ReadonlyMap<string, Given> | undefined;
  run(args: ArgumentsOf<A>, options: ValuesOf<O>, run: Run): void | Promise<void>;
}

/** A command. */
export interface Command<A extends readonly Argument[] = readonly Argument[], O = AnyOptions> extends Undescribed<
  A,
  O
> {
  readonly description: string;
}

/** Commands under one name, without what the help says of them. */
export interface UndescribedGroup {
  readonly commands: Readonly<Record<string, Command>>;
}

/** Commands under one name. */
export interface CommandGroup extends UndescribedGroup {
  readonly description: string;
}

/** What a program is made of: it can be run without what its help would say. */
export type Runnable = (Undescribed | UndescribedGroup) & { readonly description?: string };

/** Checks a command's types: its arguments and its options say what it is run with. */
export function command<const A extends readonly Argument[], O extends AnyOptions>(spec: Command<A, O>): Command;
export function command<const A extends readonly Argument[], O extends AnyOptions>(
  spec: Undescribed<A, O>,
): Undescribed;
export function command(spec: unknown): Undescribed {
  return spec as Undescribed;
}

/** An option without a value, which is off unless it is given. */
export function flag(description: string): Option<true | undefined> {
  return { value: null, description, default: undefined };
}

/** An option without a value, written `--no-…`: what it names is on unless it is given. */
export function unless(description: string): Option<boolean> {
  return { value: null, description, default: true };
}

/** An option with a text. */
export function text(value: `<${string}>`, description: string): Option<string | undefined>;
export function text(value: `<${string}>`, description: string, fallback: string): Option<string>;
export function text(value: `<${string}>`, description: string, fallback?: string): Option<string | undefined> {
  return { value, description, default: fallback };
}

/** An option that may be given several times. @param whenNone the default in the words of the help */
export function list(value: `<${string}>`, description: string, whenNone: string): Option<readonly string[]> {
  return {
    value,
    description: `${description}; repeatable`,
    default: [],
    defaultText: whenNone,
    isList: true,
    read: (one, before) => [...before, one],
  };
}

/** An option with one of these values. */
export function choice<T extends string>(
  value: `<${string}>`,
  description: string,
  choices: readonly T[],
): Option<T | undefined>;
export function choice<T extends string>(
  value: `<${string}>`,
  description: string,
  choices: readonly T[],
  fallback: T,
): Option<T>;
export function choice<T extends string>(
  value: `<${string}>`,
  description: string,
  choices: readonly T[],
  fallback?: T,
): Option<T | undefined> {
  const read = (text: string): T => {
    const chosen = choices.find((one) => one === text);
    if (chosen === undefined) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return chosen;
  };
  return { value, description, default: fallback, choices, read };
}

/** An option with a whole number of at most five digits. */
export function whole(description: string, min: number, max: number): Option<number | undefined>;
export function whole(description: string, min: number, max: number, fallback: number): Option<number>;
export function whole(description: string, min: number, max: number, fallback?: number): Option<number | undefined> {
  const read = (text: string): number => {
    const number = Number(text);
    if (/^\d{1,5}$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
  return { value: '<number>', description, default: fallback, read };
}

/** An option without which the command refuses to run. */
export function required<T>(option: Option<T | undefined>): Option<T> {
  return { ...option, isRequired: true } as Option<T>;
}

/** An option that a flag `--no-…` beside it takes away. */
export function orNone<T>(option: Option<T>, negation: string): Option<T | false> {
  return { ...option, negation };
}

/** An option that is a setting of an installation. */
export function setting<T>(option: Option<T>): Option<T> {
  return { ...option, isSetting: true };
}

/** Options that are settings of an installation. */
export function settings<O extends object>(options: O): O {
  const marked = Object.entries(options).map(([name, option]) => [name, setting(option as Option<unknown>)] as const);
  return Object.fromEntries(marked) as O;
}

/** The argument that names a register. */
export const FEED_ID = '<feed_id>';

/** What many commands have. */
export const JSON_OUTPUT: Option<true | undefined> = flag('print the result as JSON');

/** What commands have that ask before they act. */
export const YES: Option<true | undefined> = flag('do not ask');

/** How an option is written. @example 'baseUrl' is `--base-url` */
export function flagOf(name: string): string {
  return `--${kebab(name)}`;
}

/** How an option may be written: its flag, the flag `--no-…` of what is on unless it is given, or both. */
export function spellingsOf(name: string, { value, default: fallback, negation }: Option<unknown>): readonly string[] {
  const [yes, no] = [flagOf(name), `--no-${flagOf(name).slice(2)}`];
  if (value === null && fallback === true) return [no];
  return negation === undefined ? [yes] : [yes, no];
}

/** The flags of options, in a sentence. @param besides those that are left out @example '--limit or --email' */
export function flagsOf(options: AnyOptions, besides: AnyOptions): string {
  const flags = Object.keys(options).filter((name) => !(name in besides));
  return flags
    .map(flagOf)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ');
}

/** The member of gazette.json for an option. @example 'baseUrl' is `base_url` */
export function memberOf(name: string): string {
  return kebab(name).replaceAll('-', '_');
}

/** What the names of variables begin with. */
const PREFIX = 'GAZETTE_';

/** The variable for an option. @param words those of its command, such as `['key', 'create']`; none for a setting */
export function variableOf(name: string, words: readonly string[] = []): string {
  return PREFIX + [...words, kebab(name)].join('_').replaceAll('-', '_').toUpperCase();
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

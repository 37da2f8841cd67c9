// How options are called where they are not given as arguments: `--base-url` is the variable GAZETTE_BASE_URL and the member
// `base_url` of gazette.json. The names follow from the option's own, so that no list of them is kept. The options of
// `gazette serve` are the settings of an installation: other commands that have one of them take it from the same place.
// Options of other commands alone are variables with the name of their command.
import type { Command, Option } from 'commander';

/** What the names of variables begin with. */
const PREFIX = 'GAZETTE_';

/** The option that names the file, which no file can say. */
export const CONFIG_MEMBER = 'config';

/** The member of gazette.json for an option. @example '--no-log-callers' is `log_callers` */
export function memberOf(option: Option): string {
  return option.name().replace(/^no-/, '').replaceAll('-', '_');
}

/**
 * The variable for an option.
 *
 * @param command the words of its command, such as `['key', 'create']`; none for a setting
 */
export function variableOf(option: Option, command: readonly string[] = []): string {
  const words = [...command.map((word) => word.replaceAll('-', '_')), memberOf(option)];
  return PREFIX + words.join('_').toUpperCase();
}

/** The words of a command, such as `['key', 'create']`. */
export function wordsOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...wordsOf(command.parent), command.name()];
}

/** This command, or all below it that have none below them. */
export function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

/** Whether an option says yes or no. */
export function isFlag(option: Option): boolean {
  return !option.required && !option.optional;
}

/** Whether an option may be given several times: its value begins as an empty list (options/collect.ts). */
export function isRepeatable({ defaultValue }: Option): boolean {
  return Array.isArray(defaultValue) && defaultValue.length === 0;
}

/** Whether the value of an option is a path, or may be one. */
export function isPath({ flags }: Option): boolean {
  return /<(?:file|folder|path or url)>/.test(flags);
}

/** Whether an option is a setting: `gazette serve` has it too, and says the same of it. */
export function isSetting(option: Option, settings: readonly Option[]): boolean {
  const meaning = meaningOf(option);
  return settings.some((setting) => setting.flags === option.flags && meaningOf(setting) === meaning);
}

/** What the help says of an option, without its default. */
function meaningOf({ description }: Option): string {
  return description.replace(/ \(default: .*\)$/s, '');
}

/** Whether a run may find values elsewhere than in its arguments. */
export function hasVariables(env: Readonly<Record<string, string | undefined>>): boolean {
  return Object.keys(env).some((name) => name.startsWith(PREFIX)) || env.HOST !== undefined || env.PORT !== undefined;
}

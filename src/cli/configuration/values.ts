// Values of options that are no arguments: found in their order (its variable, gazette.json, a variable of many platforms), and checked by
// their option, wherever they come from.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { type Configuration, flagOf, type Given, memberOf, type Option, type Options, variableOf } from '../command.ts';
import type { Io } from '../io/io.ts';
import { withoutPassword } from '../io/without-password.ts';

/** A value, and what messages call the place that it comes from. */
export interface Found {
  readonly value: Given;
  readonly origin: string;
}

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off)$/i;

/**
 * What says an option besides its command's arguments; null where nothing does.
 *
 * @param words those of its command, such as `['key', 'create']`
 */
export function findValue(
  name: string,
  { isSetting = false, commonVariable: common }: Option<unknown>,
  words: readonly string[],
  env: Io['env'],
  configuration: Configuration | null,
): Found | null {
  // `gazette serve` has settings alone.
  const own = words[0] === 'serve' ? [] : [variableOf(name, words)];
  const variables = [...own, ...(isSetting ? [variableOf(name)] : [])];
  const said = (variable: string): boolean => !isEmpty(env[variable]);
  const variable = variables.find(said);
  if (variable !== undefined) return { value: env[variable]!, origin: variable };
  if (!isSetting) return null;
  const value = configuration?.settings.get(memberOf(name));
  if (value !== undefined) return { value, origin: `${configuration!.path} (${memberOf(name)})` };
  return common !== undefined && said(common) ? { value: env[common]!, origin: common } : null;
}

/** An empty variable says nothing: files of compositions set such. */
export function isEmpty(text: string | undefined): text is '' | undefined {
  return text === undefined || text === '';
}

/**
 * The value of an option, checked as an argument is; undefined for a flag that stays as it is.
 *
 * @throws GazetteError `usage`; those of the option's own check
 */
export function readValue(name: string, option: Option<unknown>, { value, origin }: Found): unknown {
  if (option.value === null) return readFlag(name, option, { value, origin });
  let read = option.default;
  for (const text of textsOf(option, value)) {
    try {
      read = option.read === undefined ? text : option.read(text, read);
    } catch (error) {
      throw refusal(name, text, origin, error);
    }
  }
  return read;
}

/** The values of options, of which these are given by their members, and the others are the defaults. @param place of those given, for messages */
export function valuesIn<T>(options: Options<T>, given: ReadonlyMap<string, Given>, place: string): T {
  const values = Object.entries<Option<unknown>>(options).map(([name, option]) => {
    const member = memberOf(name);
    const value = given.get(member);
    const read = value === undefined ? undefined : readValue(name, option, { value, origin: `${place} (${member})` });
    return [name, read ?? option.default] as const;
  });
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as T;
}

function readFlag(name: string, option: Option<unknown>, { value, origin }: Found): boolean | undefined {
  const text = String(value);
  const isOn = YES.test(text);
  if (!isOn && !NO.test(text)) throw refusal(name, text, origin, new Error('It must be true or false.'));
  // A flag says one of the two, but for one with a flag `--no-…` beside it.
  return option.negation !== undefined || isOn !== (option.default === true) ? isOn : undefined;
}

/** A list has one value on each line, or, on a single line, separated by commas. */
function textsOf(option: Option<unknown>, value: Given): readonly string[] {
  if (typeof value === 'object') return value;
  const text = String(value);
  if (option.isList !== true) return [text];
  const parts = text.split(text.trim().includes('\n') ? '\n' : ',');
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function refusal(name: string, text: string, origin: string, cause: unknown): GazetteError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (isGazetteError(cause))
    return new GazetteError(cause.code, `${origin}: ${message}`, { cause, details: cause.details });
  return new GazetteError(
    'usage',
    `${origin}: ${quote(withoutPassword(text))} is invalid for ${flagOf(name)}. ${message}`,
  );
}

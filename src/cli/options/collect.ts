// Options that may be given several times.
import { Option } from 'commander';

/**
 * An option that may be given several times; its value is a list.
 *
 * @param whenNone the text that the help shows as the default.
 */
export function repeatable(flags: string, description: string, whenNone: string): Option {
  return new Option(flags, `${description}; repeatable`).default([], whenNone).argParser(collect);
}

/** Adds the value of one more occurrence of an option to the earlier ones. */
function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

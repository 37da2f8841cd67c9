// `--filter NAME=VALUE`: the filters of requests at the command line, under the same names.
import { GazetteError, quote } from '../../errors.ts';
import type { Filter } from '../../register/finding/filter.ts';
import { list, type Option } from '../command.ts';

/** The option, as a command's options have it. */
export interface FilterOptions {
  readonly filter: readonly string[];
}

/** The option. @param whenNone what the help says of its absence */
export function filterOption(whenNone: string): Option<readonly string[]> {
  const text = 'only records that match, by the names of the HTTP parameters, such as document_type=adopted';
  return list('<name=value>', text, whenNone);
}

/**
 * The filter that the options ask for; undefined for all records.
 *
 * @throws GazetteError `usage` for a text without a name, and for an empty value: an unset variable of a script, most likely
 */
export function readFilter({ filter }: FilterOptions): Filter | undefined {
  const given: Record<string, string[]> = {};
  for (const text of filter) {
    const at = text.indexOf('=');
    if (at < 1 || at === text.length - 1)
      throw new GazetteError('usage', `--filter must be NAME=VALUE, got ${quote(text)}`);
    (given[text.slice(0, at)] ??= []).push(text.slice(at + 1));
  }
  return filter.length === 0 ? undefined : given;
}

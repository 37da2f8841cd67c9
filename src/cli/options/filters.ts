// The filters as options, made of their table: `--document-type` asks for what `document_type` asks for in a URL.
import { Option } from 'commander';
import { GazetteError } from '../../errors.ts';
import { FILTERS } from '../../register/fields.ts';
import { type Filter, givenFilters } from '../../register/page.ts';

/** One option for each filter. Commander calls an option what code calls the filter. */
export function filterOptions(): readonly Option[] {
  return FILTERS.map(({ name, description }) => {
    const value = name.slice(name.lastIndexOf('_') + 1);
    const text = description.charAt(0).toLowerCase() + description.slice(1).replace(/\.$/, '');
    return new Option(`${flagOf(name)} <${value}>`, text);
  });
}

/** @throws GazetteError `usage` for an empty value: an unset variable of a script, most likely. */
export function checkFilterOptions(options: Filter): void {
  for (const [{ name }, value] of givenFilters(options, FILTERS)) {
    if (value === '') throw new GazetteError('usage', `${flagOf(name)} must not be empty`);
  }
}

/** The filter that the options ask for; undefined for all records. */
export function readFilter(options: Filter): Filter | undefined {
  const given = givenFilters(options, FILTERS).map(([{ property }, value]) => [property, value] as const);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

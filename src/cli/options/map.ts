// `--map`, which export and import share.
import { Option } from 'commander';

/** Repeatable; each time one or several rules. */
export function mapOption(): Option {
  return new Option(
    '--map <field=source,…>',
    'fill a field from a column, a path (links.0.href) or a template (https://example.org/{number}); repeatable. A field without a rule is filled from ' +
      'the property of the same name',
  )
    .default([], 'none')
    .argParser((value, before: readonly string[]) => [...before, value]);
}

// `--map`, which export and import share, and `--type`.
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

/** Repeatable; each time one or several types. */
export function typeOption(): Option {
  return new Option(
    '--type <field=type,…>',
    'the type of a field of a register whose fields this import finds, instead of the type that all its values fit; repeatable',
  )
    .default([], 'found')
    .argParser((value, before: readonly string[]) => [...before, value]);
}

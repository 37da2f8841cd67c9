// `--map`, which export and import share.
import { Option } from 'commander';

/** Repeatable; each time one or several rules. */
export function mapOption(): Option {
  return new Option(
    '--map <field=source,…>',
    'which property, path or template fills which field; repeatable. Fields without a rule are taken from ' +
      'properties of their own name',
  )
    .default([], 'none')
    .argParser((value, before: readonly string[]) => [...before, value]);
}

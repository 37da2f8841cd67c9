// Options that a variable of the environment may say instead. Commander reads them of the process, not of the run's `io`.
import type { Option } from 'commander';
import type { Io } from '../io/io.ts';

/** The option with the variable's value as its default, if the variable is set; the help names both. */
export function withVariable(option: Option, variable: string, otherwise: string, { env }: Io): Option {
  return option.default(env[variable] ?? otherwise, `${JSON.stringify(otherwise)}, env: ${variable}`);
}

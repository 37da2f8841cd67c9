// `--config`: the file with the settings of an installation.
import { Option } from 'commander';

/** The name of the file in the working folder. */
export const CONFIGURATION_NAME = 'gazette.json';

const DESCRIPTION = `a file with the settings of this installation (default: ${CONFIGURATION_NAME}, if there is one)`;

/** The variable that names the file. */
export const CONFIG_VARIABLE = 'GAZETTE_CONFIG';

/** `--config`. */
export function configOption(): Option {
  return new Option('--config <file>', DESCRIPTION);
}

/** Whether an option is `--config`. */
export function isConfigOption({ description }: Option): boolean {
  return description === DESCRIPTION;
}

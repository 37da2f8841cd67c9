// The deployment of a command's keys: `--product`, by default `gazette`.
import { Option } from 'commander';
import { DEFAULT_PRODUCT } from '../../access/api-key.ts';

/** The option of every command that uses keys. */
export interface ProductOptions {
  readonly product: string;
}

/** `--product`. */
export function productOption(): Option {
  return new Option('--product <name>', 'the deployment that the keys are for').default(DEFAULT_PRODUCT);
}

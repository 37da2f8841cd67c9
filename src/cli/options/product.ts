// The deployment of a command's keys: `--product`, else GAZETTE_PRODUCT, else `gazette`.
import { Option } from 'commander';
import { DEFAULT_PRODUCT } from '../../access/api-key.ts';

/** The option of every command that uses keys. */
export interface ProductOptions {
  readonly product: string;
}

/** `--product`. */
export function productOption(): Option {
  return new Option('--product <name>', 'the deployment that the keys are for')
    .env('GAZETTE_PRODUCT')
    .default(DEFAULT_PRODUCT);
}

// The deployment of a command's keys: `--product`, else GAZETTE_PRODUCT, else `gazette`.
import { Option } from 'commander';
import { DEFAULT_PRODUCT } from '../../access/api-key.ts';
import { withVariable } from './variable.ts';
import type { Io } from '../io/io.ts';

/** The option of every command that uses keys. */
export interface ProductOptions {
  readonly product: string;
}

/** `--product`. */
export function productOption(io: Io): Option {
  const option = new Option('--product <name>', 'the deployment that the keys are for');
  return withVariable(option, 'GAZETTE_PRODUCT', DEFAULT_PRODUCT, io);
}

// What commands about keys share.
import { DEFAULT_PRODUCT } from '../../access/api-key.ts';
import { GazetteError, quote } from '../../errors.ts';
import { HOUR_MS } from '../../operate/times.ts';
import { type Option, setting, text } from '../command.ts';

/** `--product`, of every command that uses keys. */
export const PRODUCT: Option<string> = setting(text('<name>', 'the deployment that the keys are for', DEFAULT_PRODUCT));

/** A grace in hours: how long what is replaced keeps working. @returns milliseconds. @throws GazetteError `usage` */
export function readGrace(hours: string): number {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(hours)) {
    throw new GazetteError('usage', `--grace must be a number of hours such as 24, 0.5 or 0, got ${quote(hours)}`);
  }
  return Number(hours) * HOUR_MS;
}

// `--grace`: how long what is replaced keeps working.
import { GazetteError, quote } from '../../errors.ts';
import { HOUR_MS } from '../../operate/times.ts';

/** A grace in hours. @returns milliseconds. @throws GazetteError `usage` */
export function readGrace(hours: string): number {
  if (!/^\d{1,6}(?:\.\d+)?$/.test(hours)) {
    throw new GazetteError('usage', `--grace must be a number of hours such as 24, 0.5 or 0, got ${quote(hours)}`);
  }
  return Number(hours) * HOUR_MS;
}

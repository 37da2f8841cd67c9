// Checks the names of options, so that a typo is an error instead of an option without effect.
import { GazetteError, quote } from '../errors.ts';
import type { Format, FormatOptions } from './format.ts';

/** Options that every document takes, from the formats and from the driver. */
const COMMON_OPTIONS: readonly string[] = ['report', 'reusesChunks', 'signal'];

/**
 * @throws GazetteError `invalid_option` for an option that neither the format nor the driver has. A format without a
 *   list of its options accepts any.
 */
export function checkOptionNames<Options extends FormatOptions>(
  { name, optionNames }: Format<Options>,
  options: object | undefined,
): void {
  if (options === undefined || optionNames === undefined) return;
  for (const option of Object.keys(options)) {
    if (COMMON_OPTIONS.includes(option) || optionNames.includes(option)) continue;
    const last = COMMON_OPTIONS.at(-1)!;
    const others = [...optionNames, ...COMMON_OPTIONS.slice(0, -1)].join(', ');
    throw new GazetteError(
      'invalid_option',
      `format ${name} has no option ${quote(option)}; it has ${others} and ${last}`,
      {
        details: { option },
      },
    );
  }
}

/**
 * Checks options given per format against the known formats.
 *
 * @throws GazetteError `invalid_option` for an unknown format, and for an option that its format does not have.
 */
export function checkFormatOptions(
  formats: readonly Format[],
  formatOptions: Readonly<Record<string, FormatOptions>> | undefined,
): void {
  for (const [name, options] of Object.entries(formatOptions ?? {})) {
    const format = formats.find((candidate) => candidate.name === name);
    if (format === undefined) {
      const names = formats.map((candidate) => candidate.name).join(', ');
      throw new GazetteError('invalid_option', `formatOptions must be for ${names}, got ${quote(name)}`, {
        details: { option: 'formatOptions' },
      });
    }
    checkOptionNames(format, options);
  }
}

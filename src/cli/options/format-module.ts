// `--format-module`: formats from outside the package, in addition to gazette's own.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GazetteError, isGazetteError } from '../../errors.ts';
import { checkFormats, FORMAT_EXPORT, loadFormat } from '../../formats/check-formats.ts';
import type { Format } from '../../formats/format.ts';
import { list, type Option, setting } from '../command.ts';

/** The named modules. */
export interface FormatModuleOptions {
  readonly formatModule: readonly string[];
}

/** `--format-module`. */
export const FORMAT_MODULE: Option<readonly string[]> = setting(
  list('<file>', `a JavaScript or TypeScript module that exports a format as "${FORMAT_EXPORT}"`, 'none'),
);

/**
 * These formats and those of the modules.
 *
 * @throws GazetteError `invalid_option` for a module that exports no format, or one whose name is taken.
 */
export async function withFormatModules(
  formats: readonly Format[],
  options: FormatModuleOptions,
): Promise<readonly Format[]> {
  const loaded = await Promise.all(moduleUrls(options).map(loadFormat));
  try {
    return checkFormats([...formats, ...loaded]);
  } catch (error) {
    if (!isGazetteError(error, 'invalid_option')) throw error;
    throw new GazetteError(error.code, `--format-module: ${error.message}`, { cause: error, details: error.details });
  }
}

/** The addresses of the modules. */
export function moduleUrls({ formatModule }: FormatModuleOptions): readonly URL[] {
  return formatModule.map(moduleUrl);
}

/** The address of a module in a file. */
export function moduleUrl(file: string): URL {
  return pathToFileURL(resolve(file));
}

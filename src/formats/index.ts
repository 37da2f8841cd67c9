// The table of gazette's own formats. To add one, write one source file and add one line here. A format from outside
// the package needs neither: handlers, the service, snapshots and the command line take it as an option.
import { GazetteError, quote } from '../errors.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { atom } from './feeds/atom.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { geojson } from './geojson/index.ts';
import { ndjson } from './ndjson.ts';
import { parquet } from './parquet/index.ts';
import { rss } from './feeds/rss.ts';
import { xlsx } from './xlsx/index.ts';
import { xml } from './xml/xml.ts';

/** Every format's native writer, by name, in the order of display. */
export const FORMATS: Readonly<Record<string, Format>> = {
  csv,
  xlsx,
  xml,
  rss,
  atom,
  ndjson,
  parquet,
  geojson,
};

/**
 * The default formats in which pages are served and published: those of specification 4.2.
 *
 * @example exportHandler(source, { formats: [...EXPORT_FORMATS, tsv] })
 */
export const EXPORT_FORMATS: readonly Format[] = [csv, xlsx, xml, rss, atom];

/** The names of all formats, in the order of display. */
export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/**
 * Finds a format by its name.
 *
 * @param formats the formats to search. Default: gazette's own.
 * @throws GazetteError `unknown_format`, listing the known names.
 * @example findFormat('csv').mediaType // 'text/csv; charset=utf-8; header=present'
 */
export function findFormat(name: string, formats: readonly Format[] = Object.values(FORMATS)): Format {
  const format = formats.find((candidate) => candidate.name === name);
  if (format === undefined) {
    const names = formats.map((candidate) => candidate.name).join(', ');
    throw new GazetteError('unknown_format', `format must be one of ${names}, got ${quote(name)}`, {
      details: { format: name.slice(0, 60) },
    });
  }
  return format;
}

/** Those of these formats that a whole register can be written in. */
export function formatsFor<One extends Pick<Format, 'needs'>>(
  formats: readonly One[],
  definition: RegisterDefinition,
): readonly One[] {
  return formats.filter(({ needs }) => needs?.has(definition) !== false);
}

/** @throws GazetteError `unknown_format` where a register lacks what its whole needs to be in a format, which is named. */
export function checkFormatFor({ name, needs }: Pick<Format, 'name' | 'needs'>, definition: RegisterDefinition): void {
  if (needs?.has(definition) !== false) return;
  throw new GazetteError('unknown_format', `${name} needs ${needs.text}, which register ${definition.id} lacks`, {
    details: { format: name },
  });
}

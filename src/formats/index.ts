// The one table of gazette's own formats. A new one of them is one source file and one line here; a format written outside
// the package needs neither: handlers, the service, snapshots and the command line take it as an option.
import { GazetteError, quote } from '../errors.ts';
import { atom } from './feeds/atom.ts';
import { csv } from './csv.ts';
import type { Format } from './format.ts';
import { ndjson } from './ndjson.ts';
import { rss } from './feeds/rss.ts';
import { xlsx } from './xlsx/index.ts';
import { xml } from './xml/xml.ts';

/** Every format's native writer, by name, in the order people are shown them. */
export const FORMATS: Readonly<Record<string, Format>> = {
  csv,
  xlsx,
  xml,
  rss,
  atom,
  ndjson,
};

/**
 * The formats that pages are served and published in unless told otherwise: those of specification 4.2.
 *
 * @example exportHandler(source, { formats: [...EXPORT_FORMATS, tsv] })
 */
export const EXPORT_FORMATS: readonly Format[] = [csv, xlsx, xml, rss, atom];

/** The names of all formats, in the order people are shown them. */
export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/**
 * The format of this name.
 *
 * @param formats to look among. Default: gazette's own.
 * @throws GazetteError `unknown_format`, listing the names there are.
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

// The one table that names every format. A new format is one source file and one line here.
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

/** The formats served over HTTP, by the ending of an export's path (specification 4.2). */
export const HTTP_FORMATS: Readonly<Record<string, Format>> = Object.fromEntries(
  Object.entries(FORMATS).filter(([, format]) => format.http),
);

/** The names of all formats, in the order people are shown them. */
export const FORMAT_NAMES: readonly string[] = Object.keys(FORMATS);

/**
 * The format of this name.
 *
 * @throws GazetteError `unknown_format`, listing the names there are.
 * @example findFormat('csv').mediaType // 'text/csv; charset=utf-8; header=present'
 */
export function findFormat(name: string): Format {
  // Own members alone: `export.constructor` is no format.
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format === undefined) {
    throw new GazetteError('unknown_format', `format must be one of ${FORMAT_NAMES.join(', ')}, got ${quote(name)}`, {
      details: { format: name.slice(0, 60) },
    });
  }
  return format;
}

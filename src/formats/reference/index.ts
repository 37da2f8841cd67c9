/**
 * The reference writers: each format written by a well-known package (optional peers), with the same Format interface.
 * The tests compare with them, the benchmarks measure them, and they accept those packages' own options.
 *
 * @module
 */
import { GazetteError, quote } from '../../errors.ts';
import type { Format } from '../format.ts';
import { findFormat } from '../index.ts';

/** A reference writer: its package, and how to load it when it is requested. */
interface ReferenceWriter {
  readonly peer: string;
  load(): Promise<Format>;
}

const WRITERS: Readonly<Record<string, ReferenceWriter>> = {
  csv: { peer: 'csv-stringify', load: async () => (await import('./csv.ts')).referenceCsv },
  xlsx: { peer: 'exceljs', load: async () => (await import('./xlsx.ts')).referenceXlsx },
  xml: { peer: 'xmlbuilder2', load: async () => (await import('./xml.ts')).referenceXml },
  rss: { peer: 'feed', load: async () => (await import('./rss.ts')).referenceRss },
  atom: { peer: 'feed', load: async () => (await import('./atom.ts')).referenceAtom },
};

/** The names of the formats that have a reference writer. */
export const REFERENCE_FORMAT_NAMES: readonly string[] = Object.keys(WRITERS);

/**
 * The reference writer of a format. Its package is imported only by this call.
 *
 * @throws GazetteError `unknown_format` for a name that no format has; `invalid_option` for a format without a
 *   reference writer; `missing_peer`, with the command that installs it, when the package is missing.
 * @example const csv = await referenceFormat('csv');
 */
export async function referenceFormat(name: string): Promise<Format> {
  const writer = WRITERS[findFormat(name).name];
  if (writer === undefined) {
    throw new GazetteError(
      'invalid_option',
      `format ${quote(name)} has no reference writer; ${REFERENCE_FORMAT_NAMES.join(', ')} have one`,
      { details: { format: name } },
    );
  }
  try {
    return await writer.load();
  } catch (cause) {
    if (!isMissing(cause, writer.peer)) throw cause;
    throw new GazetteError(
      'missing_peer',
      `the reference writer of ${name} needs the package ${writer.peer}: npm install ${writer.peer}`,
      { cause, details: { format: name, package: writer.peer } },
    );
  }
}

/** Whether an import failed because this package is not installed, as opposed to one of its own dependencies. */
function isMissing(error: unknown, peer: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${peer}'`)
  );
}

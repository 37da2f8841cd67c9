// The formats of a snapshot's pages, and how a thread finds each: gazette's own by its name, one in a module by the module's
// address. An object cannot be handed to a thread: the thread that has it writes its files.
import { GazetteError, quote } from '../../errors.ts';
import { checkFormats, loadFormat } from '../../formats/check-formats.ts';
import { encoderVersionOf, type Format } from '../../formats/format.ts';
import { EXPORT_FORMATS, FORMATS } from '../../formats/index.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { type Ending, VIEW_ENDINGS } from './layout.ts';
import { TEMPORARY_SUFFIX } from '../../files/staged-file.ts';

/** How another thread finds a format. */
export type FormatOrigin = { readonly name: string } | { readonly module: string };

/** A format of a snapshot's pages. */
export interface PageFormat {
  readonly format: Format;
  /** Null: no other thread has it. */
  readonly origin: FormatOrigin | null;
}

/** What writes the files of a page, by their endings, in the order they are written; null for JSON and HTML, which are no formats. */
export type PageWriters = ReadonlyMap<Ending, Format | null>;

/** The feeds that pages, the list of registers and the list of changes name. */
const NEEDED: readonly string[] = ['atom', 'rss'];

/**
 * The formats a snapshot's pages are written in.
 *
 * @param given Default: {@link EXPORT_FORMATS}.
 * @throws GazetteError `invalid_option` for what is no format or module of one, two formats of one name or file ending, and
 *   where Atom or RSS is missing.
 */
export async function openPageFormats(
  given: readonly (Format | URL)[] = EXPORT_FORMATS,
): Promise<readonly PageFormat[]> {
  if (!Array.isArray(given)) throw wrong(`formats must be an array, got ${quote(given)}`);
  const opened = await Promise.all(given.map(openFormat));
  checkFormats(opened.map(({ format }) => format));
  const endings = new Set<Ending>();
  for (const { format } of opened) {
    const { name, extension } = format;
    // Who reads such a file, and who counts its records, goes by its ending.
    const isAnothers = name !== extension && Object.hasOwn(FORMATS, extension);
    if (isAnothers || isReserved(extension) || endings.has(extension)) {
      throw wrong(`format ${name}: another kind of file of a snapshot ends in .${extension}`);
    }
    endings.add(extension);
  }
  for (const name of NEEDED) {
    if (!endings.has(name)) throw wrong(`formats must have ${NEEDED.join(' and ')}, which a snapshot's pages name`);
  }
  return opened;
}

/** The format as this thread has it. @throws GazetteError `invalid_option` */
export async function formatAt(origin: FormatOrigin): Promise<Format> {
  return 'name' in origin ? FORMATS[origin.name]! : loadFormat(new URL(origin.module));
}

/** The endings of a page's files, in the order they are written and shown: feeds, JSON and HTML, then all others. */
export function endingsOf(formats: readonly PageFormat[]): readonly Ending[] {
  const others = formats.map(({ format }) => format.extension).filter((ending) => !NEEDED.includes(ending));
  return [...NEEDED, ...VIEW_ENDINGS, ...others];
}

/** What tells the pages of these formats from those of others; undefined for those that all snapshots have. */
export function formatsShape(formats: readonly PageFormat[]): JsonValue | undefined {
  const isUsual =
    formats.length === EXPORT_FORMATS.length && formats.every(({ format }, index) => format === EXPORT_FORMATS[index]);
  if (isUsual) return undefined;
  return formats.map(({ format, origin }) => ({
    name: format.name,
    media_type: format.mediaType,
    extension: format.extension,
    encoder: encoderVersionOf(format),
    module: origin !== null && 'module' in origin ? origin.module : null,
  }));
}

async function openFormat(given: Format | URL): Promise<PageFormat> {
  if (given instanceof URL) return { format: await loadFormat(given), origin: { module: given.href } };
  const own = Object.values(FORMATS).find((format) => format === given);
  return { format: given, origin: own === undefined ? null : { name: own.name } };
}

function isReserved(extension: string): boolean {
  return VIEW_ENDINGS.includes(extension) || `.${extension}` === TEMPORARY_SUFFIX;
}

function wrong(message: string): GazetteError {
  return new GazetteError('invalid_option', message, { details: { option: 'formats' } });
}

// The formats of a snapshot's pages, and how a thread loads each: gazette's own by name, one in a module by the
// module's address. An object cannot be passed to a thread; the thread that has it writes its files.
import { GazetteError, quote } from '../../errors.ts';
import { checkFormats, loadFormat } from '../../formats/check-formats.ts';
import type { Format } from '../../formats/format.ts';
import { EXPORT_FORMATS, FORMATS } from '../../formats/index.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { type Ending, VIEW_ENDINGS } from '../../archive/layout.ts';
import { VERSION } from '../../version.ts';
import { TEMPORARY_SUFFIX } from '../../files/staged-file.ts';

/** How another thread loads a format. */
export type FormatOrigin = { readonly name: string } | { readonly module: string };

/** A format of a snapshot's pages. */
export interface PageFormat {
  readonly format: Format;
  /** Null: no other thread can load it. */
  readonly origin: FormatOrigin | null;
}

/**
 * The writers of a page's files, by extension, in the order of writing; null for JSON and HTML, which are not formats.
 */
export type PageWriters = ReadonlyMap<Ending, Format | null>;

/** The feeds that pages, the list of registers and the list of changes link to. */
const NEEDED: readonly string[] = ['atom', 'rss'];

/**
 * The formats of a snapshot's pages.
 *
 * @param given Default: {@link EXPORT_FORMATS}.
 * @throws GazetteError `invalid_option` for a value that is not a format or the module of one, for two formats with the
 *   same name or file extension, and if Atom or RSS is missing.
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
    // Readers of files, and the count of records, depend on the extension.
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

/** The format in this thread. @throws GazetteError `invalid_option` */
export async function formatAt(origin: FormatOrigin): Promise<Format> {
  return 'name' in origin ? FORMATS[origin.name]! : loadFormat(new URL(origin.module));
}

/** The extensions of a page's files, in the order of writing and display: feeds, JSON and HTML, then all others. */
export function endingsOf(formats: readonly PageFormat[]): readonly Ending[] {
  const others = formats.map(({ format }) => format.extension).filter((ending) => !NEEDED.includes(ending));
  return [...NEEDED, ...VIEW_ENDINGS, ...others];
}

/**
 * Which version of gazette's writers makes which of a page's files, by extension: another may write the same records in other bytes,
 * and so may another machine where more than gazette packs them.
 */
export function encodersOf(formats: readonly PageFormat[]): Readonly<Record<Ending, string>> {
  const own = formats.flatMap(({ format: { extension, encoderVersion }, origin }) =>
    encoderVersion == null || origin === null || !('name' in origin)
      ? []
      : [[extension, encoderVersion === VERSION ? VERSION : `${encoderVersion}, ${process.arch}`] as const],
  );
  return Object.fromEntries([...VIEW_ENDINGS.map((ending) => [ending, VERSION] as const), ...own]);
}

/** Distinguishes the pages of these formats from those of others; undefined for the formats of every snapshot. */
export function formatsShape(formats: readonly PageFormat[]): JsonValue | undefined {
  const isUsual =
    formats.length === EXPORT_FORMATS.length && formats.every(({ format }, index) => format === EXPORT_FORMATS[index]);
  if (isUsual) return undefined;
  return formats.map(({ format, origin }) => ({
    name: format.name,
    media_type: format.mediaType,
    extension: format.extension,
    encoder: format.encoderVersion ?? null,
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

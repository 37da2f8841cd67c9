// Checks formats from outside the package before they are used: objects, and modules that export one.
import { GazetteError, quote } from '../errors.ts';
import type { Format } from './format.ts';

/** The name under which a module exports its format. */
export const FORMAT_EXPORT = 'format';

/** The characters that URLs, file names and command lines take without quoting. */
const NAME = /^[a-z][a-z0-9-]{0,31}$/;
const EXTENSION = /^[a-z0-9]{1,16}$/;

/** A type and subtype (RFC 9110 8.3.1), with parameters that fit into a header field. */
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;[\t\x20-\x7e]*)?$/;

/**
 * Checks a table of formats.
 *
 * @throws GazetteError `invalid_option` for a value that is not a format, naming the wrong member, and for two formats
 *   of the same name, listing the names.
 */
export function checkFormats(formats: readonly Format[]): readonly Format[] {
  const given: unknown = formats;
  if (!Array.isArray(given)) throw wrong(`formats must be an array of formats, got ${quote(given)}`);
  const names = new Set<string>();
  for (const format of formats) {
    const { name } = checkFormat(format, 'a format');
    if (names.has(name)) {
      const others = [...names].join(', ');
      throw wrong(`a format needs a name of its own: there are ${others}, and another ${name}`);
    }
    names.add(name);
  }
  if (names.size === 0) throw wrong('formats must name at least one format');
  return formats;
}

/**
 * Loads the format that a module exports as `format`.
 *
 * @param module URL of the module: `new URL('./tsv.ts', import.meta.url)`
 * @throws GazetteError `invalid_option`, naming the module, when it cannot be loaded or exports no format.
 * @example const tsv = await loadFormat(new URL('./tsv.ts', import.meta.url));
 */
export async function loadFormat(module: URL): Promise<Format> {
  return checkFormat(await loadExport(module, FORMAT_EXPORT, 'formats'), `the format module ${module.href}`);
}

/**
 * What a module of somebody else's exports under a name, which also says what it is.
 *
 * @param option the one that takes such things
 * @throws GazetteError `invalid_option`, naming the module, when it cannot be loaded or exports nothing of this name
 */
export async function loadExport(module: URL, name: string, option: string): Promise<unknown> {
  const details = { option };
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = (await import(module.href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the ${name} module ${module.href} cannot be loaded: ${reason}`;
    throw new GazetteError('invalid_option', message, { cause, details });
  }
  if (exported[name] !== undefined) return exported[name];
  const names = Object.keys(exported).join(', ');
  const message = `the ${name} module ${module.href} must export its ${name} as "${name}", it exports ${names === '' ? 'nothing' : names}`;
  throw new GazetteError('invalid_option', message, { details });
}

/** @throws GazetteError `invalid_option`; the message begins with `who` */
function checkFormat(given: unknown, who: string): Format {
  if (typeof given !== 'object' || given === null) {
    throw wrong(`${who}: a format must be an object, got ${quote(given)}`);
  }
  const format = given as Readonly<Record<keyof Format, unknown>>;
  checkMember(who, 'name', format.name, NAME, 'lower-case letters, digits and -, beginning with a letter');
  checkMember(who, 'mediaType', format.mediaType, MEDIA_TYPE, 'a media type such as text/csv; charset=utf-8');
  checkMember(who, 'extension', format.extension, EXTENSION, 'lower-case letters and digits, without a dot');
  if (typeof format.open !== 'function') {
    throw wrong(`${who}: open must be a function, got ${quote(format.open)}`);
  }
  return given as Format;
}

/** Whether a text is a media type, such as `text/csv; charset=utf-8`. */
export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}

function checkMember(who: string, member: keyof Format, value: unknown, pattern: RegExp, expected: string): void {
  if (typeof value === 'string' && pattern.test(value)) return;
  throw wrong(`${who}: ${member} must be ${expected}, got ${quote(value)}`);
}

function wrong(message: string): GazetteError {
  return new GazetteError('invalid_option', message, { details: { option: 'formats' } });
}

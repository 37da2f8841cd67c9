// The options that say how a document is written. Each applies to some formats and is refused for the others, because an
// option without effect is most likely a mistake.
import { isWhole } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import { isHttpUrl } from '../../register/url.ts';
import { choice, flagOf, type Options, text } from '../command.ts';

/** How a document is written, as options. */
export interface WritingOptions {
  readonly formulas?: 'guarded' | 'raw';
  readonly level?: string;
  readonly self?: string;
  readonly schemaLocation?: string;
}

/** Which formats each option applies to. Formats from outside the package may use the document's address. */
const APPLIES: Readonly<
  Record<keyof WritingOptions, { readonly to: string; readonly has: (format: string) => boolean }>
> = {
  formulas: { to: 'CSV', has: (format) => format === 'csv' },
  level: { to: 'XLSX', has: (format) => format === 'xlsx' },
  self: { to: 'XLSX, XML, RSS, Atom and Parquet', has: (format) => !['csv', 'ndjson', 'geojson'].includes(format) },
  schemaLocation: { to: 'XML', has: (format) => format === 'xml' },
};

/** How a document is written. */
export const WRITING_OPTIONS: Options<WritingOptions> = {
  formulas: choice(
    '<kind>',
    'CSV: guarded (the default) puts an apostrophe before text that a spreadsheet would run; raw writes it unchanged',
    ['guarded', 'raw'],
  ),
  level: text('<number>', 'XLSX: how strongly to compress, from 1 (the default, fast) to 9 (small)'),
  self: text('<url>', 'XLSX, XML, RSS, Atom and Parquet: the address at which the document will be published'),
  schemaLocation: text('<url>', 'XML: where its schema (XSD) will be, absolute or relative to the document'),
};

/** The options as the writer and the head of the document take them. */
export interface Writing {
  readonly formatOptions: { readonly formulas?: 'guard' | 'raw'; readonly level?: number };
  readonly links: { readonly self?: string; readonly schema?: string };
}

/** @throws GazetteError `usage` for an option that does not apply to this format, and for a wrong value. */
export function readWriting(options: WritingOptions, format: string): Writing {
  for (const [name, { to, has }] of Object.entries(APPLIES)) {
    if (options[name as keyof WritingOptions] !== undefined && !has(format)) {
      throw new GazetteError('usage', `${flagOf(name)} applies to ${to}; the format is ${format}`);
    }
  }
  const { formulas, self, schemaLocation } = options;
  if (self !== undefined && !isHttpUrl(self)) {
    throw new GazetteError('usage', `--self must be an absolute http(s) URL, got ${quote(self)}`);
  }
  if (
    schemaLocation !== undefined &&
    (/\s/.test(schemaLocation) || !URL.canParse(schemaLocation, 'https://example.org'))
  ) {
    throw new GazetteError('usage', `--schema-location must be a URL without spaces, got ${quote(schemaLocation)}`);
  }
  const level = readLevel(options.level);
  return {
    formatOptions: {
      ...(formulas === undefined ? {} : { formulas: formulas === 'guarded' ? 'guard' : 'raw' }),
      ...(level === undefined ? {} : { level }),
    },
    links: {
      ...(self === undefined ? {} : { self }),
      ...(schemaLocation === undefined ? {} : { schema: schemaLocation }),
    },
  };
}

function readLevel(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const level = /^\d$/.test(text) ? Number(text) : NaN;
  if (isWhole(level, 1, 9)) return level;
  throw new GazetteError('usage', `--level must be 1..9, got ${quote(text)}`);
}

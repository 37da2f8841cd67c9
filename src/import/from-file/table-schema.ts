// What a publisher says of a CSV beside it: a Table Schema, alone or in a Data Package (Frictionless, versions 1 and 2). It says how the
// file is written and of which types its columns are, where nobody says it otherwise. Constraints and keys are not read.
import { GazetteError, quote } from '../../errors.ts';
import { isObject } from '../../checks.ts';
import { EXACT_TYPES, GUARDED } from '../../formats/csv-dialect.ts';
import { columnLetters } from '../../formats/xlsx/cell-xml.ts';
import type { FieldType } from '../../register/record.ts';
import type { ReadingOptions } from './file-options.ts';

/** What is said of a file. */
export interface DescribedFile {
  readonly reading: Pick<ReadingOptions, 'delimiter' | 'encoding' | 'headerRow' | 'decimalComma' | 'dateFormat'> & {
    readonly header?: false;
    readonly missing: readonly string[];
    readonly formulas?: 'guarded';
  };
  /** The types of its columns, by their names; those that are not said are found. */
  readonly types: ReadonlyMap<string, FieldType>;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * What a description says of a file.
 *
 * @param value a Table Schema, or a Data Package
 * @param file the name of the file without its folder
 * @param of `where` names the description in messages; `isNamed`: somebody said that it is of this file, whatever name that has
 * @returns null for a package that does not have the file
 * @throws GazetteError `invalid_input` for what is neither, or has its schema elsewhere
 */
export function describedFile(
  value: unknown,
  file: string,
  { where, isNamed }: { readonly where: string; readonly isNamed: boolean },
): DescribedFile | null {
  if (!isObject(value)) throw invalid(where, 'must be a Table Schema or a Data Package');
  if (!Array.isArray(value.resources)) return read({ schema: value }, where);
  const resources = value.resources.filter(isObject);
  const named = resources.find(({ path }) => [path].flat().some((each) => nameOf(each) === file));
  const resource = named ?? (isNamed && resources.length === 1 ? resources[0] : undefined);
  return resource === undefined ? null : read(resource, where);
}

function read({ schema, dialect, encoding, formulas }: Node, where: string): DescribedFile {
  if (typeof schema === 'string') throw invalid(where, `has its schema elsewhere: give --schema ${schema}`);
  const { fields, missingValues } = isObject(schema) ? schema : {};
  if (!Array.isArray(fields) || !fields.every(hasName)) throw invalid(where, 'must have fields, each with a name');
  const { delimiter, header, headerRows } = isObject(dialect) ? dialect : {};
  const hasHeader = header !== false;
  const dateFormat = fields.map(dateFormatOf).find((format) => format !== null) ?? null;
  const types = fields.flatMap((field, at): readonly (readonly [string, FieldType])[] => {
    const type = typeOf(field, dateFormat);
    return type === null ? [] : [[hasHeader ? field.name : columnLetters(at), type]];
  });
  const row = Array.isArray(headerRows) ? (headerRows as readonly unknown[])[0] : 1;
  return {
    reading: {
      ...(typeof delimiter === 'string' ? { delimiter } : {}),
      ...(typeof encoding === 'string' ? { encoding } : {}),
      ...(!hasHeader ? { header: false } : typeof row === 'number' ? { headerRow: row } : {}),
      ...(fields.some(({ decimalChar }) => decimalChar === ',') ? { decimalComma: true } : {}),
      ...(dateFormat === null ? {} : { dateFormat }),
      ...(formulas === GUARDED ? { formulas } : {}),
      missing: wordsOf(missingValues),
    },
    types: new Map(types),
  };
}

/** The last part of a path. */
function nameOf(path: unknown): string {
  return typeof path === 'string' ? path.slice(path.lastIndexOf('/') + 1) : '';
}

function hasName(field: unknown): field is Node & { readonly name: string } {
  return isObject(field) && typeof field.name === 'string';
}

/** The words for no value; those of version 2 may have labels. An empty field is none anyway. */
function wordsOf(missing: unknown): readonly string[] {
  const values = Array.isArray(missing) ? missing.map((each: unknown) => (isObject(each) ? each.value : each)) : [];
  return values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');
}

/** The types that say what texts mean; of others, such as `any`, it is found. */
const TYPES: Readonly<Record<string, FieldType>> = {
  ...{ string: 'text', number: 'decimal', integer: 'integer', boolean: 'boolean', year: 'integer' },
  ...{ date: 'date', datetime: 'datetime', object: 'json', array: 'json', geojson: 'json' },
  ...{ time: 'text', yearmonth: 'text', duration: 'text', geopoint: 'text', list: 'text' },
};

/** The type of a column; null: it is found. A form that gazette does not read is text. */
function typeOf(field: Node, dateFormat: string | null): FieldType | null {
  const { type = 'string', format = 'default', rdfType, bareNumber, trueValues = ['true'] } = field;
  const exact = EXACT_TYPES.find(({ uri }) => uri === rdfType);
  if (exact !== undefined) return exact.type;
  const said = TYPES[String(type)] ?? null;
  switch (said) {
    case 'date':
    case 'datetime':
      if (format === 'any') return null;
      return format === 'default' || (dateFormat !== null && dateFormatOf(field) === dateFormat) ? said : 'text';
    case 'decimal':
    case 'integer':
      return bareNumber === false ? 'text' : said;
    case 'boolean':
      return Array.isArray(trueValues) && !trueValues.some((one) => /^true$/i.test(String(one))) ? 'text' : said;
    case 'text':
      return format === 'uri' ? null : said;
    default:
      return said;
  }
}

/** How dates are written, as `--date-format` says it; null where it is as in RFC 3339, or otherwise than gazette reads. */
function dateFormatOf({ type, format }: Node): string | null {
  if ((type !== 'date' && type !== 'datetime') || typeof format !== 'string' || !format.includes('%')) return null;
  const written = format.replace(/^fmt:/, '').replace(/[ T,]+%H:%M(?::%S)?$/, '');
  const known = written.replace(/%-?([YymdD])/g, (_, letter: string) => PARTS[letter] ?? '%');
  return /^(?:YYYY|YY|MM|DD)([-./ ]+)(?:YYYY|YY|MM|DD)([-./ ]+)(?:YYYY|YY|MM|DD)$/.test(known) ? known : null;
}

/** The parts of dates in the names of strptime. */
const PARTS: Readonly<Record<string, string>> = { Y: 'YYYY', y: 'YY', m: 'MM', d: 'DD' };

function invalid(where: string, reason: string): GazetteError {
  return new GazetteError('invalid_input', `${quote(where)} ${reason}`, { details: { input: where } });
}

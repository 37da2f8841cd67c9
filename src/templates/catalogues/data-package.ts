// A register's CSV as a Data Package with a Table Schema (Frictionless): what programs have to know to read its columns by their
// types. Version 1 of the specification, because the readers there are for npm read that one.
import { csvDialect, type CsvOptions, EXACT_TYPES, GUARDED } from '../../formats/csv-dialect.ts';
import { allFields } from '../../register/fields.ts';
import type { FieldType, RegisterDefinition } from '../../register/record.ts';
import { toUri } from '../../register/url.ts';
import type { ServiceTexts } from '../layout.ts';
import { licenceOf } from './structured-data.ts';

/** Where the CSV is, and how it is written. */
export interface PackagedCsv {
  /** Relative to the description; the parts of it, where there are several, each with a header. */
  readonly path: string | readonly string[];
  /** As CSV is written there. */
  readonly options?: CsvOptions | undefined;
  readonly service: Pick<ServiceTexts, 'licenceUrl'>;
}

/** The description: `datapackage.json`. @throws GazetteError `invalid_option` for a dialect that is none */
export function dataPackage(definition: RegisterDefinition, { path, options, service }: PackagedCsv): object {
  const { id, title, description, author, homepage } = definition;
  const { delimiter, record_delimiter: lineTerminator, formulas } = csvDialect(options);
  const licence = licenceOf(definition, service);
  return {
    profile: 'tabular-data-package',
    name: id,
    title,
    ...(description === '' ? {} : { description }),
    ...(homepage === null ? {} : { homepage: toUri(homepage) }),
    ...(licence === null ? {} : { licenses: [{ path: toUri(licence) }] }),
    ...(author === null ? {} : { contributors: [{ title: author, role: 'publisher' }] }),
    resources: [
      {
        profile: 'tabular-data-resource',
        name: id,
        path,
        ...(formulas === 'guard' ? { description: GUARD, formulas: GUARDED } : {}),
        ...{ format: 'csv', mediatype: 'text/csv', encoding: 'utf-8' },
        ...(typeof path === 'string' && path.endsWith('.gz') ? { compression: 'gz' } : {}),
        // What readers take where nothing is said differs between the versions.
        dialect: {
          delimiter,
          lineTerminator,
          quoteChar: '"',
          doubleQuote: true,
          skipInitialSpace: false,
          header: true,
        },
        schema: {
          fields: allFields(definition).map(({ name, label, type, description: about }) => ({
            ...{ name, title: label, ...TYPES[type], ...classOf(type) },
            ...(about === undefined ? {} : { description: about }),
          })),
          // No value is an empty field; an empty text is two quotes, which most readers take for the same.
          missingValues: [''],
          primaryKey: 'id',
        },
      },
    ],
  };
}

/** What tells the type from others of the same name there; nothing where the name does. */
function classOf(type: FieldType): object {
  const exact = EXACT_TYPES.find((each) => each.type === type);
  return exact === undefined ? {} : { rdfType: exact.uri };
}

const GUARD =
  'So that no spreadsheet runs a text as a formula, one that begins with =, +, -, @, a tab, a line end or a full-width ＝ ＋ － ＠, or with apostrophes before one of these, has one more apostrophe before it. Remove that one to have the text.';

/** The types of Table Schema. A `datetime` may be a bare date, at the precision of its source, and a `url` an IRI: both are texts there. */
const TYPES: Readonly<Record<FieldType, object>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  decimal: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean', trueValues: ['true'], falseValues: ['false'] },
  date: { type: 'date' },
  datetime: { type: 'string' },
  url: { type: 'string' },
  json: { type: 'any' },
};

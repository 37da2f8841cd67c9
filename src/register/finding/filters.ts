// The only table of filters: which parameters restrict a page, on every surface alike. Parsing, openapi.json, the agents'
// schemas, the command line and the documents that name their filter are made of it. The filters of a register's own fields
// are not rows of the table: own-filters.ts derives them from the definition.
import { coreField } from '../fields.ts';
import type { TextsParameter } from '../parameters.ts';
import type { CoreFieldName } from '../record.ts';
import { TIME_PATTERNS } from '../time.ts';

/** What a filter asks of a field. `exact`: one of the values. `since`: not before a time. `until`: before a time. */
export type FilterTest = 'exact' | 'since' | 'until' | 'words';

/** A filter: a query parameter, an argument of agents, a name at the command line. */
export interface FilterField extends TextsParameter {
  /** What it asks for. */
  readonly test: FilterTest;
  /** The core field it looks at; null for words, which look at several. */
  readonly field: CoreFieldName | null;
  /** One sentence for those who read `openapi.json` and the agents' schemas. */
  readonly description: string;
}

/** How many values an exact filter takes: a record must have one of them. */
export const MAX_FILTER_VALUES = 100;

/** The longest value of an exact filter, in characters (code points). */
export const MAX_FILTER_LENGTH = 1000;

/** A core field that the publisher states and that has an exact filter: its values are indexed and counted. */
export type CountedField = 'document_type' | 'facility_id';

/** What the exact filters ask for, by the core fields they look at: the only texts of a record that are found by their value. */
const EXACT: Readonly<Record<'key' | CountedField, string>> = {
  key: 'Only the records with exactly these keys: the publisher’s own identifiers, such as 2026-0191.',
  document_type: 'Only records of exactly these document types, such as adopted.',
  facility_id: 'Only records of exactly these facilities.',
};

const EXACT_NAMES = Object.keys(EXACT) as ('key' | CountedField)[];

/** The fields whose times can be asked for. */
export const TIME_FIELDS: readonly ['published_at', 'observed_at', 'updated_at'] = [
  'published_at',
  'observed_at',
  'updated_at',
];

/** The filters; a record must match all that are given. */
export const FILTERS: readonly FilterField[] = [
  ...EXACT_NAMES.map(exact),
  ...TIME_FIELDS.flatMap((field) => [
    time(field, 'since', 'not before this time. A record without the date never matches.'),
    time(field, 'until', 'before this time, which is not included. A record without the date never matches.'),
  ]),
  {
    ...{ kind: 'texts', name: 'q', test: 'words', field: null, minLength: 1, maxLength: 1000, maxItems: 1 },
    description:
      'Only records with all these words in title, summary, content, author, key or an own field of texts: `"a phrase"`, `word*` for words that begin so, `-word` for records without it. At most 32 words.',
  },
];

/** The exact filters but that of the key, which no version of a record changes. */
export const STATED_FILTERS: readonly CountedField[] = EXACT_NAMES.filter((name) => name !== 'key');

function exact(field: 'key' | CountedField): FilterField {
  return {
    ...{ kind: 'texts', name: field, test: 'exact', field, description: EXACT[field], minLength: 1 },
    maxLength: coreField(field).maxLength ?? MAX_FILTER_LENGTH,
    maxItems: MAX_FILTER_VALUES,
  };
}

function time(field: (typeof TIME_FIELDS)[number], test: 'since' | 'until', what: string): FilterField {
  const event = field.slice(0, field.indexOf('_'));
  return {
    ...{ kind: 'texts', name: `${event}_${test}`, test, field, minLength: 10, maxLength: 35, maxItems: 1 },
    pattern: TIME_PATTERNS.dateOrDateTime,
    description: `Only records ${event} ${what} A date is its midnight UTC.`,
  };
}

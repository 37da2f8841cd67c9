// The only table of filters: which parameters restrict a page, on every surface alike. Parsing, openapi.json, the agents'
// schemas, the command line and the documents that name their filter are made of it. The filters of a register's own fields
// are not rows of the table: own-filters.ts derives them from the definition.
import { coreField } from '../fields.ts';
import { MAX_KEY_LENGTH } from '../identity.ts';
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

/** The fields whose times can be asked for. */
const TIMES = ['published_at', 'observed_at', 'updated_at'] as const;

/** The filters; a record must match all that are given. */
export const FILTERS: readonly FilterField[] = [
  exact(
    'key',
    'Only the records with exactly these keys: the publisher’s own identifiers, such as 2026-0191.',
    MAX_KEY_LENGTH,
  ),
  exact('document_type', 'Only records of exactly these document types, such as adopted.', MAX_FILTER_LENGTH),
  exact('facility_id', 'Only records of exactly these facilities.', MAX_FILTER_LENGTH),
  ...TIMES.flatMap((field) => [
    time(field, 'since', 'not before this time. A record without the date never matches.'),
    time(field, 'until', 'before this time, which is not included. A record without the date never matches.'),
  ]),
  {
    ...{ kind: 'texts', name: 'q', test: 'words', field: null, minLength: 1, maxLength: 1000, maxItems: 1 },
    description:
      'Only records with all these words in title, summary, content, author, key or a text field: `"a phrase"`, `word*` for words that begin so, `-word` for records without it. At most 32 words.',
  },
];

/** The filters by a field that the publisher states, and that may change: the key of a record does not. */
export const STATED_FILTERS: readonly FilterField[] = FILTERS.filter(
  ({ name }) => name === 'document_type' || name === 'facility_id',
);

function exact(name: 'key' | 'document_type' | 'facility_id', description: string, maxLength: number): FilterField {
  const field = coreField(name).name;
  return {
    kind: 'texts',
    name,
    test: 'exact',
    field,
    description,
    minLength: 1,
    maxLength,
    maxItems: MAX_FILTER_VALUES,
  };
}

function time(field: (typeof TIMES)[number], test: 'since' | 'until', what: string): FilterField {
  const event = field.slice(0, field.indexOf('_'));
  return {
    ...{ kind: 'texts', name: `${event}_${test}`, test, field, minLength: 10, maxLength: 35, maxItems: 1 },
    pattern: TIME_PATTERNS.dateOrDateTime,
    description: `Only records ${event} ${what} A date is its midnight UTC.`,
  };
}

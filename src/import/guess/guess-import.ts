// Guesses how a publisher's file can be imported: a mapping and a definition for a person to edit, tried on the whole
// file. It reads the file twice, or three times, and writes nothing.
import { type GazetteError, quote } from '../../errors.ts';
import { defineRegister } from '../../register/definition.ts';
import { canBeFilterable } from '../../register/finding/own-filters.ts';
import type { Field, RegisterDefinition } from '../../register/record.ts';
import { isDate } from '../../register/time.ts';
import { coreNameNotes } from '../fields/core-names.ts';
import type { FoundField } from '../mapping/columns.ts';
import { asciiName } from '../mapping/field-name.ts';
import { checkImportable, type MappingRule, parseMapping } from '../mapping/mapping.ts';
import { parseDecimal } from '../mapping/parse-decimal.ts';
import type { TextFormOptions } from '../mapping/text-forms.ts';
import { inColumnOrder, type RecordReader } from '../readers/raw-record.ts';
import type { ReaderNote } from '../readers/reader-note.ts';
import { formatPath } from '../readers/value-path.ts';
import { IgnoredColumns, ignoredNames } from '../rows/ignored-columns.ts';
import { withoutFormat } from '../rows/nested-records.ts';
import { sourceOf, usesColumn } from './column-sources.ts';
import { type ColumnProfile, ColumnSurvey, FEW_VALUES, membersInside } from './column-survey.ts';
import { findKey } from './find-key.ts';
import { type GuessedForms, guessForms, isDateColumn } from './guess-forms.ts';
import { guessMapping } from './guess-mapping.ts';
import type { GuessOptions, ImportGuess } from './import-guess.ts';
import { type Tried, tryImport } from './try-import.ts';

/**
 * Guesses how a file can be imported: forms of dates and amounts, mapping, types and order.
 *
 * @param open makes a reader of the file; it is called twice, and once more where no column is an id
 * @throws GazetteError what the reader throws; `invalid_definition` for an invalid feed id; `invalid_mapping`;
 *   `invalid_option`; `invalid_record` for more than 1,000 different properties; `aborted`.
 * @example const { map, definition } = await guessImport(() => csvReader(source), { feedId: 'permits' });
 */
export async function guessImport(open: () => RecordReader, options: GuessOptions): Promise<ImportGuess> {
  const { feedId, mapping: given = [], without = [], signal, now = Date.now } = options;
  const created = new Date(now()).toISOString();
  defineRegister({ id: feedId, title: feedId, created_at: created });
  checkImportable(given);
  const reader = open();
  const ignored = new IgnoredColumns(ignoredNames(options.ignore ?? []));
  const survey = new ColumnSurvey(() => reader.textValues ?? false, options.missing);
  const inside = new ColumnSurvey(() => reader.textValues ?? false, options.missing);
  let firstFault: GazetteError | undefined;
  for await (const { records } of reader.batches(signal)) {
    for (const raw of records) {
      firstFault ??= raw.fault;
      if (raw.fault !== undefined) continue;
      const value = withoutFormat(ignored.without(raw.value));
      survey.add({ value, at: raw.at });
      inside.add({ value: membersInside(value), at: raw.at });
    }
  }
  if (survey.records === 0 && firstFault !== undefined) throw firstFault;
  const own = inColumnOrder(survey.profiles(), reader, ({ name }) => name);
  // Nested records have their title or dates inside of objects; the features of GeoJSON have all in their `properties`.
  const columns = [...own, ...inside.profiles()];
  const forms = guessForms(columns, options);
  const found = reader.notes?.() ?? [];
  const surveyed = { records: survey.records, columns, forms, given, without, isOfRow: options.key === 'row' };
  let guessed = guessMapping(surveyed);
  if (guessed.keyColumns.length > 0) {
    guessed = guessMapping({ ...surveyed, key: await findKey(open(), guessed.keyColumns, signal) });
  }
  const { remarks, isOfRow } = guessed;
  // A column that is called so would fill the field without a rule.
  const named = own.filter(({ name }) => without.includes(name)).map(({ name }) => `data.${name}=${name}`);
  const rules = [...guessed.rules, ...named];
  const attempt = (): Promise<Tried> =>
    tryImport(
      open(),
      { ...options, ...written(forms), mapping: parseMapping(rules), ...(isOfRow ? { key: 'row' } : {}) },
      created,
    );
  let tried = await attempt();
  while (tried.misfits.length > 0) {
    rules.push(...tried.misfits.map((name) => `data.${asciiName(name)}=${name}`));
    tried = await attempt();
  }
  const mapping = parseMapping(rules);
  const definition = withFilters(tried, columns);
  return {
    map: [...rules, ...fieldRules(tried.fields)],
    key: isOfRow ? 'row' : null,
    definition,
    ...forms,
    order: tried.order,
    columns: columns
      .map((column) => {
        const member = own.includes(column) ? null : column.name.split('.').at(-1)!;
        const isMember = member !== null && own.every(({ name }) => name !== member);
        return { column, guessed: toGuessed(column, isMember ? member : null, mapping, tried, forms) };
      })
      // Of what is inside of objects, what the guess uses; an object whose members are columns is none itself.
      .filter(({ column, guessed }) => guessed.field !== null || (own.includes(column) && column.type !== 'json'))
      .map(({ guessed }) => guessed),
    records: tried.records,
    refused: tried.refused,
    first: tried.first,
    remarks: [
      ...[...readingRemarks(found), ...headerRemarks(own), ...forms.remarks, ...remarks],
      ...coreNameNotes(tried.definition.fields).map(({ message }) => message),
      ...tried.remarks,
    ],
    found,
  };
}

/** The longest value that readers choose from a list, in UTF-16 units: longer ones are sentences. */
const LONGEST_CHOICE = 100;

/** The definition, with filters for the columns from whose values a reader may choose: few, each used twice on average. */
function withFilters({ definition, fields }: Tried, columns: readonly ColumnProfile[]): RegisterDefinition {
  const places = new Map(fields.map(({ field, path }) => [field.name, path === null ? null : formatPath(path)]));
  const isFew = (field: Field): boolean => {
    const column = columns.find(({ name }) => name === places.get(field.name));
    if (column === undefined || field.type === 'json' || !canBeFilterable(field) || column.longest > LONGEST_CHOICE)
      return false;
    const { different, counted } = column;
    return different > 1 && different <= FEW_VALUES && different * 2 <= counted;
  };
  return {
    ...definition,
    fields: definition.fields.map((field) => (isFew(field) ? { ...field, filterable: true as const } : field)),
  };
}

/**
 * What a person should check of how the file is read: which sheet, cells without a value, and an encoding that letters
 * show. A byte-order mark is certain.
 */
function readingRemarks(found: readonly ReaderNote[]): readonly string[] {
  const uncertain: readonly ReaderNote['code'][] = ['sheet', 'error_cells', 'no_header', 'header_rows', 'column_names'];
  const isUncertain = ({ code, encoding }: ReaderNote): boolean =>
    uncertain.includes(code) || (code === 'encoding' && encoding?.startsWith('utf-') === false);
  return found.filter(isUncertain).map(({ message }) => message);
}

/** A header whose names are dates or amounts may be a record. */
function headerRemarks(columns: readonly ColumnProfile[]): readonly string[] {
  const value = columns.find(
    ({ name }) => isDate(name) || (parseDecimal(name) !== null && !/^(?:19|20)\d\d$/.test(name)),
  );
  if (value === undefined) return [];
  return [
    `a column is called ${quote(value.name)}: if the first line is a record and no header, write a line with names above it`,
  ];
}

function toGuessed(
  column: ColumnProfile,
  inside: string | null,
  mapping: readonly MappingRule[],
  { core, definition: { fields } }: Tried,
  forms: GuessedForms,
): ImportGuess['columns'][number] {
  const { name, filled, isUnique } = column;
  // A member of an object is a column under its own name, or under its path where that name is taken.
  const names = [name, inside ?? name];
  const target = mapping.find((rule) => usesColumn(rule, name))?.target ?? core.find((each) => names.includes(each));
  const labelled = names.map((each) => fields.find(({ label }) => label === each)).find((field) => field !== undefined);
  const own = target === undefined ? labelled : fields.find((field) => target === `data.${field.name}`);
  const type = own?.type ?? (isDateColumn(column, forms) && column.type === 'text' ? 'date' : column.type);
  return { name, field: own === undefined ? (target ?? null) : `data.${own.name}`, type, filled, isUnique };
}

function written(forms: { readonly dateFormat: string | null; readonly decimalComma: boolean }): TextFormOptions {
  const { dateFormat, decimalComma } = forms;
  return { decimalComma, ...(dateFormat === null ? {} : { dateFormat }) };
}

/** The rules for fields whose names differ from the columns’: so that their labels can be edited. */
function fieldRules(fields: readonly FoundField[]): readonly string[] {
  return fields.flatMap(({ field, path }) => {
    const [column, inner] = path ?? [];
    if (column === undefined || inner !== undefined || column === field.name) return [];
    const source = sourceOf(`data.${field.name}`, column);
    return source === null ? [] : [`data.${field.name}=${source}`];
  });
}

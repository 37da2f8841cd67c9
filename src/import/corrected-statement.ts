// What a publisher states of a record, with some values set by hand: converted and checked as those of a file are.
import { GazetteError, quote } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { statedValue, statementNames } from '../register/declared-values.ts';
import { coreField, STATED_FIELDS, type StatedFieldName } from '../register/fields.ts';
import type { Field, RegisterDefinition } from '../register/record.ts';
import type { PublishedRecord } from '../stores/contract/prepared-record.ts';
import { openRecords } from './opened-records.ts';
import { ImportPlan } from './mapping/plan.ts';
import type { TextFormOptions } from './mapping/text-forms.ts';
import type { RawObject, RawValue, RecordReader } from './readers/raw-record.ts';
import { IgnoredColumns } from './rows/ignored-columns.ts';

/**
 * The statement with other values. What the definition does not name stays in it.
 *
 * @param values the new values by the names of core fields and of the register's own: texts as a table has them, or JSON values;
 *   null or an empty text for none
 * @param options.observedAt what a record that does not state it is checked with, RFC 3339
 * @throws GazetteError `invalid_option` for a name that is none of a field; `invalid_record`
 */
export async function correctedStatement(
  definition: RegisterDefinition,
  statement: PublishedRecord,
  values: ReadonlyMap<string, RawValue>,
  options: TextFormOptions & { readonly observedAt: string },
): Promise<PublishedRecord> {
  const core = new Map<string, RawValue>(STATED_FIELDS.map((name) => [name, statement[name]]));
  const own = new Map<Field, RawValue>();
  for (const [name, value] of values) {
    const field = definition.fields.find((each) => name === each.name || name === `data.${each.name}`);
    if (field !== undefined) own.set(field, value);
    else if (core.has(name)) core.set(name, value === '' && coreField(name as StatedFieldName).nullable ? null : value);
    else throw noField(name, definition);
  }
  const given = [...core].filter(([, value]) => value !== null);
  const data = Object.fromEntries([...own].map(([{ name }, value]) => [name, value]));
  const record = { id: statement.id, ...Object.fromEntries(given), data };
  const { data: set, ...checked } = await statementOf(definition, record, options);
  const replaced = new Set([...own.keys()].flatMap(statementNames));
  const kept = Object.entries(statement.data).filter(([name]) => !replaced.has(name));
  const corrected = [...own.keys()].map((field) => {
    const held = statementNames(field).find((name) => (statement.data[name] ?? null) !== null);
    return [held ?? field.name, statedValue(field, set)] as const;
  });
  return { ...checked, key: statement.key ?? null, data: Object.fromEntries([...kept, ...corrected]) };
}

/** A statement as files would have it without these columns, which are not taken in. */
export function withoutIgnored(
  definition: RegisterDefinition,
  statement: PublishedRecord,
  columns: readonly string[],
): PublishedRecord {
  const ignored = new IgnoredColumns(columns);
  const plan = new ImportPlan({
    reader: readerOf({}, statement.id),
    rules: [],
    definition,
    takesLabels: true,
    ignored,
  });
  const filled = ignored.filled(plan);
  const data = Object.entries(statement.data).filter(([name]) => !filled.has(`data.${name}`));
  return { ...statement, data: Object.fromEntries(data) };
}

async function statementOf(
  definition: RegisterDefinition,
  record: RawObject & { readonly id: string },
  options: Parameters<typeof correctedStatement>[3],
): Promise<PublishedRecord> {
  const opened = await openRecords(readerOf(record, record.id), { definition, ...options });
  try {
    return opened.map.toStatement({ value: record, at: 0 });
  } finally {
    await opened.close();
  }
}

function readerOf(record: RawObject, id: string): RecordReader {
  return {
    name: 'by hand',
    textValues: true,
    where: () => id,
    async *batches() {
      yield { records: [{ value: record, at: 0 }], bytes: 0 };
    },
  };
}

function noField(name: string, { fields }: RegisterDefinition): GazetteError {
  const names = [...STATED_FIELDS, ...fields.map((field) => field.name)];
  const near = nearest(name.replace(/^data\./, ''), names);
  const meant = near.length === 0 ? names : near;
  return new GazetteError('invalid_option', `${quote(name)} is not a field; expected ${meant.join(', ')}`, {
    details: { option: 'set', field: name },
  });
}

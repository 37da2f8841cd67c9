// Changes of a register's fields that keep its records as they are: another type, another name, and what a changed definition
// must not lose. For types and names all versions are read first, page by page, while no other process works on the register: a
// history shows their values, too.
import { checkOneOf, isObject } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import { counted } from '../../register/counted.ts';
import { defineRegister, FIELD_TYPES } from '../../register/definition.ts';
import type { Field, FieldType, RegisterDefinition } from '../../register/record.ts';
import { statedValue, showValue, statementNames } from '../../register/declared-values.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { UnderLease } from '../../stores/contract/leases.ts';
import {
  type ChangesPage,
  type RegisterEntry,
  type RegisterStore,
  VERSIONS_PAGE_SIZE,
} from '../../stores/contract/registers.ts';
import { holdRegister, type HoldOptions } from '../../stores/lease/hold-register.ts';
import { unknownFeed } from '../../stores/rows/register.ts';

/** How many versions a refusal names. */
const NAMED_VERSIONS = 5;

/**
 * Gives fields other types. Every value that any version of a record holds must fit, whether the record is live or not.
 *
 * @param types by the field's name
 * @throws GazetteError `unknown_feed`, `invalid_option` for a type that is none, `invalid_definition` for an unknown field, and for values that do not fit, naming
 *   the first versions; `register_busy`
 */
export function retypeFields(
  store: RegisterStore,
  feedId: string,
  types: ReadonlyMap<string, FieldType>,
  hold: HoldOptions,
): Promise<RegisterEntry> {
  return changeFields(store, feedId, hold, async (definition) => {
    for (const type of types.values()) checkOneOf('type', type, FIELD_TYPES);
    for (const name of types.keys()) fieldNamed(definition, name);
    const fields = definition.fields.map((field) => ({ ...field, type: types.get(field.name) ?? field.type }));
    const retyped = fields.filter(({ name }) => types.has(name));
    await checkStoredValues(store, feedId, retyped);
    return fields;
  });
}

/**
 * Checks that all values that versions hold for fields fit the types of these fields.
 *
 * @param advice what to do otherwise, for the message
 * @throws GazetteError `invalid_definition`, naming the first versions that hold others
 */
export async function checkStoredValues(
  store: RegisterStore,
  feedId: string,
  fields: readonly Field[],
  advice = '',
): Promise<void> {
  const misfits = await misfitsOf(store, feedId, fields, (field, value) => showValue(field, value) !== undefined);
  for (const [{ name, type }, misfit] of misfits) {
    throw invalid(`${name} cannot be of type ${type}: the values of ${naming(misfit)} do not fit${advice}`);
  }
}

/**
 * Renames a field. Statements and files may have it under both names from then on.
 *
 * @throws GazetteError `unknown_feed`, `invalid_definition` for an unknown field, a name that is taken, and a name under
 *   which versions hold other values; `register_busy`
 */
export function renameField(
  store: RegisterStore,
  feedId: string,
  { from, to }: { readonly from: string; readonly to: string },
  hold: HoldOptions,
): Promise<RegisterEntry> {
  return changeFields(store, feedId, hold, async (definition) => {
    const field = fieldNamed(definition, from);
    if (from === to) return definition.fields;
    const renamed: Field = {
      ...field,
      name: to,
      label: field.label === from ? to : field.label,
      source_names: statementNames(field).filter((name) => name !== to),
    };
    const fields = definition.fields.map((other) => (other === field ? renamed : other));
    // Refuses a malformed name before the records are read.
    defineRegister({ ...definition, fields });
    if (!statementNames(field).includes(to)) {
      const unnamed: Field = { name: to, label: to, type: 'json' };
      for (const [, misfit] of await misfitsOf(store, feedId, [unnamed], (_, value) => value === null)) {
        throw invalid(`${from} cannot be renamed ${to}: ${naming(misfit)} hold other values under that name`);
      }
    }
    return fields;
  });
}

async function changeFields(
  store: RegisterStore,
  feedId: string,
  hold: HoldOptions,
  change: (definition: RegisterDefinition) => Promise<readonly Field[]>,
): Promise<RegisterEntry> {
  const work = async (under: UnderLease): Promise<RegisterEntry> => {
    const entry = await store.register(feedId);
    if (entry === null) throw unknownFeed(feedId);
    const { definition } = entry;
    const changed = defineRegister({ ...definition, fields: await change(definition) });
    const recordedAt = new Date((hold.now ?? Date.now)()).toISOString();
    return store.updateRegister(changed, { recordedAt, ...under });
  };
  return holdRegister(store, feedId, hold, (held) => held.write(work));
}

/** The versions whose values do not fit. */
interface Misfits {
  count: number;
  /** The first of them. */
  readonly named: string[];
}

/** The fields with values that do not fit, as the publisher gave them. */
async function misfitsOf(
  store: RegisterStore,
  feedId: string,
  fields: readonly Field[],
  fits: (field: Field, value: JsonValue) => boolean,
): Promise<ReadonlyMap<Field, Misfits>> {
  const misfits = new Map<Field, Misfits>();
  if (fields.length === 0) return misfits;
  for (let from: { readonly since: number; readonly log?: string } | null = { since: 0 }; from !== null;) {
    const page: ChangesPage = await store.changes(feedId, { ...from, limit: VERSIONS_PAGE_SIZE, withStatement: true });
    for (const { record_id, version, statement } of page.versions) {
      // A withdrawn one states nothing new, and an erased one nothing any more.
      const data = (statement?.data ?? {}) as PublishedRecord['data'];
      for (const field of fields) {
        if (fits(field, statedValue(field, data))) continue;
        const known = misfits.get(field) ?? { count: 0, named: [] };
        known.count++;
        if (known.named.length < NAMED_VERSIONS) known.named.push(`${record_id} version ${version}`);
        misfits.set(field, known);
      }
    }
    from = page.more ? { since: page.nextSince, log: page.log } : null;
  }
  return misfits;
}

function naming({ count, named }: Misfits): string {
  const more = count > named.length ? ` and ${counted(count - named.length, 'more version')}` : '';
  return `${counted(count, 'version')} (${named.join(', ')}${more})`;
}

function fieldNamed({ id, fields }: RegisterDefinition, name: string): Field {
  const field = fields.find((declared) => declared.name === name);
  if (field !== undefined) return field;
  const names = fields.map((declared) => declared.name).join(', ');
  throw invalid(`register ${quote(id)} has no field ${quote(name)}; its fields are ${names === '' ? 'none' : names}`);
}

function invalid(message: string): GazetteError {
  return new GazetteError('invalid_definition', `fields: ${message}`, { details: { member: 'fields' } });
}

/** @param name what the message calls a definition @throws GazetteError `definition_loses` where it lacks what its register has */
export function checkLosses(before: RegisterDefinition, given: Readonly<Record<string, unknown>>, name: string): void {
  const named = new Set(
    (Array.isArray(given.fields) ? given.fields : []).map((field) => isObject(field) && field.name),
  );
  const fields = before.fields.map((field) => field.name).filter((field) => !named.has(field));
  const lost = [
    ...fields.map((field) => `the field ${field}`),
    ...(given.title == null ? ['the title'] : []),
    ...(given.language == null && before.language !== null ? ['the language'] : []),
  ];
  if (lost.length === 0) return;
  throw new GazetteError(
    'definition_loses',
    `${name} lacks ${lost.join(', ')}, which the register ${before.id} would lose: give it, or say --replace; prices alone are set with gazette register price`,
    { details: { lost: lost.join(', ') } },
  );
}

/** A field keeps the names under which statements hold it, where a description does not state them. */
export function keepNames(before: RegisterDefinition, after: RegisterDefinition): RegisterDefinition {
  const taken = new Set(after.fields.flatMap(statementNames));
  const fields = after.fields.map((field) => {
    const known = before.fields.find(({ name }) => name === field.name)?.source_names ?? [];
    const source_names = known.filter((name) => !taken.has(name));
    return field.source_names !== undefined || source_names.length === 0 ? field : { ...field, source_names };
  });
  return { ...after, fields };
}

/** Records were checked against the fields of their time: a field keeps its type while there are any records. */
export function checkTypes({ definition, top }: RegisterEntry, after: RegisterDefinition): void {
  if (top === 0) return;
  for (const { name, type } of after.fields) {
    const known = definition.fields.find((field) => field.name === name);
    if (known === undefined || known.type === type) continue;
    throw new GazetteError(
      'invalid_definition',
      `fields: ${name} is of type ${known.type} in ${counted(top, 'record')}, and cannot become ${type} here; change it with: gazette register retype ${definition.id} ${name}=${type}`,
      { details: { member: 'fields' } },
    );
  }
}

// Changes of a register's fields that keep its records as they are: another type, another name. The records are read
// first, page by page, while no other process works on the register.
import { GazetteError, quote } from '../errors.ts';
import type { JsonValue } from '../register/canonical-json.ts';
import { counted } from '../register/counted.ts';
import { defineRegister } from '../register/definition.ts';
import type { Field, FieldType, RegisterDefinition } from '../register/record.ts';
import { showValue, statementNames } from '../register/shown.ts';
import { pages } from '../register/sources/source.ts';
import type { RegisterEntry, RegisterStore } from '../stores/contract/registers.ts';
import { holdRegister, type HoldOptions } from '../stores/lease/hold-register.ts';
import { unknownFeed } from '../stores/rows/register.ts';

/** How many records a refusal names. */
const NAMED_RECORDS = 5;

/**
 * Gives fields other types. Every value that a live record holds must fit.
 *
 * @param types by the field's name
 * @throws GazetteError `unknown_feed`, `invalid_definition` for an unknown field, and for values that do not fit, naming
 *   the first records; `register_busy`
 */
export function retypeFields(
  store: RegisterStore,
  feedId: string,
  types: ReadonlyMap<string, FieldType>,
  hold: HoldOptions,
): Promise<RegisterEntry> {
  return changeFields(store, feedId, hold, async (definition) => {
    for (const name of types.keys()) fieldNamed(definition, name);
    const fields = definition.fields.map((field) => ({ ...field, type: types.get(field.name) ?? field.type }));
    const retyped = fields.filter(({ name }) => types.has(name));
    const misfits = await misfitsOf(store, feedId, retyped, (field, value) => showValue(field, value) !== undefined);
    for (const [{ name, type }, { count, ids }] of misfits) {
      throw invalid(`${name} cannot be of type ${type}: the values of ${naming(count, ids)} do not fit`);
    }
    return fields;
  });
}

/**
 * Renames a field. Statements and files may have it under both names from then on.
 *
 * @throws GazetteError `unknown_feed`, `invalid_definition` for an unknown field, a name that is taken, and a name under
 *   which records hold other values; `register_busy`
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
      for (const [, { count, ids }] of await misfitsOf(store, feedId, [unnamed], (_, value) => value === null)) {
        throw invalid(`${from} cannot be renamed ${to}: ${naming(count, ids)} hold other values under that name`);
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
  return holdRegister(store, feedId, hold, async (lease) => {
    const entry = await store.register(feedId);
    if (entry === null) throw unknownFeed(feedId);
    const { definition } = entry;
    const changed = defineRegister({ ...definition, fields: await change(definition) });
    const recordedAt = new Date((hold.now ?? Date.now)()).toISOString();
    return store.updateRegister(changed, { recordedAt, lease });
  });
}

/** The records whose values do not fit. */
interface Misfits {
  count: number;
  /** The first of them. */
  readonly ids: string[];
}

/** The fields with values that do not fit, as the publisher gave them. */
async function misfitsOf(
  store: RegisterStore,
  feedId: string,
  fields: readonly Field[],
  fits: (field: Field, value: JsonValue) => boolean,
): Promise<ReadonlyMap<Field, Misfits>> {
  const misfits = new Map<Field, Misfits>();
  const asGiven = fields.map((field): Field => ({ ...field, type: 'json' }));
  for await (const { records } of pages(await store.source(feedId, { fields: asGiven }))) {
    for (const { id, data } of records) {
      for (const field of fields) {
        if (fits(field, data[field.name] ?? null)) continue;
        const known = misfits.get(field) ?? { count: 0, ids: [] };
        known.count++;
        if (known.ids.length < NAMED_RECORDS) known.ids.push(id);
        misfits.set(field, known);
      }
    }
  }
  return misfits;
}

function naming(count: number, ids: readonly string[]): string {
  const more = count > ids.length ? ` and ${counted(count - ids.length, 'more record')}` : '';
  return `${counted(count, 'record')} (${ids.join(', ')}${more})`;
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

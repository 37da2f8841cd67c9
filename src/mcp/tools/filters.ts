// The filters as arguments of tools: those of the table under their own names, a value or a list of values each, and those
// of own fields as members of `data`. Their schemas are short, since every model reads them; the bounds are checked here.
import { z } from 'zod';
import { checkFilterBounds } from '../../register/finding/bounds.ts';
import type { Filter } from '../../register/finding/filter.ts';
import type { FilterField } from '../../register/finding/filters.ts';
import { OWN_PREFIX, ownFilters } from '../../register/finding/own-filters.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import type { JsonObject } from '../protocol.ts';

/** How many filters of own fields the schema names; list_registers says of every field whether it is filterable. */
const MAX_OWN_FILTERS = 30;

/** A value, or some of which a record must have one. */
const VALUES = z.union([z.string(), z.array(z.string())]);

const VALUES_SCHEMA: JsonObject = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };

/** `data`. */
const OWN_VALUES = z.record(z.string(), z.unknown(), { error: 'must be an object' }).optional().meta({
  description:
    'Own fields that list_registers calls filterable, by their names: {"country": "NL"}. NAME_since and NAME_until for dates, NAME_min and NAME_max for numbers.',
});

/** The arguments. */
export function filterArguments(filters: readonly FilterField[]): Readonly<Record<string, z.ZodType>> {
  const members = filters.map((filter) => {
    const schema = filter.maxItems === 1 ? z.string() : VALUES;
    return [filter.name, schema.optional().meta({ description: textOf(filter) })] as const;
  });
  return { ...Object.fromEntries(members), data: OWN_VALUES };
}

/** What a filter asks for; of times, in fewer words than the table has: there are six. */
function textOf({ test, field, description }: FilterField): string {
  if (test !== 'since' && test !== 'until') return description;
  const event = field!.slice(0, field!.indexOf('_'));
  return `Only records ${event} ${test === 'since' ? 'at or after' : 'before'} this date (midnight UTC) or date-time.`;
}

/** The schema of arguments with the filters of the own fields that operators declared. */
export function withOwnFilters(schema: JsonObject, registers: readonly RegisterEntry[]): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const known = declaredOwnFilters(registers).map((name) => [name, VALUES_SCHEMA] as const);
  const { description } = properties.data!;
  const own = { type: 'object', description, properties: Object.fromEntries(known) };
  return { ...schema, properties: { ...properties, data: own } };
}

/** The first filters of the own fields that operators declared, as members of `data`. */
export function declaredOwnFilters(registers: readonly RegisterEntry[]): readonly string[] {
  // A word of a publisher's file has no place in what a model takes for the service's own.
  const fields = registers.flatMap(({ definition }) => definition.fields.filter((field) => field.from_file !== true));
  const names = new Set(ownFilters(fields).map(({ name }) => name.slice(OWN_PREFIX.length)));
  return [...names].slice(0, MAX_OWN_FILTERS);
}

/** The arguments that the filters in a query are; null for a query with anything else. */
export function argumentsOf(query: URLSearchParams, filters: readonly FilterField[]): JsonObject | null {
  const args: Record<string, string | readonly string[]> = {};
  const data: Record<string, string | readonly string[]> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const value = values.length === 1 ? values[0]! : values;
    if (name.startsWith(OWN_PREFIX)) data[name.slice(OWN_PREFIX.length)] = value;
    else if (filters.some((filter) => filter.name === name)) args[name] = value;
    else return null;
  }
  return { ...args, data };
}

/**
 * The filter that arguments ask for. An empty list counts as absent, as null does.
 *
 * @throws GazetteError `invalid_parameter` for a value out of bounds
 */
export function filterOf(args: Readonly<Record<string, unknown>>, filters: readonly FilterField[]): Filter {
  const filter: Record<string, readonly string[]> = {};
  for (const asked of filters) {
    const given = args[asked.name];
    const values = typeof given === 'string' ? [given] : ((given ?? []) as readonly string[]);
    if (values.length > 0) filter[asked.name] = values;
  }
  for (const [name, given] of Object.entries((args.data ?? {}) as Readonly<Record<string, unknown>>)) {
    // Models write numbers and truth values as JSON does.
    const values = (Array.isArray(given) ? given : [given])
      .filter((value) => value !== null)
      .map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value)));
    if (values.length > 0) filter[OWN_PREFIX + name] = values;
  }
  checkFilterBounds(filter, filters);
  return filter;
}

// The filters as arguments of tools: those of the table under their own names, a value or a list of values each, and those
// of own fields as members of `data`. Their schemas say every bound, in few words: every model reads them.
import { z } from 'zod';
import { checkFilterBounds } from '../../register/finding/bounds.ts';
import type { Filter } from '../../register/finding/filter.ts';
import { type FilterField, MAX_FILTER_LENGTH, MAX_FILTER_VALUES } from '../../register/finding/filters.ts';
import { OWN_PREFIX, OWN_VALUES, ownFilters } from '../../register/finding/own-filters.ts';
import { text } from '../../register/schemas/parameters.ts';
import { TIME_PATTERNS } from '../../register/time.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import type { JsonObject } from '../protocol.ts';

/** How many filters of own fields the schema names; list_registers says of every field whether it is filterable. */
const MAX_OWN_FILTERS = 30;

const OWN_ERROR = { error: 'must be a text, a number, true or false, or a list of them' };

/** A value of an own field, as JSON writes it. */
const OWN_VALUE = z.union([z.string(), z.number(), z.boolean()], OWN_ERROR);

/** `data`. Null counts as absent. How long and how many its values may be is checked with those of the others. */
const OWN_FILTERS = z.record(z.string(), z.union([OWN_VALUE, z.array(OWN_VALUE), z.null()], OWN_ERROR), {
  error: 'must be an object',
});

/** The same as a schema, with its bounds. */
const OWN_FILTERS_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: {
    ...{ type: ['string', 'number', 'boolean', 'array'], minLength: OWN_VALUES.minLength },
    ...{ maxLength: OWN_VALUES.maxLength, maxItems: OWN_VALUES.maxItems },
    items: {
      ...{ type: ['string', 'number', 'boolean'], minLength: OWN_VALUES.minLength, maxLength: OWN_VALUES.maxLength },
    },
  },
};

/** A date or a date-time: the refusal says which days there are. */
const TIME: z.ZodType = z.string().regex(TIME_PATTERNS.dateOrDateTime).meta({ id: 'time' });

/** Values of most filters. */
const TEXTS: z.ZodType = textsOf({ minLength: 1, maxLength: MAX_FILTER_LENGTH, maxItems: MAX_FILTER_VALUES }).meta({
  id: 'texts',
});

/** The arguments. @param options `isBrief`: they are described elsewhere, and here by their bounds alone */
export function filterArguments(
  filters: readonly FilterField[],
  { isBrief = false }: { readonly isBrief?: boolean } = {},
): Readonly<Record<string, z.ZodType>> {
  const members = filters.map((filter) => {
    const values = valuesOf(filter).optional();
    return [filter.name, isBrief ? values : values.meta({ description: textOf(filter) })] as const;
  });
  return { ...Object.fromEntries(members), data: OWN_FILTERS.optional() };
}

/** A value, or some of which a record must have one. */
function valuesOf(filter: FilterField): z.ZodType {
  if (filter.pattern !== undefined) return TIME;
  if (filter.maxItems === 1) return text(filter);
  return filter.maxLength === MAX_FILTER_LENGTH && filter.maxItems === MAX_FILTER_VALUES ? TEXTS : textsOf(filter);
}

function textsOf(filter: Pick<FilterField, 'minLength' | 'maxLength' | 'maxItems'>): z.ZodType {
  return z.union([text(filter), z.array(text(filter)).max(filter.maxItems)]);
}

/** What a filter asks for; of times, in fewer words than the table has: there are six. */
function textOf({ test, field, description }: FilterField): string {
  if (test !== 'since' && test !== 'until') return description;
  const event = field!.slice(0, field!.indexOf('_'));
  return test === 'since'
    ? `Only records ${event} at or after this date (its midnight UTC) or time.`
    : `Only records ${event} before.`;
}

/** The schema of arguments with the filters of the own fields that operators declared. */
export function withOwnFilters(schema: JsonObject, registers: readonly RegisterEntry[]): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const names = declaredOwnFilters(registers);
  const known = names.length === 0 ? '' : ` There are ${names.join(', ')}.`;
  const data = { ...OWN_FILTERS_SCHEMA, description: OWN_TEXT + known };
  return { ...schema, properties: { ...properties, data } };
}

/** The schema of an argument `filter`, with the bounds of the filters of own fields. */
export function withFilterBounds(schema: JsonObject): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const { filter } = properties as { readonly filter: JsonObject & { readonly properties: JsonObject } };
  const bounded = { ...filter, properties: { ...filter.properties, data: OWN_FILTERS_SCHEMA } };
  return { ...schema, properties: { ...properties, filter: bounded } };
}

const OWN_TEXT =
  'Own fields that list_registers calls filterable, by their names: {"country": "NL"}. NAME_since and NAME_until for dates, NAME_min and NAME_max for numbers.';

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
  for (const [name, given] of Object.entries((args.data ?? {}) as z.output<typeof OWN_FILTERS>)) {
    // Models write numbers and truth values as JSON does.
    const values = [given].flat().filter((value) => value !== null);
    if (values.length > 0) filter[OWN_PREFIX + name] = values.map(String);
  }
  checkFilterBounds(filter, filters);
  return filter;
}

// The filters as arguments of tools: those of the table under their own names, and `where`, conditions that every consumer's
// schema can express: of own fields, and of several values of which a record must have one.
import { z } from 'zod';
import { GazetteError, quote } from '../../errors.ts';
import { checkFilterBounds } from '../../register/finding/bounds.ts';
import type { Filter } from '../../register/finding/filter.ts';
import type { FilterField } from '../../register/finding/filters.ts';
import { OWN_PREFIX, ownFilterName, ownFilters, type OwnTest } from '../../register/finding/own-filters.ts';
import type { Field } from '../../register/record.ts';
import { text } from '../../register/schemas/parameters.ts';
import type { RegisterEntry } from '../../stores/contract/registers.ts';
import type { JsonObject } from '../protocol.ts';

/** How many own fields the schema names; list_registers says of every field whether it is filterable. */
const MAX_OWN_FIELDS = 30;

/** What a condition asks for, by its name: that of the filter's end over REST, or `is`, an exact value. */
const OPERATORS = { is: 'exact', since: 'since', until: 'until', min: 'min', max: 'max' } as const satisfies Readonly<
  Record<string, OwnTest>
>;

const OPERATOR_NAMES = ['is', 'since', 'until', 'min', 'max'] as const satisfies readonly (keyof typeof OPERATORS)[];

/** How many conditions a call has at the most. */
const MAX_CONDITIONS = 200;

/** A condition. Models write numbers and truth values as JSON does. */
const CONDITION = z.strictObject({
  field: z.string({ error: 'must be the name of a field' }),
  op: z.enum(OPERATOR_NAMES, { error: `must be one of ${OPERATOR_NAMES.join(', ')}` }),
  value: z.union([z.string(), z.number(), z.boolean()], { error: 'must be a text, a number, true or false' }),
});

type Condition = z.output<typeof CONDITION>;

const CONDITIONS_TEXT =
  'Conditions, all of which a record must meet; of several that a field is a value, one. since, until for dates, min, max for numbers.';

/** The arguments. */
export function filterArguments(filters: readonly FilterField[]): Readonly<Record<string, z.ZodType>> {
  const members = filters.map((filter) => {
    const values = valuesOf(filter)
      .optional()
      .meta({ description: textOf(filter) });
    return [filter.name, values] as const;
  });
  const where = z
    .array(CONDITION, { error: 'must be a list of { field, op, value }' })
    .max(MAX_CONDITIONS, `must have at most ${MAX_CONDITIONS} conditions`)
    .optional();
  return { ...Object.fromEntries(members), where: where.meta({ description: CONDITIONS_TEXT }) };
}

/** The schema of arguments with a few filters alone, and no word on them: read_register's has them all. @param shown which */
export function withBriefFilters(
  schema: JsonObject,
  filters: readonly FilterField[],
  shown: readonly string[],
): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const isFilter = (name: string): boolean => name === 'where' || filters.some((filter) => filter.name === name);
  const kept = Object.entries(properties).filter(([name]) => shown.includes(name) || !isFilter(name));
  const brief = kept.map(([name, one]) => [name, isFilter(name) ? { ...one, description: BRIEF_TEXT } : one] as const);
  return { ...schema, properties: Object.fromEntries(brief) };
}

const BRIEF_TEXT = 'As for read_register; its other filters work too.';

/** A value, or some of which a record must have one. */
function valuesOf(filter: FilterField): z.ZodType {
  return filter.maxItems === 1 ? text(filter) : z.union([text(filter), z.array(text(filter)).max(filter.maxItems)]);
}

/** What a filter asks for; of times, in fewer words than the table has: there are six. */
function textOf({ test, field, description }: FilterField): string {
  if (test !== 'since' && test !== 'until') return description;
  const event = field!.slice(0, field!.indexOf('_'));
  return test === 'since'
    ? `Only records ${event} at or after this date (its midnight UTC) or time.`
    : `Only records ${event} before.`;
}

/** The schema of arguments with the fields that conditions may name, where their operators declared all of them. */
export function withConditionFields(
  schema: JsonObject,
  filters: readonly FilterField[],
  registers: readonly RegisterEntry[],
): JsonObject {
  const { properties } = schema as { readonly properties: Readonly<Record<string, JsonObject>> };
  const { where } = properties as { readonly where: JsonObject & { readonly items: JsonObject } };
  const { properties: members } = where.items as { readonly properties: Readonly<Record<string, JsonObject>> };
  const declared = declaredFields(registers);
  const core = [...new Set(filters.flatMap(({ field }) => field ?? []))];
  const own = [...new Set(declared.map(({ name }) => OWN_PREFIX + name))];
  const named = [...core, ...own.slice(0, MAX_OWN_FIELDS)];
  const all = registers.flatMap(({ definition }) => definition.fields.filter(({ filterable }) => filterable === true));
  const isWhole = own.length <= MAX_OWN_FIELDS && declared.length === all.length;
  const field = isWhole
    ? { type: 'string', enum: named }
    : {
        type: 'string',
        description: `${named.join(', ')}, or data.NAME of another field that list_registers calls filterable.`,
      };
  const items = { ...where.items, properties: { ...members, field } };
  return { ...schema, properties: { ...properties, where: { ...where, items } } };
}

/** The filterable own fields that operators declared. A word of a publisher's file has no place in what a model takes for ours. */
function declaredFields(registers: readonly RegisterEntry[]): readonly Field[] {
  return registers.flatMap(({ definition }) =>
    definition.fields.filter((field) => field.filterable === true && field.from_file !== true),
  );
}

/** The first filters of the own fields that operators declared, without `data.`. */
export function declaredOwnFilters(registers: readonly RegisterEntry[]): readonly string[] {
  const names = new Set(ownFilters(declaredFields(registers)).map(({ name }) => name.slice(OWN_PREFIX.length)));
  return [...names].slice(0, MAX_OWN_FIELDS);
}

/** The arguments that the filters in a query are; null for a query with anything else. */
export function argumentsOf(query: URLSearchParams, filters: readonly FilterField[]): JsonObject | null {
  const args: Record<string, readonly string[] | string> = {};
  const where: Condition[] = [];
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    if (name.startsWith(OWN_PREFIX)) where.push(...values.map((value) => conditionOf(name, value)));
    else if (filters.some((filter) => filter.name === name)) args[name] = values.length === 1 ? values[0]! : values;
    else return null;
  }
  return { ...args, where };
}

/** A filter of an own field as a condition: the name of a filterable field has no such end. */
function conditionOf(name: string, value: string): Condition {
  const op = OPERATOR_NAMES.find((one) => name.endsWith(`_${one}`)) ?? 'is';
  return { field: op === 'is' ? name : name.slice(0, -op.length - 1), op, value };
}

/**
 * The filter that arguments ask for. An empty list counts as absent, as null does.
 *
 * @throws GazetteError `invalid_parameter` for a value out of bounds, or what nothing can ask of a field
 */
export function filterOf(args: Readonly<Record<string, unknown>>, filters: readonly FilterField[]): Filter {
  const filter: Record<string, readonly string[]> = {};
  for (const asked of filters) {
    const given = args[asked.name];
    const values = typeof given === 'string' ? [given] : ((given ?? []) as readonly string[]);
    if (values.length > 0) filter[asked.name] = values;
  }
  for (const condition of (args.where ?? []) as readonly Condition[]) {
    const name = filterNameOf(condition, filters);
    filter[name] = [...(filter[name] ?? []), String(condition.value)];
  }
  checkFilterBounds(filter, filters);
  return filter;
}

/** The filter that a condition is. A field that is none of every record's is one of the register's own, with `data.` or without. */
function filterNameOf({ field, op }: Condition, filters: readonly FilterField[]): string {
  const own = filters.filter((filter) => filter.field === field);
  const asked = own.find(({ test }) => test === OPERATORS[op]);
  if (asked !== undefined) return asked.name;
  if (own.length === 0)
    return ownFilterName(field.startsWith(OWN_PREFIX) ? field.slice(OWN_PREFIX.length) : field, OPERATORS[op]);
  const known = OPERATOR_NAMES.filter((one) => own.some(({ test }) => test === OPERATORS[one]));
  throw new GazetteError('invalid_parameter', `where: op of ${field} must be ${known.join(' or ')}, got ${quote(op)}`, {
    details: { parameter: 'where' },
  });
}

// What requests may hold, as Zod schemas made of the bounds in parameters.ts: the object that refuses a value is the one
// that openapi.json and the agents' tools describe. For surfaces: whoever only exports pages does not load Zod.
import { z } from 'zod';
import { type FilterField, FILTERS } from '../fields.ts';
import type { PageQuery } from '../page.ts';
import {
  AS_OF,
  filterParameter,
  givenValue,
  type IntegerParameter,
  LIMIT,
  OFFSET,
  type Parameter,
  refusal,
  SINCE,
  type TextParameter,
} from '../parameters.ts';
import { pageQueryOf } from '../query.ts';

/** What the query of a URL may ask for. */
export interface Query<T> {
  /** Takes the parameters' values, gives what they ask for. */
  readonly schema: z.ZodType<T>;
  readonly parameters: readonly Parameter[];
}

/** How many of what, from where down. */
export interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** The members of {@link rangeShape}. */
export interface RangeShape {
  readonly limit: z.ZodDefault<z.ZodInt>;
  readonly offset: z.ZodDefault<z.ZodInt>;
}

/** What `limit` and `offset` mean here. */
export interface RangeTexts {
  readonly limit: string;
  readonly offset: string;
}

/** `limit` and `offset`. */
export function rangeShape(defaultLimit: number, texts: RangeTexts): RangeShape {
  return {
    limit: integer(LIMIT).default(defaultLimit).meta({ description: texts.limit }),
    offset: integer(OFFSET).default(0).meta({ description: texts.offset }),
  };
}

/** The filters. */
export function filterShape(
  filters: readonly FilterField[] = FILTERS,
): Readonly<Record<string, z.ZodOptional<z.ZodString>>> {
  const members = filters.map((filter) => {
    const schema = text(filterParameter(filter)).optional();
    return [filter.name, schema.meta({ description: filter.description })] as const;
  });
  return Object.fromEntries(members);
}

/** A page: `limit`, `offset`, `as_of` and the filters. */
export function pageQuery(
  defaultLimit: number,
  texts: RangeTexts & { readonly asOf: string },
  filters: readonly FilterField[] = FILTERS,
): Query<PageQuery> {
  const schema = z
    .object({
      ...rangeShape(defaultLimit, texts),
      as_of: integer(AS_OF).optional().meta({ description: texts.asOf }),
      ...filterShape(filters),
    })
    .transform((values) => pageQueryOf(values, values, filters));
  return { schema, parameters: [LIMIT, OFFSET, AS_OF, ...filters.map(filterParameter)] };
}

/** `limit` and `offset`. */
export function rangeQuery(defaultLimit: number, texts: RangeTexts): Query<Range> {
  return { schema: z.object({ ...rangeShape(defaultLimit, texts) }), parameters: [LIMIT, OFFSET] };
}

/** Some changes: `limit` and `since`. */
export function changesQuery(
  defaultLimit: number,
  texts: { readonly limit: string; readonly since: string },
): Query<{ readonly limit: number; readonly since: number }> {
  const schema = z.object({
    limit: integer(LIMIT).default(defaultLimit).meta({ description: texts.limit }),
    since: integer(SINCE).default(0).meta({ description: texts.since }),
  });
  return { schema, parameters: [LIMIT, SINCE] };
}

/**
 * What the query of a URL asks for. Parameters that nobody described are ignored.
 *
 * @throws GazetteError `invalid_parameter` for a value out of bounds, an empty one and several.
 * @example readQuery(rangeQuery(50, texts), new URLSearchParams('limit=5')) // { limit: 5, offset: 0 }
 */
export function readQuery<T>({ schema, parameters }: Query<T>, query: URLSearchParams): T {
  const given: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const values = query.getAll(parameter.name);
    if (values.length > 0) given[parameter.name] = givenValue(parameter, values);
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [name] = result.error.issues[0]!.path;
  const parameter = parameters.find((asked) => asked.name === name)!;
  throw refusal(parameter, given[parameter.name]);
}

function integer({ minimum, maximum }: IntegerParameter): z.ZodInt {
  return z.int().min(minimum).max(maximum);
}

function text({ minLength, maxLength }: TextParameter): z.ZodString {
  return z.string().min(minLength).max(maxLength);
}

// The parameters of requests as Zod schemas, derived from the bounds in parameters.ts: the schema that refuses a value
// is also the one that openapi.json and the agents' tools describe. Only for the service and the agents: exports do not
// load Zod.
import { z } from 'zod';
import type { Filter } from '../finding/filter.ts';
import { type FilterField, FILTERS } from '../finding/filters.ts';
import { OWN_PREFIX } from '../finding/own-filters.ts';
import type { PageQuery } from '../page.ts';
import {
  AS_OF,
  type ChangeToken,
  givenValue,
  type IntegerParameter,
  LIMIT,
  OFFSET,
  type Parameter,
  readChangeToken,
  refusal,
  SINCE,
  STATEMENT,
  type TextsParameter,
  unknownParameter,
} from '../parameters.ts';
import { ownValues, pageQueryOf } from '../query.ts';

/** The parameters of a URL's query. */
export interface Query<T> {
  /** Validates the parameters, and is described in openapi.json. */
  readonly schema: z.ZodObject;
  /**
   * Reads a query.
   *
   * @throws GazetteError `invalid_parameter` for a value out of bounds, an empty one and several; `unknown_parameter`.
   * @example rangeQuery(50, texts).read(new URLSearchParams('limit=5')) // { limit: 5, offset: 0 }
   */
  read(query: URLSearchParams): T;
}

/** How many items, and from which offset. */
export interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** The members of {@link rangeShape}. */
export interface RangeShape {
  readonly limit: z.ZodDefault<z.ZodInt>;
  readonly offset: z.ZodDefault<z.ZodInt>;
}

/** The meaning of `limit` and `offset` here. */
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

/** The filters: each a list of values, of which a record must have one. */
export function filterShape(
  filters: readonly FilterField[] = FILTERS,
): Readonly<Record<string, z.ZodOptional<z.ZodArray<z.ZodString>>>> {
  const members = filters.map((filter) => {
    return [filter.name, texts(filter).optional().meta({ description: filter.description })] as const;
  });
  return Object.fromEntries(members);
}

/** A page: `limit`, `offset`, `as_of` and the filters, those of own fields too. */
export function pageQuery(
  defaultLimit: number,
  texts: RangeTexts & { readonly asOf: string },
  filters: readonly FilterField[] = FILTERS,
): Query<PageQuery> {
  const schema = z.object({
    ...rangeShape(defaultLimit, texts),
    as_of: integer(AS_OF).optional().meta({ description: texts.asOf }),
    ...filterShape(filters),
  });
  const parameters = [LIMIT, OFFSET, AS_OF, ...filters];
  return queryOf(schema, parameters, (values, own) => pageQueryOf(values, { ...filterIn(values, filters), ...own }));
}

/** The filters among checked values. */
export function filterIn(values: Readonly<Record<string, unknown>>, filters: readonly FilterField[] = FILTERS): Filter {
  const given = filters.filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(given.map(({ name }) => [name, values[name] as readonly string[]]));
}

/** Versions: how many, and whether each carries its statement. */
export interface VersionsQuery {
  readonly limit: number;
  readonly withStatement: boolean;
}

/** A range of a history: `limit`, `offset` and `statement`. */
export function historyQuery(
  defaultLimit: number,
  texts: RangeTexts & { readonly statement: string },
): Query<VersionsQuery & Range> {
  const schema = z.object({ ...rangeShape(defaultLimit, texts), statement: statement(texts.statement) });
  return queryOf(schema, [LIMIT, OFFSET, STATEMENT], ({ statement, ...range }) => ({
    ...range,
    withStatement: statement === 1,
  }));
}

/** A range of changes: `limit`, `since` and `statement`. */
export function changesQuery(
  defaultLimit: number,
  texts: { readonly limit: string; readonly since: string; readonly statement: string },
): Query<VersionsQuery & ChangeToken> {
  const schema = z.object({
    limit: integer(LIMIT).default(defaultLimit).meta({ description: texts.limit }),
    since: z.string().regex(SINCE.pattern).default('0').meta({ description: texts.since }),
    statement: statement(texts.statement),
  });
  return queryOf(schema, [LIMIT, SINCE, STATEMENT], ({ limit, since, statement }) => ({
    ...{ limit, withStatement: statement === 1 },
    ...readChangeToken(since),
  }));
}

function queryOf<Schema extends z.ZodObject, T>(
  schema: Schema,
  parameters: readonly Parameter[],
  meaning: (values: z.output<Schema>, own: Filter) => T,
): Query<T> {
  // What has the filters has those of own fields.
  const hasFilters = parameters.some(({ kind }) => kind === 'texts');
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  return {
    schema,
    read(query) {
      const given: Record<string, unknown> = {};
      for (const [name, value] of query) {
        if (hasFilters && name.startsWith(OWN_PREFIX)) continue;
        const parameter = byName.get(name);
        if (parameter === undefined) throw unknownParameter(name, [...byName.keys()]);
        given[name] = givenValue(parameter, name in given ? query.getAll(name) : [value]);
      }
      const result = schema.safeParse(given);
      if (result.success) return meaning(result.data, hasFilters ? ownValues(query) : {});
      const name = String(result.error.issues[0]!.path[0]);
      throw refusal(byName.get(name)!, given[name]);
    },
  };
}

function integer({ minimum, maximum }: IntegerParameter): z.ZodInt {
  return z.int().min(minimum).max(maximum);
}

function statement(description: string): z.ZodOptional<z.ZodLiteral<1>> {
  return z.literal(1).optional().meta({ description });
}

function texts({ minLength, maxLength, maxItems, pattern }: TextsParameter): z.ZodArray<z.ZodString> {
  const item = z.string().min(minLength).max(maxLength);
  return z
    .array(pattern === undefined ? item : item.regex(pattern))
    .min(1)
    .max(maxItems);
}

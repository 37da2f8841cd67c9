// The parameters of requests as Zod schemas, derived from the bounds in parameters.ts: the schema that refuses a value is also
// the one that openapi.json and the agents' tools describe. Only for the service and the agents: exports do not load Zod.
import { z } from 'zod';
import { FIELDS } from '../finding/chosen-fields.ts';
import type { Filter } from '../finding/filter.ts';
import { type FilterField, FILTERS } from '../finding/filters.ts';
import { OWN_IN_WORDS, OWN_NAMES, OWN_PREFIX, OWN_VALUES } from '../finding/own-filters.ts';
import type { PageQuery } from '../page.ts';
import {
  AS_OF,
  AT,
  type ChangeToken,
  givenValue,
  type IntegerParameter,
  LIMIT,
  OFFSET,
  type Parameter,
  readChangeToken,
  refusal,
  SINCE,
  CURSOR,
  LIVE,
  PROOF,
  STREAM_OFFSET,
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

/** The filters: a text, or where it may have several values a list of them, of which a record must have one. */
export function filterShape(filters: readonly FilterField[] = FILTERS): Readonly<Record<string, FilterSchema>> {
  return Object.fromEntries(filters.map((filter) => [filter.name, schemaOf(filter)]));
}

type FilterSchema = z.ZodOptional<z.ZodArray<z.ZodString> | z.ZodString>;
/** Made once: every route of every service has them, and they took a fifth of the time in which one is made. */
const FILTER_SCHEMAS = new WeakMap<FilterField, FilterSchema>();

function schemaOf(filter: FilterField): FilterSchema {
  const { description, maxItems } = filter;
  let schema = FILTER_SCHEMAS.get(filter);
  schema ??= (maxItems === 1 ? text(filter) : texts(filter)).optional().meta({ description });
  FILTER_SCHEMAS.set(filter, schema);
  return schema;
}

/** Filters in a body, those of own fields too: each has a list of values. Which own fields there are, no schema can say. */
export function filterLists(): z.ZodType<Filter> {
  const bounds = new Map(FILTERS.map((filter) => [filter.name, texts(filter)]));
  return z.record(z.string(), texts(OWN_VALUES)).superRefine((given, context) => {
    for (const [name, values] of Object.entries(given)) {
      for (const issue of bounds.get(name)?.safeParse(values).error?.issues ?? []) {
        context.addIssue({ ...issue, path: [name, ...issue.path] });
      }
    }
  });
}

/** The filters of a query. */
export function filtersShape(filters: readonly FilterField[]): Readonly<Record<string, z.ZodType>> {
  const own = z.record(z.string().regex(OWN_NAMES.pattern), text(OWN_VALUES)).optional();
  return { ...filterShape(filters), [OWN_MEMBER]: own };
}

/** The member that stands for the filters of own fields, which only a definition names. No parameter has this name. */
const OWN_MEMBER = 'data';

/** A page: `limit`, `offset`, `as_of` or `at`, and the filters, those of own fields too. */
export function pageQuery(
  defaultLimit: number,
  texts: RangeTexts & { readonly asOf: string; readonly at: string },
  filters: readonly FilterField[] = FILTERS,
): Query<PageQuery> {
  const schema = z.object({
    ...rangeShape(defaultLimit, texts),
    as_of: integer(AS_OF).optional().meta({ description: texts.asOf }),
    at: text(AT).optional().meta({ description: texts.at }),
    fields: text(FIELDS).optional().meta({ description: FIELDS_TEXT }),
    ...filtersShape(filters),
  });
  const parameters = [LIMIT, OFFSET, AS_OF, AT, FIELDS, ...filters];
  return queryOf(schema, parameters, (values, own) => pageQueryOf(values, { ...filterIn(values, filters), ...own }));
}

/** What `fields` means. */
export const FIELDS_TEXT =
  'Which members or columns come, with commas between them, in the order asked for: core fields by their names, `data.NAME` for one of the register’s own, `data` for all of them; `id` always comes. Absent: all. RSS and Atom refuse it.';

/** The filters among checked values. */
export function filterIn(values: Readonly<Record<string, unknown>>, filters: readonly FilterField[] = FILTERS): Filter {
  const given = filters.filter(({ name }) => values[name] !== undefined);
  return Object.fromEntries(given.map(({ name }) => [name, [values[name] as string | readonly string[]].flat()]));
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

/** A filter, if one is asked for. */
export interface Filtered {
  readonly filter?: Filter;
}

/** A range of changes: `limit`, `since`, `statement`, `proof` and the filters. */
export function changesQuery(
  defaultLimit: number,
  texts: { readonly limit: string; readonly since: string; readonly statement: string; readonly proof: string },
  filters: readonly FilterField[] = FILTERS,
): Query<VersionsQuery & ChangeToken & Filtered & { readonly withProof: boolean }> {
  const schema = z.object({
    limit: integer(LIMIT).default(defaultLimit).meta({ description: texts.limit }),
    since: z.string().regex(SINCE.pattern).default('0').meta({ description: texts.since }),
    statement: statement(texts.statement),
    proof: statement(texts.proof),
    ...filtersShape(filters),
  });
  const all = [LIMIT, SINCE, STATEMENT, PROOF, ...filters];
  return queryOf(schema, all, ({ limit, since, statement, proof, ...values }, own) => ({
    ...{ limit, withStatement: statement === 1 || proof === 1, withProof: proof === 1 },
    ...readChangeToken(since),
    ...filtered({ ...filterIn(values, filters), ...own }),
  }));
}

/** What is asked of a stream. */
export interface StreamQuery extends Filtered {
  /** Absent: from the beginning. */
  readonly offset?: string;
  /** Absent: what there is now. */
  readonly live?: 'long-poll' | 'sse';
  readonly cursor?: string;
}

/** `offset`, `live`, `cursor` and the filters. */
export function streamQuery(
  texts: { readonly offset: string; readonly live: string; readonly cursor: string },
  filters: readonly FilterField[] = FILTERS,
): Query<StreamQuery> {
  const schema = z.object({
    offset: text(STREAM_OFFSET).optional().meta({ description: texts.offset }),
    live: z.enum(['long-poll', 'sse']).optional().meta({ description: texts.live }),
    cursor: text(CURSOR).optional().meta({ description: texts.cursor }),
    ...filtersShape(filters),
  });
  return queryOf(schema, [STREAM_OFFSET, LIVE, CURSOR, ...filters], ({ offset, live, cursor, ...values }, own) => {
    return {
      ...(offset === undefined ? {} : { offset }),
      ...(live === undefined ? {} : { live }),
      ...(cursor === undefined ? {} : { cursor }),
      ...filtered({ ...filterIn(values, filters), ...own }),
    };
  });
}

/** A filter, if there is anything in it. */
export function filtered(filter: Filter): Filtered {
  return Object.keys(filter).length === 0 ? {} : { filter };
}

/** A query of these parameters. @param meaning what checked values mean; own fields' filters are among those of records alone */
export function queryOf<Schema extends z.ZodObject, T>(
  schema: Schema,
  parameters: readonly Parameter[],
  meaning: (values: z.output<Schema>, own: Filter) => T,
): Query<T> {
  // What has the filters has those of own fields.
  const hasFilters = OWN_MEMBER in schema.shape;
  const byName = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  /** What texts of queries mean: the same few are asked for again and again. */
  const known = new Map<string, T>();
  return {
    schema,
    read(query) {
      const text = query.size === 0 ? '' : query.toString();
      const before = known.get(text);
      if (before !== undefined) return before;
      const found = readNew(query);
      if (text.length <= MAX_KNOWN_LENGTH) {
        if (known.size >= MAX_KNOWN) known.clear();
        known.set(text, found);
      }
      return found;
    },
  };

  function readNew(query: URLSearchParams): T {
    const given: Record<string, unknown> = {};
    for (const [name, value] of query) {
      if (hasFilters && name.startsWith(OWN_PREFIX)) continue;
      const parameter = byName.get(name);
      if (parameter === undefined) {
        throw unknownParameter(name, [...byName.keys()], hasFilters ? [OWN_IN_WORDS] : []);
      }
      const isSingle = parameter.kind === 'texts' && parameter.maxItems === 1 && !(name in given);
      given[name] = isSingle ? value : givenValue(parameter, name in given ? query.getAll(name) : [value]);
    }
    const own = hasFilters ? ownValues(query) : {};
    const result = schema.safeParse(given);
    if (result.success) return meaning(result.data, own);
    const name = String(result.error.issues[0]!.path[0]);
    throw refusal(byName.get(name)!, given[name]);
  }
}

/** How many queries a route remembers, and the longest one that it does, in characters. */
const [MAX_KNOWN, MAX_KNOWN_LENGTH] = [500, 200];

/** An integer within bounds. */
export function integer({ minimum, maximum }: IntegerParameter): z.ZodInt {
  return z.int().min(minimum).max(maximum);
}

export function statement(description: string): z.ZodOptional<z.ZodLiteral<1>> {
  return z.literal(1).optional().meta({ description });
}

/** A text within bounds. */
export function text({
  minLength,
  maxLength,
  pattern,
}: Pick<TextsParameter, 'minLength' | 'maxLength' | 'pattern'>): z.ZodString {
  const schema = z.string().min(minLength).max(maxLength);
  return pattern === undefined ? schema : schema.regex(pattern);
}

function texts(parameter: Omit<TextsParameter, 'name'>): z.ZodArray<z.ZodString> {
  return z.array(text(parameter)).min(1).max(parameter.maxItems);
}

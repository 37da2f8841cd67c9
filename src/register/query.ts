// The parameters of a page, in code and in the query of a URL, checked against the bounds of parameters.ts. Values are
// never clamped: a client that stops at a page shorter than requested would silently lose records.
import { GazetteError, shorten } from '../errors.ts';
import { compileFilter, filterEntries, type Filter, type FilterOptions } from './finding/filter.ts';
import { checkFields, FIELDS } from './finding/chosen-fields.ts';
import { type FilterField, FILTERS } from './finding/filters.ts';
import { OWN_IN_WORDS, OWN_PREFIX, OWN_VALUES } from './finding/own-filters.ts';
import { type AsOf, isMoment, type PageQuery } from './page.ts';
import type { Field } from './record.ts';
import { isDateTime, toDateTime } from './time.ts';
import {
  AS_OF,
  AT,
  givenValue,
  type IntegerParameter,
  isWithinBounds,
  LIMIT,
  OFFSET,
  OPAQUE_AS_OF,
  type Parameter,
  refusal,
  type TextParameter,
  type TextsParameter,
  unknownParameter,
} from './parameters.ts';

/** @throws GazetteError `invalid_parameter` unless `limit` is an integer from 1 to 100. */
export function checkLimit(limit: number): number {
  return checkInteger(LIMIT, limit);
}

/** @throws GazetteError `invalid_parameter` unless `offset` is an integer from 0. */
export function checkOffset(offset: number): number {
  return checkInteger(OFFSET, offset);
}

/**
 * The page asked for by the query parameters `limit`, `offset`, `as_of` or `at`, `fields` and the filters. Others are refused, because a
 * misspelt filter that is ignored gives wrong data: a program with parameters of its own removes them first.
 *
 * @throws GazetteError `invalid_parameter`, naming the parameter, its limits and what was given, also for a repeated or
 *   empty one; `unknown_parameter`, with the nearest name there is.
 * @example parsePageQuery(new URLSearchParams('limit=50&document_type=adopted'), { defaultLimit: 100 })
 */
export function parsePageQuery(
  parameters: URLSearchParams,
  options: { readonly defaultLimit: number; readonly filters?: readonly FilterField[] },
): PageQuery {
  const { defaultLimit, filters = FILTERS } = options;
  const known = [LIMIT, OFFSET, OPAQUE_AS_OF, AT, FIELDS, ...filters].map(({ name }) => name);
  for (const name of parameters.keys()) {
    if (!known.includes(name) && !name.startsWith(OWN_PREFIX)) throw unknownParameter(name, known, [OWN_IN_WORDS]);
  }
  const limit = read(parameters, LIMIT) ?? defaultLimit;
  const offset = read(parameters, OFFSET) ?? 0;
  const asOf = read(parameters, OPAQUE_AS_OF);
  const at = read(parameters, AT)?.[0];
  const fields = read(parameters, FIELDS);
  const given: Record<string, readonly string[]> = {};
  for (const asked of filters) {
    const values = read(parameters, asked);
    if (values !== undefined) given[asked.name] = values;
  }
  return pageQueryOf({ limit, offset, as_of: asOf, at, fields }, { ...given, ...ownValues(parameters) });
}

/**
 * The values of the filters of own fields in a query: the register's definition decides whether there are such.
 *
 * @throws GazetteError `invalid_parameter`
 */
export function ownValues(parameters: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  const names = new Set(parameters.keys().filter((name) => name.startsWith(OWN_PREFIX)));
  return Object.fromEntries(
    Array.from(names, (name) => [name, read(parameters, { ...OWN_VALUES, name: shorten(name) }, name)!] as const),
  );
}

/**
 * The query with its filter and fields checked, in the one form that equal ones have: so that entity tags and addresses of
 * equal questions are equal.
 *
 * @throws GazetteError as {@link compileFilter} and {@link checkFields}; `invalid_parameter` for words at a moment
 */
export function canonicalQuery<Query extends Pick<PageQuery, 'asOf' | 'filter' | 'fields'>>(
  query: Query,
  fields: readonly Field[],
  options: FilterOptions = {},
): Query {
  const filter = compileFilter(query.filter, fields, options);
  if (isMoment(query.asOf) && filter?.canonical.q !== undefined) {
    throw new GazetteError(
      'invalid_parameter',
      'q does not go with at: the words of a register are indexed as of today',
      {
        details: { parameter: 'q' },
      },
    );
  }
  return {
    ...query,
    ...(filter === null ? {} : { filter: filter.canonical }),
    ...(query.fields === undefined ? {} : { fields: checkFields(query.fields, { fields }) }),
  };
}

/** A page from checked parameters. @throws GazetteError `invalid_parameter` for two views, or a day that no month has */
export function pageQueryOf(
  range: {
    readonly limit: number;
    readonly offset: number;
    readonly as_of?: AsOf | undefined;
    readonly at?: string | undefined;
    readonly fields?: string | undefined;
  },
  filter: Filter,
): PageQuery {
  const { limit, offset, as_of: asOf, at, fields } = range;
  if (at !== undefined && asOf !== undefined) {
    throw new GazetteError('invalid_parameter', 'give at or as_of, not both: each is a view of its own', {
      details: { parameter: AT.name },
    });
  }
  return {
    limit,
    offset,
    ...(asOf === undefined ? {} : { asOf: typeof asOf === 'string' ? toAsOf(asOf) : asOf }),
    ...(at === undefined ? {} : { asOf: momentOf(at) }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...(fields === undefined ? {} : { fields: fields.split(',').map((name) => name.trim()) }),
  };
}

/**
 * The query parameters that request this page again: the inverse of {@link parsePageQuery}, except that an opaque view
 * of up to 15 digits comes back as a number.
 */
export function pageParameters(query: PageQuery): URLSearchParams {
  const parameters = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) });
  if (query.asOf !== undefined) parameters.set(viewName(query.asOf), String(query.asOf));
  for (const [name, value] of filterEntries(query.filter)) parameters.append(name, value);
  if (query.fields !== undefined) parameters.set(FIELDS.name, query.fields.join(','));
  return parameters;
}

/** The parameter by which a view is asked for. */
export function viewName(asOf: AsOf): string {
  return (isMoment(asOf) ? AT : AS_OF).name;
}

/** The moment in the parameter `at`: a bare date is its midnight UTC. @throws GazetteError `invalid_parameter` */
export function momentOf(at: string): string {
  const moment = toDateTime(at);
  if (isDateTime(moment)) return moment;
  throw refusal(AT, at);
}

/**
 * The view for a source that counts positions: the requested one, or the top.
 *
 * @throws GazetteError `invalid_parameter` when it is not a position or is above the top.
 */
export function resolveAsOf(asOf: AsOf | undefined, top: number): number {
  if (asOf === undefined) return top;
  return checkInteger({ kind: 'integer', name: 'as_of', minimum: 0, maximum: top }, asOf);
}

function toAsOf(text: string): AsOf {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** A parameter's value; undefined if it is absent. */
function read(parameters: URLSearchParams, parameter: IntegerParameter): number | undefined;
function read(parameters: URLSearchParams, parameter: TextParameter): string | undefined;
function read(parameters: URLSearchParams, parameter: TextsParameter, name?: string): readonly string[] | undefined;
function read(parameters: URLSearchParams, parameter: Parameter, name = parameter.name): unknown {
  const values = parameters.getAll(name);
  if (values.length === 0) return undefined;
  const value = givenValue(parameter, values);
  if (isWithinBounds(parameter, value)) return value;
  throw refusal(parameter, value);
}

/** @throws GazetteError `invalid_parameter` unless `value` is a whole number within the parameter's bounds. */
export function checkInteger(parameter: IntegerParameter, value: AsOf): number {
  if (typeof value === 'number' && isWithinBounds(parameter, value)) return value;
  throw refusal(parameter, value);
}

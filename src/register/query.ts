// The parameters of a page, in code and in the query of a URL, checked against the bounds of parameters.ts. Values are
// never clamped: a client that stops at a page shorter than requested would silently lose records.
import { type FilterField, FILTERS } from './fields.ts';
import { type AsOf, type Filter, givenFilters, type PageQuery } from './page.ts';
import {
  givenValue,
  type IntegerParameter,
  isWithinBounds,
  LIMIT,
  OFFSET,
  OPAQUE_AS_OF,
  type Parameter,
  refusal,
  type TextParameter,
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
 * The page asked for by the query parameters `limit`, `offset`, `as_of` and the filters. Others are refused, because a
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
  const known = [LIMIT, OFFSET, OPAQUE_AS_OF, ...filters].map(({ name }) => name);
  for (const name of parameters.keys()) if (!known.includes(name)) throw unknownParameter(name, known);
  const limit = read(parameters, LIMIT) ?? defaultLimit;
  const offset = read(parameters, OFFSET) ?? 0;
  const asOf = read(parameters, OPAQUE_AS_OF);
  const filter: Record<string, string | undefined> = {};
  for (const asked of filters) filter[asked.name] = read(parameters, asked);
  return pageQueryOf({ limit, offset, as_of: asOf }, filter, filters);
}

/** A page from checked parameters. @param values contains, among others, the values of the filters */
export function pageQueryOf(
  range: { readonly limit: number; readonly offset: number; readonly as_of?: AsOf | undefined },
  values: Readonly<Record<string, unknown>>,
  filters: readonly FilterField[] = FILTERS,
): PageQuery {
  const { limit, offset, as_of: asOf } = range;
  const filter = filterOf(values, filters);
  return {
    limit,
    offset,
    ...(asOf === undefined ? {} : { asOf: typeof asOf === 'string' ? toAsOf(asOf) : asOf }),
    ...(filter === undefined ? {} : { filter }),
  };
}

/**
 * The query parameters that request this page again: the inverse of {@link parsePageQuery}, except that an opaque view
 * of up to 15 digits comes back as a number.
 */
export function pageParameters(query: PageQuery): URLSearchParams {
  const parameters = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) });
  if (query.asOf !== undefined) parameters.set('as_of', String(query.asOf));
  for (const [{ name }, value] of givenFilters(query.filter, FILTERS)) parameters.set(name, value);
  return parameters;
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

function filterOf(values: Readonly<Record<string, unknown>>, filters: readonly FilterField[]): Filter | undefined {
  let filter: Record<string, string> | undefined;
  for (const { name, property } of filters) {
    const value = values[name];
    if (typeof value === 'string') (filter ??= {})[property] = value;
  }
  return filter;
}

function toAsOf(text: string): AsOf {
  return /^(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** A parameter's value; undefined if it is absent. */
function read(parameters: URLSearchParams, parameter: IntegerParameter): number | undefined;
function read(parameters: URLSearchParams, parameter: TextParameter): string | undefined;
function read(parameters: URLSearchParams, parameter: Parameter): unknown {
  const values = parameters.getAll(parameter.name);
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

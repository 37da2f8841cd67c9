// The parameters every surface shares: limit, offset, as_of and the two filters, parsed and checked once. Nothing is
// ever clamped: a client that stops at a page shorter than it asked for would lose records in silence.
import { GazetteError, quote } from '../errors.ts';
import { type AsOf, type Filter, PAGE_SIZE, type PageQuery } from './page.ts';

/** The largest offset: beyond it a number no longer counts exactly. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER;

/** The longest filter value or opaque view, in UTF-16 units. */
const MAX_VALUE_LENGTH = 1000;

/** @throws GazetteError `invalid_parameter` unless `limit` is a whole number from 1 to {@link PAGE_SIZE}. */
export function checkLimit(limit: number): number {
  return checkInteger('limit', limit, 1, PAGE_SIZE);
}

/** @throws GazetteError `invalid_parameter` unless `offset` is a whole number from 0. */
export function checkOffset(offset: number): number {
  return checkInteger('offset', offset, 0, MAX_OFFSET);
}

/**
 * The page asked for by the query parameters `limit`, `offset`, `as_of`, `document_type` and `facility_id`. Others are
 * ignored; a repeated or empty one of these is refused.
 *
 * @throws GazetteError `invalid_parameter`, naming the parameter, its limits and what was given.
 * @example parsePageQuery(new URLSearchParams('limit=50&document_type=adopted'), { defaultLimit: 100 })
 */
export function parsePageQuery(parameters: URLSearchParams, options: { readonly defaultLimit: number }): PageQuery {
  const range = parseRangeQuery(parameters, options);
  const asOf = single(parameters, 'as_of');
  const filter = parseFilter(parameters);
  return {
    ...range,
    ...(asOf === undefined ? {} : { asOf: parseAsOf(asOf) }),
    ...(filter === undefined ? {} : { filter }),
  };
}

/**
 * How many, and from where down, as `limit` and `offset` ask.
 *
 * @throws GazetteError `invalid_parameter`
 */
export function parseRangeQuery(
  parameters: URLSearchParams,
  options: { readonly defaultLimit: number },
): { readonly limit: number; readonly offset: number } {
  return {
    limit: integer(parameters, 'limit', 1, PAGE_SIZE) ?? options.defaultLimit,
    offset: integer(parameters, 'offset', 0, MAX_OFFSET) ?? 0,
  };
}

/**
 * The changes asked for by `limit` and `since`, a change number; 0 when it is left out: from the beginning.
 *
 * @throws GazetteError `invalid_parameter`
 */
export function parseChangesQuery(
  parameters: URLSearchParams,
  options: { readonly defaultLimit: number },
): { readonly limit: number; readonly since: number } {
  return {
    limit: integer(parameters, 'limit', 1, PAGE_SIZE) ?? options.defaultLimit,
    since: integer(parameters, 'since', 0, MAX_OFFSET) ?? 0,
  };
}

/**
 * The query parameters that ask for this page again; the inverse of {@link parsePageQuery}, but that an opaque view of up
 * to 15 digits comes back as a number.
 */
export function pageParameters(query: PageQuery): URLSearchParams {
  const parameters = new URLSearchParams({ limit: String(query.limit), offset: String(query.offset) });
  if (query.asOf !== undefined) parameters.set('as_of', String(query.asOf));
  if (query.filter?.documentType !== undefined) parameters.set('document_type', query.filter.documentType);
  if (query.filter?.facilityId !== undefined) parameters.set('facility_id', query.filter.facilityId);
  return parameters;
}

/**
 * The view as a source that counts positions understands it: the one asked for, or the top.
 *
 * @throws GazetteError `invalid_parameter` when it is no position or lies above the top.
 */
export function resolveAsOf(asOf: AsOf | undefined, top: number): number {
  return asOf === undefined ? top : checkInteger('as_of', asOf, 0, top);
}

function parseFilter(parameters: URLSearchParams): Filter | undefined {
  const documentType = text(parameters, 'document_type');
  const facilityId = text(parameters, 'facility_id');
  if (documentType === undefined && facilityId === undefined) return undefined;
  return {
    ...(documentType === undefined ? {} : { documentType }),
    ...(facilityId === undefined ? {} : { facilityId }),
  };
}

function text(parameters: URLSearchParams, name: string): string | undefined {
  const value = single(parameters, name);
  if (value !== undefined && value.length > MAX_VALUE_LENGTH) {
    throw invalid(name, `at most ${MAX_VALUE_LENGTH} characters`, value);
  }
  return value;
}

function single(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw invalid(name, 'given once', values.join(', '));
  if (values[0] === '') throw invalid(name, 'a value, or left out', '');
  return values[0];
}

function parseAsOf(value: string): AsOf {
  if (value.length > MAX_VALUE_LENGTH) throw invalid('as_of', `at most ${MAX_VALUE_LENGTH} characters`, value);
  return /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

function integer(parameters: URLSearchParams, name: string, min: number, max: number): number | undefined {
  const value = single(parameters, name);
  if (value === undefined) return undefined;
  if (!/^(?:0|[1-9]\d{0,15})$/.test(value)) throw invalid(name, range(min, max), value);
  return checkInteger(name, Number(value), min, max);
}

function checkInteger(name: string, value: AsOf, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min || value > max) {
    throw invalid(name, range(min, max), value);
  }
  return value;
}

function range(min: number, max: number): string {
  return max === MAX_OFFSET ? `a whole number from ${min}` : `${min}..${max}`;
}

function invalid(name: string, expected: string, got: AsOf): GazetteError {
  const shown = typeof got === 'number' ? String(got) : quote(got);
  return new GazetteError('invalid_parameter', `${name} must be ${expected}, got ${shown}`, {
    details: { parameter: name },
  });
}

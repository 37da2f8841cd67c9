// Turns errors into answers: the problem document, and the header fields that its status requires (RFC 9110 11.6.1,
// 15.5.6). An address that leads to another one is answered here, too (RFC 9110 15.4.9).
import { type ErrorCode, GazetteError, isGazetteError } from '../errors.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import type { HttpResponse } from '../web/representation.ts';
import { problemKind, toProblem } from '../problem.ts';
import type { FoundRecord } from '../stores/contract/record-keys.ts';
import { type RequestContext, siteOf } from './request-context.ts';
import { READING } from './route.ts';

/** How the service asks for credentials. */
export interface ChallengeOptions {
  readonly product: string;
  /** Whether HTTP Basic is accepted too. */
  readonly allowBasic: boolean;
  /** The page where people get a key or renew it; null: none. */
  readonly keysUrl: string | null;
}

/** Why a request failed: the client may have caused it, which broke off the body or no longer waits. */
export function failureOf(request: IncomingRequest, cause: unknown): unknown {
  return request.signal.aborted ? new GazetteError('aborted', 'the client went away', { cause }) : cause;
}

/** Whether a service that cannot answer works as it should: it is being stopped, or has as many long answers or files as it may. */
export function isExpected(error: unknown): boolean {
  if (isGazetteError(error, 'not_ready')) return error.cause === undefined;
  return isGazetteError(error, 'too_many_downloads') || isGazetteError(error, 'too_many_uploads');
}

/** The answer to a request that failed. */
export function refuse(context: RequestContext, error: unknown, options: ChallengeOptions): HttpResponse {
  const problem = toProblem(error, context.id);
  const { keysUrl } = options;
  const needsKey = problem.status === 401 || problem.code === 'rate_limited';
  const detail = needsKey && keysUrl !== null ? `${problem.detail}; get or renew a key at ${keysUrl}` : problem.detail;
  return problemAnswer(
    context.request.method,
    { ...problem, detail },
    {
      ...context.headers,
      ...(problem.status === 401 || problem.code === 'insufficient_scope'
        ? {
            'www-authenticate': challenge(
              problem.code,
              isOfSession(context) ? { ...options, allowBasic: false } : options,
            ),
          }
        : {}),
    },
  );
}

/** Whether a page knows its reader by a session: a browser would ask for a password that it does not take. */
function isOfSession({ route }: RequestContext): boolean {
  return route?.startsWith('page ') === true;
}

/** RFC 6750 3: without credentials the challenge has no error; for a key that does not do it names the error. */
function challenge(code: ErrorCode, { product, allowBasic }: ChallengeOptions): string {
  const realm = `realm="${product}"`;
  const error =
    code === 'credentials_required' ? '' : `, error="${nameOf(code)}", error_description="${problemKind(code).title}"`;
  // RFC 7617 2.1. Bearer comes first, so clients that support it prefer it.
  const basic = allowBasic ? `, Basic ${realm}, charset="UTF-8"` : '';
  return `Bearer ${realm}${error}${basic}`;
}

/** RFC 6750 3.1. */
function nameOf(code: ErrorCode): string {
  return code === 'insufficient_scope' ? code : 'invalid_token';
}

/** What is known of addresses that are made of new keys. */
export interface NewAddresses {
  /** Whether everybody may ask for everything of a register. */
  readonly isOpen: (feedId: string, stamp: number | undefined) => Promise<boolean>;
  /** The record that has the key of which an id is made, where no record has this id. */
  readonly renumbered: (recordId: string) => Promise<FoundRecord | null>;
}

/** Leads to another path of this service: no request leads elsewhere. */
export function redirected(context: RequestContext, path: string, cacheControl = 'no-store'): HttpResponse {
  const { headers, search } = context;
  const location = siteOf(context) + path + search;
  return {
    status: 308,
    headers: { ...headers, location, 'content-length': '0', 'cache-control': cacheControl },
    body: null,
  };
}

/**
 * An answer, or where it is `unknown_record` for an address that is made of the new key of a record, the way to that of its id: to a
 * withdrawn record for those alone who may read what it said.
 */
export async function leadingOn(
  answer: () => HttpResponse | Promise<HttpResponse>,
  context: RequestContext,
  recordId: string | undefined,
  addresses: NewAddresses,
): Promise<HttpResponse> {
  try {
    return await answer();
  } catch (error) {
    return renumberedAnswer(context, recordId, error, addresses);
  }
}

async function renumberedAnswer(
  context: RequestContext,
  recordId: string | undefined,
  error: unknown,
  { renumbered, isOpen }: NewAddresses,
): Promise<HttpResponse> {
  const { access, notes, path, request, stamp } = context;
  const isAsked = recordId !== undefined && READING.includes(request.method);
  if (!isAsked || !isGazetteError(error, 'unknown_record')) throw error;
  const found = await renumbered(recordId);
  if (found === null) throw error;
  const seesAll = access.tier === 'pro' || (notes.register !== undefined && (await isOpen(notes.register, stamp)));
  if (found.state !== 'live' && !seesAll) throw error;
  return redirected(context, path.replace(/\/records\/[^/]+/, `/records/${found.id}`), 'max-age=60');
}

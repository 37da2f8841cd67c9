// Turns errors into answers: the problem document, and the header fields that its status requires (RFC 9110 11.6.1,
// 15.5.6).
import { type ErrorCode, GazetteError, isGazetteError } from '../errors.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import type { HttpResponse } from '../web/representation.ts';
import { problemKind, toProblem } from '../problem.ts';
import type { RequestContext } from './request-context.ts';

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

/** Whether a service that cannot answer works as it should: it is being stopped, or sends as many whole registers as it may. */
export function isExpected(error: unknown): boolean {
  return (
    (isGazetteError(error, 'not_ready') && error.cause === undefined) || isGazetteError(error, 'too_many_downloads')
  );
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

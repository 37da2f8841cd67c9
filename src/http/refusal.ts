// Errors as answers of the service: the problem, and what header fields a status calls for (RFC 9110 11.6.1, 15.5.6).
import type { ErrorCode } from '../errors.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import type { HttpResponse } from '../web/representation.ts';
import { problemKind, toProblem } from '../problem.ts';
import type { RequestContext } from './request-context.ts';

/** How credentials are asked for. */
export interface ChallengeOptions {
  readonly product: string;
  /** Whether HTTP Basic is taken too. */
  readonly allowBasic: boolean;
}

/** The answer to a request that failed. */
export function refuse(context: RequestContext, error: unknown, options: ChallengeOptions): HttpResponse {
  const problem = toProblem(error, context.id);
  return problemAnswer(context.request.method, problem, {
    ...context.headers,
    ...(problem.status === 401 ? { 'www-authenticate': challenge(problem.code, options) } : {}),
  });
}

/** RFC 6750 3: without credentials the challenge carries no error; what is wrong with a key that was sent, it names. */
function challenge(code: ErrorCode, { product, allowBasic }: ChallengeOptions): string {
  const realm = `realm="${product}"`;
  const error =
    code === 'credentials_required' ? '' : `, error="invalid_token", error_description="${problemKind(code).title}"`;
  // RFC 7617 2.1. Who knows Bearer finds it first.
  const basic = allowBasic ? `, Basic ${realm}, charset="UTF-8"` : '';
  return `Bearer ${realm}${error}${basic}`;
}

// Errors as answers of the service: the problem, and what header fields a status calls for (RFC 9110 11.6.1, 15.5.6).
import type { ErrorCode } from '../errors.ts';
import { problemAnswer } from '../export/problem-answer.ts';
import type { Answer } from '../export/representation.ts';
import { PROBLEMS, toProblem } from '../problem.ts';
import type { Exchange } from './exchange.ts';

/** The answer to a request that failed. */
export function refuse(exchange: Exchange, error: unknown, product: string): Answer {
  const problem = toProblem(error, exchange.id);
  return problemAnswer(exchange.request.method, problem, {
    ...exchange.headers,
    ...(problem.status === 401 ? { 'www-authenticate': challenge(problem.code, product) } : {}),
  });
}

/** RFC 6750 3: without credentials the challenge carries no error; what is wrong with a key that was sent, it names. */
function challenge(code: ErrorCode, product: string): string {
  const bearer = `Bearer realm="${product}"`;
  if (code === 'credentials_required') return bearer;
  return `${bearer}, error="invalid_token", error_description="${PROBLEMS[code].title}"`;
}

// An error as an answer (RFC 9457): the problem as a body that no cache may store.
import { type Problem, PROBLEM_MEDIA_TYPE } from '../problem.ts';
import type { HttpResponse, HeaderFields } from './representation.ts';

/**
 * The `Retry-After` (RFC 9110 10.2.3) of a 503 that names no other time: a database server restarts within seconds, and
 * clients wait longer each time.
 */
export const RETRY_AFTER_SECONDS = 2;

/** The same where whole registers are being sent, or files taken in, which takes minutes. */
const RETRY_LONG_SECONDS = 30;

/**
 * The answer that tells a client about a problem.
 *
 * @param common header fields of every answer; the problem's own take precedence
 */
export function problemAnswer(method: string, problem: Problem, common: HeaderFields = {}): HttpResponse {
  const body = new TextEncoder().encode(`${JSON.stringify(problem)}\n`);
  const seconds = /^too_many_(?:down|up)loads$/.test(problem.code) ? RETRY_LONG_SECONDS : RETRY_AFTER_SECONDS;
  return {
    status: problem.status,
    headers: {
      ...(problem.status === 503 ? { 'retry-after': String(seconds) } : {}),
      ...common,
      'x-request-id': problem.request_id,
      'content-type': PROBLEM_MEDIA_TYPE,
      'content-length': String(body.length),
      'cache-control': 'no-store',
    },
    body: method === 'HEAD' ? null : body,
  };
}

// The operator's own interface, on a port that is not public: the metrics.
import { GazetteError, quote } from '../errors.ts';
import type { MetricsSource } from '../http/metrics-source.ts';
import { problemAnswer } from '../web/problem-answer.ts';
import { toProblem } from '../problem.ts';

/**
 * A handler for `GET /metrics`.
 *
 * @param onError called with failures
 * @example http.createServer(toNodeListener(operatorHandler(gazette.metrics.registry))).listen(9090, '127.0.0.1');
 */
export function operatorHandler(
  source: MetricsSource,
  onError: (error: unknown) => void = (error) => {
    console.error('gazette: the metrics cannot be told', error);
  },
): (request: Request) => Promise<Response> {
  return async (request) => {
    const requestId = crypto.randomUUID();
    try {
      const { pathname } = new URL(request.url);
      if (pathname !== '/metrics') throw new GazetteError('not_found', `nothing is served at ${quote(pathname)}`);
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        throw new GazetteError('method_not_allowed', `the method must be GET or HEAD, got ${quote(request.method)}`);
      }
      const text = await source.metrics();
      const headers = { 'content-type': source.contentType, 'cache-control': 'no-store', 'x-request-id': requestId };
      return new Response(request.method === 'HEAD' ? null : text, { headers });
    } catch (error) {
      const problem = toProblem(error, requestId);
      if (problem.status >= 500) onError(error);
      const allow = problem.code === 'method_not_allowed' ? { allow: 'GET, HEAD' } : {};
      const { status, headers, body } = problemAnswer(request.method, problem, allow);
      return new Response(body, { status, headers });
    }
  };
}

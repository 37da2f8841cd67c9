// A receiving endpoint as a handler for Express, behind its raw body parser.
import type { IncomingHttpHeaders } from 'node:http';
import { checkSecrets } from '../signature-rules.ts';
import { respond, type ReceiveOptions } from './respond.ts';

/** The part of Express's request that is used. */
export interface ExpressRequest {
  /** As Node parses them. */
  readonly headers: IncomingHttpHeaders;
  /** The result of a body parser; it must be the raw bytes. */
  readonly body?: unknown;
}

/** The part of Express's response that is used. */
export interface ExpressResponse {
  /** Sets the status. */
  status(code: number): unknown;
  /** Sets header fields. */
  set(fields: Record<string, string>): unknown;
  /** Sends the response. */
  end(body?: string): unknown;
}

/**
 * A handler for Express. The raw parser must run before it, accept every type of body and limit its length. If another
 * parser ran earlier (`app.use(express.json())`), the signed bytes are lost, and every delivery is answered 500.
 *
 * @throws GazetteError `invalid_option` for the secret
 *
 * @example app.post('/webhooks', express.raw({ type: () => true, limit: '1mb' }), expressWebhook({ secret, store, handle }));
 */
export function expressWebhook<Transaction>(
  options: ReceiveOptions<Transaction>,
): (request: ExpressRequest, response: ExpressResponse) => Promise<void> {
  checkSecrets(options.secret);
  return async (request, response) => {
    const body = hasBody(request.headers) ? request.body : new Uint8Array();
    const answer = await respond(body, request.headers, options);
    response.status(answer.status);
    response.set(answer.headers);
    response.end(answer.body ?? undefined);
  };
}

/** RFC 9112 6.3. For a request without a body the parser sets nothing, or an empty object, as if it had not run. */
function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

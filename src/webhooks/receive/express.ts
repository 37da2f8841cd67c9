// A receiving endpoint as a handler for Express, behind its raw body parser.
import { checkSecrets } from '../signature-rules.ts';
import { type ReceiveOptions, type RequestWithBody, respond } from './respond.ts';

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
): (request: RequestWithBody, response: ExpressResponse) => Promise<void> {
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
function hasBody(headers: RequestWithBody['headers']): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

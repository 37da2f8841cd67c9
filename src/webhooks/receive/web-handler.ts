// A receiving endpoint as a web-standard handler, for Hono, Deno, Bun, Next.js and everything else that uses Request.
import { GazetteError } from '../../errors.ts';
import { checkSecrets } from '../signature-rules.ts';
import { bodyTooLarge, maxBodyBytes, respond, type ReceiveAnswer, type ReceiveOptions, refuse } from './respond.ts';

/**
 * A handler for the endpoint's address. It answers every request and never rejects.
 *
 * @throws GazetteError `invalid_option` for the secret
 *
 * @example
 * const receiver = webhookHandler({ secret, store, handle });
 * app.post('/webhooks', (context) => receiver(context.req.raw)); // Hono
 */
export function webhookHandler<Transaction>(
  options: ReceiveOptions<Transaction>,
): (request: Request) => Promise<Response> {
  checkSecrets(options.secret);
  return async (request) => {
    let rawBody: Uint8Array;
    try {
      if (request.method !== 'POST') {
        throw new GazetteError('method_not_allowed', `webhooks come with POST, got ${request.method}`);
      }
      rawBody = await readBody(request, maxBodyBytes(options));
    } catch (error) {
      return toResponse(refuse(error, options));
    }
    return toResponse(await respond(rawBody, request.headers, options));
  };
}

/**
 * @throws GazetteError `body_too_large`, `bad_request` when it breaks off, `invalid_option` when it has already been
 *   read
 */
async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (request.bodyUsed) {
    throw new GazetteError(
      'invalid_option',
      'the body was read before it could be verified: pass the request untouched',
    );
  }
  const chunks: Uint8Array[] = [];
  const body: AsyncIterable<Uint8Array> | null = request.body;
  let length = 0;
  try {
    for await (const chunk of body ?? []) {
      length += chunk.length;
      // Leaving the loop cancels the rest.
      if (length > limit) throw bodyTooLarge(limit);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof GazetteError) throw cause;
    throw new GazetteError('bad_request', 'the body broke off', { cause });
  }
  return Buffer.concat(chunks);
}

function toResponse({ status, headers, body }: ReceiveAnswer): Response {
  return new Response(body, { status, headers });
}

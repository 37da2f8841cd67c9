// A receiving endpoint as a plugin for Fastify, in its own scope, where no body is parsed.
import { GazetteError } from '../../errors.ts';
import { checkSecrets } from '../signature-rules.ts';
import {
  bodyTooLarge,
  maxBodyBytes,
  respond,
  type ReceiveAnswer,
  type ReceiveOptions,
  refuse,
  type RequestWithBody,
  unreadableType,
} from './respond.ts';

/** The part of Fastify's reply that is used. */
export interface FastifyWebhookReply {
  /** Sets the status. */
  code(status: number): unknown;
  /** Sets header fields. */
  headers(fields: Record<string, string>): unknown;
  /** Sends the response. */
  send(body?: Buffer): unknown;
}

/** The part of a Fastify scope that is used. */
export interface FastifyScope {
  /** Removes the existing parsers. */
  removeAllContentTypeParsers(): unknown;
  /** Adds the parser that leaves bodies as raw bytes. */
  addContentTypeParser(
    type: string,
    options: { parseAs: 'buffer'; bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => void,
  ): unknown;
  /** Sets how failures are answered. */
  setErrorHandler(handler: (error: unknown, request: unknown, reply: FastifyWebhookReply) => unknown): unknown;
  /** Adds the route. */
  post(path: string, handler: (request: RequestWithBody, reply: FastifyWebhookReply) => Promise<unknown>): unknown;
}

/**
 * A plugin that serves the endpoint at its prefix. The application's other routes keep their parsers.
 *
 * @throws GazetteError `invalid_option` for the secret
 *
 * @example await app.register(fastifyWebhook({ secret, store, handle }), { prefix: '/webhooks' });
 */
export function fastifyWebhook<Transaction>(
  options: ReceiveOptions<Transaction>,
): (scope: FastifyScope) => Promise<void> {
  checkSecrets(options.secret);
  const limit = maxBodyBytes(options);
  return async (scope) => {
    // Fastify's own JSON parser would take precedence over a parser for every type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limit }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, _request, reply) => {
      return answer(reply, refuse(asRefusal(error, limit), options));
    });
    scope.post('/', async (request, reply) => {
      // Without Content-Type and length Fastify finds no body to parse.
      const body = request.body ?? new Uint8Array();
      return answer(reply, await respond(body, request.headers, options));
    });
  };
}

/** Fastify's errors for a body that it could not read, as errors of this project. */
function asRefusal(error: unknown, limit: number): unknown {
  const { statusCode } = (error ?? {}) as { readonly statusCode?: unknown };
  if (statusCode === 413) return bodyTooLarge(limit);
  if (statusCode === 415) return unreadableType();
  if (statusCode === 400) return new GazetteError('bad_request', 'the body could not be read', { cause: error });
  return error;
}

function answer(reply: FastifyWebhookReply, { status, headers, body }: ReceiveAnswer): unknown {
  reply.code(status);
  reply.headers({ ...headers });
  // Fastify would add a charset to a string, and JSON has none.
  return reply.send(body === null ? undefined : Buffer.from(body));
}

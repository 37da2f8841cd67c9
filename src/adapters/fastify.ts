// Turns a web-standard handler into a Fastify route. Fastify passes the raw request and response and does nothing else.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeListenerOptions, toNodeListener, type WebHandler } from './node.ts';

/** The part of Fastify's request and reply that {@link toFastifyHandler} uses. */
export interface FastifyExchange {
  /** Fastify's request, which contains Node's. */
  readonly request: { readonly raw: IncomingMessage };
  /** Fastify's reply, which contains Node's; `hijack()` tells Fastify that we send the answer. */
  readonly reply: { readonly raw: ServerResponse; hijack(): unknown };
}

/**
 * A route handler for Fastify. Hooks that run before it (for example authentication) apply; hooks that change a reply
 * do not.
 *
 * @example app.get('/feeds/*', toFastifyHandler(exportHandler(permits)));
 */
export function toFastifyHandler(
  handler: WebHandler,
  options: NodeListenerOptions = {},
): (request: FastifyExchange['request'], reply: FastifyExchange['reply']) => void {
  const listener = toNodeListener(handler, options);
  return (request, reply) => {
    reply.hijack();
    listener(request.raw, reply.raw);
  };
}

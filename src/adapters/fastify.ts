// From a web-standard handler to a Fastify route. Fastify hands the raw request and response over and steps aside.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeListenerOptions, toNodeListener, type WebHandler } from './node.ts';

/** The part of Fastify's request and reply that {@link toFastifyHandler} uses. */
export interface FastifyExchange {
  /** Fastify's request, with Node's own inside. */
  readonly request: { readonly raw: IncomingMessage };
  /** Fastify's reply, with Node's own inside; `hijack()` tells Fastify to leave the answer to us. */
  readonly reply: { readonly raw: ServerResponse; hijack(): unknown };
}

/**
 * A route handler for Fastify. Hooks that run before it (authentication, say) apply; those that shape a reply do not.
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

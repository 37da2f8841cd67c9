// What browsers ask before pages of other sites may use the service, and OPTIONS in general (Fetch 4.8): cookies open nothing
// here, so every page may.
import type { IncomingRequest } from '../web/incoming-request.ts';
import type { HeaderFields, HttpResponse } from '../web/representation.ts';
import type { RequestContext } from './request-context.ts';
import type { Route } from './route.ts';

/** Header fields that pages of other sites may send; OpenTelemetry sends those of W3C Trace Context and Baggage by itself. */
const ALLOWED_HEADERS =
  'Authorization, Content-Type, If-None-Match, If-Modified-Since, If-Range, Range, Idempotency-Key, traceparent, tracestate, baggage, MCP-Protocol-Version, Mcp-Method, Mcp-Name';

/** Those that pay, where something is to be paid. */
const PAYING_HEADERS = 'PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Gazette-Expected-Price';

/** The header fields of an answer, with more among those that pages of other sites may read. */
export function exposing(headers: HeaderFields, names: string): HeaderFields {
  const exposed = 'access-control-expose-headers';
  return { ...headers, [exposed]: `${headers[exposed]!}, ${names}` };
}

/** The same with the fields of payments. */
export function withPaymentFields(headers: HeaderFields): HeaderFields {
  return exposing(headers, 'PAYMENT-REQUIRED, PAYMENT-RESPONSE');
}

/** Whether a browser asks if a page of another site may send a request (Fetch 4.8). */
export function isPreflight({ method, headers }: IncomingRequest): boolean {
  return method === 'OPTIONS' && headers.get('access-control-request-method') !== null;
}

/** The answer to OPTIONS. */
export function allowed({ headers }: RequestContext, allow: string, route: Route | null): HttpResponse {
  const permissions = {
    'access-control-allow-methods': allow,
    'access-control-allow-headers':
      route?.isSold === true && route.access === 'public' ? `${ALLOWED_HEADERS}, ${PAYING_HEADERS}` : ALLOWED_HEADERS,
    'access-control-max-age': '86400',
  };
  return { status: 204, headers: { ...headers, allow, ...permissions }, body: null };
}

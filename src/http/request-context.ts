// One request on its way through the service: what is known about it, and its public URL.
import type { Access } from '../access/access.ts';
import type { RateState } from '../access/rate-limits.ts';
import type { AuthenticatedRequest } from '../access/route.ts';
import { forwardedField } from '../web/forwarded-field.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';
import type { HeaderFields } from '../web/representation.ts';

/** What the host knows about a request besides the request itself. */
export interface RequestInfo {
  /** The client's address. Without it the limits per address do not count. */
  readonly remoteAddress?: string | undefined;
}

/** Where the service is published. */
export interface Place {
  /** The public URL before `/api/v1`, without a slash at its end; null: taken from the request. */
  readonly baseUrl: string | null;
  /** Whether the last value each of `X-Forwarded-Proto`, `-Host` and `-For` is trusted. */
  readonly trustProxy: boolean;
}

/** The version in the path (specification 9.1). */
export const API_PATH = '/api/v1';

/** A request, and everything learned about it on the way. */
export interface RequestContext extends AuthenticatedRequest {
  readonly id: string;
  /** The path without the mount prefix: from `/api/v1` on, or one of the root paths. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** Further header fields of the answer, besides those of its rate limit state. */
  headers: HeaderFields;
  stamp: number | undefined;
  /** The caller's state for the limit that applies; null before any limit applies. */
  standing: RateState | null;
  /** The route's pattern; null if no route matches. */
  route: string | null;
  access: Access;
}

/** The service's own paths, with any prefix. */
const SERVED_PATH = /^(.*?)(\/api\/v1(?:\/.*)?|\/healthz|\/readyz)$/s;

/** `Cache-Control` of public answers. */
export const PUBLIC_CACHING = 'public, max-age=60';

/** Header fields of every answer. */
export const COMMON_HEADERS: HeaderFields = {
  'x-content-type-options': 'nosniff',
  vary: 'Authorization, Accept-Encoding',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, Content-Disposition, Gazette-Warnings, Deprecation, Sunset',
};

/** Creates the context of a request. It never throws: a later step reports what is wrong with a request. */
export function openRequestContext(
  request: IncomingRequest,
  id: string,
  info: RequestInfo,
  place: Place,
): RequestContext {
  const { origin, pathname, search } = partsOf(request.url);
  const [, mount, path] = SERVED_PATH.exec(pathname) ?? [undefined, '', pathname];
  return {
    request,
    id,
    path,
    parameters: new URLSearchParams(search),
    api: (place.baseUrl ?? publicOrigin(origin, request.headers, place.trustProxy) + mount) + API_PATH,
    remoteAddress: addressOf(request.headers, info, place.trustProxy),
    headers: COMMON_HEADERS,
    stamp: undefined,
    standing: null,
    route: null,
    access: { tier: 'public' },
  };
}

/** A request's URL is already in normal form (Fetch 5.4), so parsing it again would only cost time. */
const REQUEST_URL = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/;

function partsOf(url: string): { readonly origin: string; readonly pathname: string; readonly search: string } {
  const [, origin = '', pathname = '', search = ''] = REQUEST_URL.exec(url)!;
  return { origin, pathname, search };
}

function publicOrigin(origin: string, headers: IncomingRequest['headers'], trustProxy: boolean): string {
  if (!trustProxy) return origin;
  const [ownProtocol, ownHost] = origin.split('://');
  const protocol = forwardedField(headers, 'x-forwarded-proto') ?? ownProtocol!;
  const host = forwardedField(headers, 'x-forwarded-host') ?? ownHost!;
  const forwarded = /^https?$/.test(protocol) && /^[A-Za-z0-9.:[\]_-]+$/.test(host) ? `${protocol}://${host}` : '';
  return URL.parse(forwarded)?.origin ?? origin;
}

function addressOf(
  headers: IncomingRequest['headers'],
  { remoteAddress }: RequestInfo,
  trustProxy: boolean,
): string | null {
  const forwarded = trustProxy ? forwardedField(headers, 'x-forwarded-for') : undefined;
  return forwarded === undefined ? (remoteAddress ?? null) : withoutPort(forwarded);
}

/** Removes a port that some proxies add, which differs for each connection: `192.0.2.1:4444`, `[2001:db8::1]:4444`. */
function withoutPort(address: string): string {
  const [, bare] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? /^([^:]*):\d+$/.exec(address) ?? [];
  return bare ?? address;
}

// One request on its way through the service: what is known of it, and where in the world it arrived.
import type { Access } from '../access/access.ts';
import type { RateState } from '../access/rate-limits.ts';
import type { AuthenticatedRequest } from '../access/route.ts';
import { forwardedField } from '../web/forwarded-field.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';
import type { HeaderFields } from '../web/representation.ts';

/** What a host knows of a request beside the request. */
export interface RequestInfo {
  /** Where the connection comes from. Without it the limits per address count nothing. */
  readonly remoteAddress?: string | undefined;
}

/** Where the service is found. */
export interface Place {
  /** The public address below which `/api/v1` stands, without a slash at its end; null: the request tells. */
  readonly baseUrl: string | null;
  /** Whether `X-Forwarded-Proto`, `-Host` and `-For` are believed, of each the last value. */
  readonly trustProxy: boolean;
}

/** The version in the path (specification 9.1). */
export const API_PATH = '/api/v1';

/** A request, and all that is found out about it on the way. */
export interface RequestContext extends AuthenticatedRequest {
  readonly id: string;
  /** The path below the mount: from `/api/v1` on, or one of the paths at the root. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** Those that its standing calls for come on top. */
  headers: HeaderFields;
  stamp: number | undefined;
  /** How the caller stands with the limit that counts; null while none does. */
  standing: RateState | null;
  /** The route's pattern; null where none is served. */
  route: string | null;
  access: Access;
}

/** The service's own paths, below any mount. */
const SERVED_PATH = /^(.*?)(\/api\/v1(?:\/.*)?|\/healthz|\/readyz)$/s;

/** Header fields that stand on every answer. */
export const COMMON_HEADERS: HeaderFields = {
  'x-content-type-options': 'nosniff',
  vary: 'Authorization, Accept-Encoding',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Link, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate',
};

/**
 * Reads a request's place.
 *
 * @throws nothing: what is wrong with a request is said by whoever needs it
 */
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
    headers: { 'x-request-id': id, ...COMMON_HEADERS },
    stamp: undefined,
    standing: null,
    route: null,
    access: { tier: 'public' },
  };
}

/** The address of a request is a URL in its normal form (Fetch 5.4): to parse it again would only cost. */
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

/** Some proxies add the port, which differs from one connection to the next: `192.0.2.1:4444`, `[2001:db8::1]:4444`. */
function withoutPort(address: string): string {
  const [, bare] = /^\[([^\]]*)\](?::\d+)?$/.exec(address) ?? /^([^:]*):\d+$/.exec(address) ?? [];
  return bare ?? address;
}

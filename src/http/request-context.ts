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

/** How the service finds out where it is published. */
export interface PlaceOptions {
  /** The public URL before `/api/v1`, without a slash at its end; undefined: taken from the request. */
  readonly baseUrl?: string | undefined;
  /** Whether the last value each of `X-Forwarded-Proto` and `-For` is trusted. Default false. */
  readonly trustProxy?: boolean | undefined;
  /** Whether the last value of `X-Forwarded-Host` is trusted too. Default false. */
  readonly trustForwardedHost?: boolean | undefined;
  /** Whether the service answers below any path; otherwise at the root and below the path of `baseUrl`. Default true. */
  readonly anyPrefix?: boolean | undefined;
}

/** Where the service is published. */
export interface Place {
  readonly baseUrl: string | null;
  readonly trustProxy: boolean;
  readonly trustForwardedHost: boolean;
  /** The paths below which the service answers, the root being empty; null: any. */
  readonly mounts: readonly string[] | null;
  /** Header fields of every answer. */
  readonly headers: HeaderFields;
}

/** The place that options describe. A host that is not trusted, or has a base URL before it, has no influence. */
export function placeOf(options: PlaceOptions): Place {
  const { baseUrl = null, trustProxy = false, anyPrefix = true } = options;
  const trustForwardedHost = options.trustForwardedHost === true && baseUrl === null;
  // Links name what these say. A shared cache that passes them on must not give one client's links to another, even
  // where its key has no host, as nginx's has none unless it is told to.
  const naming = baseUrl !== null ? [] : ['Host', ...(trustProxy ? ['X-Forwarded-Proto'] : [])];
  if (trustForwardedHost) naming.push('X-Forwarded-Host');
  const headers = { ...COMMON_HEADERS, vary: [COMMON_HEADERS.vary!, ...naming].join(', ') };
  // A proxy may strip the path of the base URL, or pass it on.
  const basePath = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  return { baseUrl, trustProxy, trustForwardedHost, mounts: anyPrefix ? null : [basePath, ''], headers };
}

/** The version in the path (specification 9.1). */
export const API_PATH = '/api/v1';

/** A request, and everything learned about it on the way. */
export interface RequestContext extends AuthenticatedRequest {
  readonly id: string;
  /** The path without the mount prefix: from `/api/v1` on, or one of the root paths. */
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** The same as text, with its question mark; empty if there is none. */
  readonly search: string;
  /** Further header fields of the answer, besides those of its rate limit state. */
  headers: HeaderFields;
  stamp: number | undefined;
  /** The caller's state for the limit that applies; null before any limit applies. */
  standing: RateState | null;
  /** Counts what the public sees of older records; does nothing before any limit applies. @throws GazetteError `rate_limited` */
  countPreviews: (times: number) => void;
  /** The route's pattern; null if no route matches. */
  route: string | null;
  access: Access;
}

/** The service's own paths. */
const OWN_PATH = /^(?:\/api\/v1(?:\/.*)?|\/healthz|\/readyz)$/s;

/**
 * The same with any prefix but a well-known one: `/.well-known/oauth-protected-resource/api/v1/mcp` says
 * how to sign in to `/api/v1/mcp` (RFC 9728 3.1), which this service does not offer.
 */
const SERVED_PATH = /^(?!.*\/\.well-known\/)(.*?)(\/api\/v1(?:\/.*)?|\/healthz|\/readyz)$/s;

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
  const { mount, path } = servedPath(pathname, place.mounts);
  return {
    request,
    id,
    path,
    parameters: new URLSearchParams(search),
    search,
    api: (place.baseUrl ?? publicOrigin(origin, request.headers, place) + mount) + API_PATH,
    remoteAddress: addressOf(request.headers, info, place.trustProxy),
    headers: place.headers,
    stamp: undefined,
    standing: null,
    countPreviews: () => undefined,
    route: null,
    notes: {},
    access: { tier: 'public' },
  };
}

/** The mount that a request came through, and the path behind it. */
function servedPath(
  pathname: string,
  mounts: readonly string[] | null,
): { readonly mount: string; readonly path: string } {
  if (mounts === null) {
    const [, mount, path] = SERVED_PATH.exec(pathname) ?? [undefined, '', pathname];
    return { mount, path };
  }
  const isOwn = (mount: string): boolean => pathname.startsWith(mount) && OWN_PATH.test(pathname.slice(mount.length));
  const mount = mounts.find(isOwn) ?? '';
  return { mount, path: pathname.slice(mount.length) };
}

/** A request's URL is already in normal form (Fetch 5.4), so parsing it again would only cost time. */
const REQUEST_URL = /^([a-z]+:\/\/[^/?#]*)([^?#]*)(\?[^#]*)?/;

function partsOf(url: string): { readonly origin: string; readonly pathname: string; readonly search: string } {
  const [, origin = '', pathname = '', search = ''] = REQUEST_URL.exec(url)!;
  return { origin, pathname, search };
}

function publicOrigin(
  origin: string,
  headers: IncomingRequest['headers'],
  { trustProxy, trustForwardedHost }: Place,
): string {
  if (!trustProxy && !trustForwardedHost) return origin;
  const [ownProtocol, ownHost] = origin.split('://');
  const protocol = (trustProxy ? forwardedField(headers, 'x-forwarded-proto') : undefined) ?? ownProtocol!;
  const host = (trustForwardedHost ? forwardedField(headers, 'x-forwarded-host') : undefined) ?? ownHost!;
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

// One request on its way through the service: what is known about it, and its public URL.
import { type Access, PUBLIC_ACCESS } from '../access/access.ts';
import type { RateState } from '../access/rate-limits.ts';
import type { AuthenticatedRequest } from '../access/route.ts';
import { forwardedField } from '../web/forwarded-field.ts';
import type { IncomingRequest, RequestOrigin } from '../web/incoming-request.ts';
import type { HeaderFields } from '../web/representation.ts';

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
  /** The paths of the pages for people, as their routes have them. Default: there are none. */
  readonly pagePaths?: readonly string[];
}

/** Where the service is published. */
export interface Place {
  readonly baseUrl: string | null;
  readonly trustProxy: boolean;
  readonly trustForwardedHost: boolean;
  /** The paths below which the service answers, the root being empty; null: any. */
  readonly mounts: readonly string[] | null;
  /** The path of the base URL, without a slash at its end. */
  readonly basePath: string;
  /** Finds the mount and the path behind it in a path that the service may have. */
  readonly ownPath: RegExp;
  /** Whether there is a page at the mount itself. */
  readonly hasHome: boolean;
  /** Header fields of every answer of the API. */
  readonly headers: HeaderFields;
  /** Header fields of every page for people. */
  readonly pageHeaders: HeaderFields;
}

/** The place that options describe. A host that is not trusted, or has a base URL before it, has no influence. */
export function placeOf(options: PlaceOptions): Place {
  const { baseUrl = null, trustProxy = false, anyPrefix = true, pagePaths = [] } = options;
  const trustForwardedHost = options.trustForwardedHost === true && baseUrl === null;
  // Links name what these say. A shared cache that passes them on must not give one client's links to another, even
  // where its key has no host, as nginx's has none unless it is told to.
  const naming = baseUrl !== null ? [] : ['Host', ...(trustProxy ? ['X-Forwarded-Proto'] : [])];
  if (trustForwardedHost) naming.push('X-Forwarded-Host');
  const varying = (fields: HeaderFields): HeaderFields => ({ ...fields, vary: [fields.vary!, ...naming].join(', ') });
  // A proxy may strip the path of the base URL, or pass it on.
  const basePath = baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/$/, '');
  return {
    baseUrl,
    trustProxy,
    trustForwardedHost,
    mounts: anyPrefix ? null : [basePath, ''],
    basePath,
    ownPath: ownPathOf(pagePaths.filter((path) => path !== HOME_PATH)),
    hasHome: pagePaths.includes(HOME_PATH),
    headers: varying(COMMON_HEADERS),
    pageHeaders: varying(PAGE_HEADERS),
  };
}

/** The version in the path (specification 9.1). */
export const API_PATH = '/api/v1';

/** The public URL of the service, without a slash at its end. @param api the URL of the API */
export function siteOf({ api }: Pick<RequestContext, 'api'>): string {
  return api.slice(0, -API_PATH.length);
}

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
  countPreviews: (times: number) => Promise<void>;
  /** Looks again whether the sender may have the answer, while it is sent. @throws GazetteError as the request would now */
  admitAgain: () => Promise<void>;
  /** The route's pattern; null if no route matches. */
  route: string | null;
  /** Whether it is answered by a page for people, errors included. */
  isPage: boolean;
  access: Access;
  /** Whether it waited for others, for the counter of limits or for the bytes of another request: its key may have been revoked. */
  hasWaited: boolean;
}

/** Where the keys of a service's logs are found (RFC 8615). */
export const WELL_KNOWN_LOG = '/.well-known/gazette-log.json';

/**
 * Paths of the service with what comes before them. Nothing else is served below a well-known path:
 * `/.well-known/oauth-protected-resource/api/v1/mcp` says how to sign in to `/api/v1/mcp` (RFC 9728 3.1), which this service
 * does not offer.
 */
function ownPathOf(pages: readonly string[]): RegExp {
  const patterns = pages.map((path) =>
    path.replaceAll(/\{[a-z_]+\}|[.*+?^$()|[\]\\]/g, (part) => (part.startsWith('{') ? '[^/]+' : `\\${part}`)),
  );
  const own = [
    '/api/v1(?:/.*)?',
    '/healthz',
    '/readyz',
    WELL_KNOWN_LOG.replaceAll('.', '\\.'),
    ...patterns.map((path) => `${path}/?`),
  ];
  return new RegExp(`^(?!.*/\\.well-known/(?!gazette-log\\.json$))(.*?)(${own.join('|')})$`, 's');
}

/** `Cache-Control` of public answers. */
export const PUBLIC_CACHING = 'public, max-age=60';

/** Header fields of every answer. */
export const COMMON_HEADERS: HeaderFields = {
  'x-content-type-options': 'nosniff',
  vary: 'Authorization, Accept-Encoding',
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'Link, ETag, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate, X-Request-Id, Content-Disposition, Gazette-Warnings, Gazette-Matched, Content-Location, Deprecation, Sunset',
};

/**
 * Header fields of every page for people. The session, and so the sender, is in a cookie. Pages run no script, load nothing
 * from another host and appear in no frame (Content Security Policy Level 3).
 */
const PAGE_HEADERS: HeaderFields = {
  'x-content-type-options': 'nosniff',
  vary: 'Cookie, Accept-Language, Accept-Encoding',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'strict-origin-when-cross-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** Creates the context of a request. It never throws: a later step reports what is wrong with a request. */
export function openRequestContext(
  request: IncomingRequest,
  id: string,
  info: RequestOrigin,
  place: Place,
): RequestContext {
  const { origin, pathname, search } = partsOf(request.url);
  const { mount, path } = servedPath(pathname, place);
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
    countPreviews: async () => undefined,
    admitAgain: async () => undefined,
    route: null,
    notes: {},
    isPage: false,
    access: PUBLIC_ACCESS,
    hasWaited: false,
  };
}

/** The path of the first page, behind its mount. */
const HOME_PATH = '/';

/** What the address of a mount's first page looks like. */
const HOME = /^((?:\/[^/]+)*)\/$/;

/** The mount that a request came through, and the path behind it, which is empty for the mount itself. */
function servedPath(pathname: string, place: Place): { readonly mount: string; readonly path: string } {
  const { mounts, ownPath, basePath, hasHome } = place;
  if (hasHome && basePath !== '' && pathname === basePath) return { mount: basePath, path: '' };
  const isBehind = (mount: string): boolean => {
    const path = pathname.startsWith(mount) ? pathname.slice(mount.length) : '';
    return (hasHome && path === HOME_PATH) || ownPath.exec(path)?.[1] === '';
  };
  const mount = (mounts === null ? anyMount(pathname, place) : mounts.find(isBehind)) ?? '';
  return { mount, path: pathname.slice(mount.length) };
}

/** Any path before one of the service's own, or of its first page. */
function anyMount(pathname: string, { ownPath, hasHome }: Place): string | undefined {
  const own = ownPath.exec(pathname);
  if (own !== null || !hasHome) return own?.[1];
  const mount = HOME.exec(pathname)?.[1];
  return mount === undefined || mount.includes('/.well-known') || ownPath.test(mount) ? undefined : mount;
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
  { remoteAddress }: RequestOrigin,
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

// The service's HTTP side: every request's way from the route through authentication and limits to its answer. Which
// routes there are is said by those who make the app; this file knows none of them.
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { tryDecodeURIComponent } from 'hono/utils/url';
import type { Authenticate } from '../access/access.ts';
import { refuseKeysInUrl } from '../access/authenticate.ts';
import { rateLimitHeaders, type RateLimits } from '../access/rate-limits.ts';
import { GazetteError, isGazetteError, quote } from '../errors.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';
import type { HttpResponse, HeaderFields } from '../web/representation.ts';
import { problemKind } from '../problem.ts';
import { type Route, READING } from './route.ts';
import { API_PATH, type RequestContext, openRequestContext, type Place, type RequestInfo } from './request-context.ts';
import { type ChallengeOptions, refuse } from './refusal.ts';
import { Turns } from './turns.ts';

/** What an app is made of. */
export interface AppOptions extends ChallengeOptions {
  /** Below `/api/v1`. */
  readonly routes: readonly Route[];
  /** At the root. */
  readonly probes: readonly Route[];
  readonly place: Place;
  /** The store's stamp; undefined where it has none. */
  readonly stamp: () => number | undefined;
  readonly authenticate: Authenticate;
  /** Null: requests are not counted. */
  readonly limits: RateLimits | null;
  readonly createRequestId: () => string;
  /** Told of every answer, once it is made. */
  readonly onAnswer: (context: RequestContext, answer: HttpResponse, durationMs: number) => void;
  /** Told of every failure that is not the client's. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Answers every request and never rejects. */
export interface Fetch {
  (request: Request, info?: RequestInfo): Promise<Response>;
  /** The same without web objects, for hosts that have a request of their own and no use for a `Response`. */
  answer(request: IncomingRequest, info?: RequestInfo): Promise<HttpResponse>;
}

/** A route that was found. */
interface Match {
  readonly route: Route | null;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Puts routes together.
 *
 * @example const fetch = createApp({ routes, … }); await fetch(new Request('https://example.org/api/v1/feeds'));
 */
export function createApp(options: AppOptions): Fetch {
  const { place, createRequestId, onAnswer, onError } = options;
  const turns = new Turns();
  const find = finder(options);

  async function answer(request: IncomingRequest, info: RequestInfo = {}): Promise<HttpResponse> {
    const context = openRequestContext(request, createRequestId(), info, place);
    const startedAt = performance.now();
    let answer: HttpResponse;
    try {
      const turn = turns.take();
      if (turn !== undefined) {
        await turn;
        request.signal.throwIfAborted();
      }
      answer = await answerTo(context, find(context.path), options);
    } catch (cause) {
      // A body that broke off, or a wait that nobody waits for any more: the client's own doing.
      const error = request.signal.aborted ? new GazetteError('aborted', 'the client went away', { cause }) : cause;
      answer = refuse(context, error, options);
      // Nor is a service that is being stopped a failure of ours.
      const isFailure = answer.status >= 500 && !(isGazetteError(error, 'not_ready') && error.cause === undefined);
      if (isFailure) onError(error, context.id);
    }
    onAnswer(context, answer, performance.now() - startedAt);
    const { standing } = context;
    if (standing === null) return answer;
    return { ...answer, headers: { ...answer.headers, ...rateLimitHeaders(standing) } };
  }

  const fetch = async (request: Request, info?: RequestInfo): Promise<Response> => {
    const { status, headers, body } = await answer(request, info);
    return new Response(body, { status, headers });
  };
  return Object.assign(fetch, { answer });
}

/** What finds the route of a path. */
function finder({ routes, probes }: AppOptions): (path: string) => Match {
  const router = new RegExpRouter<Route>();
  for (const route of routes) router.add(METHOD, honoPath(API_PATH + route.path), route);
  for (const probe of probes) router.add(METHOD, probe.path, probe);
  return (path) => {
    const [[found], values] = router.match(METHOD, path);
    if (found === undefined) return NO_ROUTE;
    const [route, places] = found;
    const pathParameters: Record<string, string> = {};
    for (const name in places) pathParameters[name] = tryDecodeURIComponent(values![places[name] as number]!);
    return { route, pathParameters };
  };
}

/** Routes answer every method themselves. */
const METHOD = 'ALL';

const NO_ROUTE: Match = { route: null, pathParameters: {} };

/** A route's pattern as Hono writes it. A parameter behind a prefix within its segment takes a pattern of its own. */
function honoPath(path: string): string {
  return path.replace(/\/([a-z]+)\.\{([a-z_]+)\}$/, '/:$2{$1\\..*}').replaceAll(/\/\{([a-z_]+)\}/g, '/:$1');
}

async function answerTo(
  context: RequestContext,
  { route, pathParameters }: Match,
  options: AppOptions,
): Promise<HttpResponse> {
  const { request, headers } = context;
  context.route = route?.path ?? null;
  refuseKeysInUrl(request.url);
  if (route === null) {
    throw new GazetteError('not_found', `nothing is served at ${quote(context.path)}`);
  }
  const methods = route.methods ?? READING;
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') {
    return { status: 204, headers: { ...headers, allow, ...preflight(allow, route.requestHeaders) }, body: null };
  }
  if (!methods.includes(request.method)) {
    context.headers = { ...headers, allow };
    throw new GazetteError('method_not_allowed', `the method must be one of ${allow}, got ${quote(request.method)}`);
  }
  if (route.isMetered === false) return route.answer(context, pathParameters);

  context.stamp = options.stamp();
  await authenticate(context, options);
  const giveBack = count(context, options.limits);
  if (route.access === 'pro' && context.access.tier !== 'pro') {
    throw new GazetteError('credentials_required', 'this needs an API key: send Authorization: Bearer <API_KEY>');
  }
  const answer = await route.answer(context, pathParameters);
  // What a client has already costs nothing.
  if (answer.status === 304) giveBack();
  return answer;
}

/**
 * A key that works is let in from whatever address: behind one that many share, others' mistakes lock nobody out.
 *
 * @throws GazetteError what `authenticate` throws; `rate_limited` in its place for an address with too many failures.
 */
async function authenticate(context: RequestContext, { authenticate, limits }: AppOptions): Promise<void> {
  const { request, remoteAddress } = context;
  try {
    context.access = await authenticate(request, context.stamp);
  } catch (error) {
    const isRefusal = isGazetteError(error) && problemKind(error.code).status === 401;
    if (!isRefusal || limits === null || remoteAddress === null) throw error;
    const failures = limits.take('failures', remoteAddress);
    if (failures.isAllowed) throw error;
    context.standing = failures;
    throw new GazetteError('rate_limited', 'too many requests from this address came with keys that do not work');
  }
}

/**
 * Counts the request against its key, or against its address where it has none.
 *
 * @returns what takes it back
 * @throws GazetteError `rate_limited`
 */
function count(context: RequestContext, limits: RateLimits | null): () => void {
  const { access, remoteAddress } = context;
  const policy = access.tier === 'pro' ? 'key' : 'address';
  const id = access.tier === 'pro' ? access.key.id : remoteAddress;
  // A host that does not say where requests come from cannot have them counted by that.
  if (limits === null || id === null) return () => undefined;
  const state = limits.take(policy, id);
  context.standing = state;
  if (!state.isAllowed) {
    throw new GazetteError(
      'rate_limited',
      `at most ${state.limit} requests in ${state.windowSeconds} seconds are answered; try again in ${state.resetSeconds} seconds`,
    );
  }
  return () => {
    context.standing = limits.giveBack(policy, id);
  };
}

/** What a browser asks before it sends a key from another site's page (Fetch 4.8). */
function preflight(allow: string, requestHeaders: readonly string[] = []): HeaderFields {
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': ['Authorization', ...requestHeaders].join(', '),
    'access-control-max-age': '86400',
  };
}

// The HTTP side of the service: takes every request from the route through authentication and limits to its answer. The
// caller supplies the routes; this file knows none of them.
import type { Access, Authenticate } from '../access/access.ts';
import type { PageSide } from './page-side.ts';
import { prefersHtml } from '../web/accept.ts';
import { refuseMisplacedCredentials } from '../access/misplaced-credentials.ts';
import { checkKey, refuseTier } from '../access/scopes.ts';
import { type CallerLimits, rateLimitHeaders } from '../access/rate-limits.ts';
import { GazetteError, quote } from '../errors.ts';
import type { IncomingRequest, RequestOrigin } from '../web/incoming-request.ts';
import { type HttpResponse, type HeaderFields, type SentAnswer, watchedStream } from '../web/representation.ts';
import { toProblem } from '../problem.ts';
import { unknownParameter } from '../register/parameters.ts';
import { pathTable, READING, type Route } from './route.ts';
import { API_PATH, openRequestContext, type Place, type RequestContext } from './request-context.ts';
import { feedIdOf } from '../stores/rows/register.ts';
import { authenticateCounted, RequestCount } from './counting.ts';
import { allowed, isPreflight, withPaymentFields } from './cross-origin.ts';
import {
  type ChallengeOptions,
  failureOf,
  isExpected,
  leadingOn,
  type NewAddresses,
  redirected,
  refuse,
} from './refusal.ts';
import { Turns } from './turns.ts';

/** Options of an app. */
export interface AppOptions extends ChallengeOptions, NewAddresses {
  /** Below `/api/v1`. */
  readonly routes: readonly Route[];
  /** At the root. */
  readonly probes: readonly Route[];
  /** The pages for people, at the root; null: none. */
  readonly pages: PageSide | null;
  readonly place: Place;
  /** The store's stamp; undefined if it has none. */
  readonly stamp: () => number | undefined;
  readonly authenticate: Authenticate;
  /** Whether the register of a record has prices; without a record, whether any has. */
  readonly isSold: (recordId: string | undefined, stamp: number | undefined) => Promise<boolean>;
  /** Null: requests are not counted. */
  readonly limits: CallerLimits | null;
  readonly createRequestId: () => string;
  /** Called with every answer, once it is complete. */
  readonly onAnswer: (context: RequestContext, answer: SentAnswer, durationMs: number) => void;
  /** Called with every failure that the client did not cause. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Answers every request and never rejects. */
export interface Fetch {
  (request: Request, origin?: RequestOrigin): Promise<Response>;
  /** The same without web objects, for hosts that have their own request type and need no `Response`. @internal */
  answer(request: IncomingRequest, origin?: RequestOrigin): Promise<HttpResponse>;
}

/** A matching route and its parameters. */
interface Match {
  readonly route: Route | null;
  readonly isPage: boolean;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Builds an app from routes.
 *
 * @example const fetch = createApp({ routes, … }); await fetch(new Request('https://example.org/api/v1/feeds'));
 */
export function createApp(options: AppOptions): Fetch {
  const { place, createRequestId, onAnswer, onError } = options;
  const turns = new Turns();
  const find = finder(options);

  async function answer(request: IncomingRequest, origin: RequestOrigin = {}): Promise<HttpResponse> {
    const context = openRequestContext(request, createRequestId(), origin, place);
    const startedAt = performance.now();
    let answer: HttpResponse;
    try {
      const turn = turns.take();
      if (turn !== undefined) {
        await turn;
        request.signal.throwIfAborted();
      }
      answer = await answerTo(context, find, options);
    } catch (cause) {
      const error = failureOf(request, cause);
      // Somebody who follows an address of the API in a browser is no program.
      if (options.pages !== null && READING.includes(request.method) && prefersHtml(request.headers.get('accept'))) {
        const { allow, 'payment-required': offers } = context.headers;
        context.headers = {
          ...place.pageHeaders,
          ...(allow && { allow }),
          ...(offers && { 'payment-required': offers }),
        };
        context.isPage = true;
      }
      answer = refuse(context, error, options);
      if (context.isPage) answer = options.pages!.refuse(context, toProblem(error, context.id), answer);
      if (answer.status >= 500 && !isExpected(error)) onError(error, context.id);
    }
    const told = (sent: Omit<SentAnswer, 'status'>): void => {
      onAnswer(context, { status: answer.status, ...sent }, performance.now() - startedAt);
    };
    const headers = { ...answer.headers, ...callersFields(context, answer) };
    const { body } = answer;
    if (!(body instanceof ReadableStream)) {
      told({ bytes: body?.length ?? 0, isBroken: false });
      return { ...answer, headers };
    }
    const watched = watchedStream(body, (sent, cause) => {
      told(sent);
      const error = cause === undefined ? cause : failureOf(request, cause);
      if (error !== undefined && toProblem(error, context.id).status >= 500 && !isExpected(error))
        onError(error, context.id);
    });
    return { ...answer, headers, body: watched };
  }

  const fetch = async (request: Request, origin?: RequestOrigin): Promise<Response> => {
    const { status, headers, body } = await answer(request, origin);
    return new Response(body, { status, headers });
  };
  return Object.assign(fetch, { answer });
}

/** Header fields for this caller alone. An answer that caches give to others has none. */
function callersFields({ id, standing }: RequestContext, { headers }: HttpResponse): HeaderFields {
  if (headers['cache-control']?.startsWith('public') === true) return {};
  return { 'x-request-id': id, ...(standing === null ? {} : rateLimitHeaders(standing)) };
}

/** Returns a function that finds the route of a path. */
function finder({ routes, probes, pages }: AppOptions): (path: string) => Match {
  const find = pathTable<Omit<Match, 'pathParameters'>>([
    ...routes.flatMap((route) => addressesOf(route.path).map((path) => [path, { route, isPage: false }] as const)),
    ...probes.map((route) => [route.path, { route, isPage: false }] as const),
    ...(pages?.routes ?? []).map((route) => [route.path, { route, isPage: true }] as const),
  ]);
  return (path) => {
    const found = find(path);
    return found === null ? NO_ROUTE : { ...found.value, pathParameters: found.parameters };
  };
}

/** The paths of a route. The route `/` is at `/api/v1` itself; clients that openapi.json makes ask for `/api/v1/`. */
function addressesOf(path: string): readonly string[] {
  return path === '/' ? [API_PATH, `${API_PATH}/`] : [API_PATH + path];
}

const NO_ROUTE: Match = { route: null, isPage: false, pathParameters: {} };

async function answerTo(
  context: RequestContext,
  find: (path: string) => Match,
  options: AppOptions,
): Promise<HttpResponse> {
  const { request } = context;
  const found = find(context.path);
  const { isPage, pathParameters } = found;
  const isThere = found.route?.isSold !== true || (await options.isSold(pathParameters.record_id, options.stamp()));
  const route = isThere ? found.route : null;
  if (isPaidFor(route)) context.headers = withPaymentFields(context.headers);
  if ((isPage && isThere) || (route === null && isForPeople(context, options))) {
    context.isPage = true;
    context.headers = options.place.pageHeaders;
  }
  context.route = route === null ? null : isPage ? `page ${route.path}` : route.path;
  const { feed_id: feedId, record_id: recordId } = pathParameters;
  context.notes.register = feedId ?? (recordId === undefined ? undefined : feedIdOf(recordId));
  const methods = route?.methods ?? READING;
  const allow = (): string => [...methods, 'OPTIONS'].join(', ');
  // A browser shows its page no answer, not even an error, unless the preflight was allowed.
  if (isPreflight(request)) return allowed(context, allow(), route);
  // Where the sender matters, `authenticate` refuses them.
  if (route === null || route.isMetered === false || !methods.includes(request.method)) {
    refuseMisplacedCredentials(request);
  }
  if (route === null) {
    const path = context.path === '' ? '/' : withoutSlashes(context.path);
    const meant = path === context.path || path === '' ? NO_ROUTE : find(path);
    const isServed = meant.isPage || (meant.route !== null && path.startsWith(API_PATH));
    // What is there only where something is sold has one address.
    if (isServed && meant.route?.isSold !== true) return redirected(context, path);
    throw new GazetteError('not_found', `nothing is served at ${quote(context.path)}`);
  }
  if (request.method === 'OPTIONS') return allowed(context, allow(), route);
  if (!methods.includes(request.method)) {
    context.headers = { ...context.headers, allow: allow() };
    throw new GazetteError('method_not_allowed', `the method must be one of ${allow()}, got ${quote(request.method)}`);
  }
  if (route.isMetered === false) return route.answer(context, pathParameters);

  context.stamp = options.stamp();
  if (isPage) refuseMisplacedCredentials(request);
  await identify(context, isPage, options);
  const count = new RequestCount(context, options.limits);
  await count.take();
  if (context.hasWaited) await identifyAgain(context, isPage, options);
  await admit(context, route, options);
  const opensByReceipt = isPaidFor(route) || route.opensByReceipt === true;
  if (context.access.tier === 'public' && context.access.receipt !== undefined && !opensByReceipt) {
    throw new GazetteError(
      'malformed_key',
      'a receipt opens what was bought, at its buy_url, and the proof of it, and nothing else: it is no key',
    );
  }
  refuseParameters(context, route);
  context.admitAgain = async () => {
    // What is logged of the request stays what it was.
    const now = { ...context };
    await identifyAgain(now, isPage, options);
    await admit(now, route, options);
  };
  const respond = (): Promise<HttpResponse> =>
    leadingOn(() => route.answer(context, pathParameters), context, pathParameters.record_id, options);
  let answer = await respond();
  // It waited for the bytes of another request.
  while (context.hasWaited) {
    const before = whoIs(context.access);
    await identifyAgain(context, isPage, options);
    await admit(context, route, options);
    if (whoIs(context.access) !== before) answer = await respond();
  }
  // A 304 is not counted: the client already has the answer, and mostly it costs next to nothing to know that.
  if (answer.status === 304 && route.isRemade !== true) count.giveBack();
  return answer;
}

/** Finds out who sent a request. @throws GazetteError the errors of `authenticate` */
async function identify(context: RequestContext, isPage: boolean, options: AppOptions): Promise<void> {
  if (isPage) context.access = await options.pages!.recognise(context);
  else await authenticateCounted(context, options.authenticate, options.limits);
}

/** The same after a wait, in which the key may have been revoked. @throws GazetteError the errors of `authenticate` */
async function identifyAgain(context: RequestContext, isPage: boolean, options: AppOptions): Promise<void> {
  context.hasWaited = false;
  context.stamp = options.stamp();
  await identify(context, isPage, options);
}

/** What the content of an answer may depend on of its caller. */
function whoIs(access: Access): string {
  const account = access.tier === 'public' ? (access.account ?? access.buyer?.account) : access.account;
  return `${access.tier} ${account?.id}`;
}

/** Refuses whom the route is not for. @throws GazetteError `credentials_required`, `insufficient_scope` */
async function admit(context: RequestContext, route: Route, options: AppOptions): Promise<void> {
  if (route.access === 'pro' && context.access.tier !== 'pro' && !(await isOpened(context, route, options))) {
    refuseTier(context.access, route);
  }
  checkKey(context.access, route, context.notes.register);
}

/** Whether a payment may come with a request. */
function isPaidFor(route: Route | null): boolean {
  return route?.isSold === true && route.access === 'public' && route.documentation !== null;
}

/** Whether a path at which nothing is served is answered by a page: outside the API, to whom asks for one. */
function isForPeople({ path, request }: RequestContext, { pages }: AppOptions): boolean {
  if (pages === null || path === API_PATH || path.startsWith(`${API_PATH}/`)) return false;
  return prefersHtml(request.headers.get('accept'));
}

/** Whether a route that needs a key needs none for the register that is asked for. */
async function isOpened({ notes, stamp }: RequestContext, route: Route, options: AppOptions): Promise<boolean> {
  return route.isOpenable === true && notes.register !== undefined && options.isOpen(notes.register, stamp);
}

/**
 * Refuses parameters of a route that has none. Routes with parameters check theirs; pages for people, which are not
 * documented, ignore all, because shared links carry trackers.
 *
 * @throws GazetteError `unknown_parameter`
 */
function refuseParameters({ parameters, request }: RequestContext, route: Route): void {
  const documentation = route.otherDocumentation?.[request.method] ?? route.documentation;
  if (parameters.size === 0 || documentation === null || documentation.query !== undefined) return;
  throw unknownParameter([...parameters.keys()][0]!, []);
}

/** A path without the slashes at its end. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

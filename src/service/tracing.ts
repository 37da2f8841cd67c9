// The spans of requests, by the semantic conventions for HTTP servers, and of what they ask of the store. The address of a
// request is told as its route: a path may be a link to sign in, and a query may hold a key.
import { API_PATH, type RequestContext } from '../http/request-context.ts';
import type { Fetch } from '../http/app.ts';
import { isFeedId } from '../register/definition.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { TelemetryApi, TelemetryGetter, TelemetrySpan } from '../telemetry/api.ts';
import { endSpan, portOf, SPAN_KIND, tracerOf } from '../telemetry/spans.ts';
import { traced } from '../telemetry/traced.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';
import type { SentAnswer } from '../web/representation.ts';

/** What a store has methods in, besides itself, and what gives a register with methods. */
const PARTS: readonly (keyof ServiceStore)[] = [
  ...([
    'accounts',
    'catalogue',
    'configuration',
    'deliveries',
    'editors',
    'finding',
    'idempotency',
    'imports',
    'leases',
  ] as const),
  ...(['purges', 'signIns', 'source', 'values'] as const),
];

/** The fields by which other programs say which of their spans asked. */
const FIELDS: TelemetryGetter<IncomingRequest> = {
  keys: () => ['traceparent', 'tracestate', 'baggage'],
  get: ({ headers }, name) => headers.get(name) ?? undefined,
};

/** RFC 9110 9.3 and RFC 5789. */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'TRACE'],
]);

/** Makes the spans of a service. */
export class RequestTracing {
  readonly #api: TelemetryApi;
  readonly #spans = new WeakMap<IncomingRequest, TelemetrySpan>();

  constructor(api: TelemetryApi) {
    this.#api = api;
  }

  /** The store, with spans for what requests ask of it. */
  store(store: ServiceStore): ServiceStore {
    return traced(store, this.#api, {
      prefix: '',
      parts: PARTS,
      given: ['part'],
      untraced: ['stamp', 'isUnchanged', 'knowledge', 'replica', 'replicaLag', 'limitCounter'],
    });
  }

  /** Answers with a span for each request, which {@link end} ends. */
  fetch(fetch: Fetch): Fetch {
    return Object.assign((...[request, info]: Parameters<Fetch>) => this.#within(request, () => fetch(request, info)), {
      answer: (...[request, info]: Parameters<Fetch['answer']>) =>
        this.#within(request, () => fetch.answer(request, info)),
    });
  }

  /** Ends the span of a request. @returns its ids, for the log */
  end(
    context: RequestContext,
    { status }: Pick<SentAnswer, 'status'>,
  ): { readonly trace_id: string; readonly span_id: string } | undefined {
    const { request, access, api, id, notes } = context;
    const span = this.#spans.get(request);
    if (span === undefined) return undefined;
    const route = routeOf(context);
    const site = new URL(api);
    span.updateName(route === null ? nameOf(request) : `${nameOf(request)} ${route}`);
    const attributes = {
      'http.response.status_code': status,
      'url.scheme': site.protocol.slice(0, -1),
      'server.address': site.hostname,
      'server.port': portOf(site),
      ...(route === null ? {} : { 'http.route': route, 'url.path': route }),
      'gazette.request_id': id,
      'gazette.tier': access.tier,
      ...(notes.register !== undefined && isFeedId(notes.register) ? { 'gazette.register': notes.register } : {}),
    };
    const { traceId, spanId } = span.spanContext();
    endSpan(span, attributes, status >= 500 ? String(status) : undefined);
    return { trace_id: traceId, span_id: spanId };
  }

  #within<T>(request: IncomingRequest, work: () => T): T {
    const { trace, context, propagation } = this.#api;
    const around = trace.getActiveSpan();
    // Within a span of the program that the service is mounted in, that program has read what the client says.
    const parent = around === undefined ? propagation.extract(context.active(), request, FIELDS) : context.active();
    const kind = around === undefined ? SPAN_KIND.server : SPAN_KIND.internal;
    const attributes = { 'http.request.method': METHODS.has(request.method) ? request.method : '_OTHER' };
    const span = tracerOf(this.#api).startSpan(nameOf(request), { kind, attributes }, parent);
    this.#spans.set(request, span);
    return context.with(trace.setSpan(parent, span), work);
  }
}

function nameOf({ method }: IncomingRequest): string {
  return METHODS.has(method) ? method : 'HTTP';
}

/** The route from the service's root on; null if none matches. */
function routeOf({ route, path }: RequestContext): string | null {
  if (route === null) return null;
  if (route.startsWith('page ')) return route.slice('page '.length);
  if (!path.startsWith(API_PATH)) return route;
  return route === '/' ? API_PATH : API_PATH + route;
}

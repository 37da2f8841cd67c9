// The whole service for a store, as web-standard functions: any host with Request and Response can serve it.
import { DEFAULT_PRODUCT } from '../access/api-key.ts';
import { createAuthenticator } from '../access/authenticate.ts';
import { KeyUses } from '../access/key-uses.ts';
import { createRateLimits, type RateLimitOptions } from '../access/rate-limits.ts';
import { SharedLimits } from '../access/shared/limits.ts';
import { GazetteError } from '../errors.ts';
import { checkBaseUrl } from '../export/page-links.ts';
import { checkFormats } from '../formats/check-formats.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { EXPORT_FORMATS } from '../formats/index.ts';
import { createApp, type Fetch } from '../http/app.ts';
import { checkPublication, type PublicationOptions } from '../http/description/publication.ts';
import { accountRoutes } from '../http/routes/account/routes.ts';
import { changesRoutes } from '../http/routes/changes.ts';
import { facetsRoute } from '../http/routes/facets.ts';
import { documentRoutes } from '../http/routes/documents.ts';
import { placeOf } from '../http/request-context.ts';
import { exportRoutes } from '../http/routes/exports.ts';
import { feedRoutes } from '../http/routes/feeds.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { historyRoutes } from '../http/routes/history.ts';
import { indexRoute } from '../http/routes/service-index.ts';
import { logRoutes, wellKnownLogRoute } from '../http/routes/logs.ts';
import { Metrics, type ServiceMetrics } from '../http/metrics.ts';
import { recordRoutes } from '../http/routes/records.ts';
import { purchaseRoutes } from '../http/routes/purchases.ts';
import { ServiceContext } from '../http/service-context.ts';
import { logLine } from './log-line.ts';
import { IndexBuilder } from '../operate/index-builder.ts';
import type { EndpointsOptions } from '../operate/endpoints.ts';
import { mcpRoute, type McpOptions } from '../mcp/route.ts';
import { configurationDigest } from './configuration-digest.ts';
import { createPages } from './create-pages.ts';
import { RequestTracing } from './tracing.ts';
import { createOwners, type MailOptions } from './owners.ts';
import type { PaymentProvider } from '../purchases/provider.ts';
import { PrepaidCredit } from '../purchases/prepaid.ts';
import { Seller } from '../purchases/seller.ts';
import type { TierOptions } from '../register/tier.ts';
import type { LimitCounter } from '../stores/contract/nodes/counter.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { TelemetryApi } from '../telemetry/api.ts';

/** The methods that the service needs of a logger; pino has them. */
export interface Logger {
  /** Logs a success. */
  info(fields: object, message: string): void;
  /** Logs a failure; `fields.err` is the thrown value. */
  error(fields: object, message: string): void;
}

/** Options of {@link createGazette}. */
export interface GazetteOptions extends PublicationOptions {
  /** Registers, accounts and keys. The caller owns it: `close()` leaves it open. */
  readonly store: ServiceStore;
  /** The deployment for which keys are valid (specification 5.4). Default `gazette`. */
  readonly product?: string;
  /**
   * The public URL before `/api/v1`, such as `https://example.org/registers`. Default: the URL of the request,
   * including its mount point. Set it if there is a proxy or a cache in front of the service.
   */
  readonly baseUrl?: string;
  /**
   * Whether the last value each of `X-Forwarded-Proto` and `-For`, which the nearest proxy added, is trusted. Set it
   * only behind a proxy that sets these fields. Default false.
   */
  readonly trustProxy?: boolean;
  /**
   * Whether the last value of `X-Forwarded-Host` is trusted too: links then name that host, unless there is a `baseUrl`.
   * Set it only behind a proxy that sets this field itself. Most proxies pass on what the client sent. Default false.
   */
  readonly trustForwardedHost?: boolean;
  /**
   * Whether the service answers below any path, because the server that it is mounted in decides. If false, it answers
   * at the root and below the path of `baseUrl`, and any other path is 404. Default true.
   */
  readonly anyPrefix?: boolean;
  /** Whether HTTP Basic with the key as password is accepted too. Default false. */
  readonly allowBasic?: boolean;
  /** How much a caller may request; null disables all limits. */
  readonly limits?: RateLimitOptions | null;
  /** Counts requests for several processes. Default: the store's; a store in a file has none, and this process counts. */
  readonly limitCounter?: LimitCounter;
  /** How much the public tier sees. */
  readonly tiers?: TierOptions;
  /**
   * The formats of exports, each at `export.` and its name: `[...EXPORT_FORMATS, tsv]` adds one to gazette's own.
   * Default: {@link EXPORT_FORMATS}.
   */
  readonly formats?: readonly Format[];
  /** Options of each format, by its name. */
  readonly formatOptions?: Readonly<Record<string, FormatOptions>>;
  /** Whether there are pages for people at the root. Default true. */
  readonly pages?: boolean;
  /**
   * How webhook endpoints are kept that owners of accounts add: with the key that encrypts their secrets, and the rules for
   * their addresses. Default: owners can add none.
   */
  readonly endpoints?: Omit<EndpointsOptions, 'now'>;
  /** How links to sign in are sent by e-mail. Default: the operator hands them out (`gazette account sign-in`). */
  readonly mail?: MailOptions;
  /** Who moves money for records that are bought, besides prepaid credit. Default: nobody. */
  readonly providers?: readonly PaymentProvider[];
  /** How the MCP route answers, and which pages may use it. */
  readonly mcp?: McpOptions;
  /** Bytes of finished pages to keep in memory. Default 32 MiB; 0 disables the cache. */
  readonly cacheBytes?: number;
  /** Gets one line per answer and per failure. Default: failures go to `console.error`, and answers are not logged. */
  readonly logger?: Logger;
  /** Whether lines say whose request it was: account, key, and the network of the address. Default true. */
  readonly logCallers?: boolean;
  /** The module `@opentelemetry/api`: makes spans of requests and of what they ask of the store. Default: none are made. */
  readonly telemetry?: TelemetryApi;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Default: a random UUID. */
  readonly createRequestId?: () => string;
}

/** The service. */
export interface Gazette {
  /** Answers requests to the public interface. Never rejects. */
  readonly fetch: Fetch;
  /** The metrics in Prometheus text format; only for the operator. */
  readonly metrics: ServiceMetrics;
  /** From now on `/readyz` answers 503, so that load balancers send no new requests; everything else continues. */
  drain(): void;
  /** Records what is still pending, and indexes no more. The store stays open. */
  close(): Promise<void>;
}

/**
 * Creates the service.
 *
 * @throws GazetteError `invalid_option`
 * @example
 * const gazette = createGazette({ store: SqliteStore.open('gazette.db'), baseUrl: 'https://example.org' });
 * http.createServer(toNodeListener(gazette.fetch)).listen(8080, '127.0.0.1');
 */
export function createGazette(options: GazetteOptions): Gazette {
  const { product = DEFAULT_PRODUCT, allowBasic = false, logger, logCallers = true, now = Date.now } = options;
  const tracing = options.telemetry === undefined ? null : new RequestTracing(options.telemetry);
  const store = tracing?.store(options.store) ?? options.store;
  const onError = (error: unknown, requestId: string): void => {
    if (logger === undefined) console.error(`gazette: request ${requestId} failed`, error);
    else logger.error({ request_id: requestId, err: error }, 'request failed');
  };
  const uses = new KeyUses(store.accounts, {
    onError: (error) => {
      onError(error, 'none');
    },
  });
  const authenticate = createAuthenticator({
    accounts: store.accounts,
    product,
    now,
    allowBasic,
    onUse: (keyId, atMs) => {
      uses.note(keyId, atMs);
    },
  });
  const formats = checkFormats(options.formats ?? EXPORT_FORMATS);
  const publication = checkPublication(options);
  const { keysUrl } = publication;
  const service = new ServiceContext({
    store,
    tiers: { ...options.tiers, ...(keysUrl === null ? {} : { keysUrl }) },
    ledger: store.ledger,
    now,
    configuration: {
      digest: configurationDigest(options, formats),
      store: store.isReadOnly === true ? undefined : store.configuration,
    },
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
  });
  if (options.mail !== undefined && options.baseUrl === undefined) {
    // A link in a mail must not begin with what a request says of its host.
    throw new GazetteError('invalid_option', 'mail needs a baseUrl', { details: { option: 'mail' } });
  }
  const owners = createOwners({
    ...{ store, product, now, endpoints: options.endpoints, mail: options.mail },
    service: { title: publication.title, baseUrl: options.baseUrl },
    onError: (error) => {
      onError(error, 'none');
    },
  });
  const { ledger } = store;
  const { registers, tiers, filters } = service;
  const seller = new Seller({
    ledger,
    providers: [new PrepaidCredit(ledger), ...(options.providers ?? [])],
  });
  const { limits } = options;
  const pages =
    options.pages === false
      ? null
      : createPages(service, {
          ...{ ...publication, formats, limits, product, seller, logs: store.logs, now },
          // Where nothing can be written, nobody can sign in.
          owners: store.isReadOnly === true ? null : owners,
        });
  const hasOwnerPages = pages !== null && store.isReadOnly !== true;
  const place = placeOf({
    ...options,
    pagePaths: pages?.routes.map(({ path }) => path) ?? [],
    baseUrl: options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl),
  });
  const routes = [
    indexRoute(service, publication.title),
    ...feedRoutes(service, formats, store.logs),
    ...recordRoutes(service),
    ...purchaseRoutes(service, seller),
    ...exportRoutes(service, { ...options, formats }),
    ...historyRoutes(service),
    ...changesRoutes(service, store.logs),
    facetsRoute(service),
    ...logRoutes(service, store.logs, seller),
    ...accountRoutes({ store, now, isSelling: () => service.isSold(undefined), ownAccount: owners.ownAccount }),
    mcpRoute({ store, registers, tiers, filters, ledger, seller, hasOwnerPages }, place, options.mcp),
  ];
  const onFault = (error: unknown): void => {
    onError(error, 'none');
  };
  const builder =
    store.finding === undefined || store.isReadOnly === true
      ? null
      : new IndexBuilder(store.finding, {
          onProgress: (feedId, { done, all }) => {
            const what =
              done < all ? 'the words of a register are being indexed' : 'the words of a register are indexed';
            logger?.info({ register: feedId, positions: all, indexed: done }, what);
          },
          onError: onFault,
        });
  builder?.start();
  // The trees over the logs of a store of before.
  const trees = store.isReadOnly === true ? null : new IndexBuilder(store.logs, { onError: onFault });
  trees?.start();
  const ofStore = store.isReadOnly === true ? undefined : store.limitCounter;
  const counter = limits === null ? undefined : (options.limitCounter ?? ofStore);
  const shared =
    counter === undefined
      ? null
      : new SharedLimits(counter, {
          ...limits,
          onAway: onFault,
        });
  const metrics = new Metrics({
    indexing: () => builder?.progress,
    sharedLimits: shared === null ? null : () => shared.figures,
    knowledge: () => store.knowledge?.(),
    replica: () => store.replica?.(),
    replicaLag: async () => (await store.replicaLag?.()) ?? null,
  });
  let isDraining = false;
  const fetch = createApp({
    routes: [...routes, ...documentRoutes(service, routes, publication, store.logs)],
    probes: [
      ...healthRoutes({
        async isReady() {
          // Any query to the store would do; this one is an index look-up.
          await store.accounts.account('readyz');
          return !isDraining;
        },
      }),
      wellKnownLogRoute(service, store.logs),
    ],
    pages,
    place,
    product,
    allowBasic,
    keysUrl,
    stamp: () => store.stamp?.(),
    authenticate,
    isOpen: (feedId, stamp) => service.isOpen(feedId, stamp),
    isSold: (recordId, stamp) => service.isSold(recordId, stamp),
    limits: limits === null ? null : (shared ?? createRateLimits(limits)),
    createRequestId: options.createRequestId ?? (() => crypto.randomUUID()),
    onAnswer(context, answer, durationMs) {
      metrics.note(context, answer, durationMs);
      const ids = tracing?.end(context, answer);
      logger?.info({ ...logLine(context, answer, durationMs, logCallers), ...ids }, 'answered');
    },
    onError,
  });
  return {
    fetch: tracing?.fetch(fetch) ?? fetch,
    metrics,
    drain() {
      isDraining = true;
    },
    async close() {
      for (const part of [builder, trees, owners, uses, shared]) await part?.close();
    },
  };
}

// The whole service over a store, as web-standard functions: any host that has Request and Response can serve it.
import { DEFAULT_PRODUCT } from '../access/api-key.ts';
import { createAuthenticator } from '../access/authenticate.ts';
import { KeyUses } from '../access/key-uses.ts';
import { createRateLimits, type RateLimitOptions } from '../access/rate-limits.ts';
import { checkBaseUrl } from '../export/page-links.ts';
import type { HttpResponse } from '../web/representation.ts';
import { checkFormats } from '../formats/check-formats.ts';
import type { Format, FormatOptions } from '../formats/format.ts';
import { EXPORT_FORMATS } from '../formats/index.ts';
import { createApp, type Fetch } from '../http/app.ts';
import { changesRoutes } from '../http/routes/changes.ts';
import { documentRoutes } from '../http/routes/documents.ts';
import type { RequestContext } from '../http/request-context.ts';
import { exportRoutes } from '../http/routes/exports.ts';
import { feedRoutes } from '../http/routes/feeds.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { historyRoutes } from '../http/routes/history.ts';
import { Metrics, type ServiceMetrics } from '../http/metrics.ts';
import { recordRoutes } from '../http/routes/records.ts';
import { ServiceContext } from '../http/service-context.ts';
import { mcpRoute, type McpOptions } from '../mcp/route.ts';
import type { TierOptions } from '../register/tier.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';

/** What the service needs of a logger; pino's has it. */
export interface Logger {
  /** Takes a line of what went as it should. */
  info(fields: object, message: string): void;
  /** Takes a line of a failure; `fields.err` is what was thrown. */
  error(fields: object, message: string): void;
}

/** What {@link createGazette} takes. */
export interface GazetteOptions {
  /** Registers, accounts and keys. It stays its owner's: `close()` leaves it open. */
  readonly store: ServiceStore;
  /** The deployment that keys are scoped to (specification 5.4). Default `gazette`. */
  readonly product?: string;
  /**
   * The public address below which `/api/v1` stands, such as `https://example.org/registers`. Default: the address the
   * request names, with the mount it came through. Set it wherever a proxy or a cache stands in front.
   */
  readonly baseUrl?: string;
  /**
   * Whether `X-Forwarded-Proto`, `-Host` and `-For` are believed, of each the last value, which the nearest proxy added:
   * only behind a proxy that sets them. Default false.
   */
  readonly trustProxy?: boolean;
  /** Whether HTTP Basic with the key as password is taken too. Default false. */
  readonly allowBasic?: boolean;
  /** How much a caller may ask; null: as much as it likes. */
  readonly limits?: RateLimitOptions | null;
  /** How much the public sees. */
  readonly tiers?: TierOptions;
  /**
   * The formats that records are exported in, each at `export.` and its name: `[...EXPORT_FORMATS, tsv]` adds one to
   * gazette's own. Default: {@link EXPORT_FORMATS}.
   */
  readonly formats?: readonly Format[];
  /** Each format's own options, by its name. */
  readonly formatOptions?: Readonly<Record<string, FormatOptions>>;
  /** How the agents' route answers, and which pages may ask it. */
  readonly mcp?: McpOptions;
  /** How many bytes of finished pages are kept in memory. Default 32 MiB; 0 keeps none. */
  readonly cacheBytes?: number;
  /** One line per answer and per failure. Without one failures go to `console.error` and answers nowhere. */
  readonly logger?: Logger;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Default: a random UUID. */
  readonly createRequestId?: () => string;
}

/** The service. */
export interface Gazette {
  /** Answers a request of the public interface. Never rejects. */
  readonly fetch: Fetch;
  /** The metrics, in the text format of Prometheus; for the operator alone. */
  readonly metrics: ServiceMetrics;
  /** From now on `/readyz` answers 503, so that a balancer sends nothing new; all else goes on. */
  drain(): void;
  /** Records what is still to be recorded. The store stays open. */
  close(): Promise<void>;
}

/**
 * Puts the service together.
 *
 * @throws GazetteError `invalid_option`
 * @example
 * const gazette = createGazette({ store: SqliteStore.open('gazette.db'), baseUrl: 'https://example.org' });
 * http.createServer(toNodeListener(gazette.fetch)).listen(8080, '127.0.0.1');
 */
export function createGazette(options: GazetteOptions): Gazette {
  const { store, product = DEFAULT_PRODUCT, allowBasic = false, logger, now = Date.now } = options;
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
  const service = new ServiceContext({
    store,
    tiers: options.tiers ?? {},
    now,
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
  });
  const place = {
    baseUrl: options.baseUrl === undefined ? null : checkBaseUrl(options.baseUrl),
    trustProxy: options.trustProxy ?? false,
  };
  const routes = [
    ...feedRoutes(service, formats),
    ...recordRoutes(service),
    ...exportRoutes(service, { ...options, formats }),
    ...historyRoutes(service),
    ...changesRoutes(service),
    mcpRoute(service, place, options.mcp),
  ];
  const metrics = new Metrics();
  let isDraining = false;
  const fetch = createApp({
    routes: [...routes, ...documentRoutes(service, routes)],
    probes: healthRoutes({
      async isReady() {
        // Any question to the store does; this one is a look-up in an index.
        await store.accounts.account('readyz');
        return !isDraining;
      },
    }),
    place,
    product,
    allowBasic,
    stamp: () => store.stamp?.(),
    authenticate,
    limits: options.limits === null ? null : createRateLimits(options.limits),
    createRequestId: options.createRequestId ?? (() => crypto.randomUUID()),
    onAnswer(context, answer, durationMs) {
      metrics.note(context, answer, durationMs);
      logger?.info(lineOf(context, answer, durationMs), 'answered');
    },
    onError,
  });
  return {
    fetch,
    metrics,
    drain() {
      isDraining = true;
    },
    close: () => uses.close(),
  };
}

/** What is logged of an answer: never an address as it was asked for, which may hold anything, and never a key. */
function lineOf(
  { id, request, route, access }: RequestContext,
  { status, body }: HttpResponse,
  durationMs: number,
): object {
  return {
    request_id: id,
    method: request.method,
    route,
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    bytes: body?.length ?? 0,
    ...(access.tier === 'pro' ? { account: access.account.id, key: access.key.id } : {}),
  };
}

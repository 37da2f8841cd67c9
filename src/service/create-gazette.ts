// The whole service for a store, as web-standard functions: any host with Request and Response can serve it.
import { DEFAULT_PRODUCT } from '../access/api-key.ts';
import { createAuthenticator } from '../access/authenticate.ts';
import type { KeyHolder } from '../access/scopes.ts';
import { KeyUses } from '../access/key-uses.ts';
import { Limits } from '../access/limits/limits.ts';
import { GazetteError } from '../errors.ts';
import { checkBaseUrl } from '../export/page-links.ts';
import { checkFormats } from '../formats/check-formats.ts';
import { csv } from '../formats/csv.ts';
import { EXPORT_FORMATS } from '../formats/index.ts';
import { createApp, type Fetch } from '../http/app.ts';
import { checkPublication } from '../http/description/publication.ts';
import { accountRoutes } from '../http/routes/account/routes.ts';
import { calendarRoute } from '../http/routes/calendars.ts';
import { changesRoutes } from '../http/routes/changes.ts';
import { facetsRoute } from '../http/routes/facets.ts';
import { documentRoutes } from '../http/routes/documents.ts';
import { placeOf } from '../http/request-context.ts';
import { exportRoutes } from '../http/routes/exports.ts';
import { feedRoutes } from '../http/routes/feeds.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { historyRoutes } from '../http/routes/history.ts';
import { indexRoute } from '../http/routes/service-index.ts';
import { Metrics, type ServiceMetrics } from '../http/metrics.ts';
import { recordRoutes } from '../http/routes/records.ts';
import { dataPackageRoute, wholeRegisterRoute } from '../http/routes/whole-registers.ts';
import { ServiceContext } from '../http/service-context.ts';
import { wholeFormats, WholeRegisters } from '../http/whole/registers.ts';
import { logLine } from './log-line.ts';
import { IndexBuilder } from '../operate/registers/index-builder.ts';
import { mcpRoute } from '../mcp/route.ts';
import { configurationDigest } from './configuration-digest.ts';
import { createPages } from './create-pages.ts';
import type { GazetteOptions } from './gazette-options.ts';
import { checkPaths, checkPlugins } from './plugins/check.ts';
import { pluginFigures, pluginRoute } from './plugins/surfaces.ts';
import { pluginTools } from './plugins/tools.ts';
import { registerFigures } from './register-figures.ts';
import { RequestTracing } from './tracing.ts';
import { createDesk } from './desk.ts';
import { LiveReaders } from '../http/live/readers.ts';
import { streamRoute } from '../http/routes/stream.ts';
import { createOwners } from './owners.ts';
import { buyUrl } from '../views/offers.ts';
import { Sight } from '../views/sight.ts';
import { SERVED } from '../wings/served.ts';
import type { WingServices } from './wing.ts';

export type { GazetteOptions, Logger } from './gazette-options.ts';

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
  const onFault = (error: unknown): void => {
    onError(error, 'none');
  };
  const uses = new KeyUses(store.accounts, { onError: onFault });
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
  const wings = (options.wings ?? SERVED).map((wing) => ({ after: wing.after, ...wing.open(store, options) }));
  const signed = wings.find((wing) => wing.signed !== undefined)?.signed;
  const seller = wings.find(({ selling }) => selling !== undefined);
  const selling = seller?.selling;
  const service = new ServiceContext({
    store,
    signed,
    selling,
    sight: new Sight<KeyHolder>(
      { ...options.tiers, ...(keysUrl === null ? {} : { keysUrl }) },
      selling && ((caller) => selling.own(caller)),
    ),
    now,
    configuration: {
      digest: configurationDigest(options, [...new Set([...formats, ...wholeFormats(formats)])]),
      store: store.isReadOnly === true ? undefined : store.configuration,
    },
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
  });
  if (options.desk === true && options.pages === false) {
    throw new GazetteError('invalid_option', 'the desk is one of the pages: it cannot be without them', {
      details: { option: 'desk' },
    });
  }
  if (options.mail !== undefined && options.baseUrl === undefined) {
    // A link in a mail must not begin with what a request says of its host.
    throw new GazetteError('invalid_option', 'mail needs a baseUrl', { details: { option: 'mail' } });
  }
  const named = { title: publication.title, baseUrl: options.baseUrl };
  const owners = createOwners({
    ...{ store, product, now, endpoints: options.endpoints, mail: options.mail },
    service: named,
    onError: onFault,
  });
  const desk =
    options.desk === true
      ? createDesk({
          store,
          now,
          mail: options.mail,
          approve: options.approve,
          uploads: options.uploads,
          uploadReading: options.uploadReading,
          service: named,
          onError: onFault,
        })
      : null;
  const { registers, sight, filters } = service;
  const owned: WingServices['owned'] = async ({ access, api }, id) => {
    if (access.tier !== 'public' || access.receipt === undefined) return (await sight.own(access)?.versions(id)) ?? [];
    return (await selling?.opened(access.receipt, id, buyUrl(api, id))) ?? [];
  };
  const { limits } = options;
  const plugins = checkPlugins(options.plugins ?? []);
  const wholes = new WholeRegisters(service, formats, options.formatOptions);
  const pages =
    options.pages === false
      ? null
      : createPages(service, {
          ...{ ...publication, formats, wholes, limits, product, wings, now, plugins },
          // Where nothing can be written, nobody can sign in.
          ...(store.isReadOnly === true ? { owners: null, desk: null } : { owners, desk }),
        });
  const hasOwnerPages = pages !== null && store.isReadOnly !== true;
  const place = placeOf({
    ...options,
    pagePaths: pages?.routes.map(({ path }) => path) ?? [],
    baseUrl: options.baseUrl === undefined ? undefined : checkBaseUrl(options.baseUrl),
  });
  const others = pluginTools(service, plugins);
  const account = { store, now, isSelling: () => service.isSold(undefined), ownAccount: owners.ownAccount };
  const buying = seller?.buying?.(service);
  const readers = new LiveReaders(registers, () => store.stamp?.());
  const own = [
    indexRoute(service, publication.title),
    ...feedRoutes(service, formats, wholes.formats),
    ...recordRoutes(service),
    ...exportRoutes(service, { ...options, formats }),
    wholeRegisterRoute(wholes),
    // Another format of this name may write anything.
    ...(wholes.formats.includes(csv) ? [dataPackageRoute(service, publication, options.formatOptions?.csv)] : []),
    calendarRoute(service),
    ...historyRoutes(service),
    ...changesRoutes(service),
    streamRoute(service, readers, now),
    facetsRoute(service),
    ...accountRoutes(account),
    ...wings.flatMap((wing) => wing.account?.(account) ?? []),
    mcpRoute(
      { store, signed, registers, sight, filters, ...(buying && { buying }), hasOwnerPages, others },
      place,
      options.mcp,
    ),
  ];
  for (const wing of wings) {
    own.splice(
      own.findIndex(({ documentation }) => documentation?.operationId === wing.after) + 1,
      0,
      ...wing.routes({ service, owned }),
    );
  }
  const added = plugins.flatMap(({ name, routes = [] }) => routes.map((route) => pluginRoute(service, name, route)));
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
  const ofStore = store.isReadOnly === true ? undefined : store.limitCounter;
  const counter = options.limitCounter ?? ofStore ?? null;
  const counted = limits === null ? null : new Limits(counter, { ...limits, onAway: onFault });
  const metrics = new Metrics({
    indexing: () => builder?.progress,
    sharedLimits: counted === null || counter === null ? null : () => counted.figures,
    knowledge: () => store.knowledge?.(),
    replica: () => store.replica?.(),
    replicaLag: async () => (await store.replicaLag?.()) ?? null,
    registers: [...registerFigures(store, now), ...pluginFigures(service, plugins, onFault)],
  });
  let isDraining = false;
  const routes = [...own, ...added];
  const documents = documentRoutes(service, routes, publication, pages);
  const probes = [
    ...healthRoutes({
      async isReady() {
        // Any query to the store would do; this one is an index look-up.
        await store.accounts.account('readyz');
        return !isDraining;
      },
    }),
    ...wings.flatMap((wing) => wing.probes?.(service) ?? []),
  ];
  checkPaths([...own, ...documents], added);
  checkPaths(
    probes,
    plugins.flatMap((plugin) => plugin.pages ?? []),
  );
  const fetch = createApp({
    routes: [...routes, ...documents],
    probes,
    pages,
    place,
    product,
    allowBasic,
    keysUrl,
    stamp: () => store.stamp?.(),
    authenticate,
    isOpen: (feedId, stamp) => service.isOpen(feedId, stamp),
    renumbered: (recordId) => service.registers.renumbered(recordId),
    isSold: (recordId, stamp) => service.isSold(recordId, stamp),
    limits: counted,
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
      readers.stop();
    },
    async close() {
      readers.stop();
      for (const part of [builder, owners, desk, uses, counted]) await part?.close();
    },
  };
}

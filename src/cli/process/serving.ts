// The work of `gazette serve`: the service in this process, or in several that share a port. A stop answers the
// received requests and takes seconds.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { type RunningServer, startServer } from '../../adapters/server.ts';
import { EXPORT_FORMATS } from '../../formats/index.ts';
import { checkPublication } from '../../http/description/publication.ts';
import { ClusterMetrics } from '../../http/cluster-metrics.ts';
import { joinMetrics, type MetricsSource } from '../../http/metrics-source.ts';
import { COMMON_HEADERS } from '../../http/request-context.ts';
import { createGazette } from '../../service/create-gazette.ts';
import type { GazetteOptions } from '../../service/gazette-options.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { TelemetryApi } from '../../telemetry/api.ts';
import type { Configuration } from '../command.ts';
import { withFormatModules } from '../options/format-module.ts';
import { limitsOf } from '../options/limits.ts';
import { pluginsOf } from '../options/plugin.ts';
import { publicationOf } from '../options/publication.ts';
import { countForWorkers, PrimaryLimitCounter } from './worker-limits.ts';
import { openLog } from './log.ts';
import { makeRegisters, makeStore } from './making-registers.ts';
import { mailOf } from './mail.ts';
import { serveMetrics, telemetryOf } from './metrics.ts';
import { endpointOptions, hasSecretsKey, type Sending, startSending } from './sending.ts';
import { keepResuming, type Resuming } from './unfinished.ts';
import { transportFields, withFields } from './strict-transport.ts';
import { SERVING } from '../../wings/serving.ts';
import type { Beside } from '../wings.ts';
import type { ServeOptions } from '../options/serving.ts';
import { withoutPassword } from '../io/without-password.ts';
import { openServedStore } from './places/served-store.ts';
import { uploadsOf } from './uploads/staging.ts';
import { reportServing, untilNoneListens, Workers, workersPort } from './workers.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/**
 * Serves until the signal fires, the registers of the configuration too.
 *
 * @throws GazetteError `listen_failed`, `invalid_option`; the errors of opening the store, and of making its registers.
 */
export async function serve(
  options: ServeOptions,
  configuration: Configuration | null,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (!cluster.isPrimary) return serveAsWorker(options, configuration, io, signal);
  if (configuration !== null) await makeRegisters(configuration, options, io, signal);
  if (options.desk === true) await makeStore(options, io);
  return options.workers > 1 ? superviseWorkers(options, io, signal) : serveHere(options, configuration, io, signal);
}

/** Serves in this process, one of several. */
async function serveAsWorker(
  options: ServeOptions,
  configuration: Configuration | null,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  try {
    await serveHere(options, configuration, io, signal);
  } finally {
    // The process lives as long as its connection to the first one, even if it could not open the store.
    cluster.worker!.disconnect();
  }
}

/** Serves in this process until the signal fires. */
async function serveHere(
  options: ServeOptions,
  configuration: Configuration | null,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const formats = await withFormatModules(EXPORT_FORMATS, options);
  const plugins = await pluginsOf(options);
  const mail = await mailOf(options);
  const telemetry = await telemetryOf(options, io);
  const { store, close } = await openServedStore(options, io);
  const log = openLog();
  let servers: readonly RunningServer[] = [];
  let sending: Sending | null = null;
  let resuming: Resuming | null = null;
  const beside: Beside[] = [];
  try {
    const limitCounter =
      cluster.isPrimary || store.limitCounter !== undefined ? undefined : new PrimaryLimitCounter(cluster.worker!);
    const more = await saidBy(store, options, io);
    const gazette = createGazette({
      store,
      product: options.product,
      trustProxy: options.trustProxy ?? false,
      trustForwardedHost: options.trustForwardedHost ?? false,
      anyPrefix: false,
      allowBasic: options.allowBasic ?? false,
      limits: limitsOf(options),
      ...(limitCounter === undefined ? {} : { limitCounter }),
      logger: log,
      logCallers: options.logCallers,
      pages: options.pages,
      desk: options.desk ?? false,
      ...(options.approve === undefined ? {} : { approve: options.approve }),
      ...uploadsOf(options.store, configuration),
      ...{ formats, plugins },
      endpoints: endpointOptions(options, io),
      ...(mail === undefined ? {} : { mail }),
      ...(telemetry === undefined ? {} : { telemetry }),
      ...publicationOf(options),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      mcp: {
        allowedOrigins: options.mcpAllowOrigin,
        ...(options.mcpBudgetTokens === undefined ? {} : { budgetTokens: options.mcpBudgetTokens }),
      },
      ...more,
    });
    gazette.metrics.addProcess();
    const fields = transportFields(options);
    servers = [
      await startServer(withFields(gazette.fetch, fields), {
        ...(cluster.isPrimary ? { port: options.port } : { ...workersPort(options.port), untilNoneListens }),
        host: options.host,
        // A trusted proxy's connections are those of all its clients.
        connectionsPerAddress: options.trustProxy === true ? Infinity : options.connectionsPerAddress,
        refusalHeaders: { ...COMMON_HEADERS, ...fields },
        onRefusal: ({ request_id, status, detail }) => {
          log.info({ request_id, route: null, status, detail }, 'refused');
        },
      }),
    ];
    if (cluster.isPrimary) {
      sending = sendWebhooks(store, { ...options, telemetry }, io);
      resuming = keepResuming(io, store);
      await startBeside(beside, store, options, io);
      servers = [...servers, ...(await serveMetrics(withSending(gazette.metrics.registry, sending), options, io))];
      announce(servers[0]!.url, options, io);
    } else {
      gazette.metrics.shareWithCluster();
      reportServing(servers[0]!.url);
    }
    await untilStopped(signal, sending);
    gazette.drain();
    await Promise.all([...servers.map((server) => server.stop()), sending?.stop()]);
    await gazette.close();
  } finally {
    const stops = [sending?.stop(), resuming?.stop()];
    await Promise.allSettled([
      ...servers.map((server) => server.stop(0)),
      ...stops,
      ...beside.map((one) => one.stop()),
    ]);
    await close();
    log.close();
  }
}

/** Keeps this number of processes running until the signal fires. */
async function superviseWorkers(options: ServeOptions, io: Io, signal: AbortSignal): Promise<void> {
  // This process reports errors of the options once, rather than each worker; and only this one sends webhooks.
  await withFormatModules(EXPORT_FORMATS, options);
  await pluginsOf(options);
  checkPublication(options);
  await mailOf(options);
  for (const wing of SERVING) await wing.check?.(options, io);
  const telemetry = await telemetryOf(options, io);
  const { store, close } = await openServedStore(options, io);
  if (store.limitCounter === undefined) countForWorkers();
  const workers = new Workers(options, signal);
  let servers: readonly RunningServer[] = [];
  let sending: Sending | null = null;
  let resuming: Resuming | null = null;
  const beside: Beside[] = [];
  try {
    await saidBy(store, options, io);
    sending = sendWebhooks(store, { ...options, telemetry }, io);
    resuming = keepResuming(io, store);
    await startBeside(beside, store, options, io);
    const url = await workers.start();
    servers = await serveMetrics(withSending(new ClusterMetrics(), sending), options, io);
    announce(url, options, io);
    await untilStopped(signal, sending);
  } finally {
    const stops = [...servers.map((server) => server.stop()), sending?.stop(), resuming?.stop()];
    await Promise.allSettled([workers.stop(), ...stops, ...beside.map((one) => one.stop())]);
    await close();
  }
}

/** What wings say to the service of a process. @throws GazetteError what their settings do not allow */
async function saidBy(store: ServiceStore, options: ServeOptions, io: Io): Promise<Partial<GazetteOptions>> {
  const said: Partial<GazetteOptions>[] = [];
  for (const wing of SERVING) said.push((await wing.service?.(store, options, io)) ?? {});
  return Object.assign({}, ...said) as Partial<GazetteOptions>;
}

/** Starts what wings do in one process of an installation. @param beside gets what was started */
async function startBeside(beside: Beside[], store: ServiceStore, options: ServeOptions, io: Io): Promise<void> {
  for (const wing of SERVING) {
    const started = await wing.start(store, options, io);
    if (started !== null) beside.push(started);
  }
}

/** The figures of the process that sends webhooks are those of no worker. */
function withSending(source: MetricsSource, sending: Sending | null): MetricsSource {
  return sending === null ? source : joinMetrics(source, sending.metrics);
}

function announce(url: string, { baseUrl, store, ...options }: ServeOptions, io: Io): void {
  const where = baseUrl === undefined ? '' : `, public address ${baseUrl}`;
  say(io, `serving ${withoutPassword(store)} on ${url}/api/v1${where}`);
  for (const [what, place] of placesOf(url, options)) say(io, `${what.padEnd(17)} ${place}`);
}

/** Where a person may look. */
function placesOf(
  url: string,
  { pages, desk }: Pick<ServeOptions, 'pages' | 'desk'>,
): readonly (readonly [what: string, place: string])[] {
  const reference = ['the reference:', `${url}/api/v1/reference`] as const;
  if (!pages) return [reference];
  const all = [['the registers:', `${url}/`], reference, ['the guide:', `${url}/guide`]] as const;
  return desk === true ? [...all, ['the desk:', `${url}/desk`]] : all;
}

/** Starts to send webhooks if there is a key to sign them with, and a public address for events. */
function sendWebhooks(
  store: ServiceStore,
  options: Omit<ServeOptions, 'telemetry'> & { readonly telemetry: TelemetryApi | undefined },
  io: Io,
): Sending | null {
  if (!hasSecretsKey(io)) return null;
  if (store.isReadOnly === true) {
    say(io, 'webhooks are not sent: the store can only be read');
    return null;
  }
  if (options.baseUrl === undefined) {
    say(io, 'webhooks are not sent: they need --base-url for their links');
    return null;
  }
  return startSending(store, options.baseUrl, options, io);
}

/** Until the signal fires, or the sender cannot continue. */
async function untilStopped(signal: AbortSignal, sending: Sending | null): Promise<void> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  await (sending === null ? stopped : Promise.race([stopped, sending.done]));
}

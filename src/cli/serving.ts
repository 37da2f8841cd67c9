// What `gazette serve` runs: the service in this process, or in several that share a port. A stop answers what has come and
// is over in seconds.
import cluster from 'node:cluster';
import { once } from 'node:events';
import { pino } from 'pino';
import { AggregatorRegistry, collectDefaultMetrics } from 'prom-client';
import { type RunningServer, startServer } from '../adapters/server.ts';
import { GazetteError } from '../errors.ts';
import { createGazette } from '../service/create-gazette.ts';
import { type MetricsSource, operatorHandler } from '../service/operator.ts';
import type { ProductOptions } from './product.ts';
import { openStore, type StoreOptions } from './store.ts';

/** The command's options as commander gives them. */
export interface ServeOptions extends StoreOptions, ProductOptions {
  readonly port: number;
  readonly host: string;
  readonly baseUrl?: string;
  readonly workers: number;
  readonly metricsPort?: number;
  readonly trustProxy?: true;
  readonly allowBasic?: true;
}

/** What the first process says to the others when all are to end. */
const STOP = 'stop';

/**
 * Serves until the signal fires.
 *
 * @throws GazetteError `listen_failed`, `invalid_option`; what opening the store throws.
 */
export function serve(options: ServeOptions, signal: AbortSignal): Promise<void> {
  return cluster.isPrimary && options.workers > 1 ? superviseWorkers(options, signal) : serveHere(options, signal);
}

/** Serves in this process until the signal fires or the first process says so. */
async function serveHere(options: ServeOptions, signal: AbortSignal): Promise<void> {
  const { store, close } = await openStore(options.store, false);
  const log = pino.destination({ dest: 1, sync: false });
  // Whoever read the log has gone; that is no reason to stop serving.
  log.on('error', () => undefined);
  let servers: readonly RunningServer[] = [];
  try {
    const gazette = createGazette({
      store,
      product: options.product,
      trustProxy: options.trustProxy ?? false,
      allowBasic: options.allowBasic ?? false,
      logger: pino({ base: null }, log),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    });
    const { registry } = gazette.metrics;
    collectDefaultMetrics({ register: registry });
    servers = [await startServer(gazette.fetch, options)];
    if (cluster.isPrimary) {
      servers = [...servers, ...(await serveMetrics(registry, options))];
      announce(servers[0]!.url, options);
    } else {
      AggregatorRegistry.setRegistries(registry);
      // Listens for the first process's questions from here on.
      new AggregatorRegistry();
    }
    await untilStopped(signal);
    gazette.drain();
    await Promise.all(servers.map((server) => server.stop()));
    await gazette.close();
  } finally {
    await Promise.all(servers.map((server) => server.stop(0)));
    await close();
    log.flushSync();
    cluster.worker?.disconnect();
  }
}

/** Keeps so many processes running until the signal fires. */
async function superviseWorkers(options: ServeOptions, signal: AbortSignal): Promise<void> {
  // Said once, by this process, rather than by each.
  await (await openStore(options.store, false)).close();
  const metrics = new AggregatorRegistry();
  const port = await startWorker();
  for (let i = 1; i < options.workers; i++) await startWorker();
  const servers = await serveMetrics(
    { contentType: metrics.contentType, metrics: () => metrics.clusterMetrics() },
    options,
  );
  announce(`http://${options.host}:${port}`, options);
  cluster.on('exit', ({ id }, code: number | null, name: string | null) => {
    if (signal.aborted) return;
    process.stderr.write(`gazette: worker ${id} ended (${name ?? code ?? 'unknown'}); another takes its place\n`);
    startWorker().catch((error: unknown) => {
      process.stderr.write(`gazette: no worker could take its place: ${String(error)}\n`);
    });
  });
  await untilStopped(signal);
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const ended = workers.map((worker) => once(worker, 'exit'));
  for (const worker of workers) if (worker.isConnected()) worker.send(STOP);
  await Promise.all(ended);
  await Promise.all(servers.map((server) => server.stop()));
}

/** Starts a process that serves. @returns the port it listens on @throws GazetteError `listen_failed` when it ends before */
async function startWorker(): Promise<number> {
  const worker = cluster.fork();
  return new Promise((resolve, reject) => {
    worker.once('listening', ({ port }) => {
      resolve(port);
    });
    // It has said itself why.
    worker.once('exit', () => {
      reject(new GazetteError('listen_failed', 'a worker ended before it served'));
    });
  });
}

/** Serves the figures on loopback where a port was given for them. */
async function serveMetrics(source: MetricsSource, { metricsPort }: ServeOptions): Promise<readonly RunningServer[]> {
  if (metricsPort === undefined) return [];
  const server = await startServer(operatorHandler(source), { port: metricsPort, host: '127.0.0.1' });
  process.stderr.write(`gazette: metrics on ${server.url}/metrics\n`);
  return [server];
}

function announce(url: string, { baseUrl, store }: ServeOptions): void {
  const where = baseUrl === undefined ? '' : `, known as ${baseUrl}`;
  process.stderr.write(`gazette: serving ${store.replace(/\/\/[^/@]*@/, '//…@')} on ${url}/api/v1${where}\n`);
}

function untilStopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      resolve();
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    if (cluster.isWorker) {
      process.on('message', (message) => {
        if (message === STOP) stop();
      });
    }
  });
}

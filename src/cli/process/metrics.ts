// Serves metrics on a port of their own.
import { type RunningServer, startServer } from '../../adapters/server.ts';
import type { MetricsSource } from '../../http/metrics-source.ts';
import { operatorHandler } from '../../service/operator.ts';
import type { Io } from '../io/io.ts';
import { say } from '../io/say.ts';
import type { MetricsOptions } from '../options/metrics.ts';

/** Serves the metrics if a port was given for them. @throws GazetteError `listen_failed` */
export async function serveMetrics(
  source: MetricsSource,
  { metricsPort, metricsHost }: MetricsOptions,
  io: Io,
): Promise<readonly RunningServer[]> {
  if (metricsPort === undefined) return [];
  const server = await startServer(operatorHandler(source), { port: metricsPort, host: metricsHost });
  say(io, `metrics on ${server.url}/metrics`);
  return [server];
}

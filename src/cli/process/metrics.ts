// What a process tells its operator: metrics on a port of their own, and spans over `@opentelemetry/api`, which is an
// optional peer dependency. Where spans go is the matter of the SDK that the process is started with (`node --import`).
import cluster from 'node:cluster';
import { type RunningServer, startServer } from '../../adapters/server.ts';
import { GazetteError } from '../../errors.ts';
import type { MetricsSource } from '../../http/metrics-source.ts';
import { operatorHandler } from '../../service/operator.ts';
import type { TelemetryApi } from '../../telemetry/api.ts';
import { tracerOf } from '../../telemetry/spans.ts';
import type { Io } from '../io/io.ts';
import { say } from '../io/say.ts';
import type { MetricsOptions, TelemetryOptions } from '../options/metrics.ts';

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

/** A span of nobody: no SDK is there. W3C Trace Context 3.2.2.3. */
const NO_TRACE = /^0*$/;

/** The API, if spans are to be made; undefined: they are not. @throws GazetteError `missing_peer` */
export async function telemetryOf({ telemetry }: TelemetryOptions, io: Io): Promise<TelemetryApi | undefined> {
  if (telemetry === undefined) return undefined;
  const api: TelemetryApi = await import('@opentelemetry/api').catch((cause: unknown) => {
    const message = '--telemetry needs the package @opentelemetry/api: npm install @opentelemetry/api';
    throw new GazetteError('missing_peer', message, { cause });
  });
  // One process says it for all. The span is never ended, so nobody is sent it.
  if (cluster.isPrimary && NO_TRACE.test(tracerOf(api).startSpan('is there an SDK').spanContext().traceId)) {
    say(io, 'no spans are made: --telemetry needs an OpenTelemetry SDK, which node --import starts');
  }
  return api;
}

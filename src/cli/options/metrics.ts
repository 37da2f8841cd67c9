// The options of commands that can serve metrics and make spans.
import { flag, type Options, settings, text, whole } from '../command.ts';

/** Where metrics are served. */
export interface MetricsOptions {
  /** Absent: they are not served. */
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/** Whether spans are made. */
export interface TelemetryOptions {
  readonly telemetry?: true;
}

/** The option that switches spans on. */
export const TELEMETRY_OPTIONS: Options<TelemetryOptions> = settings({
  telemetry: flag('make spans for the OpenTelemetry SDK that the process was started with'),
});

/** Where metrics are served. */
export const METRICS_OPTIONS: Options<MetricsOptions> = settings({
  metricsPort: whole('the port for /metrics (default: none)', 0, 65_535),
  metricsHost: text('<address>', 'the address for /metrics, which only the operator may reach', '127.0.0.1'),
});

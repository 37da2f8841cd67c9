// The options of commands that can serve metrics and make spans.
import { type Command, InvalidArgumentError } from 'commander';

/** Where metrics are served, as commander gives it. */
export interface MetricsOptions {
  /** Absent: they are not served. */
  readonly metricsPort?: number;
  readonly metricsHost: string;
}

/** Whether spans are made, as commander gives it. */
export interface TelemetryOptions {
  readonly telemetry?: true;
}

/** Adds the option that switches spans on. */
export function addTelemetryOption(command: Command): Command {
  return command.option('--telemetry', 'make spans for the OpenTelemetry SDK that the process was started with');
}

/** Adds the options that say where metrics are served. */
export function addMetricsOptions(command: Command): Command {
  return command
    .option('--metrics-port <number>', 'the port for /metrics (default: none)', wholeNumber(0, 65_535))
    .option('--metrics-host <address>', 'the address for /metrics, which only the operator may reach', '127.0.0.1');
}

/** Reads a whole number of at most five digits from an option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d{1,5}$/.test(text) || number < min || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
    }
    return number;
  };
}

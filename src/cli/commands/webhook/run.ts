// `gazette webhook run`: sends, and serves its metrics.
import { once } from 'node:events';
import type { RunningServer } from '../../../adapters/server.ts';
import type { Io } from '../../io/io.ts';
import { say } from '../../io/say.ts';
import type { MetricsOptions, TelemetryOptions } from '../../options/metrics.ts';
import type { SendingOptions } from '../../options/sending.ts';
import { type StoreOptions, withStore } from '../../options/store.ts';
import { serveMetrics, telemetryOf } from '../../process/metrics.ts';
import { startSending } from '../../process/sending.ts';

/** What the command is told. */
export type RunOptions = StoreOptions &
  SendingOptions &
  MetricsOptions &
  TelemetryOptions & { readonly baseUrl: string };

/** Sends until the signal fires. */
export async function run(options: RunOptions, io: Io, signal: AbortSignal): Promise<void> {
  const telemetry = await telemetryOf(options, io);
  await withStore(options, io, async (store) => {
    const sending = startSending(store, options.baseUrl, { ...options, telemetry }, io);
    let servers: readonly RunningServer[] = [];
    try {
      servers = await serveMetrics(sending.metrics, options, io);
      say(io, 'sending webhooks');
      await Promise.race([sending.done, signal.aborted ? undefined : once(signal, 'abort')]);
    } finally {
      await Promise.all([sending.stop(), ...servers.map((server) => server.stop())]);
    }
  });
}

// The sender of webhooks for `gazette serve` and `gazette webhook run`.
import { checkBaseUrl } from '../../export/page-links.ts';
import { SendingMetrics } from '../../http/sending-metrics.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { TelemetryApi } from '../../telemetry/api.ts';
import type { EndpointsOptions } from '../../operate/endpoints.ts';
import { DEVELOPMENT_DESTINATIONS, type DestinationRules } from '../../webhooks/send/destination.ts';
import { NameResolver } from '../../webhooks/send/name-resolver.ts';
import { SecretBox, SECRETS_KEY_VARIABLE } from '../../webhooks/send/secret-box.ts';
import { WebhookSender } from '../../webhooks/send/sender.ts';
import type { DestinationOptions, SendingOptions } from '../options/sending.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** A running sender. */
export interface Sending {
  /** What waits to be sent, and what became of the rest. */
  readonly metrics: SendingMetrics;
  /** Rejects when it cannot continue. */
  readonly done: Promise<void>;
  /** Resolves once running attempts are recorded. */
  stop(): Promise<void>;
}

/** The rules for destinations from the options. */
export function destinationRules(options: DestinationOptions): DestinationRules {
  const { allowPrivateDestinations, denyDestinations: denyNetworks = [] } = options;
  return { ...(allowPrivateDestinations === true ? DEVELOPMENT_DESTINATIONS : {}), denyNetworks };
}

/** Looks up the names of receivers, as the options say. */
export function nameResolver({ dnsServers }: DestinationOptions): NameResolver {
  return new NameResolver(dnsServers === undefined ? {} : { servers: dnsServers });
}

/** The key that encrypts secrets: `GAZETTE_SECRETS_KEY`. @throws GazetteError `invalid_secrets_key` */
export function secretBox({ env }: Io): SecretBox {
  return SecretBox.fromHex(env[SECRETS_KEY_VARIABLE]);
}

/** How endpoints are kept: with this key, and the rules of the options. */
export function endpointOptions(options: DestinationOptions, io: Io): Omit<EndpointsOptions, 'now'> {
  return { box: () => secretBox(io), rules: destinationRules(options), resolve: nameResolver(options).resolve };
}

/** Whether there is the key that sending needs. */
export function hasSecretsKey({ env }: Io): boolean {
  return (env[SECRETS_KEY_VARIABLE] ?? '') !== '';
}

/**
 * Starts a sender.
 *
 * @throws GazetteError `invalid_secrets_key`, `invalid_option`
 */
export function startSending(
  store: ServiceStore,
  baseUrl: string,
  { telemetry, ...options }: SendingOptions & { readonly telemetry?: TelemetryApi | undefined },
  io: Io,
): Sending {
  const stop = new AbortController();
  const onError = (error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    say(io, `webhooks: ${text}`);
  };
  const metrics = new SendingMetrics(store, { onError });
  const sender = new WebhookSender({
    ...{
      store,
      baseUrl: checkBaseUrl(baseUrl),
      box: secretBox(io),
      rules: destinationRules(options),
    },
    schedule: options.webhookSchedule,
    ...(options.dnsServers === undefined ? {} : { dnsServers: options.dnsServers }),
    ...(telemetry === undefined ? {} : { telemetry }),
    onError,
    onOutcomes: (outcomes) => {
      metrics.note(outcomes);
    },
  });
  const done = sender.run(stop.signal);
  // The caller that stops it also gets the error.
  done.catch(() => undefined);
  return {
    metrics,
    done,
    async stop() {
      stop.abort();
      await done;
    },
  };
}

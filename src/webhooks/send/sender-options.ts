// What a sender is given, and the defaults.
import { GazetteError, quote } from '../../errors.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { DeliveryOutcome } from '../../stores/contract/deliveries.ts';
import type { TelemetryApi } from '../../telemetry/api.ts';
import type { DestinationRules } from './destination.ts';
import type { ResolveHost } from './name-resolver.ts';
import { checkSchedule, DEFAULT_SCHEDULE } from './schedule.ts';
import type { SecretBox } from './secret-box.ts';

/** Options of a sender. */
export interface SenderOptions {
  /** The store of the deliveries. */
  readonly store: Pick<ServiceStore, 'deliveries'>;
  /** The public address of the service, without `/api/v1` and without a slash at its end: events contain it. */
  readonly baseUrl: string;
  /** Decrypts the signing secrets. */
  readonly box: SecretBox;
  /** Which addresses are allowed; default: only public ones, over HTTPS. */
  readonly rules?: DestinationRules;
  /** The name servers to ask about destinations. Default: those of the system. */
  readonly dnsServers?: readonly string[];
  /** Looks host names up. Default: in the hosts file, then by DNS. */
  readonly resolve?: ResolveHost;
  /** Seconds before each attempt. Default: at once, then after 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. */
  readonly schedule?: readonly number[];
  /** The time limit of an attempt, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number;
  /**
   * How long a crash delays the deliveries being sent, in milliseconds, if no sender starts on the same host: at least twice
   * `timeoutMs`. Default 60,000.
   */
  readonly leaseMs?: number;
  /** The number of simultaneous attempts to one endpoint. Default 8. */
  readonly concurrency?: number;
  /** How often the store is checked for work, in milliseconds. Default 1,000. */
  readonly pollMs?: number;
  /** How long a stop waits for running attempts, in milliseconds, before it aborts them. Default 5,000. */
  readonly stopGraceMs?: number;
  /**
   * Called with failures that do not belong to one delivery: the store, the key. Default: written to standard error.
   */
  readonly onError?: (error: unknown) => void;
  /** Called with outcomes once they are recorded, for figures. */
  readonly onOutcomes?: (outcomes: readonly DeliveryOutcome[]) => void;
  /** The module `@opentelemetry/api`: makes a span of each attempt. Default: none are made. */
  readonly telemetry?: TelemetryApi;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** A random number from 0 up to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** The options of a sender, all of them; what it looks names up with is made of the rest. */
export type CheckedSenderOptions = Required<
  Omit<SenderOptions, 'store' | 'resolve' | 'dnsServers' | 'telemetry'> & Pick<ServiceStore, 'deliveries'>
>;

/** The options with their defaults. @throws GazetteError `invalid_option` */
export function checkSenderOptions(options: SenderOptions): CheckedSenderOptions {
  const { store, baseUrl, box, rules = {}, timeoutMs = 15_000, leaseMs = 60_000, now = Date.now } = options;
  if (!(timeoutMs > 0 && leaseMs >= 2 * timeoutMs)) {
    throw new GazetteError(
      'invalid_option',
      `leaseMs must be at least twice timeoutMs, got ${leaseMs} and ${timeoutMs}`,
    );
  }
  if (URL.parse(baseUrl) === null || baseUrl.endsWith('/')) {
    throw new GazetteError(
      'invalid_option',
      `baseUrl must be an absolute URL without a slash at its end, got ${quote(baseUrl)}`,
      { details: { option: 'baseUrl' } },
    );
  }
  return {
    ...{ deliveries: store.deliveries, baseUrl, box, rules, timeoutMs, leaseMs, now },
    schedule: checkSchedule(options.schedule ?? DEFAULT_SCHEDULE),
    concurrency: options.concurrency ?? 8,
    pollMs: options.pollMs ?? 1000,
    stopGraceMs: options.stopGraceMs ?? 5000,
    onError: options.onError ?? writeError,
    onOutcomes: options.onOutcomes ?? (() => undefined),
    random: options.random ?? Math.random,
  };
}

/** A failure must be visible even without a handler. */
function writeError(error: unknown): void {
  console.error('gazette: the webhook sender failed and goes on', error);
}

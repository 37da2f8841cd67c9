// The sender: creates deliveries for committed versions, claims those that are due, sends them, and records the
// outcomes. Any number of senders may share a PostgreSQL store. Each endpoint has its own queue, so that a slow one
// delays only itself.
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, quote } from '../../errors.ts';
import type { ClaimedDelivery, DeliveryOutcome, DeliveryStore } from '../../stores/contract/deliveries.ts';
import { Poster } from './attempt.ts';
import { deliver } from './delivery.ts';
import type { DestinationRules } from './destination.ts';
import { EndpointQueue, type Waiting } from './endpoint-queue.ts';
import { NameResolver, type ResolveHost } from './name-resolver.ts';
import { OutcomeWriter } from './outcome-writer.ts';
import { eventNameOf } from './record-event.ts';
import { checkSchedule, DEFAULT_SCHEDULE } from './schedule.ts';
import type { SecretBox } from './secret-box.ts';

/** Options of a sender. */
export interface SenderOptions {
  /** The store of the deliveries. */
  readonly store: DeliveryStore;
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
  /** Seconds before each attempt. Default {@link DEFAULT_SCHEDULE}. */
  readonly schedule?: readonly number[];
  /** The time limit of an attempt, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number;
  /** How long a crash delays the deliveries being sent, in milliseconds: at least twice `timeoutMs`. Default 60,000. */
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
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** A random number from 0 up to 1. Default `Math.random`. */
  readonly random?: () => number;
}

/** The maximum number of deliveries that one sender holds for all endpoints: it limits memory and connections. */
const HELD = 8192;

/** Steps of a fan-out between two checks for due deliveries. */
const FAN_OUT_STEPS = 20;

/** An endpoint is disabled after this time with nothing but failures. */
const FAILING_MS = 5 * 86_400_000;

/** How long deliveries are kept, and how often older ones are deleted. */
const KEPT_MS = 30 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Sends webhooks.
 *
 * @example
 * const sender = new WebhookSender({ store: store.deliveries, baseUrl: 'https://example.org', box: SecretBox.fromHex(key) });
 * await sender.run(signal);
 */
export class WebhookSender {
  readonly #options: Required<Omit<SenderOptions, 'resolve' | 'dnsServers'>>;
  readonly #names: NameResolver;
  readonly #poster: Poster;
  readonly #outcomes: OutcomeWriter;
  readonly #queues = new Map<string, EndpointQueue>();
  /** Aborts running attempts. */
  readonly #cut = new AbortController();
  #wake = Promise.withResolvers<undefined>();
  #prunedAt = 0;

  /** @throws GazetteError `invalid_option` */
  constructor(options: SenderOptions) {
    const { rules = {}, resolve, timeoutMs = 15_000, leaseMs = 60_000, now = Date.now } = options;
    if (!(timeoutMs > 0 && leaseMs >= 2 * timeoutMs)) {
      throw new GazetteError(
        'invalid_option',
        `leaseMs must be at least twice timeoutMs, got ${leaseMs} and ${timeoutMs}`,
      );
    }
    if (URL.parse(options.baseUrl) === null || options.baseUrl.endsWith('/')) {
      throw new GazetteError(
        'invalid_option',
        `baseUrl must be an absolute URL without a slash at its end, got ${quote(options.baseUrl)}`,
        { details: { option: 'baseUrl' } },
      );
    }
    this.#options = {
      ...{ store: options.store, baseUrl: options.baseUrl, box: options.box, rules, timeoutMs, leaseMs, now },
      schedule: checkSchedule(options.schedule ?? DEFAULT_SCHEDULE),
      concurrency: options.concurrency ?? 8,
      pollMs: options.pollMs ?? 1000,
      stopGraceMs: options.stopGraceMs ?? 5000,
      onError: options.onError ?? writeError,
      random: options.random ?? Math.random,
    };
    this.#names = new NameResolver(options.dnsServers === undefined ? {} : { servers: options.dnsServers });
    this.#poster = new Poster({ rules, timeoutMs, resolve: resolve ?? this.#names.resolve });
    this.#outcomes = new OutcomeWriter((outcomes) => this.#settle(outcomes), this.#options.onError);
  }

  /**
   * Sends until the signal fires. Resolves once running attempts are recorded, or left for others to send again.
   *
   * @throws GazetteError `invalid_secrets_key` when the store's secrets were encrypted with another key
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#checkKey();
    const onStop = (): void => {
      this.#wake.resolve(undefined);
    };
    signal.addEventListener('abort', onStop, { once: true });
    try {
      while (!signal.aborted) {
        this.#wake = Promise.withResolvers();
        let isMore = false;
        try {
          isMore = await this.#turn();
        } catch (error) {
          this.#options.onError(error);
        }
        if (!isMore) await this.#pause();
      }
    } finally {
      signal.removeEventListener('abort', onStop);
      await this.#stop();
    }
  }

  /** Sends everything that is due at this moment, once each, and records it. @returns how many were claimed */
  async sendDue(): Promise<number> {
    await this.#checkKey();
    while (await this.#fanOut());
    let sent = 0;
    for (;;) {
      const claimed = await this.#claim();
      if (claimed === 0) return sent;
      sent += claimed;
      while ([...this.#queues.values()].some(({ held }) => held > 0)) await sleep(1);
    }
  }

  /** Closes the connections. Nothing may be sent afterwards. */
  close(): void {
    this.#names.close();
    this.#poster.close();
  }

  /** Checks the store once. @returns whether there may be more to do at once */
  async #turn(): Promise<boolean> {
    let isBehind = true;
    for (let step = 0; isBehind && step < FAN_OUT_STEPS; step++) isBehind = await this.#fanOut();
    await this.#claim();
    await this.#prune();
    return isBehind;
  }

  #fanOut(): Promise<boolean> {
    const { store, baseUrl, now } = this.#options;
    return store.fanOut({ at: timeText(now()), baseUrl, toEvent: eventNameOf });
  }

  /** Claims as much as the queues have room for, and starts sending. @returns how many */
  async #claim(): Promise<number> {
    const { store, now, leaseMs, concurrency } = this.#options;
    const queues = [...this.#queues];
    const limit = HELD - queues.reduce((sum, [, { held }]) => sum + held, 0);
    if (limit <= 0) return 0;
    const room = new Map(queues.map(([id, queue]) => [id, queue.room]));
    const claimedAt = now();
    const lease = randomUUID();
    const until = claimedAt + leaseMs;
    const claimed = await store.claim({
      ...{ now: timeText(claimedAt), lease, until: timeText(until), limit, room },
      limitPerEndpoint: new EndpointQueue(concurrency).room,
    });
    for (const delivery of claimed) {
      const { id } = delivery.endpoint;
      let queue = this.#queues.get(id);
      if (queue === undefined) this.#queues.set(id, (queue = new EndpointQueue(concurrency)));
      queue.add({ delivery, lease, until });
    }
    for (const queue of this.#queues.values()) this.#pump(queue);
    return claimed.length;
  }

  /** Starts as many attempts as the queue allows at once. */
  #pump(queue: EndpointQueue): void {
    for (let next = queue.next(); next !== null; next = queue.next()) {
      const { timeoutMs, now } = this.#options;
      // A delivery that could outlast its lease is given back, to be claimed again.
      if (next.until - now() < timeoutMs) {
        queue.unsent();
        void this.#giveBack(queue, [next]);
      } else {
        void this.#send(queue, next);
      }
    }
  }

  async #send(queue: EndpointQueue, { delivery, lease }: Waiting): Promise<void> {
    const { box, schedule, now, random, onError } = this.#options;
    const options = { poster: this.#poster, box, schedule, now, random, signal: this.#cut.signal };
    let outcome: DeliveryOutcome | null = null;
    try {
      outcome = await deliver(delivery, lease, options);
    } catch (error) {
      onError(error);
    }
    const attempt = outcome?.attempt ?? null;
    // A delivery that could not even be signed counts as a failure: the next ones will fail too.
    const isSuccess = outcome !== null && (attempt === null || outcome.state === 'acknowledged');
    queue.sent({ isSuccess, durationMs: attempt?.durationMs ?? 0 });
    void this.#giveBack(queue, queue.takeBack());
    this.#pump(queue);
    if (outcome !== null) await this.#outcomes.write([outcome]);
    this.#release(queue, 1);
  }

  /** Makes deliveries that were not tried due again, unchanged. */
  async #giveBack(queue: EndpointQueue, waiting: readonly Waiting[]): Promise<void> {
    await this.#outcomes.write(waiting.map(({ delivery, lease }) => released(delivery, lease)));
    this.#release(queue, waiting.length);
  }

  #release(queue: EndpointQueue, count: number): void {
    queue.release(count);
    if (queue.room > 0) this.#wake.resolve(undefined);
  }

  async #settle(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const nowMs = this.#options.now();
    const failingBefore = timeText(nowMs - FAILING_MS);
    await this.#options.store.settle(outcomes, { at: timeText(nowMs), failingBefore });
  }

  async #prune(): Promise<void> {
    const { store, now } = this.#options;
    const nowMs = now();
    if (nowMs - this.#prunedAt < PRUNE_EVERY_MS) return;
    const before = timeText(nowMs - KEPT_MS);
    // The rest follows next time.
    if ((await store.prune({ before })) === 0) this.#prunedAt = nowMs;
  }

  /** Waits until the next check is due, or a queue has room again. */
  async #pause(): Promise<void> {
    const timer = new AbortController();
    const due = sleep(this.#options.pollMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([due, this.#wake.promise]);
    timer.abort();
    // Queues that finish together cause one check.
    await nextTurn();
  }

  async #checkKey(): Promise<void> {
    const sealed = await this.#options.store.anySecret();
    if (sealed !== null) this.#options.box.open(sealed.secret, sealed.endpointId);
  }

  async #stop(): Promise<void> {
    for (const queue of this.#queues.values()) void this.#giveBack(queue, queue.takeAll());
    const deadline = performance.now() + this.#options.stopGraceMs;
    const isBusy = (): boolean => [...this.#queues.values()].some(({ held }) => held > 0);
    while (isBusy() && performance.now() < deadline) await sleep(10);
    this.#cut.abort();
    // A store that does not respond must not delay a stop: deliveries whose outcome is not recorded are sent again.
    this.#outcomes.stop();
    while (isBusy()) await sleep(10);
    this.close();
  }
}

/** The outcome of a delivery that was not tried: due as before. */
function released({ id, dueAt }: ClaimedDelivery, lease: string): DeliveryOutcome {
  return { id, lease, state: 'pending', reason: null, attempt: null, nextAttemptAt: dueAt, isGone: false };
}

/** A failure must be visible even without a handler. */
function writeError(error: unknown): void {
  console.error('gazette: the webhook sender failed and goes on', error);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

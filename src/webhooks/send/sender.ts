// The sender: creates deliveries for committed versions, claims those that are due, and hands them to its dispatcher,
// which sends them. Any number of senders may share a PostgreSQL store.
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { type ProcessMark, markProcess, markState, removeMark } from '../../files/process-mark.ts';
import type { DeliveryOutcome } from '../../stores/contract/deliveries.ts';
import { marksOf } from '../../stores/lease/take-lease.ts';
import { Poster } from './attempt.ts';
import { Dispatcher } from './dispatcher.ts';
import { NameResolver } from './name-resolver.ts';
import { eventNameOf } from './record-event.ts';
import { type CheckedSenderOptions, checkSenderOptions, type SenderOptions } from './sender-options.ts';

/** Steps of a fan-out between two checks for due deliveries: some tens of milliseconds. */
const FAN_OUT_STEPS = 4;

/** An endpoint is disabled after this time with nothing but failures. */
const FAILING_MS = 5 * 86_400_000;

/** How long deliveries are kept, and how often older ones are deleted. */
const KEPT_MS = 30 * 86_400_000;
const PRUNE_EVERY_MS = 3_600_000;

/**
 * Sends webhooks.
 *
 * @example
 * const sender = new WebhookSender({ store, baseUrl: 'https://example.org', box: SecretBox.fromHex(key) });
 * await sender.run(signal);
 */
export class WebhookSender {
  readonly #options: CheckedSenderOptions;
  readonly #names: NameResolver;
  readonly #poster: Poster;
  readonly #dispatcher: Dispatcher;
  /** The mark by which other senders of this host see that this one runs: its claims are named after it. */
  readonly #name = randomUUID();
  #mark: ProcessMark | null = null;
  #claims = 0;
  #wake = Promise.withResolvers<undefined>();
  #prunedAt = 0;

  /** @throws GazetteError `invalid_option` */
  constructor(options: SenderOptions) {
    const checked = checkSenderOptions(options);
    const { rules, timeoutMs } = checked;
    this.#options = checked;
    this.#names = new NameResolver(options.dnsServers === undefined ? {} : { servers: options.dnsServers });
    this.#poster = new Poster({ rules, timeoutMs, resolve: options.resolve ?? this.#names.resolve });
    this.#dispatcher = new Dispatcher({
      ...{ ...checked, poster: this.#poster, telemetry: options.telemetry },
      settle: (outcomes) => this.#settle(outcomes),
      onRoom: () => {
        this.#wake.resolve(undefined);
      },
    });
  }

  /**
   * Sends until the signal fires. Resolves once running attempts are recorded, or left for others to send again.
   *
   * @throws GazetteError `invalid_secrets_key` when the store's secrets were encrypted with another key
   */
  async run(signal: AbortSignal): Promise<void> {
    await this.#begin();
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
      await this.#dispatcher.stop(this.#options.stopGraceMs);
      this.close();
    }
  }

  /** Sends everything that is due at this moment, once each, and records it. @returns how many were claimed */
  async sendDue(): Promise<number> {
    await this.#begin();
    while (await this.#fanOut());
    let sent = 0;
    for (;;) {
      const claimed = await this.#claim();
      if (claimed === 0) return sent;
      sent += claimed;
      while (this.#dispatcher.isBusy) await sleep(1);
    }
  }

  /** Closes the connections. Nothing may be sent afterwards. */
  close(): void {
    this.#names.close();
    this.#poster.close();
    // What could not be given back is found with the mark, without its process.
    if (this.#dispatcher.hasClaims) this.#mark?.leave();
    else this.#mark?.end();
  }

  /** Checks the key, and takes over what senders of this host that are gone had claimed. */
  async #begin(): Promise<void> {
    const { deliveries, box, now, leaseMs, onError } = this.#options;
    const sealed = await deliveries.anySecret();
    if (sealed !== null) box.open(sealed.secret, sealed.endpointId);
    const marks = marksOf(deliveries);
    this.#mark ??= markProcess(marks, this.#name);
    const nowMs = now();
    const isGone = (mark: string): boolean => markState(marks, mark) === 'gone';
    try {
      const gone = await deliveries.freeClaims({ now: timeText(nowMs), until: timeText(nowMs + leaseMs), isGone });
      for (const mark of gone) removeMark(marks, mark);
    } catch (error) {
      // Their leases end by themselves.
      onError(error);
    }
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
    const { deliveries, baseUrl, now } = this.#options;
    return deliveries.fanOut({ at: timeText(now()), baseUrl, toEvent: eventNameOf });
  }

  /** Claims as much as there is room for, and starts sending. @returns how many */
  async #claim(): Promise<number> {
    const { deliveries, now, leaseMs } = this.#options;
    const { room } = this.#dispatcher;
    if (room.limit + room.doubtful.limit === 0) return 0;
    const claimedAt = now();
    const until = claimedAt + leaseMs;
    const lease = `${this.#name}.${++this.#claims}`;
    const claimed = await deliveries.claim({ now: timeText(claimedAt), lease, until: timeText(until), ...room });
    this.#dispatcher.add(claimed, lease, until);
    return claimed.length;
  }

  async #settle(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    const nowMs = this.#options.now();
    const failingBefore = timeText(nowMs - FAILING_MS);
    await this.#options.deliveries.settle(outcomes, { at: timeText(nowMs), failingBefore });
    this.#options.onOutcomes(outcomes);
  }

  async #prune(): Promise<void> {
    const { deliveries, now, schedule } = this.#options;
    const nowMs = now();
    if (nowMs - this.#prunedAt < PRUNE_EVERY_MS) return;
    const before = timeText(nowMs - KEPT_MS);
    // What has waited for access for as long as all attempts may take is not sent any more.
    const dueBefore = timeText(nowMs - schedule.reduce((sum, seconds) => sum + seconds, 0) * 1000);
    const done =
      (await deliveries.prune({ before })) + (await deliveries.skipLapsed({ now: timeText(nowMs), dueBefore }));
    // The rest follows next time.
    if (done === 0) this.#prunedAt = nowMs;
  }

  /** Waits until the next check is due, or there is room again. */
  async #pause(): Promise<void> {
    const timer = new AbortController();
    const due = sleep(this.#options.pollMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([due, this.#wake.promise]);
    timer.abort();
    // Queues that finish together cause one check.
    await nextTurn();
  }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

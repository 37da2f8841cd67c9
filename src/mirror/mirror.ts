// A mirror: a register of another service in a store of one's own, taken in change by change as its log has them. It may be stopped
// or killed at any moment, and goes on where it was.
import type { ClientOptions } from '../client/client-options.ts';
import { where } from '../client/requester.ts';
import { isPassing } from '../client/trouble.ts';
import { GazetteError, isGazetteError, quote } from '../errors.ts';
import type { HeldRegister } from '../stores/lease/held-register.ts';
import { holdRegister } from '../stores/lease/hold-register.ts';
import type { InspectedStore } from '../stores/contract/inspection.ts';
import { registerAddress, wait } from './address.ts';
import { changedSource, Source } from './source.ts';

/** Options of {@link mirrorRegister}. */
export interface MirrorOptions extends Omit<ClientOptions, 'cache'> {
  /** Ends once the mirror has all that its source had. Default: it follows for ever. */
  readonly once?: boolean;
  /**
   * Takes in only what the log of the register has signed, each batch once it is proved. `vkey` is the key of the log, from somebody
   * whom you trust; `policy` a policy file (C2SP tlog-policy), whose quorum of witnesses must have signed the log of logs. Default: a
   * register whose log is signed is refused.
   */
  readonly prove?: {
    readonly vkey: string;
    readonly policy?: Uint8Array | string;
  };
  /** Takes in what is not proved, also of a register whose log is signed. */
  readonly isUnproved?: boolean;
  /** Called after each batch. */
  readonly onProgress?: (progress: MirrorProgress) => void;
  /** Called when the source could not be read, or shows an old state of its log, and is asked again later. */
  readonly onTrouble?: (error: GazetteError) => void;
}

/** The progress of a mirror. */
export interface MirrorProgress {
  /** How many changes it has. */
  readonly change: number;
  /** How many its source had. */
  readonly of: number;
}

/** How long a mirror waits before it asks for changes again, in milliseconds. */
const POLL_MS = 5000;

/** How often it is noted that the source was asked and had nothing new, in milliseconds. */
const NOTED_MS = 60_000;

/** How often a source is asked that gives other changes than its state says, where it is not followed. */
const BEHIND_ROUNDS = 5;

const PASSING: ReadonlySet<string> = new Set(['request_failed', 'log_stale']);

/** Refusals of a source that has another register than the mirror, none, or fewer changes. */
const CHANGED: ReadonlySet<unknown> = new Set(['log_restarted', 'unknown_feed', 'invalid_parameter']);

/**
 * Makes a mirror of a register in a store, or goes on with one that is there, and follows its source.
 *
 * @param register its address: `https://example.org/api/v1/feeds/permits`
 * @throws GazetteError `usage` for an address that is none, a mirror of another one, or a signed log without its key; `register_exists` for a register that is no
 *   mirror; `register_busy` while another process is at it; `register_changed` when the source was removed, or restored from a backup;
 *   `invalid_answer` for versions that no log has so; with `prove` also `invalid_proof`, `log_stale`, `log_forked`, `invalid_log_key`; `request_refused`, `request_failed`, `body_too_large`, `aborted`; those of the
 *   store
 */
export async function mirrorRegister(
  store: InspectedStore,
  register: string | URL,
  { once = false, prove, isUnproved = false, onProgress, onTrouble, ...client }: MirrorOptions,
): Promise<MirrorProgress> {
  const feed = registerAddress(register);
  const source = new Source(feed, client, { prove, isUnproved });
  const { feedId } = source;
  const now = (): string => new Date((client.now ?? Date.now)()).toISOString();
  const there = await store.mirrors.find(feedId);
  if (there === null) await store.mirrors.begin(feed.href, await source.first(), now());
  else if (there.source !== feed.href)
    throw new GazetteError(
      'usage',
      `register ${quote(feedId)} is a mirror of ${quote(there.source)}: give that address, or delete the mirror with gazette register remove to begin it from another one`,
    );
  const { signal } = client;
  const holding = { what: `mirror ${feed.href}`, ofMirror: true, ...(signal && { signal }) };
  return holdRegister(store, feedId, holding, async (hold) => {
    const taking = new Following(store, source, hold, now, onProgress);
    for (let round = 1; ; round++) {
      try {
        const progress = await taking.catchUp();
        if (once && progress !== null) return progress;
        if (once && round === BEHIND_ROUNDS)
          throw new GazetteError('invalid_answer', `${where(feed)} must answer as many changes as it says to have`);
      } catch (error) {
        if (isGazetteError(error, 'request_refused') && CHANGED.has(error.details.code))
          throw changedSource(feed, { cause: error });
        if (once || !isGazetteError(error) || !passes(error)) throw error;
        onTrouble?.(error);
      }
      await pause(POLL_MS, client);
    }
  });
}

/** What a source may get over by itself: it cannot be reached, what is before it says so, or a cache or a witness is behind. */
function passes({ code, details }: GazetteError): boolean {
  return PASSING.has(code) || (code === 'request_refused' && isPassing(Number(details.status)));
}

/** Takes in what a source has. */
class Following {
  readonly #store: InspectedStore;
  readonly #source: Source;
  readonly #hold: HeldRegister;
  readonly #now: () => string;
  readonly #onProgress: MirrorOptions['onProgress'];
  #etag: string | null = null;

  constructor(
    store: InspectedStore,
    source: Source,
    hold: HeldRegister,
    now: () => string,
    onProgress: MirrorOptions['onProgress'],
  ) {
    this.#store = store;
    this.#source = source;
    this.#hold = hold;
    this.#now = now;
    this.#onProgress = onProgress;
  }

  /**
   * Takes in all changes that the source has now, and then its definition. Null: it gave no more, and others than it says to have.
   * Perhaps one of its nodes, or a cache, is behind.
   */
  async catchUp(): Promise<MirrorProgress | null> {
    const { mirrors } = this.#store;
    const { feedId } = this.#source;
    for (;;) {
      const head = await this.#source.head();
      const mirror = await this.#hold.ask(() => mirrors.find(feedId));
      if (mirror === null)
        throw new GazetteError(
          'not_found',
          `register ${quote(feedId)} is no mirror any more: gazette mirror promote made it a register of its own, which follows nothing`,
        );
      const isNoted = Date.parse(this.#now()) - Date.parse(mirror.askedAt) < NOTED_MS;
      const isSame = head.etag !== null && head.etag === this.#etag && mirror.change === head.change;
      let at = { change: mirror.change, of: head.change };
      if (isSame && mirror.behind === 0 && isNoted) return at;
      for await (const { versions, log, kept, isLast } of this.#source.batches(this.#store, mirror, head.change)) {
        const since = at.change;
        const change = since + versions.length;
        const state = isLast && change === head.change ? { ...head, log } : null;
        const taking = { since, versions, state, change: Math.max(head.change, change), kept, at: this.#now() };
        await this.#hold.write((under) => mirrors.takeIn(feedId, taking, under));
        at = { change, of: taking.change };
        this.#onProgress?.(at);
        if (state !== null) this.#etag = head.etag;
      }
      // The source went on meanwhile, and its state is that of more changes; or not all of them are signed.
      if (at.change === head.change || this.#source.isProved) return at;
      if (at.change === mirror.change) return null;
    }
  }
}

async function pause(ms: number, { sleep = wait, signal }: Pick<ClientOptions, 'sleep' | 'signal'>): Promise<void> {
  await sleep(ms, signal);
  if (signal?.aborted === true) throw new GazetteError('aborted', 'the mirror was stopped', { cause: signal.reason });
}

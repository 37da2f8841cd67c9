// Signs the logs of registers, after the versions were committed, then the log of logs; and compares what it signs with what was
// signed last. A log of logs that contradicts what was signed stops all of them: the store is not the one that was served.
// Nothing holds a lock meanwhile: a tree only grows, and a checkpoint takes the place of the one that was read.
import { randomUUID } from 'node:crypto';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { formatCheckpoint } from '../tlog/checkpoint.ts';
import { sameHash } from '../tlog/hashes.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import type { LogStore, RegisterLog, StoredLog } from '../stores/contract/logs.ts';
import type { LogCosigner } from './cosigner.ts';
import { nameOfLog, signedHead, vkeysOf } from './log-files.ts';
import { formatKeys, type LogKey, signedNote } from './log-key.ts';
import type { LogState } from './state.ts';
import { readRoot } from '../stores/tree-reader.ts';

/** The name of the log of logs among those of which something was said: no register has it. */
const LOG_OF_LOGS = '.';

/** How often registers with new versions are looked for, in milliseconds. */
const LOOK_INTERVAL_MS = 2000;

/** How often a register enters the log of logs at most, in milliseconds. */
const LIST_INTERVAL_MS = 60_000;

/** How logs are signed. */
export interface LogSignerOptions {
  /** The keys. Each of them signs; the first is the one that stays. */
  readonly keys: readonly LogKey[];
  /** Host and path of the service's public URL, with which the names of new logs begin: {@link logPlace}. */
  readonly place: string;
  /** What was signed last. */
  readonly state: LogState;
  /** Compares the log of logs with what others have of it, and has witnesses sign it. Default: nobody else has it. */
  readonly cosigner?: LogCosigner;
  /** Called with the reason why a log cannot be signed, once for each reason. */
  readonly onError: (error: unknown, feedId: string | null) => void;
  /** Default {@link LOOK_INTERVAL_MS}. */
  readonly intervalMs?: number;
  /** The time, in milliseconds. Default `performance.now`. */
  readonly now?: () => number;
}

/** Host and path of a URL, without a slash at the end. */
export function logPlace(baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl);
  return `${host}${pathname}`.replace(/\/+$/, '');
}

/** Signs the logs of a store. */
export class LogSigner {
  readonly #logs: LogStore;
  readonly #options: LogSignerOptions;
  /** Whether every log was compared with the size that was signed last. */
  #hasLooked = false;
  /** Whether every log has the signatures of the present keys. */
  #hasPresentKeys = false;
  /** The state of the log of logs that was compared with what was signed last. */
  #compared = '';
  /** The registers whose newest checkpoint the log of logs lacks. */
  readonly #unlisted = new Set<string>();
  /** When registers entered the log of logs last, as far as they may not again. */
  readonly #listedAt = new Map<string, number>();
  /** The UUID of the log of logs that these are of. */
  #listUuid: string | null = null;
  /** What was said of each log that cannot be signed. */
  readonly #said = new Map<string, string>();
  #working: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(logs: LogStore, options: LogSignerOptions) {
    this.#logs = logs;
    this.#options = options;
  }

  /** Signs what is to be signed, and looks at intervals from then on. */
  start(): void {
    this.#working = this.signAll().then(() => {
      if (this.#isClosed) return;
      // Nothing waits for witnesses.
      this.#options.cosigner?.work();
      this.#timer = setTimeout(() => {
        this.start();
      }, this.#options.intervalMs ?? LOOK_INTERVAL_MS);
      this.#timer.unref();
    });
  }

  /** Stops after the signature that is being made. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#working;
    await this.#options.cosigner?.close();
  }

  /** Signs every log that has grown. A log that cannot be signed stops no other. */
  async signAll(): Promise<void> {
    try {
      // Said before anything is written to a store that was restored.
      if (!this.#hasLooked) for (const log of await this.#logs.all()) this.#lookAt(log);
      this.#hasLooked = true;
      const ofLogs = await this.#logs.ofLogs();
      if (!(await this.#compare(ofLogs))) return;
      if (!this.#hasPresentKeys)
        for (const log of [...(await this.#logs.all()), ofLogs]) await this.#signWithPresentKeys(log);
      this.#hasPresentKeys = true;
      for (const log of await this.#logs.unsigned()) {
        if (this.#isClosed) return;
        if (await this.#trySign(log)) this.#unlisted.add(log.feedId);
      }
      await this.#gather();
      this.#said.delete('');
    } catch (error) {
      this.#say(error, null);
    }
  }

  /** Compares the log of logs with what was signed of it, here and elsewhere. @returns whether the logs may be signed */
  async #compare(log: StoredLog): Promise<boolean> {
    const { keys, state, cosigner } = this.#options;
    const { uuid, origin, size, vkey, checkpoint } = log;
    const now = `${uuid} ${origin} ${size} ${state.last(uuid)?.size}`;
    let why = this.#compared === now ? null : await this.#contradictionOf(log);
    if (why === null) this.#compared = now;
    if (why === null && cosigner !== undefined) {
      if (origin === null || checkpoint === null) why = await cosigner.compare(null);
      else {
        const known = new Set([...vkeysOf(vkey), ...vkeysOf(formatKeys(keys, origin))]);
        why = await cosigner.compare({ origin, keys: [...known].map(parseVerifierKey), checkpoint });
      }
    }
    if (why === null) this.#said.delete(LOG_OF_LOGS);
    else this.#say(contradicted(null, why), null, LOG_OF_LOGS);
    return why === null;
  }

  /** Compares a log with what was signed of it last. @returns what contradicts it; null when nothing does */
  async #contradictionOf({ feedId, uuid, origin, size, checkpoint }: StoredLog): Promise<string | null> {
    const last = this.#options.state.last(uuid);
    // A log without a checkpoint was never signed.
    if (last === null) return checkpoint === null ? null : 'the state of the logs does not have it';
    if (origin !== null && origin !== last.origin)
      return `it was signed under the name ${last.origin}, and the store has ${origin}`;
    const root = await this.#rootAt(feedId, last.size);
    if (root !== null && sameHash(root, last.root)) return null;
    const unit = unitOf(feedId);
    return `${last.size} ${unit} were signed, and the store has ${root === null ? `only ${size} ${unit}` : 'others'}`;
  }

  /** Tells of a log that has less than was signed. */
  #lookAt({ feedId, uuid, size }: RegisterLog): void {
    const last = this.#options.state.last(uuid);
    if (last === null || last.size <= size) return;
    const why = `${last.size} ${unitOf(feedId)} were signed, and the store has only ${size} ${unitOf(feedId)}`;
    this.#say(contradicted(feedId, why), feedId, feedId);
  }

  /** Signs a log again that was signed with other keys. */
  async #signWithPresentKeys(log: StoredLog): Promise<void> {
    const { origin, vkey } = log;
    if (origin !== null && vkey !== formatKeys(this.#options.keys, origin)) await this.#trySign(log);
  }

  /** Adds what was signed to the log of logs, each register at most once in {@link LIST_INTERVAL_MS}, and signs it. */
  async #gather(): Promise<void> {
    const { uuid } = await this.#logs.ofLogs();
    if (this.#listUuid !== uuid) {
      this.#listedAt.clear();
      for (const { feedId, checkpoint, listed } of await this.#logs.all())
        if (checkpoint !== null && listed?.checkpoint !== checkpoint) this.#unlisted.add(feedId);
      this.#listUuid = uuid;
    }
    const { now = () => performance.now() } = this.#options;
    const at = now();
    for (const [feedId, last] of this.#listedAt) if (at - last >= LIST_INTERVAL_MS) this.#listedAt.delete(feedId);
    const due = [...this.#unlisted].filter((feedId) => !this.#listedAt.has(feedId));
    while (due.length > 0 && (await this.#logs.gather(due)) > 0) if (this.#isClosed) return;
    for (const feedId of due) {
      this.#unlisted.delete(feedId);
      this.#listedAt.set(feedId, at);
    }
    const log = await this.#logs.ofLogs();
    if (log.size > (log.checkpoint === null ? 0 : signedHead(log.checkpoint).size)) await this.#trySign(log);
  }

  /** @returns whether it is signed */
  async #trySign(log: StoredLog): Promise<boolean> {
    const about = log.feedId ?? LOG_OF_LOGS;
    try {
      const isSigned = await this.#sign(log);
      this.#said.delete(about);
      return isSigned;
    } catch (error) {
      this.#say(error, log.feedId, about);
      return false;
    }
  }

  #say(error: unknown, feedId: string | null, about = ''): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#said.get(about) === message) return;
    this.#said.set(about, message);
    this.#options.onError(error, feedId);
  }

  /**
   * @returns false when it was removed, or others wrote its checkpoint meanwhile
   * @throws GazetteError `log_contradicted` when the store lacks what was signed before
   */
  async #sign(log: StoredLog): Promise<boolean> {
    const { keys, place, state } = this.#options;
    const { feedId, uuid, size, checkpoint: before } = log;
    const why = await this.#contradictionOf(log);
    if (why !== null) throw contradicted(feedId, why);
    // A name of its own: a copy of the store from before its first signature signs under another one.
    const origin =
      log.origin ??
      state.last(uuid)?.origin ??
      `${place}/api/v1/${feedId === null ? '' : `feeds/${feedId}/`}log/${randomUUID()}`;
    const root = await this.#rootAt(feedId, size);
    // Removed meanwhile.
    if (root === null) return false;
    await state.remember(uuid, { origin, size, root });
    const text = formatCheckpoint({ origin, size, root });
    const checkpoint = await signedNote(text, keys, origin);
    return this.#logs.publish(feedId, { uuid, origin, vkey: formatKeys(keys, origin), checkpoint, before });
  }

  async #rootAt(feedId: string | null, size: number): Promise<Uint8Array | null> {
    try {
      return await readRoot(this.#logs, feedId, size);
    } catch (error) {
      if (isGazetteError(error, 'unknown_feed')) return null;
      throw error;
    }
  }
}

function unitOf(feedId: string | null): string {
  return feedId === null ? 'checkpoints' : 'changes';
}

function contradicted(feedId: string | null, why: string): GazetteError {
  const [what, recover, details] =
    feedId === null
      ? ['no log is signed any more, because of the log of logs', '', {}]
      : [
          `${nameOfLog(feedId)} is signed no more`,
          `put back what it lacks: gazette log recover ${feedId} --from STORE, or `,
          { details: { feed_id: feedId } },
        ];
  return new GazetteError(
    'log_contradicted',
    `${what}: ${why}; restore the store’s latest state, or ${recover}begin a new log: gazette log recover ${feedId ?? '--of-logs'} --new-log`,
    details,
  );
}

// Has the witnesses of our logs sign what was signed, beside everything else, and adds their signatures to the checkpoints.
import { type GazetteError, isGazetteError } from '../../errors.ts';
import { parseCheckpoint } from '../../proofs/checkpoint.ts';
import { parseVerifierKey, type VerifierKey } from '../../proofs/keys.ts';
import { formatNote, type NoteSignature, parseNote } from '../../proofs/note.ts';
import type { LogStore } from '../../stores/contract/proofs/logs.ts';
import { vkeysOf } from './log-files.ts';
import { readHashes, readRoot } from './tree-reader.ts';
import { type LogWitness, type LogWitnesses, missingWitnesses, reasonOf, type WitnessedLog } from './witnesses.ts';

/** When a witness that did not sign is asked again, in milliseconds. */
const ASK_AGAIN_MS = 60_000;

/** What a {@link LogCosigner} needs. */
export interface LogCosignerOptions {
  readonly witnesses: LogWitnesses;
  /** Called with the reason why a witness did not sign, once until it signs again. */
  readonly onWarning: (message: string) => void;
  /** Called with the reason why a log is signed no more. */
  readonly onError: (error: unknown, feedId: string | null) => void;
  /** The time, in milliseconds. Default `performance.now`. */
  readonly now?: () => number;
}

/** Has witnesses sign the logs of a store. */
export class LogCosigner {
  readonly #logs: LogStore;
  readonly #options: LogCosignerOptions;
  /** The registers whose checkpoints lack signatures, and when they are asked for. Null: the log of logs. */
  readonly #waiting = new Map<string | null, number>();
  /** Why logs are signed no more, by their origins. */
  readonly #contradictions = new Map<string, GazetteError>();
  /** The logs that were compared with what each witness signed, or tried to be. */
  readonly #compared = new Set<string>();
  /** What was said of witnesses, by their addresses. */
  readonly #said = new Map<string, string>();
  #working: Promise<void> | null = null;
  #isClosed = false;
  #hasBegun = false;

  constructor(logs: LogStore, options: LogCosignerOptions) {
    this.#logs = logs;
    this.#options = options;
  }

  /** A checkpoint of this register waits for signatures. Null: of the log of logs. */
  add(feedId: string | null): void {
    this.#waiting.set(feedId, -Infinity);
  }

  /**
   * Compares a log with what its witnesses signed of it, once before it is signed for the first time.
   *
   * @throws GazetteError `log_contradicted` when one of them signed what the store lacks, now or earlier
   */
  async compare(feedId: string | null, log: Pick<WitnessedLog, 'origin' | 'key'>): Promise<void> {
    if (!this.#compared.has(log.origin)) {
      await this.#askEach(this.#options.witnesses.all, async (witness) => {
        await this.#options.witnesses.compare(witness, this.#witnessed(feedId, log));
      }).catch((error: unknown) => {
        if (!isGazetteError(error, 'log_contradicted')) throw error;
        this.#contradictions.set(log.origin, error);
      });
      this.#compared.add(log.origin);
    }
    const contradiction = this.#contradictions.get(log.origin);
    if (contradiction !== undefined) throw contradiction;
  }

  /** Begins to ask, unless it is asking. */
  work(): void {
    if (this.#isClosed) return;
    this.#working ??= this.cosignAll().finally(() => {
      this.#working = null;
    });
  }

  /** Stops after the answers that are awaited. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
  }

  /** Asks for every signature whose time has come. */
  async cosignAll(): Promise<void> {
    const { now = () => performance.now() } = this.#options;
    try {
      // A process that ended may have left some without.
      if (!this.#hasBegun)
        for (const { feedId } of [...(await this.#logs.all()), await this.#logs.ofLogs()])
          this.#waiting.set(feedId, -Infinity);
      this.#hasBegun = true;
      for (const [feedId, at] of [...this.#waiting]) {
        if (this.#isClosed) return;
        if (at > now()) continue;
        // What is signed meanwhile puts it back.
        this.#waiting.delete(feedId);
        if (!(await this.#cosign(feedId))) this.#waiting.set(feedId, now() + ASK_AGAIN_MS);
      }
    } catch (error) {
      this.#warn(
        '',
        `witnesses are not asked at the moment: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Asks the witnesses whose signatures a checkpoint lacks. @returns whether it has all that it will get */
  async #cosign(feedId: string | null): Promise<boolean> {
    const log = await (feedId === null ? this.#logs.ofLogs() : this.#logs.of(feedId)).catch((error: unknown) => {
      if (isGazetteError(error, 'unknown_feed')) return null;
      throw error;
    });
    if (log?.checkpoint == null || log.origin === null || log.vkey === null) return true;
    const { uuid, origin, vkey, checkpoint: before } = log;
    const missing = missingWitnesses(before, this.#options.witnesses.all);
    if (missing.length === 0 || this.#contradictions.has(origin)) return true;
    const key = parseVerifierKey(vkeysOf(vkey)[0]!);
    const signatures: NoteSignature[] = [];
    const head = parseCheckpoint(parseNote(before).text);
    const hasAll = await this.#askEach(missing, async (witness) => {
      const signature = await this.#options.witnesses.cosign(
        witness,
        this.#witnessed(feedId, { origin, key }),
        head,
        before,
      );
      if (signature !== null) signatures.push(signature);
    }).catch((error: unknown) => {
      if (!isGazetteError(error, 'log_contradicted')) throw error;
      this.#contradictions.set(origin, error);
      this.#options.onError(error, feedId);
      return true;
    });
    if (signatures.length > 0) {
      const note = parseNote(before);
      const checkpoint = formatNote({ text: note.text, signatures: [...note.signatures, ...signatures] });
      await this.#logs.publish(feedId, { uuid, origin, vkey, checkpoint, before });
    }
    return hasAll;
  }

  /** Asks witnesses at once. @returns whether all answered @throws GazetteError `log_contradicted` */
  async #askEach(witnesses: readonly LogWitness[], ask: (witness: LogWitness) => Promise<void>): Promise<boolean> {
    const answers = await Promise.allSettled(witnesses.map(ask));
    let hasAll = true;
    let contradiction: GazetteError | undefined;
    for (const [number, answer] of answers.entries()) {
      const witness = witnesses[number]!;
      if (answer.status === 'fulfilled') {
        this.#said.delete(witness.url);
        continue;
      }
      hasAll = false;
      const { reason } = answer as { readonly reason: unknown };
      if (isGazetteError(reason, 'log_contradicted')) {
        contradiction = reason;
        continue;
      }
      // Said once: it may sign the log of logs alone, or all but that one.
      const about = isGazetteError(reason, 'not_found') ? `${witness.url} 404` : witness.url;
      if (about === witness.url || !this.#said.has(about))
        this.#warn(about, `${reasonOf(witness, reason)}; checkpoints are published without its signature`);
    }
    if (contradiction !== undefined) throw contradiction;
    return hasAll;
  }

  #warn(about: string, message: string): void {
    if (this.#said.get(about) === message) return;
    this.#said.set(about, message);
    this.#options.onWarning(message);
  }

  #witnessed(
    feedId: string | null,
    { origin, key }: { readonly origin: string; readonly key: VerifierKey },
  ): WitnessedLog {
    const whole = async <T>(read: Promise<T | null>): Promise<T | null> =>
      read.catch((error: unknown) => {
        // Removed meanwhile.
        if (isGazetteError(error, 'unknown_feed')) return null;
        throw error;
      });
    return {
      ...{ origin, key },
      rootAt: (size) => whole(readRoot(this.#logs, feedId, size)),
      hashes: (ranges, size) => whole(readHashes(this.#logs, feedId, ranges, size)),
    };
  }
}

// Has witnesses sign the log of logs, beside everything else, and adds their signatures to its checkpoint. The logs of registers are
// signed by no witness: their checkpoints are in the log of logs.
import { type GazetteError, isGazetteError } from '../../errors.ts';
import { parseCheckpoint } from '../../proofs/checkpoint.ts';
import { parseVerifierKey } from '../../proofs/keys.ts';
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
  /** Called with the reason why the log of logs is signed no more. */
  readonly onError: (error: unknown, feedId: null) => void;
  /** The time, in milliseconds. Default `performance.now`. */
  readonly now?: () => number;
}

/** Has witnesses sign the log of logs of a store. */
export class LogCosigner {
  readonly #logs: LogStore;
  readonly #options: LogCosignerOptions;
  /** Until when a witness that did not sign is left alone, by its address. */
  readonly #waiting = new Map<string, number>();
  /** Why the log of logs is signed no more, by its name. */
  readonly #contradictions = new Map<string, GazetteError>();
  /** The log that was compared with what each witness signed, or tried to be. */
  #compared: string | null = null;
  /** What was said of witnesses, by their addresses. */
  readonly #said = new Map<string, string>();
  #working: Promise<void> | null = null;
  #isClosed = false;

  constructor(logs: LogStore, options: LogCosignerOptions) {
    this.#logs = logs;
    this.#options = options;
  }

  /**
   * Compares the log of logs with what its witnesses signed of it, once before it is signed for the first time.
   *
   * @throws GazetteError `log_contradicted` when one of them signed what the store lacks, now or earlier
   */
  async compare(log: Pick<WitnessedLog, 'origin' | 'key'>): Promise<void> {
    const { witnesses } = this.#options;
    if (this.#compared !== log.origin) {
      await this.#askEach(witnesses.all, async (witness) => {
        await witnesses.compare(witness, this.#witnessed(log));
      }).catch((error: unknown) => {
        if (!isGazetteError(error, 'log_contradicted')) throw error;
        this.#contradictions.set(log.origin, error);
      });
      this.#compared = log.origin;
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
    try {
      await this.#cosign();
    } catch (error) {
      this.#warn(
        '',
        `witnesses are not asked at the moment: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  /** Asks the witnesses whose signatures the checkpoint lacks. */
  async #cosign(): Promise<void> {
    const { witnesses, now = () => performance.now() } = this.#options;
    const { uuid, origin, vkey, checkpoint: before } = await this.#logs.ofLogs();
    if (before === null || origin === null || vkey === null || this.#contradictions.has(origin)) return;
    const asked = missingWitnesses(before, witnesses.all).filter(
      ({ url }) => (this.#waiting.get(url) ?? -Infinity) <= now(),
    );
    if (asked.length === 0) return;
    const key = parseVerifierKey(vkeysOf(vkey)[0]!);
    const signatures: NoteSignature[] = [];
    const head = parseCheckpoint(parseNote(before).text);
    await this.#askEach(asked, async (witness) => {
      this.#waiting.set(witness.url, now() + ASK_AGAIN_MS);
      const signature = await witnesses.cosign(witness, this.#witnessed({ origin, key }), head, before);
      this.#waiting.delete(witness.url);
      if (signature !== null) signatures.push(signature);
    }).catch((error: unknown) => {
      if (!isGazetteError(error, 'log_contradicted')) throw error;
      this.#contradictions.set(origin, error);
      this.#options.onError(error, null);
    });
    if (signatures.length === 0) return;
    const note = parseNote(before);
    const checkpoint = formatNote({ text: note.text, signatures: [...note.signatures, ...signatures] });
    await this.#logs.publish(null, { uuid, origin, vkey, checkpoint, before });
  }

  /** Asks witnesses at once. @throws GazetteError `log_contradicted` */
  async #askEach(witnesses: readonly LogWitness[], ask: (witness: LogWitness) => Promise<void>): Promise<void> {
    const answers = await Promise.allSettled(witnesses.map(ask));
    let contradiction: GazetteError | undefined;
    for (const [number, answer] of answers.entries()) {
      const witness = witnesses[number]!;
      if (answer.status === 'fulfilled') {
        this.#said.delete(witness.url);
        continue;
      }
      const { reason } = answer as { readonly reason: unknown };
      if (isGazetteError(reason, 'log_contradicted')) contradiction = reason;
      else this.#warn(witness.url, `${reasonOf(witness, reason)}; checkpoints are published without its signature`);
    }
    if (contradiction !== undefined) throw contradiction;
  }

  #warn(about: string, message: string): void {
    if (this.#said.get(about) === message) return;
    this.#said.set(about, message);
    this.#options.onWarning(message);
  }

  #witnessed(log: Pick<WitnessedLog, 'origin' | 'key'>): WitnessedLog {
    return {
      ...log,
      rootAt: (size) => readRoot(this.#logs, null, size),
      hashes: (ranges, size) => readHashes(this.#logs, null, ranges, size),
    };
  }
}

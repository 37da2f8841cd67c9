// Has witnesses sign the log of logs, beside everything else, and adds their signatures to its checkpoint. The logs of registers are
// signed by no witness: their checkpoints are in the log of logs.
import { isGazetteError } from '../../../errors.ts';
import { parseCheckpoint } from '../tlog/checkpoint.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import { formatNote, type NoteSignature, parseNote } from '../tlog/note.ts';
import type { LogStore } from '../stores/contract/logs.ts';
import { vkeysOf } from './log-files.ts';
import { readHashes, readRoot } from '../stores/tree-reader.ts';
import { type LogWitness, type LogWitnesses, reasonOf, signedBy, type WitnessedLog } from './witnesses.ts';

/** When a witness that did not sign is asked again, in milliseconds. */
const ASK_AGAIN_MS = 60_000;

/** After how long a witness is asked for a new signature of the same size, in milliseconds: half of what makes one stale. */
const RENEW_MS = 12 * 60 * 60 * 1000;

/** What a {@link LogCosigner} needs. */
export interface LogCosignerOptions {
  readonly witnesses: LogWitnesses;
  /** Keeps two checkpoints that contradict each other. @returns where they are */
  readonly keepEvidence: (ours: string, theirs: string) => Promise<string>;
  /** Called with the reason why a witness did not sign, once until it signs again. */
  readonly onWarning: (message: string) => void;
  /** The time, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** Has witnesses sign the log of logs of a store. */
export class LogCosigner {
  readonly #logs: LogStore;
  readonly #options: LogCosignerOptions;
  /** When each witness was asked last, by its address, and whether it signed then. */
  readonly #asked = new Map<string, { readonly at: number; readonly hasSigned: boolean }>();
  /** What contradicts the log of logs, by its name. */
  readonly #contradictions = new Map<string, string>();
  /** The name of the log of logs that was compared with what others have of it; null: it had none, so nobody has. */
  #compared: string | null | undefined;
  /** What was said of witnesses, by their addresses. */
  readonly #said = new Map<string, string>();
  #working: Promise<void> | null = null;
  #isClosed = false;

  constructor(logs: LogStore, options: LogCosignerOptions) {
    this.#logs = logs;
    this.#options = options;
  }

  /**
   * Compares the log of logs with what its witnesses signed of it, and with what the service shows at its public URL, once before
   * anything is signed.
   *
   * @param log null: it was never signed
   * @returns what contradicts it, now or since an answer of before; null when nothing does
   */
  async compare(log: Pick<WitnessedLog, 'origin' | 'keys' | 'checkpoint'> | null): Promise<string | null> {
    const { witnesses } = this.#options;
    if (log === null) {
      this.#compared = null;
      return null;
    }
    const { origin } = log;
    if (this.#compared !== null && this.#compared !== origin) {
      const witnessed = this.#witnessed(log);
      await this.#settle(witnessed, [
        witnesses.comparePublic(witnessed),
        ...witnesses.all.map((witness) => this.#warning(witness, witnesses.compare(witness, witnessed))),
      ]);
    }
    this.#compared = origin;
    return this.#contradictions.get(origin) ?? null;
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

  async #cosign(): Promise<void> {
    const { witnesses } = this.#options;
    const { uuid, origin, vkey, checkpoint: before } = await this.#logs.ofLogs();
    if (before === null || origin === null || vkey === null || this.#contradictions.has(origin)) return;
    const { text, signatures } = parseNote(before);
    const due = witnesses.all.filter((witness) => this.#isDue(witness, before));
    if (due.length === 0) return;
    const log = this.#witnessed({ origin, keys: vkeysOf(vkey).map(parseVerifierKey), checkpoint: before });
    const head = parseCheckpoint(text);
    const added: NoteSignature[] = [];
    await this.#settle(
      log,
      due.map((witness) => this.#warning(witness, this.#ask(witness, witnesses.cosign(witness, log, head), added))),
    );
    if (added.length === 0) return;
    const kept = signatures.filter(({ name, id }) => !added.some((one) => one.name === name && one.id === id));
    const checkpoint = formatNote({ text, signatures: [...kept, ...added] });
    await this.#logs.publish(null, { uuid, origin, vkey, checkpoint, before });
  }

  /** Whether a witness is to be asked: it has not signed a checkpoint, or long ago. */
  #isDue({ url, key }: LogWitness, note: string): boolean {
    const now = this.#now();
    const asked = this.#asked.get(url);
    const sinceAsked = asked === undefined ? Infinity : Math.abs(now - asked.at);
    const signedAt = signedBy(note, key);
    if (signedAt === null) return asked?.hasSigned === true || sinceAsked >= ASK_AGAIN_MS;
    // Its clock may be another one: what it says counts where it was not asked by this process.
    const age = asked?.hasSigned === true ? sinceAsked : Math.abs(now - signedAt);
    return age >= RENEW_MS && (asked?.hasSigned !== false || sinceAsked >= ASK_AGAIN_MS);
  }

  async #ask(witness: LogWitness, answer: Promise<NoteSignature>, added: NoteSignature[]): Promise<void> {
    const at = this.#now();
    this.#asked.set(witness.url, { at, hasSigned: false });
    added.push(await answer);
    this.#asked.set(witness.url, { at, hasSigned: true });
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  /** Says why a witness could not be used. @throws GazetteError `log_contradicted` */
  async #warning({ url, key }: LogWitness, answer: Promise<void>): Promise<void> {
    try {
      await answer;
      this.#said.delete(url);
    } catch (error) {
      if (isGazetteError(error, 'log_contradicted')) throw error;
      this.#warn(url, `${reasonOf({ url, key }, error)}; checkpoints are published without its signature`);
    }
  }

  /** Waits for all, and keeps what contradicts the log. */
  async #settle({ origin, checkpoint }: WitnessedLog, work: readonly Promise<void>[]): Promise<void> {
    for (const answer of await Promise.allSettled(work)) {
      if (answer.status === 'fulfilled') continue;
      const reason: unknown = answer.reason;
      if (!isGazetteError(reason, 'log_contradicted')) throw reason;
      const { message, details } = reason;
      this.#contradictions.set(origin, message);
      const place = await this.#options.keepEvidence(checkpoint, String(details.served));
      this.#contradictions.set(origin, `${message}; both checkpoints are in ${place}`);
    }
  }

  #warn(about: string, message: string): void {
    if (this.#said.get(about) === message) return;
    this.#said.set(about, message);
    this.#options.onWarning(message);
  }

  #witnessed(log: Pick<WitnessedLog, 'origin' | 'keys' | 'checkpoint'>): WitnessedLog {
    return {
      ...log,
      rootAt: (size) => readRoot(this.#logs, null, size),
      hashes: (ranges, size) => readHashes(this.#logs, null, ranges, size),
    };
  }
}

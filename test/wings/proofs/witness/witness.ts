// A witness (C2SP tlog-witness): signs the checkpoints of logs that only ever grew. It keeps nothing of a log but the last
// checkpoint, and signs no subtrees.
import { GazetteError, isGazetteError, quote } from '../../../../src/errors.ts';
import { type Checkpoint, parseCheckpoint } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import { EMPTY_ROOT } from '../../../../src/wings/proofs/tlog/hashes.ts';
import type { SignerKey, VerifierKey } from '../../../../src/wings/proofs/tlog/keys.ts';
import {
  formatNote,
  type NoteSignature,
  parseNote,
  type SignedNote,
  signText,
  verifyNote,
} from '../../../../src/wings/proofs/tlog/note.ts';
import { parseSubmission, type Submission } from '../../../../src/wings/proofs/tlog/submission.ts';
import { isConsistent } from '../../../../src/wings/proofs/tlog/verification.ts';
import type { WitnessedHead, WitnessState } from './state.ts';

/** The logs that a witness signs: the keys of each, by its origin. */
export type TrustedLogs = ReadonlyMap<string, readonly VerifierKey[]>;

/**
 * The logs of these keys, whose names are the origins. A log may have several keys.
 *
 * @throws GazetteError `invalid_log_key` for a key of a witness
 */
export function trustedLogs(keys: readonly VerifierKey[]): TrustedLogs {
  const logs = new Map<string, VerifierKey[]>();
  for (const key of keys) {
    if (key.role !== 'log') throw new GazetteError('invalid_log_key', `${quote(key.name)} must have the key of a log`);
    logs.set(key.name, [...(logs.get(key.name) ?? []), key]);
  }
  return logs;
}

/** What a witness needs. */
export interface WitnessOptions {
  /** The key of the witness. */
  readonly key: SignerKey;
  readonly logs: TrustedLogs;
  readonly state: WitnessState;
  /** The time, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** What a witness answers. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  /** The lines of signatures, the size that was signed last (409), or what is wrong. */
  readonly body: string;
}

/** A witness. */
export class Witness {
  readonly #options: WitnessOptions;

  /** @throws GazetteError `invalid_log_key` for the key of a log */
  constructor(options: WitnessOptions) {
    if (options.key.role !== 'witness') throw new GazetteError('invalid_log_key', 'a witness must have the key of one');
    this.#options = options;
  }

  /**
   * Answers `add-checkpoint`. What is signed is stored before this returns.
   *
   * @param body the text of the request
   * @throws GazetteError `store_busy`; the errors of the file
   */
  add(body: string): WitnessAnswer {
    const parsed = attempt(400, () => parse(body));
    if ('status' in parsed) return parsed;
    const { submission, note, checkpoint } = parsed;
    const { key, logs, state, now = Date.now } = this.#options;
    const keys = logs.get(checkpoint.origin);
    if (keys === undefined) return refusal(404, `the log ${quote(checkpoint.origin)} is not known here`);
    const verified = attempt(403, () => ({ byLog: signaturesOf(note, keys) }));
    if ('status' in verified) return verified;
    if (submission.oldSize > checkpoint.size) return refusal(400, 'the old size is larger than that of the checkpoint');
    let answer: WitnessAnswer | null = null;
    state.advance(checkpoint.origin, (last) => {
      answer = refusalOf(last, submission, checkpoint);
      if (answer !== null) return null;
      // A clock that was put back would make the larger tree the older one.
      const time = Math.max(Math.floor(now() / 1000), last?.time ?? 1);
      const ours = signText(note.text, key, time);
      answer = { status: 200, body: linesOf(note.text, [ours]) };
      const { size, root } = checkpoint;
      return { size, root, time, checkpoint: formatNote({ text: note.text, signatures: [...verified.byLog, ours] }) };
    });
    return answer!;
  }

  /** The last checkpoint that was signed of a log; null when none was. @param log the hash of its origin */
  checkpoint(log: string): string | null {
    return this.#options.state.last(log)?.checkpoint ?? null;
  }
}

interface ParsedSubmission {
  readonly submission: Submission;
  readonly note: SignedNote;
  readonly checkpoint: Checkpoint;
}

function parse(body: string): ParsedSubmission {
  const submission = parseSubmission(body);
  const note = parseNote(submission.checkpoint);
  return { submission, note, checkpoint: parseCheckpoint(note.text) };
}

/** The signatures of the log itself, checked. */
function signaturesOf(note: SignedNote, keys: readonly VerifierKey[]): readonly NoteSignature[] {
  return verifyNote(note, keys).map(({ key: { name, id } }) => {
    return note.signatures.find((signature) => signature.name === name && signature.id === id)!;
  });
}

/** C2SP tlog-witness: why a checkpoint is not signed, compared with what was signed last; null when it is. */
function refusalOf(
  last: WitnessedHead | null,
  { oldSize, proof }: Submission,
  checkpoint: Checkpoint,
): WitnessAnswer | null {
  const before = last ?? { size: 0, root: EMPTY_ROOT };
  if (oldSize !== before.size) return refusal(409, String(before.size));
  if (isConsistent(before, checkpoint, proof)) return null;
  return refusal(422, `the checkpoint does not begin with the ${before.size} entries that were signed`);
}

/** Reads or checks something of a request. */
function attempt<T>(status: WitnessAnswer['status'], task: () => T): T | WitnessAnswer {
  try {
    return task();
  } catch (error) {
    if (isGazetteError(error, 'invalid_proof')) return refusal(status, error.message);
    throw error;
  }
}

function refusal(status: WitnessAnswer['status'], body: string): WitnessAnswer {
  return { status, body: `${body}\n` };
}

function linesOf(text: string, signatures: readonly NoteSignature[]): string {
  return formatNote({ text, signatures }).slice(text.length + 1);
}

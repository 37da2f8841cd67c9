// The witnesses of the log of logs (C2SP tlog-witness): each is shown a signed checkpoint, and signs it if the log begins with what
// the witness signed before. A witness that is away costs its signature, and nothing else.
import { isWhole } from '../../../checks.ts';
import { GazetteError, isGazetteError, quote } from '../../../errors.ts';
import { openCheckpoint, originHash, type VerifiedCheckpoint } from '../tlog/checkpoint.ts';
import { sameHash } from '../tlog/hashes.ts';
import type { VerifierKey } from '../tlog/keys.ts';
import { type NoteSignature, parseNote, verifyNote } from '../tlog/note.ts';
import { formatSubmission } from '../tlog/submission.ts';
import { consistencyRanges } from '../tlog/tree.ts';
import type { TreeHead } from '../tlog/verification.ts';
import { counted } from '../../../register/counted.ts';
import { readBody } from '../../../web/request-body.ts';

/** Somebody who signs the log of logs. */
export interface LogWitness {
  /** Where it answers `add-checkpoint`, without a slash at the end. */
  readonly url: string;
  /** The key that checks what it signs. */
  readonly key: VerifierKey;
}

/** The log of logs, for those who have a checkpoint of it. */
export interface WitnessedLog {
  readonly origin: string;
  /** The keys that check our signatures. */
  readonly keys: readonly VerifierKey[];
  /** The signed note. */
  readonly checkpoint: string;
  /** The root at some size; null when the store has not so many checkpoints. */
  readonly rootAt: (size: number) => Promise<Uint8Array | null>;
  /** The hashes of ranges of the log at some size; null when the store has not so many checkpoints. */
  readonly hashes: (
    ranges: ReturnType<typeof consistencyRanges>,
    size: number,
  ) => Promise<readonly Uint8Array[] | null>;
}

/** How long a witness may take for an answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** What an answer needs at most, in bytes. */
const MAX_BYTES = 64 * 1024;

/** How witnesses are asked. */
export interface LogWitnessesOptions {
  /** The public URL of the service, without a slash at the end. Default: there is none. */
  readonly publicUrl?: string | undefined;
  /** Default {@link TIMEOUT_MS}. */
  readonly timeoutMs?: number;
  /** Default: that of the platform. */
  readonly fetch?: typeof fetch;
}

/** A witness as an operator names it: its address and its key, with a space between them. @throws GazetteError `invalid_option` */
export function checkWitnessUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isSound =
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.search}` === '';
  if (isSound && url.hash === '') return url.href.replace(/\/+$/, '');
  throw new GazetteError(
    'invalid_option',
    `the address of a witness must be an http or https URL, got ${quote(text)}`,
    {
      details: { option: 'log-witness' },
    },
  );
}

/** Asks witnesses. */
export class LogWitnesses {
  /** All of them. */
  readonly all: readonly LogWitness[];
  readonly #options: LogWitnessesOptions;
  /** The size that a witness signed last of a log, as far as is known. */
  readonly #sizes = new Map<string, number>();

  constructor(all: readonly LogWitness[], options: LogWitnessesOptions = {}) {
    this.all = all;
    this.#options = options;
  }

  /**
   * Compares the log of logs with what a witness signed of it last.
   *
   * @throws GazetteError `log_contradicted` when the log and the witness signed what the store lacks: `details.served` is the
   *   checkpoint; the errors of an answer that cannot be used
   */
  async compare(witness: LogWitness, log: WitnessedLog): Promise<void> {
    const { url, key } = witness;
    const response = await this.#ask(`${url}/${originHash(log.origin)}/checkpoint`);
    const text = await textOf(response);
    // It has signed nothing of this log, or does not say what it signed: it need not.
    if (response.status !== 200) return;
    const last = signedByBoth(text, log, witness);
    await refuseContradiction(log, last, text, `the witness ${quote(key.name)} signed`);
    this.#sizes.set(`${url} ${log.origin}`, last.size);
  }

  /**
   * Compares the log of logs with what the service shows at its public URL, which a cache or another machine may answer.
   *
   * @throws GazetteError `log_contradicted` when that is signed and the store lacks it, as in {@link LogWitnesses.compare}
   */
  async comparePublic(log: WitnessedLog): Promise<void> {
    const { publicUrl } = this.#options;
    if (publicUrl === undefined) return;
    const { origin, keys } = log;
    try {
      const name = origin.slice(origin.lastIndexOf('/') + 1);
      const text = await textOf(await this.#ask(`${publicUrl}/api/v1/log/${name}/checkpoint`));
      await refuseContradiction(log, openCheckpoint(text, origin, keys), text, 'its public URL shows');
    } catch (error) {
      // It may not be served yet, or under another address.
      if (isGazetteError(error, 'log_contradicted')) throw error;
    }
  }

  /**
   * Has a witness sign the checkpoint of the log of logs. That it signed more, or others, is its word alone until it shows a
   * checkpoint that the log signed too.
   *
   * @throws GazetteError `log_contradicted` as {@link LogWitnesses.compare}; the errors of an answer that cannot be used
   */
  async cosign(witness: LogWitness, log: WitnessedLog, { size }: TreeHead): Promise<NoteSignature> {
    const { checkpoint } = log;
    const name = `${witness.url} ${log.origin}`;
    for (let tried = 0; ; tried++) {
      const oldSize = Math.min(this.#sizes.get(name) ?? 0, size);
      const proof = oldSize === 0 || oldSize === size ? [] : await log.hashes(consistencyRanges(oldSize, size), size);
      const body = formatSubmission({ oldSize, proof: proof ?? [], checkpoint });
      const response = await this.#ask(`${witness.url}/add-checkpoint`, { method: 'POST', body });
      const text = await textOf(response);
      if (response.status === 200) {
        this.#sizes.set(name, size);
        return signatureIn(checkpoint, text, witness.key);
      }
      if (response.status === 404) throw unknownTo(witness, log);
      const signed = response.status === 409 ? sizeIn(text) : null;
      const isClaim = response.status === 422 || (signed !== null && (signed > size || signed === oldSize));
      if (isClaim) await this.compare(witness, log);
      // It signed another size last: once more from there.
      if (signed === null || signed > size || tried > 0)
        throw refused(witness, `${response.status} ${text.slice(0, 200).trim()}`);
      this.#sizes.set(name, signed);
    }
  }

  #ask(url: string, init: RequestInit = {}): Promise<Response> {
    const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS } = this.#options;
    return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
  }
}

/** When a key signed a note, in milliseconds since 1970; null when it did not. */
export function signedBy(note: string, key: VerifierKey): number | null {
  const { signatures } = parseNote(note);
  if (!signatures.some(({ name, id }) => name === key.name && id === key.id)) return null;
  const [verified] = verifyNote(parseNote(note), [key]);
  return (verified?.time ?? 0) * 1000;
}

/** @throws GazetteError `log_contradicted` when a store lacks what was signed */
async function refuseContradiction(
  log: WitnessedLog,
  signed: VerifiedCheckpoint,
  served: string,
  who: string,
): Promise<void> {
  const root = await log.rootAt(signed.size);
  if (root !== null && sameHash(root, signed.root)) return;
  const found = root === null ? 'lacks some of them' : 'has others';
  throw new GazetteError('log_contradicted', `${who} ${counted(signed.size, 'checkpoint')}, and the store ${found}`, {
    details: { served },
  });
}

async function textOf({ headers, body }: Response): Promise<string> {
  return Buffer.from(await readBody({ headers, body }, MAX_BYTES)).toString();
}

/** What a witness signed, which the log signed too. @throws GazetteError `invalid_proof` */
function signedByBoth(note: string, { origin, keys }: WitnessedLog, { key }: LogWitness): VerifiedCheckpoint {
  const shows = `the witness ${quote(key.name)} shows a checkpoint`;
  try {
    const checkpoint = openCheckpoint(note, origin, [...keys, key]);
    if (checkpoint.signatures.some((signature) => signature.key === key)) return checkpoint;
  } catch (cause) {
    if (!isGazetteError(cause, 'invalid_proof')) throw cause;
    throw new GazetteError('invalid_proof', `${shows} that the log did not sign: ${cause.message}`, { cause });
  }
  throw new GazetteError('invalid_proof', `${shows} that it did not sign`);
}

/** The signature in an answer, checked. @throws GazetteError `invalid_proof` */
function signatureIn(checkpoint: string, lines: string, key: VerifierKey): NoteSignature {
  const note = parseNote(`${parseNote(checkpoint).text}\n${lines}`);
  verifyNote(note, [key]);
  return note.signatures.find(({ name, id }) => name === key.name && id === key.id)!;
}

function sizeIn(text: string): number | null {
  const size = /^\d{1,16}\n?$/.test(text) ? Number(text) : Number.NaN;
  return isWhole(size, 0) ? size : null;
}

function refused({ key }: LogWitness, what: string): GazetteError {
  return new GazetteError('invalid_proof', `the witness ${quote(key.name)} answered ${quote(what)}`);
}

/** A witness signs the logs that it was told of, and no others. */
function unknownTo({ key }: LogWitness, { origin }: WitnessedLog): GazetteError {
  return new GazetteError('not_found', `the witness ${quote(key.name)} does not know the log ${origin}`);
}

/** Why a witness did not sign, as a sentence. */
export function reasonOf({ key, url }: LogWitness, error: unknown): string {
  if (isGazetteError(error)) return error.message;
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `the witness ${quote(key.name)} at ${url} does not answer: ${error instanceof Error ? error.message : String(error)}${cause}`;
}

// What the proof of a version proves by itself, with nothing but the key of the log: as evidence that was kept has it.
import { isObject } from '../../../../checks.ts';
import { GazetteError, quote } from '../../../../errors.ts';
import type { Cosignature } from '../../../../mirror/prover.ts';
import { canonicalJson, type JsonValue } from '../../../../register/canonical-json.ts';
import { utf8 } from '../../../../web/utf8.ts';
import { formatCheckpoint, parseCheckpoint, type VerifiedCheckpoint } from '../../tlog/checkpoint.ts';
import { leafHash } from '../../tlog/hashes.ts';
import { renamedKey, type VerifierKey } from '../../tlog/keys.ts';
import { parseNote } from '../../tlog/note.ts';
import type { TlogPolicy } from '../../tlog/policy.ts';
import { parseProof, verifyProof } from '../../tlog/record-proof.ts';
import { checkCosigners } from '../cosigners.ts';
import { logOfLogsNamed } from '../list.ts';
import { entryIn, type LogEntry } from '../log.ts';
import { hmacIn, saltIn } from '../version.ts';

/** What a proof proves. */
export interface ProvedText extends Omit<LogEntry, 'record' | 'commitment'> {
  /** The name of the log, and of how many changes its checkpoint is. */
  readonly origin: string;
  readonly size: number;
  /** The record; null: the proof does not name it, as after a redaction. */
  readonly recordId: string | null;
  /** What the publisher stated; null: nothing. Undefined: the proof does not say it, as for who may not read it. */
  readonly statement: JsonValue | undefined;
  /** The log of logs that has the checkpoint, and who signed that; null: the proof does not say. */
  readonly listed: { readonly name: string; readonly cosigned: readonly Cosignature[] } | null;
}

/** What `extra` of a proof says. Nothing vouches for it. */
type Extra = Readonly<Record<string, unknown>>;

/**
 * Checks the proof of a version: signature and place of its entry, and that the entry is of the record and of the statement that stand
 * beside it.
 *
 * @param text C2SP tlog-proof
 * @param key of the log
 * @param policy who must have signed the log of logs, whenever that was; null: nobody
 * @throws GazetteError `invalid_proof`; `invalid_input` for a policy of other logs
 */
export function proveText(text: string, key: VerifierKey, policy: TlogPolicy | null): ProvedText {
  const proof = parseProof(text);
  const extra = extraIn(proof.extra);
  const entryText = String(extra.entry);
  const entry = entryIn(entryText, proof.index + 1);
  if (entry === null) throw refused('a proof must have the entry of its change, as canonical JSON, in extra');
  const checkpoint = verifyProof(proof, leafHash(utf8(entryText)), key.name, [key]);
  const { record, commitment, ...said } = entry;
  const [salt, recordSalt] = [saltIn(extra.salt ?? null), saltIn(extra.record_salt)];
  if (salt === undefined || recordSalt === undefined) throw refused('a salt must have 32 bytes');
  const id = String(extra.record_id);
  if (recordSalt !== null && hmacIn(recordSalt, id) !== record)
    throw refused(`the entry must be of the record that the proof names, but it is not of ${quote(id)}`);
  // Without the salt of the id, nothing says which record it is.
  const isSaid = recordSalt !== null && salt !== null;
  const statement = isSaid ? ((extra.statement ?? null) as JsonValue) : undefined;
  if (isSaid) {
    const committed = { v: 1, log: String(extra.log), id, version: entry.version, statement: statement! };
    if (hmacIn(salt, canonicalOf(committed)) !== commitment)
      throw refused('the statement of the proof must be what the entry commits to');
  }
  return {
    ...said,
    ...{ origin: checkpoint.origin, size: checkpoint.size, recordId: recordSalt === null ? null : id, statement },
    listed: proveListed(extra.checkpoint_proof, checkpoint, key, policy),
  };
}

/** What has no canonical form was never signed. */
function canonicalOf(value: JsonValue): string {
  try {
    return canonicalJson(value);
  } catch (cause) {
    throw new GazetteError('invalid_proof', 'the statement of the proof must have a canonical form', { cause });
  }
}

function extraIn(bytes: Uint8Array | null): Extra {
  try {
    const extra: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes ?? undefined));
    if (isObject(extra)) return extra;
  } catch {
    // It is none, as what is no object.
  }
  throw refused('a proof of a version must have an object, as JSON, in extra');
}

/** Checks that the checkpoint is in the log of logs, which the same key signs under another name. */
function proveListed(
  text: unknown,
  checkpoint: VerifiedCheckpoint,
  key: VerifierKey,
  policy: TlogPolicy | null,
): ProvedText['listed'] {
  if (text === undefined) {
    if (policy === null || policy.quorum === 'none') return null;
    throw refused(
      'the proof must say that its checkpoint is in the log of logs, which witnesses sign, but it does not',
    );
  }
  const proof = parseProof(typeof text === 'string' ? text : '');
  const { origin: name } = parseCheckpoint(parseNote(proof.checkpoint).text);
  if (logOfLogsNamed({ name }) === null) throw refused(`${quote(name)} must be the name of a log of logs`);
  const ofLogs = renamedKey(key, name);
  verifyProof(proof, leafHash(utf8(formatCheckpoint(checkpoint))), name, [ofLogs]);
  // What was kept was signed when it was: no signature of it is stale.
  return { name, cosigned: policy === null ? [] : checkCosigners(proof.checkpoint, ofLogs, policy, 0) };
}

function refused(message: string): GazetteError {
  return new GazetteError('invalid_proof', message);
}

// The proof of a record's current version (C2SP tlog-proof), with what its reader may know: the API gives it as a file, the pages
// show it.
import { GazetteError, quote } from '../../errors.ts';
import { formatProof, type RecordProof } from '../../proofs/record-proof.ts';
import { inclusionRanges } from '../../proofs/tree.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import type { LogStore, ProvedVersion, RegisterLog, StoredLog } from '../../stores/contract/proofs/logs.ts';
import type { RecordSight } from '../../views/record-sights.ts';
import type { RegisterViews } from '../../views/registers.ts';
import { utf8 } from '../../web/utf8.ts';
import { signedCheckpoint, signedHead } from './log-files.ts';
import { readHashes } from './tree-reader.ts';
import { versionProof } from './version-proof.ts';

/** What the proof says of the entry besides its place. Nothing vouches for it but the entry's hash. */
export interface ProofExtra {
  /** The text that is hashed. */
  readonly entry: string;
  /** The UUID that its commitment contains. */
  readonly log: string;
  /** The key of the entry's `record`, for those who see the record whole; null once it was erased. */
  readonly record_salt?: string | null;
  /** The key of the entry's `commitment`, for those of the paying tier; null once it was erased. */
  readonly salt?: string | null;
  /** What the commitment is of, for the same. */
  readonly statement?: JsonValue;
  /** The proof that the checkpoint is in the log of logs (C2SP tlog-proof), once that is signed. */
  readonly checkpoint_proof?: string;
}

/** The proof of a record, and what it was made of. */
export interface ProvedRecord {
  /** As a file has it. */
  readonly proof: RecordProof;
  /** What it says beside. */
  readonly extra: ProofExtra;
  /** The log that it is of. */
  readonly log: RegisterLog;
}

/**
 * Proves the current version of a record.
 *
 * @param sight what the reader sees of the record: salts follow the tiers
 * @throws GazetteError `unknown_record`, `record_withdrawn`, `not_found` while the log is not signed, `not_ready` while the
 *   version is not
 */
export async function proveRecord(
  registers: Pick<RegisterViews, 'record' | 'history'>,
  logs: LogStore,
  id: string,
  { tier, isWhole }: Pick<RecordSight, 'tier' | 'isWhole'>,
): Promise<ProvedRecord> {
  const isPro = tier === 'pro';
  const feedId = id.slice(0, id.indexOf(':'));
  // What is newer than its checkpoint is not ready, in whatever order they are read.
  const [, [version], log, logOfLogs] = await Promise.all([
    // Withdrawn records answer as everywhere.
    registers.record(id),
    registers.history(id, { offset: 0, limit: 1, withStatement: isPro }),
    logs.of(feedId),
    logs.ofLogs(),
  ]);
  const checkpoint = signedCheckpoint(log);
  const { size } = signedHead(checkpoint);
  const prove = async (): Promise<{ proved: ProvedVersion; index: number; hashes: Uint8Array[] } | null> => {
    // After its statement, so that no salts come with what was erased meanwhile.
    const proved = version === undefined ? null : await logs.proved(id, version.version);
    const index = (proved?.change ?? Infinity) - 1;
    const hashes = index < size ? await readHashes(logs, feedId, inclusionRanges(index, size), size) : null;
    return proved === null || hashes === null ? null : { proved, index, hashes };
  };
  const [found, checkpointProof] = await Promise.all([prove(), proveCheckpoint(logs, log, logOfLogs)]);
  if (found === null)
    throw new GazetteError(
      'not_ready',
      `the latest version of ${quote(id)} is not signed yet: try again in some seconds`,
    );
  const { proved, index, hashes } = found;
  const { entry, log: uuid, record_salt, salt } = versionProof(proved);
  const extra = {
    ...{ entry, log: uuid },
    ...(isWhole ? { record_salt } : {}),
    ...(isPro ? { salt, statement: version?.statement ?? null } : {}),
    ...(checkpointProof === null ? {} : { checkpoint_proof: checkpointProof }),
  };
  return { proof: { extra: utf8(JSON.stringify(extra)), index, hashes, checkpoint }, extra, log };
}

/** Proves that the checkpoint of a register is in the log of logs; null until that is signed. */
async function proveCheckpoint(
  logs: LogStore,
  { place: index }: RegisterLog,
  { checkpoint }: StoredLog,
): Promise<string | null> {
  const size = checkpoint === null ? 0 : signedHead(checkpoint).size;
  if (checkpoint === null || index === null || index >= size) return null;
  const hashes = await readHashes(logs, null, inclusionRanges(index, size), size);
  return hashes === null ? null : formatProof({ extra: null, index, hashes, checkpoint });
}

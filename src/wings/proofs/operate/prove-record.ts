// The proof of a version of a record (C2SP tlog-proof), with what its reader may know: the API gives it as a file, the pages show it.
import { type KeyHolder, refuseTier } from '../../../access/scopes.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { formatProof, type RecordProof } from '../tlog/record-proof.ts';
import { inclusionRanges } from '../tlog/tree.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { RecordVersion } from '../../../register/record.ts';
import { seesEntries } from '../../../register/tier.ts';
import type { LogStore, RegisterLog, StoredLog } from '../stores/contract/logs.ts';
import { isBoughtIn } from '../../../views/bought-content.ts';
import type { RegisterViews } from '../../../views/registers.ts';
import type { ProofAsked } from '../../../views/signed.ts';
import { utf8 } from '../../../web/utf8.ts';
import { signedCheckpoint, signedHead } from './log-files.ts';
import { readHashes } from '../stores/tree-reader.ts';
import { saysNoMore, versionProof } from '../stores/version-proof.ts';

/** What the proof says of the entry besides its place. Nothing vouches for it but the entry's hash. */
export interface ProofExtra {
  /** The text that is hashed. */
  readonly entry: string;
  /** The UUID that its commitment contains. */
  readonly log: string;
  /** The record's id; null once it was erased. */
  readonly record_id: string | null;
  /** The key of the entry's `record`, which is of the id; null once it was erased. */
  readonly record_salt: string | null;
  /** The key of the entry's `commitment`, for those who may read the version; null once it was erased. */
  readonly salt?: string | null;
  /** What the commitment is of, for the same. */
  readonly statement?: JsonValue;
  /** The proof that the checkpoint is in the log of logs (C2SP tlog-proof), once that is signed. */
  readonly checkpoint_proof?: string;
}

/** The proof of a version, and what it was made of. */
export interface ProvedRecord {
  /** As a file has it. */
  readonly proof: RecordProof;
  /** The number of the version. */
  readonly version: number;
  /** What it says beside. */
  readonly extra: ProofExtra;
  /** The log that it is of. */
  readonly log: RegisterLog;
  /** Whether it is for its reader alone. */
  readonly isPrivate: boolean;
}

/** Who asks for the proof of which version. */
export interface ProofRequest extends ProofAsked {
  readonly access: KeyHolder;
  /** The logs as they were read. Default: as they are now. */
  readonly state?: SignedLogs | Promise<SignedLogs>;
}

/** The logs that a proof is made of. */
export interface SignedLogs {
  readonly log: RegisterLog;
  readonly ofLogs: StoredLog;
}

/** The logs as they are now. @throws GazetteError `unknown_feed` */
export async function readLogs(logs: LogStore, feedId: string): Promise<SignedLogs> {
  const [log, ofLogs] = await Promise.all([logs.of(feedId), logs.ofLogs()]);
  return { log, ofLogs };
}

/**
 * Proves a version of a record, also of one that was withdrawn or redacted.
 *
 * @throws GazetteError `unknown_record`, `not_found` for a version that there is not and while the log is not signed, `not_ready`
 *   while the version is not; `credentials_required`, `insufficient_scope` where only payers may know of the version
 */
export async function proveRecord(
  logs: LogStore,
  id: string,
  {
    registers,
    version: number,
    sight,
    access,
    owned,
    state = readLogs(logs, sight.view.entry.definition.id),
  }: ProofRequest,
): Promise<ProvedRecord> {
  const { tier, isWhole } = sight;
  const { definition } = sight.view.entry;
  // What is newer than its checkpoint is not ready, in whatever order they are read.
  const [{ version, newest }, { log, ofLogs: logOfLogs }] = await Promise.all([
    versionOf(registers, id, number),
    state,
  ]);
  // How often records change, and when, is for payers there; who sees a record whole sees which version it is, and what it says.
  const isKnown = isWhole && version.version === newest;
  const mayRead =
    tier === 'pro' ||
    (isKnown &&
      version.record !== null &&
      version.statement != null &&
      saysNoMore(version.statement, version.record)) ||
    (await isBoughtIn(registers, id, await owned(), { version: version.version, newest }));
  if (!mayRead && !isKnown && !seesEntries(definition, tier)) refuseTier(access);
  signedCheckpoint(log);
  // After its statement, so that no salts come with what was erased meanwhile.
  const proved = await logs.proved(id, version.version);
  const index = (proved?.change ?? Infinity) - 1;
  const { checkpoint, place } = checkpointFor(index, log, logOfLogs);
  const { size } = signedHead(checkpoint);
  const [hashes, checkpointProof] = await Promise.all([
    index < size ? readHashes(logs, definition.id, inclusionRanges(index, size), size) : null,
    place === null ? null : proveCheckpoint(logs, place, logOfLogs),
  ]);
  if (proved === null || hashes === null)
    throw new GazetteError(
      'not_ready',
      `version ${version.version} of ${quote(id)} is not signed yet: try again in some seconds`,
    );
  const { entry, log: uuid, record_salt, salt } = versionProof(proved);
  // Of what was erased, nothing is confirmed: the salt of the redaction itself would confirm the id.
  const isErased = record_salt === null;
  const extra = {
    ...{ entry, log: uuid, record_id: isErased ? null : id, record_salt },
    ...(mayRead ? { salt: isErased ? null : salt, statement: isErased ? null : (version.statement ?? null) } : {}),
    ...(checkpointProof === null ? {} : { checkpoint_proof: checkpointProof }),
  };
  const proof = { extra: utf8(JSON.stringify(extra)), index, hashes, checkpoint };
  return { proof, version: proved.version, extra, log, isPrivate: isWhole || mayRead };
}

/** A version of a record with its statement, and the number of the newest one. @throws GazetteError `unknown_record`, `not_found` */
async function versionOf(
  registers: Pick<RegisterViews, 'history'>,
  id: string,
  number: number | null,
): Promise<{ readonly version: RecordVersion; readonly newest: number }> {
  for (let offset = 0; ;) {
    const [version] = await registers.history(id, { offset, limit: 1, withStatement: true });
    // One that was recorded meanwhile moves the others down.
    const newest = (version?.version ?? 0) + offset;
    if (version === undefined || newest < (number ?? 1))
      throw new GazetteError('not_found', `the record ${quote(id)} has no version ${number}`);
    if (number === null || version.version === number) return { version, newest };
    offset = newest - number;
  }
}

/** The checkpoint of a log that proves an entry: the last one in the signed log of logs, or the newest. */
function checkpointFor(
  index: number,
  { listed, checkpoint: newest }: RegisterLog,
  { checkpoint }: StoredLog,
): { readonly checkpoint: string; readonly place: number | null } {
  const size = checkpoint === null ? 0 : signedHead(checkpoint).size;
  const isListed = listed !== null && listed.place < size && index < signedHead(listed.checkpoint).size;
  return isListed ? listed : { checkpoint: newest!, place: null };
}

/** Proves that the checkpoint of a register is in the log of logs. */
async function proveCheckpoint(logs: LogStore, index: number, { checkpoint }: StoredLog): Promise<string | null> {
  const { size } = signedHead(checkpoint!);
  const hashes = await readHashes(logs, null, inclusionRanges(index, size), size);
  return hashes === null ? null : formatProof({ extra: null, index, hashes, checkpoint: checkpoint! });
}

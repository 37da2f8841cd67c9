// Puts back what a store that was restored from an older state lacks of a register, from another store that has it: exactly the log
// that was signed last.
import { GazetteError } from '../../../errors.ts';
import { takenVersion } from '../../../mirror/taken.ts';
import { versionProof } from '../stores/version-proof.ts';
import { sameHash } from '../tlog/hashes.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import type { TakenVersion } from '../../../stores/contract/mirrors.ts';
import type { MissingChanges, SignedTree } from '../stores/contract/recovery.ts';
import { readRoot } from '../stores/tree-reader.ts';
import { PROOFS } from '../stores/plugin.ts';

/** What {@link recoverLog} needs. */
export interface RecoverOptions {
  readonly feedId: string;
  readonly signed: SignedTree;
  readonly signal?: AbortSignal;
}

/**
 * Puts back what `store` lacks of a register, in one transaction: all changes that `other` has, with the same entries, texts and
 * salts. Nothing is written unless the register has the log that was signed afterwards.
 *
 * @returns how many changes were put back
 * @throws GazetteError `log_contradicted` when the other store has not what was signed, or this one has changes of its own;
 *   `invalid_store` for faults in the other store; `store_busy` when the register is written meanwhile; `unknown_feed`
 */
export async function recoverLog(
  store: Pick<InspectedStore, 'part'>,
  other: Pick<InspectedStore, 'part' | 'inspection' | 'register' | 'changes'>,
  { feedId, signed, signal }: RecoverOptions,
): Promise<number> {
  const { uuid } = signed;
  const [here, elsewhere] = [store.part(PROOFS), other.part(PROOFS)];
  const [own, its] = [await here.logs.of(feedId), await elsewhere.logs.of(feedId)];
  const contradicted = (why: string): GazetteError =>
    new GazetteError('log_contradicted', `${why}; nothing was changed`, { details: { feed_id: feedId } });
  const there = await readRoot(elsewhere.logs, feedId, signed.size);
  if (there === null || !sameHash(there, signed.root))
    throw contradicted(
      `the other store has ${there === null ? `only ${its.size} of the` : 'others than the'} ${signed.size} changes of ${feedId} that were signed`,
    );
  // A store that is written on under another log has changes that were never in the signed one.
  if (its.uuid !== uuid && its.size > signed.size)
    throw contradicted(`the other store has changes of ${feedId} in another log`);
  const begin = await readRoot(elsewhere.logs, feedId, own.size);
  const held = await readRoot(here.logs, feedId, own.size);
  if (begin === null || held === null || !sameHash(begin, held))
    throw contradicted(
      `this store has changes of ${feedId} that the other one has not: begin a new log with --new-log`,
    );
  for await (const { findings } of other.inspection.rows(signal === undefined ? {} : { signal })) {
    const found = findings.find((finding) => finding.feedId === feedId || finding.feedId === null);
    if (found !== undefined) throw new GazetteError('invalid_store', `the other store has a fault: ${found.problem}`);
  }
  const missing = await missingIn(other, feedId, own.size);
  await here.recovery.putBack(feedId, missing, signed);
  return missing.versions.length;
}

/** How many versions are read at once. */
const PAGE = 100;

/** What a store has of a register after a change, as a service would answer it to a mirror. */
export async function missingIn(
  store: Pick<InspectedStore, 'part' | 'register' | 'changes'>,
  feedId: string,
  since: number,
): Promise<MissingChanges> {
  const { logs } = store.part(PROOFS);
  const { log, definition, definitionVersion, lastModified } = (await store.register(feedId))!;
  const versions: TakenVersion[] = [];
  for (let isLast = false; !isLast;) {
    const from = since + versions.length;
    const page = await store.changes(feedId, { since: from, log, limit: PAGE, withStatement: true });
    const proved = await logs.provedChanges(feedId, from, page.versions.length);
    versions.push(
      ...page.versions.map((version, at) =>
        takenVersion({ ...version, proof: versionProof(proved[at]!) }, feedId, from + at + 1),
      ),
    );
    isLast = !page.more;
  }
  return { since, versions, definition, definitionVersion, lastModified };
}

// The file beside a page that proves what its records say: of each one its newest version, as `/changes` answers it with its statement
// and proof, on a line. With the tiles of the log and a checkpoint nothing else is needed. A line depends on its record alone, so that
// neither other records nor a new checkpoint change it.
import { saysNoMore, type VersionProof, versionProof } from '../stores/version-proof.ts';
import type { RecordVersion } from '../../../register/record.ts';
import { seesEntries, type Tier, tierIn } from '../../../register/tier.ts';
import type { PageProofs } from '../../../snapshot/wing.ts';
import { type RegisterEntry, type RegisterStore, VERSIONS_PAGE_SIZE } from '../../../stores/contract/registers.ts';
import type { SnapshotLogs } from './log-files.ts';

/** The files beside the pages of a register; null where the tier gets no entries, by which they are checked. */
export function pageProofs(
  store: Pick<RegisterStore, 'changes'>,
  logs: Pick<SnapshotLogs, 'provedRecords'>,
  { definition, log }: Pick<RegisterEntry, 'definition' | 'log'>,
  tier: Tier,
): PageProofs | null {
  if (!seesEntries(definition, tier)) return null;
  const seesStatements = tierIn(definition, tier) === 'pro';
  return {
    areOnClosed: seesStatements,
    async of({ from, to }, shown) {
      if (shown.length === 0 && !seesStatements) return null;
      const proved = await logs.provedRecords(definition.id, from, to);
      const proofs = new Map(proved.map((version) => [version.change, versionProof(version)]));
      const read = async (since: number, limit: number): Promise<readonly RecordVersion[]> =>
        (await store.changes(definition.id, { since, log, limit, withStatement: true })).versions;
      const versions = await versionsOf([...proofs.keys()], read);
      const lines: string[] = [];
      for (const record of shown) {
        const found = versions.get(record.id);
        // A record that changed since it was read is on a page of the next run; of one that was redacted, nothing is said.
        if (found?.version !== record.version || found.statement == null) continue;
        if (seesStatements || saysNoMore(found.statement, record))
          lines.push(`${JSON.stringify(lineOf(found, proofs.get(found.change)!))}\n`);
      }
      if (lines.length === 0 && !seesStatements) return null;
      return { bytes: new TextEncoder().encode(lines.join('')), records: lines.length };
    },
  };
}

/** The versions with these change numbers, which rise, by the ids of their records. */
async function versionsOf(
  changes: readonly number[],
  read: (since: number, limit: number) => Promise<readonly RecordVersion[]>,
): Promise<ReadonlyMap<string, RecordVersion>> {
  const asked = new Set(changes);
  const found = new Map<string, RecordVersion>();
  for (let at = 0; at < changes.length;) {
    const since = changes[at]! - 1;
    const next = changes.findIndex((change, index) => index > at && change > since + VERSIONS_PAGE_SIZE);
    const end = next < 0 ? changes.length : next;
    for (const version of await read(since, changes[end - 1]! - since))
      if (asked.has(version.change)) found.set(version.record_id, version);
    at = end;
  }
  return found;
}

/**
 * A version without what its page shows, and without what changed, which names what the statement before had and a reader of the page
 * may not know.
 */
export function lineOf(version: RecordVersion, { entry, log, record_salt, salt }: VersionProof): object {
  const { record_id, position, version: number, change, cause, recorded_at, statement } = version;
  return {
    record_id,
    position,
    version: number,
    change,
    cause,
    recorded_at,
    statement,
    proof: { entry, log, record_salt, salt },
  };
}

// The logs of a store as files of a snapshot.
import type { SignedFiles, SnapshotStore, SnapshotWing } from '../../../snapshot/wing.ts';
import { verifyPage } from '../templates/verify/page.ts';
import { VERIFY_SCRIPT } from '../templates/verify/script.ts';
import { PROOFS } from '../stores/plugin.ts';
import { planLog, type SignedLog, type SnapshotLogs, writeLog } from './log-files.ts';
import { bringLogOfLogs } from './log-of-logs.ts';
import { pageProofs } from './page-proofs.ts';

export const SIGNED_FILES: SnapshotWing = {
  verifyPage: (frame, script) => ({ page: verifyPage(frame, script), script: VERIFY_SCRIPT }),
  async begin(store): Promise<SignedFiles> {
    const logs = logsOf(store);
    const signed = await signedLogs(logs);
    return {
      of(feedId) {
        const log = signed.get(feedId);
        if (log === undefined) return null;
        return {
          ...{ uuid: log.uuid, checkpoint: log.checkpoint },
          proofs: (entry, tier) => pageProofs(store, log.logs, entry, tier),
          async plan(place, hasEntries) {
            const plan = await planLog(place, log, hasEntries);
            return (signal) => writeLog(place, plan, signal);
          },
        };
      },
      bringList: (root, run) => bringLogOfLogs(root, logs, run),
    };
  },
  states: async (store) => ((await logsOf(store)?.all()) ?? []).map(({ checkpoint }) => JSON.stringify(checkpoint)),
};

function logsOf(store: SnapshotStore): SnapshotLogs | undefined {
  return store.part?.(PROOFS).logs;
}

/** The logs that are signed, by the ids of their registers. */
async function signedLogs(logs: SnapshotLogs | undefined): Promise<ReadonlyMap<string, SignedLog>> {
  const signed = new Map<string, SignedLog>();
  for (const { feedId, uuid, name, checkpoint } of (await logs?.all()) ?? []) {
    if (checkpoint !== null) signed.set(feedId, { feedId, uuid, name, checkpoint, logs: logs! });
  }
  return signed;
}

// What a mirror lacks, proved before it is taken in: that the log goes on from what the mirror holds, and each change after it.
import { GazetteError } from '../../../errors.ts';
import type { ChangesProver, ProveOptions, ProvingWing } from '../../../mirror/prover.ts';
import { PROOFS } from '../stores/plugin.ts';
import { readRoot } from '../stores/tree-reader.ts';
import { sameHash } from '../tlog/hashes.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import { parsePolicy } from '../tlog/policy.ts';
import { provedBatches } from './changes.ts';
import { proveCopies } from './copy.ts';
import { logNamed } from './head.ts';

/** What logs prove. */
export const PROVED_BY_LOGS: ProvingWing = { copies: proveCopies, changes: proveChanges };

/** Proves mirrors by the logs of their sources. @throws GazetteError `invalid_log_key`, `invalid_option` for a key or a policy that is none */
export function proveChanges({ vkey, policy }: ProveOptions): ChangesProver {
  logNamed(parseVerifierKey(vkey));
  if (policy !== undefined) parsePolicy(policy);
  return async function* ({ feed, client, store, feedId, since, kept }) {
    const { logs } = store.part(PROOFS);
    const batches = provedBatches(feed, { ...client, vkey, policy, since, kept }, async (root) => {
      const held = since === 0 ? root : await readRoot(logs, feedId, since);
      if (held !== null && sameHash(held, root)) return;
      throw new GazetteError(
        'invalid_proof',
        `the mirror of ${feedId} has others than the ${since} changes that are signed`,
      );
    });
    for await (const { read, kept: later } of batches) yield { versions: read.map(({ given }) => given), kept: later };
  };
}

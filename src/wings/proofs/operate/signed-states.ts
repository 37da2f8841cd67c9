// What the core asks of signed registers: their states, and what proves their versions.
import { type ErrorCode, isGazetteError } from '../../../errors.ts';
import { toBase64 } from '../tlog/base64.ts';
import { formatProof } from '../tlog/record-proof.ts';
import type { ServiceStore } from '../../../stores/contract/accounts.ts';
import { PROOFS } from '../stores/plugin.ts';
import type { SignedStates } from '../../../views/signed.ts';
import { logAnswer, signedHead } from './log-files.ts';
import { proveRecord, readLogs } from './prove-record.ts';
import { versionProof } from '../stores/version-proof.ts';

/** Why a version has no proof for a reader of its record. */
const UNPROVED: ReadonlySet<ErrorCode> = new Set([
  'not_ready',
  'not_found',
  'credentials_required',
  'insufficient_scope',
]);

/** The signed states of the registers of a store. @throws GazetteError `missing_plugin` */
export function signedStates(store: ServiceStore): SignedStates {
  const { logs } = store.part(PROOFS);
  return {
    async of(feedId) {
      const log = await logs.of(feedId);
      const { checkpoint, name } = log;
      if (checkpoint === null) return null;
      return {
        name: name!,
        described: (url) => logAnswer(log, url)!,
        cited() {
          const { origin, size, root } = signedHead(checkpoint);
          return { origin, size, root_hash: toBase64(root) };
        },
      };
    },
    async proving(feedId) {
      const state = await readLogs(logs, feedId);
      const { checkpoint, listed } = state.log;
      if (checkpoint === null) return null;
      return {
        state: JSON.stringify([checkpoint, listed, state.ofLogs.checkpoint]),
        async of(id, asked) {
          try {
            const { version, proof, extra } = await proveRecord(logs, id, {
              ...asked,
              state,
              access: { tier: asked.sight.tier },
            });
            return { version, text: formatProof(proof), hasWords: extra.statement !== undefined };
          } catch (error) {
            if (isGazetteError(error) && UNPROVED.has(error.code)) return null;
            throw error;
          }
        },
      };
    },
    list: async () => (await logs.ofLogs()).name,
    proofs: async (feedId, since, count) => (await logs.provedChanges(feedId, since, count)).map(versionProof),
  };
}

// Proofs as a wing: the logs of registers, which are signed, their files, and what proves a record.
import { logRoutes, wellKnownLogRoute } from '../http/logs.ts';
import { signedStates } from '../operate/signed-states.ts';
import { proofRoute } from '../pages/proof.ts';
import type { Wing } from '../../../service/wing.ts';
import { PROOFS } from '../stores/plugin.ts';

/** The wing. */
export const PROOFS_WING: Wing = {
  name: 'proofs',
  after: 'listFacets',
  open(store) {
    const { logs } = store.part(PROOFS);
    return {
      signed: signedStates(store),
      routes: ({ service, owned }) => logRoutes(service, logs, owned),
      probes: (service) => [wellKnownLogRoute(service, logs)],
      pages: (service, options) => [proofRoute(service, options, logs)],
    };
  },
};

// The endpoints and deliveries of a store on either database: checks the input, then runs the rules (endpoints.ts,
// claims.ts, deliveries.ts, backlog.ts).
import type { ClaimOptions } from '../../contract/sending.ts';
import type { ClaimedDelivery, DeliveryStore } from '../../contract/deliveries.ts';
import { keptTime } from '../../rows/accounts.ts';
import { checkEndpoint, keptEndpoint } from '../../rows/deliveries.ts';
import { backlog } from './backlog.ts';
import { claimants, ClaimTurns, endpointsDue, freeClaims, type Share } from './claims.ts';
import * as deliveries from './deliveries.ts';
import * as disabling from './disabling.ts';
import * as endpoints from './endpoints.ts';
import { lapsedEndpoint, skipSome } from './lapsed.ts';
import { endNotice, takeNotice } from './notices.ts';
import type { Engine } from '../rule.ts';

/** Runs for thousands of deliveries a second: each database has its own fastest way. */
export interface DeliveryHooks extends Pick<DeliveryStore, 'fanOut' | 'settle'> {
  /** Claims from each endpoint as much as its share, or less when there is less, the oldest first. */
  take(
    shares: readonly Share[],
    options: Pick<ClaimOptions, 'now' | 'lease' | 'until'>,
  ): Promise<readonly ClaimedDelivery[]>;
}

/** The endpoints and deliveries of a store. @param marks as in {@link DeliveryStore.marks} */
export function deliveriesOn(engine: Engine, hooks: DeliveryHooks, marks: string | null): DeliveryStore {
  const turns = new ClaimTurns();
  return {
    marks,
    createEndpoint: async (endpoint) => engine.write(endpoints.createEndpoint, keptEndpoint(endpoint)),
    endpoint: (endpointId) => engine.read(endpoints.endpointById, endpointId),
    endpoints: (accountId) => {
      return accountId === undefined
        ? engine.read(endpoints.allEndpoints)
        : engine.read(endpoints.endpointsOf, accountId);
    },
    updateEndpoint: async (endpointId, change) => {
      checkEndpoint(change);
      return engine.write(endpoints.updateEndpoint, endpointId, change);
    },
    removeEndpoint: (endpointId, { at }) => removeEndpoint(engine, endpointId, at),
    disableEndpoint: (endpointId, options) => engine.write(disabling.disableEndpoint, endpointId, options),
    enableEndpoint: (endpointId) => engine.write(endpoints.enableEndpoint, endpointId),
    prepareSecret: (endpointId, secret) => engine.write(endpoints.prepareSecret, endpointId, secret),
    activateSecret: async (endpointId, { previousUntil } = {}) => {
      const until = previousUntil === undefined ? null : keptTime('previousUntil', previousUntil);
      return engine.write(endpoints.activateSecret, endpointId, until);
    },
    replaceSecret: (endpointId, secret) => engine.write(endpoints.replaceSecret, endpointId, secret),
    ownerOf: (id) => engine.read(deliveries.ownerOf, id),
    anySecret: () => engine.read(endpoints.anySecret),
    fanOut: (options) => hooks.fanOut(options),
    createTest: (endpointId, event, { at }) => engine.write(deliveries.createTest, endpointId, event, at),
    claim: async (options) => {
      const due = await engine.read(endpointsDue, options.now);
      return turns.claim(due, options, (shares) => hooks.take(shares, options));
    },
    freeClaims: async (options) => {
      const gone = (await engine.read(claimants, options)).filter(options.isGone);
      for (const mark of gone) await engine.write(freeClaims, mark, options);
      return gone;
    },
    settle: (outcomes, options) => hooks.settle(outcomes, options),
    replay: async (which, { at }) => {
      if ('deliveryId' in which) return engine.write(deliveries.replayOne, which.deliveryId, at);
      const since = keptTime('since', which.since);
      // Some at a time, so that locks are short. Each part counts on from the one before.
      let part: deliveries.ReplayedPart = { replayed: 0, next: 0 };
      while (part.next !== null) {
        part = await engine.write(
          deliveries.replaySome,
          { ...which, since, after: part.next, before: part.replayed },
          at,
        );
      }
      return part.replayed;
    },
    delivery: (deliveryId, { now } = {}) => engine.read(deliveries.shownDelivery, deliveryId, now),
    deliveries: (endpointId, options) => engine.read(deliveries.deliveriesOf, endpointId, options),
    attempts: (deliveryId) => engine.read(deliveries.attemptsOf, deliveryId),
    skipLapsed: async (options) => {
      const endpoint = await engine.read(lapsedEndpoint, options);
      return endpoint === null ? 0 : engine.write(skipSome, endpoint, options.dueBefore);
    },
    takeNotice: (options) => engine.write(takeNotice, options),
    endNotice: (endpointId, state) => engine.write(endNotice, endpointId, state),
    backlog: ({ now }) => engine.read(backlog, now),
    // A read, which needs no lock, comes before a write that may have nothing to do.
    prune: async ({ before }) => {
      return (await engine.read(deliveries.hasOld, before)) ? engine.write(deliveries.pruneSome, before) : 0;
    },
  };
}

/** Removes an endpoint with its deliveries. @throws GazetteError `unknown_endpoint` */
export async function removeEndpoint(engine: Engine, endpointId: string, at: string): Promise<void> {
  if (!(await engine.write(endpoints.removeSome, endpointId))) return;
  // Many deliveries go some at a time, so that locks are short, and meanwhile none is sent.
  await engine.write(disabling.closeEndpoint, endpointId, at);
  while (await engine.write(endpoints.removeSome, endpointId));
}

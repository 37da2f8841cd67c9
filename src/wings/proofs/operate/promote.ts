// Makes a mirror a register of its own that keeps the log of its source, whose keys and whose file of what was signed last came here
// with it. Two that sign under one name would fork the log: nothing is done while the source answers, or if either has more.
import { isObject } from '../../../checks.ts';
import type { ClientOptions } from '../../../client/client-options.ts';
import { jsonOf, Requester } from '../../../client/requester.ts';
import { GazetteError, isGazetteError, quote } from '../../../errors.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import { PROOFS } from '../stores/plugin.ts';
import type { SignedHead } from './state.ts';

/** How long a source may take to answer, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Statuses of nobody: the register is gone, or a proxy reaches no service. */
const NOBODY: ReadonlySet<unknown> = new Set([404, 410, 502, 504]);

/** What {@link promoteSigned} needs. */
export interface PromoteOptions extends Pick<ClientOptions, 'fetch' | 'signal' | 'sleep'> {
  readonly feedId: string;
  /** What was signed last, by the UUIDs of the logs. */
  readonly heads: ReadonlyMap<string, SignedHead>;
}

/**
 * @returns the name of the log that goes on
 * @throws GazetteError `unknown_feed`; `not_found` for a register that is no mirror, or whose log was not signed with this file;
 *   `register_busy` while the source answers; `log_contradicted` when the mirror has not exactly what was signed; `aborted`
 */
export async function promoteSigned(
  store: Pick<InspectedStore, 'part' | 'mirrors'>,
  { feedId, heads, ...client }: PromoteOptions,
): Promise<string> {
  const { logs, recovery } = store.part(PROOFS);
  const { uuid } = await logs.of(feedId);
  const mirror = await store.mirrors.find(feedId);
  if (mirror === null) throw new GazetteError('not_found', `register ${quote(feedId)} is no mirror`);
  const head = heads.get(uuid);
  if (head === undefined)
    throw new GazetteError(
      'not_found',
      `the log of ${quote(feedId)} that the mirror has, ${uuid}, was not signed with this file of what was signed last: find the file that it was signed with, or begin a new log without --log-state`,
    );
  const { origin, size, root } = head;
  // Where it was read, and where it was signed: a mirror may follow it by another address, or another mirror.
  const places = [mirror.source, `https://${origin.slice(0, origin.lastIndexOf('/log/'))}`];
  for (const source of places) {
    if (!(await isServed(new URL(source), client))) continue;
    throw new GazetteError(
      'register_busy',
      `${source} answers: stop what signs there, so that no two sign under one name, or begin a new log without --log-state`,
      { details: { source } },
    );
  }
  await recovery.promote(feedId, { uuid, size, root });
  return origin;
}

/** Whether somebody may sign the register at an address. That of a mirror itself is not signed. */
async function isServed(source: URL, client: Omit<PromoteOptions, 'feedId' | 'heads'>): Promise<boolean> {
  try {
    const requester = new Requester(source, { ...client, attempts: 1, timeoutMs: PATIENCE_MS });
    const body = jsonOf(await requester.get(source, 'application/json'));
    return !isObject(body) || body.log !== undefined;
  } catch (error) {
    if (isGazetteError(error, 'request_failed')) return false;
    if (isGazetteError(error, 'request_refused')) return !NOBODY.has(error.details.status);
    throw error;
  }
}

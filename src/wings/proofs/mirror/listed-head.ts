// The signed state of a register's log, held against all that the log of logs lists of it: that everybody is shown this log, and no
// older state of it.
import type { Listing } from '../../../mirror/prover.ts';
import type { Requester } from '../../../client/requester.ts';
import { GazetteError, isGazetteError, quote } from '../../../errors.ts';
import { parseVerifierKey, renamedKey, type VerifierKey } from '../tlog/keys.ts';
import { parsePolicy, type TlogPolicy } from '../tlog/policy.ts';
import { checkCosigners } from './cosigners.ts';
import { keptHead, type LogHead, logNamed, readHead, type WatchedLog } from './head.ts';
import { readKept } from './last-checkpoint.ts';
import { holdListed, listedSince, type LogOfLogs, logOfLogsNamed } from './list.ts';
import { type LogSource, servedLogs } from './log-source.ts';

/** How a log is watched. */
export interface WatchOptions {
  /** The key of a register's log, from somebody whom you trust. */
  readonly vkey: string;
  /** What was kept the last time; null: nothing. */
  readonly kept: string | null;
  /** Which witnesses must have signed the log of logs (C2SP tlog-policy). Default: nobody need. */
  readonly policy?: Uint8Array | string | undefined;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  /** Waits for what may come within seconds, where it may: caches keep checkpoints for 5 s, and witnesses sign a moment later. */
  readonly pause?: (ms: number) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** The signed state of a register's log. */
export interface ListedHead {
  readonly log: WatchedLog;
  readonly head: LogHead;
  /** Null: there is no log of logs. */
  readonly listing: Listing | null;
  /** The signed checkpoint of the log of logs; null: there is none. */
  readonly ofLogs: string | null;
}

/** How often what may come within seconds is waited for, and how long, in milliseconds. */
const [TRIES, PAUSE_MS] = [5, 2000];

/**
 * Reads the signed state of a register's log, and the log of logs from where it was read the last time.
 *
 * @throws GazetteError `log_stale` for an old state of either, `log_forked` for two roots that cannot be of one log, `invalid_proof`,
 *   `invalid_option`, `invalid_log_key`, `invalid_input` for a policy, and the errors of the place
 */
export async function readListedHead(place: LogSource, options: WatchOptions): Promise<ListedHead> {
  const key = parseVerifierKey(options.vkey);
  const policy = options.policy === undefined ? null : parsePolicy(options.policy);
  for (let tried = 0; ; tried++) {
    try {
      return await readOnce(place, key, policy, options);
    } catch (error) {
      const mayCome = isGazetteError(error) && (error.code === 'log_stale' || 'quorum' in error.details);
      if (!mayCome || options.pause === undefined || tried === TRIES) throw error;
      await options.pause(PAUSE_MS);
    }
  }
}

async function readOnce(
  place: LogSource,
  key: VerifierKey,
  policy: TlogPolicy | null,
  options: WatchOptions,
): Promise<ListedHead> {
  const { feedId, uuid } = logNamed(key);
  const before = readKept(options.kept, key.name);
  // First, so that what is listed is in the log that is read after it.
  const list = await readLogOfLogs(place, key, before.ofLogs, policy?.logs ?? []);
  const log: WatchedLog = { files: place.files(feedId, uuid), key, kept: before.checkpoint };
  const head = await readHead(log);
  if (list === null) {
    if (policy === null || policy.quorum === 'none') return { log, head, listing: null, ofLogs: null };
    throw new GazetteError(
      'invalid_proof',
      'there is no log of logs, which the witnesses of the policy would have signed',
    );
  }
  const listed = await listedSince(list, key.name, keptHead(list.log)?.size ?? 0);
  await holdListed(log, head, listed, list);
  const { name } = list.log.key;
  const cosigned = policy === null ? [] : checkCosigners(list.head.checkpoint, list.log.key, policy, options.now());
  const newest = listed.reduce((size, one) => Math.max(size, one.size), 0);
  return { log, head, listing: { name, newer: head.size - newest, cosigned }, ofLogs: list.head.checkpoint };
}

/**
 * The logs of the service that has a register.
 *
 * @param register its address
 * @throws GazetteError `invalid_option` when the key is that of another one: it would prove nothing of this one
 */
export function registerPlace(register: URL, vkey: string, requester: Requester): LogSource {
  const { feedId } = logNamed(parseVerifierKey(vkey));
  const [address, api] = /^(.*)\/feeds\/[^/]*$/.exec(register.href.replace(/\/+$/, '')) ?? [];
  if (address?.endsWith(`/feeds/${feedId}`) === true) return servedLogs(api!, requester);
  throw new GazetteError(
    'invalid_option',
    `vkey is the key of the log of ${quote(feedId)}: give the address of that register`,
    { details: { option: 'vkey' } },
  );
}

/**
 * The log of logs; null: there is none.
 *
 * @param known those that the reader's policy names: another one than before is read from its beginning if it is one of them
 * @throws GazetteError `invalid_proof` also where it is another one than before
 */
async function readLogOfLogs(
  place: LogSource,
  key: VerifierKey,
  kept: string | null,
  known: readonly VerifierKey[],
): Promise<LogOfLogs | null> {
  const name = await place.logOfLogs();
  const [before = null] = kept?.split('\n') ?? [];
  const isOther = before !== null && name !== before;
  if (isOther && !known.some((one) => one.name === name)) {
    const now =
      name === null
        ? 'none now'
        : `another now, ${name}: if the service says elsewhere that it was begun anew, name that one in a policy (--policy)`;
    throw new GazetteError('invalid_proof', `the log of logs was ${before} at the last run, and there is ${now}`);
  }
  if (name === null) return null;
  const named = logOfLogsNamed({ name });
  if (named === null) throw new GazetteError('invalid_proof', `${name} must be the name of a log of logs`);
  const log: WatchedLog = {
    files: place.files(null, named.uuid),
    key: renamedKey(key, name),
    kept: isOther ? null : kept,
  };
  return { log, head: await readHead(log) };
}

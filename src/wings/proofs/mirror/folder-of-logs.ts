// The log of logs in a snapshot's folder or a store, and the logs of the registers beside it, compared with what it lists of them.
import { GazetteError } from '../../../errors.ts';
import { parseVerifierKey, renamedKey } from '../tlog/keys.ts';
import { parsePolicy } from '../tlog/policy.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { checkCosigners } from './cosigners.ts';
import { readHead, type WatchedLog } from './head.ts';
import { allListed, holdListed, logOfLogsNamed } from './list.ts';
import type { WatchOptions } from './listed-head.ts';
import { checkTiles } from './log.ts';
import type { ProvedLogOfLogs } from './log-of-logs.ts';
import type { ListingSource } from './log-source.ts';

/** The log of logs in a snapshot's folder, as {@link proveLogsIn} found it. */
export interface ProvedFolderOfLogs extends ProvedLogOfLogs {
  /** The registers whose checkpoint in the folder is newer than what is listed of them. */
  readonly unlisted: readonly string[];
}

/**
 * Checks the log of logs in a snapshot's folder, and the logs of the registers there: each begins with all that its checkpoints said,
 * and its own checkpoint is one of them, unless it is newer than all. A folder of a register may be older than the list.
 *
 * @throws GazetteError as `proveLog()`
 */
export async function proveLogsIn(
  place: ListingSource,
  { vkey, kept, policy, now, signal }: WatchOptions,
): Promise<ProvedFolderOfLogs> {
  const key = parseVerifierKey(vkey);
  const named = logOfLogsNamed(key);
  if (named === null) throw new GazetteError('invalid_option', 'vkey must be the key of a log of logs');
  const log: WatchedLog = { files: place.files(null, named.uuid), key, kept };
  const head = await readHead(log);
  await checkTiles(log, head, await place.earlierTiles(null, named.uuid));
  const listed = await allListed({ log, head });
  const unlisted: string[] = [];
  const there = await place.registers();
  for (const { feedId, uuid: own } of there) {
    throwIfAborted(signal);
    const files = place.files(feedId, own);
    const origin = `${named.service}/api/v1/feeds/${feedId}/log/${own}`;
    const register: WatchedLog = { files, key: renamedKey(key, origin), kept: null };
    const checkpoints = listed.get(origin) ?? [];
    const registerHead = await readHead(register);
    const { size } = registerHead;
    const known = checkpoints.filter((one) => one.size <= size);
    await holdListed(register, registerHead, known, { log, head });
    if (known.some((one) => one.size === size)) continue;
    if (known.length < checkpoints.length) {
      const what = `its checkpoint of ${size} changes is not in the log of logs, which has later ones`;
      throw new GazetteError('invalid_proof', `${files.place} must be what was listed: ${what}`);
    }
    unlisted.push(feedId);
  }
  const names = new Set(there.map(({ uuid: own }) => own));
  const gone = [...listed.keys()].filter((origin) => !names.has(origin.slice(origin.lastIndexOf('/') + 1)));
  const cosigned = policy === undefined ? [] : checkCosigners(head.checkpoint, key, parsePolicy(policy), now());
  return { size: head.size, kept: head.checkpoint, cosigned, logs: there.length, gone, unlisted };
}

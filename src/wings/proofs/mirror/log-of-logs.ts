// The log of logs of a service: every checkpoint in it is read and compared with what is signed, and each register's log must begin
// with all that its checkpoints there say, one after the other.
import { Requester } from '../../../client/requester.ts';
import { addressOf } from '../../../client/address.ts';
import type { ClientOptions } from '../../../client/client-options.ts';
import { GazetteError } from '../../../errors.ts';
import { parseVerifierKey, renamedKey } from '../tlog/keys.ts';
import { parsePolicy } from '../tlog/policy.ts';
import type { Cosignature } from '../../../mirror/prover.ts';
import { checkCosigners } from './cosigners.ts';
import { logNamed, readHead, type WatchedLog } from './head.ts';
import { allListed, holdListed, logOfLogsNamed } from './list.ts';
import { servedLogs, unlessRefused } from './log-source.ts';

/** What a log of logs proves. */
export interface ProvedLogOfLogs {
  /** How many checkpoints are signed. */
  readonly size: number;
  /** The signed checkpoint of the log of logs itself, to be kept for the next time. */
  readonly kept: string;
  /** Which witnesses of the policy signed it, and when. */
  readonly cosigned: readonly Cosignature[];
  /** How many logs of registers begin with all that their checkpoints say. */
  readonly logs: number;
  /** The names of those that are there no more, because the register was removed or has another log. */
  readonly gone: readonly string[];
}

/** Options of {@link proveLogOfLogs}. */
export interface ProveLogOfLogsOptions extends Omit<ClientOptions, 'cache'> {
  /** The key of the log of logs, from somebody whom you trust. */
  readonly vkey: string;
  /** The checkpoint that was seen the last time; null: none. */
  readonly kept: string | null;
  /** Which witnesses must have signed it (C2SP tlog-policy). Default: nobody need. */
  readonly policy?: Uint8Array | string | undefined;
}

/**
 * Checks the log of logs of a service, and the logs of its registers as far as it lists them.
 *
 * @param address `https://example.org/api/v1/log`
 * @throws GazetteError `invalid_proof` for what is not as it was signed; `log_stale` for an old state of a log, `log_forked` when one
 *   does not begin with what it had; `invalid_option`, `invalid_log_key`, `invalid_input` for a policy, and the errors of requests
 */
export async function proveLogOfLogs(
  address: string | URL,
  { vkey, kept, policy, ...client }: ProveLogOfLogsOptions,
): Promise<ProvedLogOfLogs> {
  const url = addressOf(address);
  const key = parseVerifierKey(vkey);
  const named = logOfLogsNamed(key);
  const api = url.href.replace(/\/log\/?$/, '');
  if (named === null || api === url.href) {
    throw new GazetteError('invalid_option', 'vkey must be the key of a log of logs, and its address end with /log', {
      details: { option: 'vkey' },
    });
  }
  const place = servedLogs(api, new Requester(url, client));
  const log: WatchedLog = { files: place.files(null, named.uuid), key, kept };
  const head = await readHead(log);
  const listed = await allListed({ log, head });
  const gone: string[] = [];
  for (const [origin, checkpoints] of listed) {
    const register = renamedKey(key, origin);
    const { feedId, uuid } = logNamed(register);
    const own: WatchedLog = { files: place.files(feedId, uuid), key: register, kept: null };
    const ownHead = await unlessRefused(readHead(own), [404, 410]);
    if (ownHead === null) gone.push(origin);
    else await holdListed(own, ownHead, checkpoints, { log, head });
  }
  const cosigned =
    policy === undefined ? [] : checkCosigners(head.checkpoint, key, parsePolicy(policy), (client.now ?? Date.now)());
  return { size: head.size, kept: head.checkpoint, cosigned, logs: listed.size - gone.length, gone };
}

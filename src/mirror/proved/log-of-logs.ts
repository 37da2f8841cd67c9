// The log of logs of a service: every checkpoint in it is read and compared with what is signed, and each register's log must begin
// with all that its checkpoints there say, one after the other.
import { Requester } from '../../client/requester.ts';
import { addressOf } from '../../client/address.ts';
import type { ClientOptions } from '../../client/client-options.ts';
import { GazetteError, isGazetteError } from '../../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../../proofs/checkpoint.ts';
import { sameHash } from '../../proofs/hashes.ts';
import { parseVerifierKey, renamedKey, type VerifierKey } from '../../proofs/keys.ts';
import { TILE_WIDTH } from '../../proofs/tiles.ts';
import {
  CHECKPOINT,
  type LogFiles,
  type LogHead,
  logNamed,
  readBundle,
  readHead,
  rootBefore,
  servedFiles,
  unsigned,
  type WatchedLog,
} from './head.ts';

/** What a log of logs proves. */
export interface ProvedLogOfLogs {
  /** How many checkpoints are signed. */
  readonly size: number;
  /** The signed checkpoint of the log of logs itself. */
  readonly checkpoint: string;
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
}

/** The name of a log of logs: `<host and path>/api/v1/log/<uuid>`. */
const LOG_OF_LOGS = /\/api\/v1\/log\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The service and the log of logs that a key's name names; null when it is another's. */
export function logOfLogsNamed({ name }: VerifierKey): { readonly service: string; readonly uuid: string } | null {
  const [end, uuid] = LOG_OF_LOGS.exec(name) ?? [];
  return end === undefined || uuid === undefined ? null : { service: name.slice(0, -end.length), uuid };
}

/** Whether a key is that of a log of logs. */
export function isOfLogOfLogs({ name }: VerifierKey): boolean {
  return LOG_OF_LOGS.test(name);
}

/**
 * Checks the log of logs of a service, and the logs of its registers as far as it lists them.
 *
 * @param address `https://example.org/api/v1/log`
 * @throws GazetteError `invalid_proof` for what is not as it was signed; `log_forked` when a log does not begin with what it had;
 *   `invalid_option`, `invalid_log_key`, and the errors of requests
 */
export async function proveLogOfLogs(
  address: string | URL,
  { vkey, kept, ...client }: ProveLogOfLogsOptions,
): Promise<ProvedLogOfLogs> {
  const url = addressOf(address);
  const key = parseVerifierKey(vkey);
  const [, uuid] = LOG_OF_LOGS.exec(key.name) ?? [];
  const api = url.href.replace(/\/log\/?$/, '');
  if (uuid === undefined || api === url.href) {
    throw new GazetteError('invalid_option', 'vkey must be the key of a log of logs, and its address end with /log', {
      details: { option: 'vkey' },
    });
  }
  const requester = new Requester(url, client);
  const log: WatchedLog = { files: servedFiles(`${api}/log/${uuid}`, requester), key, kept };
  const head = await readHead(log);
  const gone: string[] = [];
  const listed = await checkpointsIn(log, head);
  for (const [origin, checkpoints] of listed) {
    const register = renamedKey(key, origin);
    const { feedId, uuid: own } = logNamed(register);
    const files = servedFiles(`${api}/feeds/${feedId}/log/${own}`, requester);
    if (!(await hasAll({ files, key: register, kept: null }, checkpoints, head))) gone.push(origin);
  }
  return { size: head.size, checkpoint: head.checkpoint, logs: listed.size - gone.length, gone };
}

/** The checkpoints of each log, in their order. @throws GazetteError `invalid_proof`, `log_forked` */
export async function checkpointsIn(
  log: WatchedLog,
  head: LogHead,
): Promise<ReadonlyMap<string, readonly Checkpoint[]>> {
  const listed = new Map<string, Checkpoint[]>();
  for (let index = 0; index * TILE_WIDTH < head.size; index++) {
    const { path, entries } = await readBundle(log, head, index);
    for (const bytes of entries) {
      const checkpoint = checkpointOf(bytes);
      if (checkpoint === null) throw unsigned(log, `${path}, where each entry is a checkpoint,`);
      const before = listed.get(checkpoint.origin) ?? [];
      const last = before.at(-1);
      if (last !== undefined && last.size > checkpoint.size)
        throw forked(head, checkpoint.origin, `had ${last.size} changes, and ${checkpoint.size} later`);
      before.push(checkpoint);
      listed.set(checkpoint.origin, before);
    }
  }
  return listed;
}

function checkpointOf(bytes: Uint8Array): Checkpoint | null {
  try {
    return parseCheckpoint(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!isGazetteError(error, 'invalid_proof')) throw error;
    return null;
  }
}

/** Whether a register's log is there. @throws GazetteError `log_forked` when it does not begin with these checkpoints */
export async function hasAll(log: WatchedLog, checkpoints: readonly Checkpoint[], ofLogs: LogHead): Promise<boolean> {
  const head = await headIfThere(log);
  if (head === null) return false;
  const kept = { ...log, files: keptTile(log.files) };
  for (const { origin, size, root } of checkpoints) {
    if (size > head.size)
      throw forked(ofLogs, origin, `had ${size} changes, and shows ${head.size} now`, head.checkpoint);
    if (!sameHash(await rootBefore(kept, head, size), root))
      throw forked(ofLogs, origin, `does not begin with the ${size} changes that it had`, head.checkpoint);
  }
  return true;
}

async function headIfThere(log: WatchedLog): Promise<LogHead | null> {
  try {
    return await readHead(log);
  } catch (error) {
    if (isGazetteError(error, 'request_refused') && [404, 410].includes(Number(error.details.status))) return null;
    throw error;
  }
}

/** The same files, of which the last one is kept: successive checkpoints end in the same tile. */
function keptTile(files: LogFiles): LogFiles {
  let last: { readonly path: string; readonly bytes: Uint8Array } | null = null;
  return {
    place: files.place,
    async read(path) {
      if (last?.path !== path || path === CHECKPOINT) last = { path, bytes: await files.read(path) };
      return last.bytes;
    },
  };
}

function forked(ofLogs: LogHead, origin: string, how: string, served: string = ofLogs.checkpoint): GazetteError {
  const message = `the log ${origin} ${how}, by the log of logs: keep both checkpoints, they prove it`;
  return new GazetteError('log_forked', message, { details: { kept: ofLogs.checkpoint, served } });
}

// The entries of a log of logs, which are checkpoints of registers, and a register's log held against those of it.
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { type Checkpoint, parseCheckpoint } from '../tlog/checkpoint.ts';
import { sameHash } from '../tlog/hashes.ts';
import type { VerifierKey } from '../tlog/keys.ts';
import { formatProof } from '../tlog/record-proof.ts';
import { TILE_WIDTH } from '../tlog/tiles.ts';
import { inclusionRanges } from '../tlog/tree.ts';
import { checkBegins, hashesIn, type LogHead, readBundle, stale, unsigned, type WatchedLog } from './head.ts';
import { CHECKPOINT, type LogFiles } from './log-source.ts';

/** A log of logs, as it is signed now. */
export interface LogOfLogs {
  readonly log: WatchedLog;
  readonly head: LogHead;
}

/** A checkpoint of a register in a log of logs. */
export interface Listed extends Checkpoint {
  /** Its place there, from 0. */
  readonly index: number;
  /** The bytes of the entry. */
  readonly entry: Uint8Array;
}

/** The name of a log of logs: `<host and path>/api/v1/log/<uuid>`. */
const LOG_OF_LOGS = /\/api\/v1\/log\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The service and the log of logs that a key's name names; null when it is another's. */
export function logOfLogsNamed({
  name,
}: Pick<VerifierKey, 'name'>): { readonly service: string; readonly uuid: string } | null {
  const [end, uuid] = LOG_OF_LOGS.exec(name) ?? [];
  return end === undefined || uuid === undefined ? null : { service: name.slice(0, -end.length), uuid };
}

/** The checkpoints in a log of logs, of each log in their order. @throws GazetteError `invalid_proof` */
export async function allListed(list: LogOfLogs): Promise<ReadonlyMap<string, readonly Listed[]>> {
  const found = new Map<string, Listed[]>();
  for (let bundle = 0; bundle * TILE_WIDTH < list.head.size; bundle++) {
    for (const one of await listedIn(list, bundle)) {
      const before = found.get(one.origin);
      if (before === undefined) found.set(one.origin, [one]);
      else before.push(one);
    }
  }
  return found;
}

/**
 * The checkpoints of one log from a place on, in their order. Where there is none, the last ones before that.
 *
 * @param origin the name of the log
 * @throws GazetteError `invalid_proof`
 */
export async function listedSince(list: LogOfLogs, origin: string, from: number): Promise<readonly Listed[]> {
  const first = Math.floor(from / TILE_WIDTH);
  const found: Listed[] = [];
  for (let bundle = first; bundle * TILE_WIDTH < list.head.size; bundle++)
    found.push(...(await listedIn(list, bundle)).filter((one) => one.origin === origin));
  for (let bundle = first - 1; bundle >= 0 && found.length === 0; bundle--)
    found.push(...(await listedIn(list, bundle)).filter((one) => one.origin === origin));
  return found;
}

async function listedIn({ log, head }: LogOfLogs, bundle: number): Promise<Listed[]> {
  const { path, entries } = await readBundle(log, head, bundle);
  return entries.map((entry, at) => {
    const checkpoint = checkpointIn(entry);
    if (checkpoint === null) throw unsigned(log, `${path}, where each entry is a checkpoint,`);
    return { ...checkpoint, index: bundle * TILE_WIDTH + at, entry };
  });
}

function checkpointIn(entry: Uint8Array): Checkpoint | null {
  try {
    return parseCheckpoint(new TextDecoder().decode(entry));
  } catch (error) {
    if (!isGazetteError(error, 'invalid_proof')) throw error;
    return null;
  }
}

/**
 * Holds a register's log against the checkpoints of it that are listed: it begins with each of them, so that each begins with the ones
 * before, and none is newer.
 *
 * @throws GazetteError `log_forked` for one that cannot be of this log, `log_stale` for one that is newer, `invalid_proof`
 */
export async function holdListed(
  register: WatchedLog,
  head: LogHead,
  listed: readonly Listed[],
  list: LogOfLogs,
): Promise<void> {
  const log = { ...register, files: keepingTile(register.files) };
  const newer = new Map<number, Listed>();
  let newest = head.size;
  for (const one of listed) {
    if (one.size <= head.size) {
      await checkBegins(log, head, one, () => proofOf(list, one));
      continue;
    }
    const twin = newer.get(one.size);
    if (twin !== undefined && !sameHash(twin.root, one.root)) {
      const message = `the log of logs lists two logs ${one.origin} of ${one.size} changes: keep the evidence`;
      throw new GazetteError('log_forked', message, {
        details: { kept: await proofOf(list, twin), served: await proofOf(list, one) },
      });
    }
    newer.set(one.size, one);
    newest = Math.max(newest, one.size);
  }
  if (newest === head.size) return;
  const what = `the log ${log.key.name} is shown as it was at change ${head.size}`;
  throw stale(`${what}: it is stale, the log of logs has ${newest - head.size} changes more`);
}

/** The proof that a checkpoint is in a log of logs, with its entry (C2SP tlog-proof). */
async function proofOf({ log, head }: LogOfLogs, { index, entry }: Listed): Promise<string> {
  const hashes = await hashesIn(log, inclusionRanges(index, head.size), head.size);
  return formatProof({ extra: entry, index, hashes, checkpoint: head.checkpoint });
}

/** The same files, of which the last one is kept: successive checkpoints end in the same tile. */
function keepingTile(files: LogFiles): LogFiles {
  let last: { readonly path: string; readonly bytes: Uint8Array } | null = null;
  return {
    place: files.place,
    async read(path) {
      if (last?.path !== path || path === CHECKPOINT) last = { path, bytes: await files.read(path) };
      return last.bytes;
    },
  };
}

// `gazette verify --vkey`: everything that a register recorded, read again and compared with what its log signed, now and at the last
// run; or the log in a snapshot's folder, or in a store.
import { readFileSync } from 'node:fs';
import { GazetteError } from '../../../errors.ts';
import { provedChanges } from '../../../mirror/proved/changes.ts';
import { type LogPlace, proveFolder, type ProvedFolder } from '../../../mirror/proved/folder.ts';
import { type ProvedFolderOfLogs, proveLogsIn } from '../../../mirror/proved/folder-of-logs.ts';
import { isOfLogOfLogs, proveLogOfLogs, type ProvedLogOfLogs } from '../../../mirror/proved/log-of-logs.ts';
import { SeenCheckpoint } from '../../../mirror/proved/seen.ts';
import { checkCosigners, type Cosignature, readCosigners } from '../../../mirror/proved/witnesses.ts';
import { parseVerifierKey } from '../../../proofs/keys.ts';
import { counted } from '../../../register/counted.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import type { Io } from '../../io/io.ts';
import { Progress } from '../../io/progress.ts';
import { checkPages } from '../../../snapshot/proved-pages.ts';
import { storePlace } from './store-place.ts';

/** The options of `gazette verify` for an address. */
export interface VerifyRegisterOptions {
  readonly vkey?: string;
  readonly state?: string;
  readonly witness?: readonly string[];
  readonly policy?: string;
}

/** @throws GazetteError `usage`, and the errors of `provedChanges()` */
export async function verifyRegister(
  address: string,
  { vkey, ...options }: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (vkey === undefined) throw new GazetteError('usage', 'an address needs --vkey, the key of the register’s log');
  if (isOfLogOfLogs(parseVerifierKey(vkey))) return verifyLogOfLogs(address, { vkey, ...options }, io, signal);
  const key = io.env.GAZETTE_API_KEY;
  const live = new Set<number>();
  let changes = 0;
  let checkpoint = '';
  const progress = new Progress(io.stderr, null, undefined, '', 'change');
  const compare = async (kept: string | null): Promise<Proved> => {
    const proved = provedChanges(address, {
      ...{ vkey, kept, since: 0, signal },
      ...(key === undefined || key === '' ? {} : { key }),
      onProved: (head) => {
        checkpoint = head.checkpoint;
      },
    });
    for await (const { position, cause } of proved) {
      if (cause === 'withdrawn' || cause === 'redacted') live.delete(position);
      else live.add(position);
      progress.update({ records: ++changes, bytesRead: 0, of: null });
    }
    return { size: changes, records: live.size, checkpoint };
  };
  try {
    await report(compare, { vkey, ...options }, io);
  } finally {
    progress.clear();
  }
}

async function verifyLogOfLogs(
  address: string,
  { vkey, ...options }: VerifyRegisterOptions & { readonly vkey: string },
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const compare = async (kept: string | null): Promise<Proved & ProvedLogOfLogs> => ({
    ...(await proveLogOfLogs(address, { vkey, kept, signal })),
    records: null,
  });
  reportLogs(await report(compare, { vkey, ...options }, io, 'checkpoint'), io);
}

function reportLogs({ logs, gone }: Pick<ProvedLogOfLogs, 'logs' | 'gone'>, io: Io): void {
  io.stdout.write(`${counted(logs, 'log')} of registers, each with all that its checkpoints said\n`);
  for (const name of gone) io.stdout.write(`there no more, and not compared: ${name}\n`);
}

/** Checks the log of a register in a snapshot, or the log of logs. @throws GazetteError `usage`, and the errors of `proveFolder()` */
export async function verifyFolderLog(
  folder: string,
  options: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  let unsigned = 0;
  const found = await verifyLogsIn(folder, options, io, signal, async ({ feedId, size, positions }) => {
    if (positions !== null) unsigned = await checkPages(folder, { feedId, size, positions });
  });
  if (found === null) return;
  const { feedId, positions } = found;
  if (unsigned > 0) {
    const what = `its pages have ${counted(unsigned, 'change')} that the log has not signed yet: as many records were not compared`;
    io.stdout.write(`${feedId}: ${what}\n`);
  }
  const what =
    positions === null
      ? 'this proves how many changes there were; when, and of which records, is in the entries, which this snapshot lacks'
      : 'this proves which changes there were, and when; what a record says is compared by gazette pull --prove, because snapshots lack the salts for it';
  io.stdout.write(`${feedId}: ${what}\n`);
}

/**
 * Checks the log of a register in a store, or the log of logs, and every row of the store, so that the records say what was signed.
 *
 * @param name of the store, for messages
 * @throws GazetteError `usage`, `invalid_store` for what `gazette doctor` finds, and the errors of `proveFolder()`
 */
export async function verifyStoreLog(
  { logs, inspection }: Pick<InspectedStore, 'logs' | 'inspection'>,
  name: string,
  options: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  for await (const { findings } of inspection.rows({ signal })) {
    const [found] = findings;
    if (found === undefined) continue;
    throw new GazetteError('invalid_store', `${name} has a fault, see gazette doctor: ${found.problem}`);
  }
  await verifyLogsIn(storePlace(logs, name), options, io, signal);
}

/**
 * @param check of what else the log of a register says, before anything is said
 * @returns what the log of a register proves; null for the log of logs
 */
async function verifyLogsIn(
  place: string | LogPlace,
  { vkey, ...options }: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
  check?: (found: ProvedFolder) => Promise<void>,
): Promise<ProvedFolder | null> {
  if (vkey === undefined)
    throw new GazetteError('usage', '--state, --witness and --policy need --vkey, the key of a register’s log');
  if (isOfLogOfLogs(parseVerifierKey(vkey))) {
    const compare = async (kept: string | null): Promise<Proved & ProvedFolderOfLogs> => ({
      ...(await proveLogsIn(place, { vkey, kept, signal })),
      records: null,
    });
    const { logs, gone, unlisted } = await report(compare, { vkey, ...options }, io, 'checkpoint');
    reportLogs({ logs, gone }, io);
    for (const feedId of unlisted)
      io.stdout.write(`newer than the log of logs, and not listed yet: the checkpoint of ${feedId}\n`);
    return null;
  }
  const compare = async (kept: string | null): Promise<ProvedFolder> => {
    const found = await proveFolder(place, { vkey, kept, signal });
    await check?.(found);
    return found;
  };
  return report(compare, { vkey, ...options }, io);
}

/** A policy file. @throws GazetteError `invalid_option` */
export function readPolicy(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new GazetteError('invalid_option', `--policy cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** When a witness signed, for people. */
export function cosignedText({ name, at, isStale }: Cosignature): string {
  return `signed by the witness ${name} at ${at}${isStale ? ', which is stale: more than a day ago' : ''}`;
}

/** What was proved. */
interface Proved {
  readonly size: number;
  readonly records: number | null;
  readonly checkpoint: string;
}

/** Compares with the checkpoint of the last run, keeps the new one, and says what was proved. */
async function report<Found extends Proved>(
  compare: (kept: string | null) => Promise<Found>,
  { vkey, state, witness, policy }: VerifyRegisterOptions & { readonly vkey: string },
  { stdout }: Io,
  unit = 'change',
): Promise<Found> {
  const cosigners = readCosigners(
    parseVerifierKey(vkey),
    witness,
    policy === undefined ? undefined : readPolicy(policy),
  );
  const seen = state === undefined ? null : new SeenCheckpoint(state);
  const kept = (await seen?.read()) ?? null;
  const found = await (seen === null ? compare(kept) : seen.watching(() => compare(kept)));
  const cosigned = checkCosigners(found.checkpoint, cosigners, Date.now());
  await seen?.keep(found.checkpoint);
  const since = kept === null ? '' : `, which begins with the ${kept.split('\n')[1]!} of the last run`;
  const records = found.records === null ? '' : `: ${counted(found.records, 'record')}`;
  stdout.write(`complete and unrewritten to ${unit} ${found.size}${since}${records}\n`);
  for (const one of cosigned) stdout.write(`${cosignedText(one)}\n`);
  return found;
}

// `gazette verify --vkey`: everything that a register recorded, read again and compared with what its log signed, now and at the last
// run, and with what the log of logs lists of it; or as much of it as is public, or as a snapshot's folder or a store has.
import { Requester } from '../../../client/requester.ts';
import { GazetteError, isGazetteError } from '../../../errors.ts';
import { type Proved, provedChanges } from '../mirror/changes.ts';
import type { Cosignature, Listing } from '../../../mirror/prover.ts';
import { type ProvedFolderOfLogs, proveLogsIn } from '../mirror/folder-of-logs.ts';
import { logOfLogsNamed } from '../mirror/list.ts';
import { registerPlace, type WatchOptions } from '../mirror/listed-head.ts';
import { type ProvedLog, proveLog } from '../mirror/log.ts';
import { proveLogOfLogs, type ProvedLogOfLogs } from '../mirror/log-of-logs.ts';
import { folderLogs, type ListingSource } from '../mirror/log-source.ts';
import { LastCheckpoint } from '../mirror/last-checkpoint.ts';
import { parseVerifierKey } from '../tlog/keys.ts';
import { counted } from '../../../register/counted.ts';
import type { InspectedStore } from '../../../stores/contract/inspection.ts';
import type { Io } from '../../../cli/io/io.ts';
import { Progress } from '../../../cli/io/progress.ts';
import { type PolicyOptions, readPolicy } from './policy.ts';
import { LoggedRecords } from '../snapshot/logged-records.ts';
import { checkPages } from '../snapshot/proved-pages.ts';
import { type FolderWords, proveWords } from '../snapshot/proved-words.ts';
import { storePlace } from './store-place.ts';
import { PROOFS } from '../stores/plugin.ts';

/** The options of `gazette verify` for an address. */
export interface VerifyRegisterOptions extends PolicyOptions {
  readonly vkey?: string;
  readonly state?: string;
}

/** How to compare, without what was kept. */
type Watch = Omit<WatchOptions, 'kept'>;

/** What was proved, and what to keep. */
interface Found {
  readonly size: number;
  readonly kept: string;
}

/** @throws GazetteError `usage`, and the errors of `provedChanges()` */
export async function verifyRegister(
  address: string,
  { vkey, ...options }: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (vkey === undefined) throw new GazetteError('usage', 'an address needs --vkey, the key of the register’s log');
  const watch = watchOf(vkey, options, signal);
  if (isOfLogOfLogs(vkey)) {
    reportLogs(await compared((kept) => proveLogOfLogs(address, { ...watch, signal, kept }), options), io);
    return;
  }
  const key = io.env.GAZETTE_API_KEY ?? '';
  const client = { signal, ...(key === '' ? {} : { key }) };
  try {
    reportWhole(await compared((kept) => readAll(address, { ...watch, ...client, kept }, io), options), io);
  } catch (error) {
    if (key !== '' || !isGazetteError(error, 'request_refused') || error.details.status !== 401) throw error;
    const url = new URL(address);
    const place = registerPlace(url, vkey, new Requester(url, client));
    reportLog(await compared((kept) => proveLog(place, { ...watch, kept }), options), io);
  }
}

/** Reads all versions of a register. */
async function readAll(
  address: string,
  options: Parameters<typeof provedChanges>[1],
  io: Io,
): Promise<Proved & { readonly records: number }> {
  const live = new Set<number>();
  let changes = 0;
  let proved: Proved | null = null;
  const progress = new Progress(io.stderr, null, undefined, '', 'change');
  try {
    const all = provedChanges(address, { ...options, since: 0, onProved: (found) => void (proved = found) });
    for await (const { position, cause } of all) {
      if (cause === 'withdrawn' || cause === 'redacted') live.delete(position);
      else live.add(position);
      progress.update({ records: ++changes, bytesRead: 0, of: null });
    }
    return { ...proved!, records: live.size };
  } finally {
    progress.clear();
  }
}

/** Checks the log of a register in a snapshot, or the log of logs. @throws GazetteError `usage`, and the errors of `proveLog()` */
export async function verifyFolderLog(
  folder: string,
  { vkey, ...options }: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (vkey === undefined)
    throw new GazetteError('usage', '--state, --witness and --policy need --vkey, the key of a register’s log');
  const watch = watchOf(vkey, options, signal);
  const place = folderLogs(folder);
  if (isOfLogOfLogs(vkey)) return verifyLogsIn(place, watch, options, io);
  const found = await compared(async (kept) => {
    const logged = new LoggedRecords();
    const log = await proveLog(place, { ...watch, kept }, (entry) => {
      logged.add(entry);
    });
    const { feedId, size, positions } = log;
    if (positions === null) return { ...log, unsigned: 0, words: null };
    const unsigned = await checkPages(folder, { feedId, size, positions });
    return { ...log, unsigned, words: await proveWords(folder, feedId, { logged, size }, signal) };
  }, options);
  const { unsigned, words } = found;
  reportWords(found, words, io);
  if (unsigned === 0) return;
  const what = `its pages have ${counted(unsigned, 'change')} that the log has not signed yet: as many records were not compared`;
  io.stdout.write(`${found.feedId}: ${what}\n`);
}

/**
 * Checks the log of a register in a store, or the log of logs, and every row of the store, so that the records say what was signed.
 *
 * @param name of the store, for messages
 * @throws GazetteError `usage`, `invalid_store` for what `gazette doctor` finds, and the errors of `proveLog()`
 */
export async function verifyStoreLog(
  store: Pick<InspectedStore, 'part' | 'inspection'>,
  name: string,
  { vkey, ...options }: VerifyRegisterOptions,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  if (vkey === undefined)
    throw new GazetteError('usage', 'a store needs --vkey, the key of a register’s log, or of the log of logs');
  const watch = watchOf(vkey, options, signal);
  for await (const { findings } of store.inspection.rows({ signal })) {
    const [found] = findings;
    if (found === undefined) continue;
    throw new GazetteError('invalid_store', `${name} has a fault, see gazette doctor: ${found.problem}`);
  }
  const place = storePlace(store.part(PROOFS).logs, name);
  if (isOfLogOfLogs(vkey)) return verifyLogsIn(place, watch, options, io);
  const found = await compared((kept) => proveLog(place, { ...watch, kept }), options);
  reportWhole({ ...found, records: found.positions!.size }, io);
}

async function verifyLogsIn(place: ListingSource, watch: Watch, options: VerifyRegisterOptions, io: Io): Promise<void> {
  const found = await compared((kept) => proveLogsIn(place, { ...watch, kept }), options);
  reportLogs(found, io);
  for (const feedId of found.unlisted)
    io.stdout.write(`newer than the log of logs, and not listed yet: the checkpoint of ${feedId}\n`);
}

function isOfLogOfLogs(vkey: string): boolean {
  return logOfLogsNamed(parseVerifierKey(vkey)) !== null;
}

function watchOf(vkey: string, options: PolicyOptions, signal: AbortSignal): Watch {
  return { vkey, policy: readPolicy(options), now: Date.now, signal };
}

/** What was proved, and how it goes on from the last run, for people. */
type Compared<Of> = Of & { readonly since: string };

/** Compares with what was kept of the last run, and keeps the new state. */
async function compared<Of extends Found>(
  compare: (kept: string | null) => Promise<Of>,
  { state }: VerifyRegisterOptions,
): Promise<Compared<Of>> {
  if (state === undefined) return { ...(await compare(null)), since: '' };
  const seen = new LastCheckpoint(state);
  const kept = await seen.read();
  const found = await seen.watching(() => compare(kept));
  await seen.keep(found.kept);
  return { ...found, since: kept === null ? '' : `, which begins with the ${kept.split('\n')[1]!} of the last run` };
}

/** Says that all that a register recorded is what was signed. */
function reportWhole({ size, since, records, listing }: Compared<Proved & { readonly records: number }>, io: Io): void {
  io.stdout.write(`complete and unrewritten to change ${size}${since}: ${counted(records, 'record')}\n`);
  reportListing(listing, io);
}

/** Says of how many records of a folder every word is proved, in which files, and what is not proved. */
function reportWords(found: Compared<ProvedLog>, words: FolderWords | null, io: Io): void {
  if (words === null || words.records === 0) {
    reportLog(found, io);
    return;
  }
  const { size, since, positions, listing } = found;
  const { records, compared, uncompared } = words;
  const others = positions!.size - records;
  const rest = others > 0 ? `; what ${counted(others, 'record says', 'records say')} is not proved` : '';
  const not = uncompared.length === 0 ? '' : `, but not compared in ${uncompared.join(', ')}`;
  io.stdout.write(`${counted(records, 'record')}: every word as signed${not}${rest}\n`);
  io.stdout.write(`compared in pages: ${compared.join(', ')}\n`);
  io.stdout.write('what columns are called, and which value stands under which name, is the word of the folder\n');
  io.stdout.write(
    `the log is complete and unrewritten to change ${size}${since}: ${counted(positions!.size, 'record')}\n`,
  );
  reportListing(listing, io);
}

/** Says that a log is what was signed, and what that does not say. */
function reportLog({ size, since, positions, listing }: Compared<ProvedLog>, io: Io): void {
  const [records, what] =
    positions === null
      ? ['', 'when its changes were made, of which records, and what records say']
      : [`: ${counted(positions.size, 'record')}`, 'what records say'];
  io.stdout.write(`the log is complete and unrewritten to change ${size}${since}${records}; ${what} is not proved\n`);
  reportListing(listing, io);
}

function reportListing(listing: Listing | null, io: Io): void {
  for (const line of listingTexts(listing)) io.stdout.write(`${line}\n`);
}

function reportLogs(
  { size, since, logs, gone, cosigned }: Compared<ProvedLogOfLogs | ProvedFolderOfLogs>,
  io: Io,
): void {
  io.stdout.write(`complete and unrewritten to checkpoint ${size}${since}\n`);
  io.stdout.write(`${counted(logs, 'log')} of registers, each with all that its checkpoints said\n`);
  for (const name of gone) io.stdout.write(`there no more, and not compared: ${name}\n`);
  for (const one of cosigned) io.stdout.write(`${cosignedText(one)}\n`);
}

/** What the log of logs says of a register's log, for people. */
export function listingTexts(listing: Listing | null): readonly string[] {
  if (listing === null) return ['there is no log of logs: whether others are shown the same is not proved'];
  const { name, newer, cosigned } = listing;
  const what = newer === 0 ? 'all of it' : `all but the newest ${counted(newer, 'change')}`;
  return [`in the log of logs ${name}: ${what}`, ...cosigned.map(cosignedText)];
}

/** Who signed a log of logs, and when, for people. */
export function cosignedText({ name, at, isStale }: Cosignature): string {
  return `signed by the witness ${name} at ${at}${isStale ? ', which is stale: more than a day ago' : ''}`;
}

// What is wrong with an installation: the rows of its store, what the database says of its files, and what lies around
// it: the modes of files, what interrupted commands left, the key of the secrets.
import { type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
import { GazetteError } from '../errors.ts';
import { counted } from '../register/counted.ts';
import type { Finding, InspectedPart, InspectedStore } from '../stores/contract/inspection.ts';
import { isHeld } from '../stores/lease/take-lease.ts';
import { lackedByCatalogues } from './registers/catalogued.ts';
import { overdueRegisters } from './registers/overdue.ts';
import type { SecretBox } from '../webhooks/send/secret-box.ts';

/** Options of {@link examine}. */
export interface ExamineOptions {
  /** The path of the store's file; null for a store that is not a file. */
  readonly file: string | null;
  /** Opens the secrets of endpoints; it is asked only if there are any. */
  readonly box: () => SecretBox;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Ends the examination. */
  readonly signal?: AbortSignal;
  /** What is examined besides. Default: nothing. */
  readonly others?: readonly Examination[];
}

/** Finds what is wrong. */
export type Examination = (store: InspectedStore, options: Pick<ExamineOptions, 'now'>) => Promise<readonly Finding[]>;

/** A part of an examination. */
export interface ExaminedPart extends InspectedPart {
  /** What could not be checked, and what registers might say besides. */
  readonly notes: readonly string[];
}

/** A file of an interrupted command: a running one writes to it all the time. */
const LEFT_AFTER_MS = 3_600_000;

/** The name of a file that is being written (files/whole-file.ts). */
const TEMPORARY = /^\..+\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Nobody but the owner and the owner's group may read or write it. */
const OTHERS = 0o007;

/**
 * Examines an installation. It changes nothing, needs constant memory, and others may use the store meanwhile.
 *
 * @throws GazetteError `aborted`; the errors of the store where it cannot be read, unless the damage was found before
 */
export async function* examine(
  store: InspectedStore,
  options: ExamineOptions,
): AsyncGenerator<ExaminedPart, void, undefined> {
  const { others = [] } = options;
  const nothing = { versions: 0, ofVersions: 0, notes: [] };
  const { findings, notes } = await store.inspection.damage();
  yield { ...nothing, findings, notes };
  try {
    yield { ...nothing, findings: [...(await aroundFile(options)), ...(await voidLeases(store))] };
    yield { ...nothing, findings: [...(await heldPurges(store)), ...(await closedSecrets(store, options))] };
    for (const other of others) yield { ...nothing, findings: await other(store, options) };
    let isWhole = findings.length === 0;
    let checked = { versions: 0, ofVersions: 0 };
    for await (const part of store.inspection.rows(options)) {
      checked = part;
      isWhole &&= part.findings.length === 0;
      yield { ...part, notes: [] };
    }
    // Of a damaged store other things are to be known first.
    if (!isWhole) return;
    yield { ...checked, findings: await waitingForFiles(store, options), notes: await lackedByCatalogues(store) };
  } catch (error) {
    options.signal?.throwIfAborted();
    if (findings.length === 0) throw error;
    yield { ...nothing, findings: [aboutStore('the rest of the store cannot be read because of the damage')] };
  }
}

/** Something wrong in a store that is said of no row. */
export function aboutStore(problem: string, finding: Partial<Finding> = {}): Finding {
  return { table: null, row: null, feedId: null, recordId: null, version: null, ...finding, problem };
}

/** What is wrong with the file of the store and with others beside it. */
async function aroundFile({ file, now = Date.now }: ExamineOptions): Promise<Finding[]> {
  if (file === null) return [];
  const findings: Finding[] = [];
  const modes = [file, `${file}-wal`, `${file}-shm`].map((path) => [path, modeOf(path)] as const);
  for (const [path, mode] of modes) {
    // SQLite gives its own files the mode of the store.
    if ((mode & OTHERS) === 0 || (path !== file && mode === modes[0]![1])) continue;
    const shown = mode.toString(8).padStart(4, '0');
    findings.push(aboutStore(`the mode of ${path} must be 0600, or give others no access, got ${shown}`));
  }
  const folder = dirname(file);
  for (const name of (await readdir(folder)).filter((one) => TEMPORARY.test(one))) {
    const path = join(folder, name);
    const stats = statsOf(path);
    if (stats === undefined || now() - stats.mtimeMs < LEFT_AFTER_MS) continue;
    findings.push(aboutStore(`${path} was left by a command that was interrupted: it can be deleted`));
  }
  return findings;
}

/** Its permissions; 0 where there is no file, and on Windows, which has none. */
function modeOf(path: string): number {
  return platform() === 'win32' ? 0 : (statsOf(path)?.mode ?? 0) & 0o777;
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

/** The leases that keep nobody out any more. */
async function voidLeases({ inspection, leases }: InspectedStore): Promise<Finding[]> {
  const found = (await inspection.leases()).filter((lease) => !isHeld(leases, lease));
  return found.map(({ feedId, what, pid, host, until }) => {
    const problem = `the lease of process ${pid} on ${host} until ${until} is void (${what}): run its command again to complete it`;
    return aboutStore(problem, { table: 'leases', feedId });
  });
}

/** Purges that others have held up: what was erased may still be in the database's files. */
async function heldPurges({ purges }: InspectedStore): Promise<Finding[]> {
  const pending = await purges.pending();
  if (pending === null) return [];
  const { askedAt, parts } = pending;
  const problem = `the purge asked for at ${askedAt} has not ended (${parts.join(', ')}): every command that opens the store for writing tries it again`;
  return [aboutStore(problem, { table: 'purges' })];
}

/** Registers into which no file was taken for longer than they say. */
async function waitingForFiles(store: InspectedStore, { now = Date.now }: ExamineOptions): Promise<Finding[]> {
  const overdue = await overdueRegisters(store, now());
  return [...overdue].map(([feedId, { words }]) => aboutStore(words, { table: 'registers', feedId }));
}

/** The secrets of endpoints that the key does not open. */
async function closedSecrets(store: InspectedStore, { box }: ExamineOptions): Promise<Finding[]> {
  const secrets = await store.inspection.secrets();
  const problems = new Map<string, number>();
  let opened: SecretBox | null = null;
  for (const { endpointId, secret } of secrets) {
    try {
      opened ??= box();
      opened.open(secret, endpointId);
    } catch (error) {
      if (!(error instanceof GazetteError)) throw error;
      problems.set(error.message, (problems.get(error.message) ?? 0) + 1);
    }
  }
  return [...problems].map(([message, count]) => {
    return aboutStore(opened === null ? `${message} (${counted(count, 'secret')})` : message, {
      table: 'webhook_endpoints',
    });
  });
}

// An operator's work with imports: lists them, shows what is proposed, approves or discards it, and takes an import back.
import { GazetteError } from '../../errors.ts';
import { type LoggedImport, loggedImport } from '../../import/logged-import.ts';
import { type ImportReport, outlineOf } from '../../import/proposals/report.ts';
import { proposeUndo, type Undo } from '../../import/proposals/undoing.ts';
import { toEpochMs } from '../../register/time.ts';
import type { ImportCounts } from '../../stores/contract/imports/counts.ts';
import { type ImportEntry, IMPORTS_PAGE_SIZE } from '../../stores/contract/imports/log.ts';
import type { LeaseHolder } from '../../stores/contract/leases.ts';
import type { StoredProposal } from '../../stores/contract/imports/proposals.ts';
import { carryOut, type CarryOutOptions } from '../../stores/lease/carry-out.ts';
import { holdRegister, type WaitOptions } from '../../stores/lease/hold-register.ts';
import { isHeld } from '../../stores/lease/take-lease.ts';
import { unknownFeed } from '../../stores/rows/register.ts';

/** A proposal, with what it says of itself. */
export interface ShownProposal extends Pick<StoredProposal, 'number' | 'digest' | 'settings'> {
  /** Whether the register changed so that it would do something else. */
  readonly isOutdated: boolean;
  readonly entry: ImportEntry;
  readonly report: ImportReport;
}

/** How a proposal is decided. */
export interface DecideOptions extends WaitOptions, Pick<CarryOutOptions, 'onProgress'> {
  /** Who decides, for the log. */
  readonly who: string | null;
  /** The digest of the proposal that was read. Default: whatever it is now. */
  readonly digest?: Uint8Array;
  /** Whether records that were set by hand stay so, where the file says something else of them; that is remembered. Default false. */
  readonly keepsHand?: boolean;
  /** Called with the number of the import once it is begun: what refuses it has been checked, and the rest takes its time. */
  readonly onBegun?: (number: number) => void;
}

/** How an import is taken back. */
export interface UndoOptions extends Omit<DecideOptions, 'digest' | 'keepsHand'> {
  /** Keeps it as a proposal. Default: it is done at once. */
  readonly propose?: boolean;
}

/** What was done, or is proposed: the number of its import, and what it does. */
export interface ImportDone {
  readonly number: number;
  readonly report: ImportReport;
}

/** The imports of registers. */
export class Imports {
  readonly #store: Undo['store'];
  readonly #now: () => number;

  /** @param options.now the clock, in milliseconds since 1970. Default `Date.now` */
  constructor(store: Undo['store'], { now = Date.now }: { readonly now?: () => number } = {}) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * The latest imports of a register, newest first. One that has not ended is `running` only while its lease holds:
   * that of a killed process is `interrupted`.
   *
   * @param options.limit how many. Default: as many as a store gives at once
   * @throws GazetteError `unknown_feed`
   */
  async list(
    feedId: string,
    { limit = IMPORTS_PAGE_SIZE }: { readonly limit?: number } = {},
  ): Promise<readonly ImportEntry[]> {
    const { imports, leases } = this.#store;
    const list = (): Promise<readonly ImportEntry[]> => imports.list(feedId, { limit });
    const first = await list();
    const known = new Set(first.filter(isRunning).map(({ number }) => number));
    if (known.size === 0) return first;
    const lease = await leases.find(feedId);
    const holder = lease !== null && isHeld(leases, lease) ? lease : null;
    // An import logs its end before it releases its lease, so that one which has just ended is no longer running here.
    return (await list()).map((entry) =>
      isRunning(entry) && known.has(entry.number) && !isWorkOf(holder, entry)
        ? { ...entry, state: 'interrupted' }
        : entry,
    );
  }

  /** An import, as {@link list} has it. @throws GazetteError `unknown_feed`, `unknown_import` */
  async find(feedId: string, number: number): Promise<ImportEntry> {
    const entry = await this.#store.imports.find(feedId, number);
    if (!isRunning(entry)) return entry;
    return (await this.list(feedId)).find((one) => one.number === number) ?? entry;
  }

  /** A proposal that waits. @throws GazetteError `unknown_feed`, `unknown_import`, `proposal_ended` */
  async proposal(feedId: string, number: number): Promise<ShownProposal> {
    const entry = await this.#store.imports.find(feedId, number);
    const { proposals } = this.#store.imports;
    const { digest, settings, report } = await proposals.find(feedId, number);
    const isOutdated = await proposals.isOutdated(feedId, number);
    return { number, digest, settings, isOutdated, entry, report: JSON.parse(report) as ImportReport };
  }

  /**
   * Carries out what is proposed. Where the process ends before it is done, whoever works on the register next does the rest.
   *
   * @throws GazetteError `unknown_feed`, `unknown_import`, `proposal_ended`, `proposal_outdated`, `register_busy`; `aborted`
   */
  async approve(feedId: string, number: number, options: DecideOptions): Promise<ImportCounts> {
    const report = outlineIn((await this.#store.imports.proposals.find(feedId, number)).report);
    const { who, digest, keepsHand = false } = options;
    const what = `imports approve ${number}`;
    return holdRegister(this.#store, feedId, { ...options, what, now: this.#now }, async (hold) => {
      const as = { who, keepsHand, report, ...(digest === undefined ? {} : { digest }) };
      await hold.write((under) => this.#store.imports.proposals.approve(feedId, number, { ...as, ...under }));
      options.onBegun?.(number);
      return carryOut(this.#store, hold, { feedId, number }, { ...options, now: this.#now });
    });
  }

  /** Ends a proposal; nothing is written. @throws GazetteError `unknown_feed`, `unknown_import`, `proposal_ended` */
  async discard(feedId: string, number: number, { who }: Pick<DecideOptions, 'who'>): Promise<void> {
    const { proposals } = this.#store.imports;
    const report = outlineIn((await proposals.find(feedId, number)).report);
    await proposals.discard(feedId, number, { who, at: new Date(this.#now()).toISOString(), report });
  }

  /**
   * Takes an import back, as far as what it made of records is what they still are.
   *
   * @returns the number of the undo, and what it did or would do
   * @throws GazetteError `unknown_feed`, `unknown_import`; `invalid_option` for one that wrote nothing; `register_busy`; `aborted`
   */
  async undo(feedId: string, undone: number, options: UndoOptions): Promise<ImportDone> {
    const store = this.#store;
    const { file, state, cause: before } = await store.imports.find(feedId, undone);
    const cause = before === 'renumbered' ? before : 'extraction_correction';
    if (state === 'proposed' || state === 'discarded') {
      throw new GazetteError('invalid_option', `import ${undone} is ${state} and has written nothing`, {
        details: { import: undone, state },
      });
    }
    const { who } = options;
    const now = this.#now;
    return holdRegister(store, feedId, { ...options, what: `imports undo ${undone}`, now }, async (hold) => {
      const entry = await hold.ask(() => store.register(feedId));
      if (entry === null) throw unknownFeed(feedId);
      const what = { kind: 'undo', undoes: undone, file, cause, who } as const;
      return proposeOrDo({ store, feedId, hold, what, now }, options, (number) =>
        proposeUndo({ store, hold, entry, undone, number, cause, signal: options.signal }),
      );
    });
  }
}

/** Makes a proposal, and carries it out at once unless it is to wait. */
export async function proposeOrDo(
  held: Required<Omit<LoggedImport, 'watch'>>,
  options: UndoOptions,
  make: (number: number) => ReturnType<typeof proposeUndo>,
): Promise<ImportDone> {
  const { store, feedId, hold, now } = held;
  const { number, report } = await loggedImport(held, async (number) => {
    options.onBegun?.(number);
    const { proposal, report } = await make(number);
    return { result: (kept) => ({ ...report.counts, number: kept!, report }), proposal };
  });
  if (options.propose !== true) {
    const as = { who: options.who, report: JSON.stringify(outlineOf(report)) };
    await hold.write((under) => store.imports.proposals.approve(feedId, number, { ...as, ...under }));
    await carryOut(store, hold, { feedId, number }, { ...options, now });
  }
  return { number, report };
}

/** What is kept of a report. */
function outlineIn(report: string): string {
  return JSON.stringify(outlineOf(JSON.parse(report) as ImportReport));
}

function isRunning({ state }: ImportEntry): boolean {
  return state === 'running';
}

/** Whether the holder of a lease may be the one that runs an import: it took the lease before it began. */
function isWorkOf(holder: LeaseHolder | null, { begunAt }: ImportEntry): boolean {
  return holder !== null && toEpochMs(holder.since) <= toEpochMs(begunAt);
}

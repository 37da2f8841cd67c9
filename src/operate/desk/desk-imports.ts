// What editors do with imports at the desk: look at them, approve and discard what is proposed, and take imports back. What takes
// long goes on behind the request; where the process ends before it is done, whoever works on the register next does the rest.
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, isGazetteError } from '../../errors.ts';
import { reportOfMade } from '../../import/proposals/made.ts';
import type { ImportReport } from '../../import/proposals/report.ts';
import { type TakenBack, takenBackIn, writtenBy } from '../../import/taken-back.ts';
import type { Field } from '../../register/record.ts';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { Editor } from '../../stores/contract/desk/editors.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import { type DecideOptions, Imports, type ShownProposal } from '../registers/imports.ts';
import { changeSettings, type ShownSettings } from '../registers/settings.ts';
import { actorOf, checkMay, type Editors } from './editors.ts';
import { checkApproves, type FourEyes } from './four-eyes.ts';
import { type ChangesPage, hasChanges, madeChanges, proposedChanges } from './import-changes.ts';

/** So long an answer waits for what may be done in a moment, in milliseconds. */
const MOMENT_MS = 1000;

/** An import, with what is known of it. */
export interface ShownImport {
  readonly entry: ImportEntry;
  /** What it would do, does, or did. Null: it is not known any more. */
  readonly report: ImportReport | null;
  /** The register's fields with it. */
  readonly fields: readonly Field[];
  /** Of a proposal that waits: who approves says that this one was read. */
  readonly digest: Uint8Array | null;
  /** Whether it waits in vain: the register changed so that it would do something else. */
  readonly isOutdated: boolean;
  /** The titles of the withdrawn records that the report names, and of the one that was changed by hand, by their ids. */
  readonly titles: ReadonlyMap<string, string>;
  /** What took it back. */
  readonly takenBack: TakenBack;
  /** How many records this process has carried out, while it does. */
  readonly progress: number | null;
}

/** What the work needs. */
export interface DeskImportsOptions {
  readonly store: ServiceStore;
  readonly editors: Editors;
  readonly approve: FourEyes;
  readonly now: () => number;
  /** Called when something was proposed here. */
  readonly onProposed: () => void;
  /** Called when somebody decided about a proposal here. */
  readonly onDecided: () => Promise<void>;
  /** Called with a failure of what goes on behind a request. */
  readonly onError: (error: unknown) => void;
}

/** The imports of registers, for editors. */
export class DeskImports {
  readonly #options: DeskImportsOptions;
  readonly #imports: Imports;
  readonly #stop = new AbortController();
  readonly #works = new Set<Promise<void>>();
  readonly #progress = new Map<number, number>();

  constructor(options: DeskImportsOptions) {
    this.#options = options;
    this.#imports = new Imports(options.store, { now: options.now });
  }

  /** The latest imports of a register, newest first. @throws GazetteError `unknown_feed`, `editor_refused` */
  list(editor: Editor, feedId: string, limit: number): Promise<readonly ImportEntry[]> {
    checkMay(editor, 'see', feedId);
    return this.#imports.list(feedId, { limit });
  }

  /** Those of them that wait in vain. */
  async outdated(feedId: string, imports: readonly ImportEntry[]): Promise<ReadonlySet<number>> {
    const { proposals } = this.#options.store.imports;
    const waiting = imports.filter(({ state }) => state === 'proposed').map(({ number }) => number);
    const isOutdated = await Promise.all(waiting.map((number) => proposals.isOutdated(feedId, number)));
    return new Set(waiting.filter((_, at) => isOutdated[at]));
  }

  /** One of them. @throws GazetteError `unknown_feed`, `unknown_import`, `editor_refused` */
  async find(editor: Editor, feedId: string, number: number): Promise<ShownImport> {
    const found = await this.#find(editor, feedId, number);
    const { entry, report } = found;
    const byHand = entry.kind === 'hand' ? [entry.file] : [];
    const named = [...(report?.withdrawn ?? []), ...byHand];
    const records = await Promise.all(named.map((id) => this.#options.store.record(id)));
    const titles = records.flatMap((stored) => (stored?.record ? [[stored.id, stored.record.title] as const] : []));
    const takenBack = takenBackIn(await this.#imports.list(feedId), entry);
    return { ...found, titles: new Map(titles), takenBack };
  }

  /**
   * A page of all that one of them changes, record by record.
   *
   * @param after as {@link ChangesPage.next} of the page before has it; empty: the first page
   * @throws GazetteError `unknown_feed`, `unknown_import`, `editor_refused`
   */
  async changes(
    editor: Editor,
    feedId: string,
    number: number,
    after: string,
  ): Promise<Pick<ShownImport, 'entry' | 'fields'> & ChangesPage> {
    const { store } = this.#options;
    const { entry, fields, proposal } = await this.#read(editor, feedId, number);
    if (!hasChanges(entry)) return { entry, fields, changes: [], next: null };
    if (proposal === null) {
      return { entry, fields, ...(await madeChanges(store, { feedId, number, fields }, after)) };
    }
    const page = await proposedChanges(store, { feedId, number, settings: proposal.settings }, after);
    // Once it is decided about, what it had is gone, or is done.
    const { state } = await store.imports.find(feedId, number);
    return state === 'proposed' ? { entry, fields, ...page } : this.changes(editor, feedId, number, after);
  }

  async #find(editor: Editor, feedId: string, number: number): Promise<Omit<ShownImport, 'titles' | 'takenBack'>> {
    const { store } = this.#options;
    const { entry, fields, proposal } = await this.#read(editor, feedId, number);
    const known = {
      ...{ entry, fields },
      digest: entry.state === 'proposed' ? (proposal?.digest ?? null) : null,
      isOutdated: proposal?.isOutdated ?? false,
      progress: this.#progress.get(number) ?? null,
    };
    if (proposal !== null) return { ...known, report: proposal.report };
    const text = await store.imports.proposals.said(feedId, number);
    const said = text === null ? null : (JSON.parse(text) as ImportReport);
    const isMade = entry.state !== 'discarded' && entry.state !== 'running';
    if (!isMade || writtenBy(entry.counts) === 0) return { ...known, report: said };
    const made = await reportOfMade(store, feedId, entry, fields);
    return { ...known, report: { ...said, ...made, findings: said?.findings ?? [] } };
  }

  /** One of them, with the register's fields as it has them, and what it proposes until that is carried out. */
  async #read(
    editor: Editor,
    feedId: string,
    number: number,
  ): Promise<Pick<ShownImport, 'entry' | 'fields'> & { readonly proposal: ShownProposal | null }> {
    checkMay(editor, 'see', feedId);
    const entry = await this.#imports.find(feedId, number);
    if (entry.state !== 'proposed' && entry.state !== 'approved') {
      const fields = (await this.#options.store.register(feedId))?.definition.fields ?? [];
      return { entry, fields, proposal: null };
    }
    const proposal = await this.#imports.proposal(feedId, number).catch((error: unknown) => {
      // It was decided about a moment ago.
      if (isGazetteError(error, 'proposal_ended')) return null;
      throw error;
    });
    if (proposal === null) return this.#read(editor, feedId, number);
    const { fields: before, sets } = proposal.settings;
    // Fields that an undo takes away are named, too.
    const names = new Set(sets.fields?.map(({ name }) => name));
    const fields = [...(sets.fields ?? []), ...before.filter(({ name }) => !names.has(name))];
    return { entry: proposal.entry, fields, proposal };
  }

  /**
   * Approves what an editor has read, and begins to carry it out.
   *
   * @param read.keepsHand as in {@link DecideOptions}
   * @throws GazetteError `unknown_feed`, `unknown_import`, `editor_refused`, `proposal_ended`, `proposal_outdated`, `register_busy`
   */
  async approve(
    editor: Editor,
    feedId: string,
    number: number,
    { digest, keepsHand = false }: { readonly digest: Uint8Array; readonly keepsHand?: boolean },
  ): Promise<void> {
    const { store, editors, approve } = this.#options;
    checkMay(editor, 'approve', feedId);
    checkApproves(editor, { ...(await store.imports.find(feedId, number)), feedId }, approve);
    await this.#begin((how) => this.#imports.approve(feedId, number, { ...how, who: editor.name, digest, keepsHand }));
    await this.#options.onDecided();
    const action = keepsHand ? 'import_approved_hand_kept' : 'import_approved';
    await editors.note(actorOf(editor), action, { feed: feedId, subject: String(number) });
  }

  /** Ends a proposal. @throws GazetteError `unknown_feed`, `unknown_import`, `editor_refused`, `proposal_ended` */
  async discard(editor: Editor, feedId: string, number: number): Promise<void> {
    checkMay(editor, 'approve', feedId);
    await this.#imports.discard(feedId, number, { who: editor.name });
    await this.#options.onDecided();
    await this.#options.editors.note(actorOf(editor), 'import_discarded', { feed: feedId, subject: String(number) });
  }

  /**
   * Begins to propose that an import is taken back.
   *
   * @returns the number of the proposal; where one waits, it is that
   * @throws GazetteError `unknown_feed`, `unknown_import`, `editor_refused`; `invalid_option` for one that wrote nothing;
   *   `register_busy`
   */
  async undo(editor: Editor, feedId: string, number: number): Promise<number> {
    checkMay(editor, 'change', feedId);
    const imports = await this.#imports.list(feedId);
    const known = imports.find((one) => one.undoes === number && isOpen(one));
    if (known !== undefined) return known.number;
    const { entry } = await this.#find(editor, feedId, number);
    if (takenBackIn(imports, entry).isWhole) {
      throw new GazetteError('invalid_option', `import ${number} was taken back`);
    }
    const who = editor.name;
    const begun = await this.#begin(async (how) => {
      await this.#imports.undo(feedId, number, { ...how, who, propose: true });
      this.#options.onProposed();
    });
    await this.#options.editors.note(actorOf(editor), 'import_proposed', { feed: feedId, subject: String(begun) });
    return begun;
  }

  /**
   * Sets the settings of a register, or proposes it where another editor has to approve it.
   *
   * @param change.read the settings that the editor has read
   * @returns the number of its import, and whether that waits
   * @throws GazetteError `unknown_feed`, `editor_refused`, and as {@link changeSettings}
   */
  async changeSettings(
    editor: Editor,
    feed: string,
    { given, read }: Readonly<Record<'given' | 'read', ShownSettings>>,
  ): Promise<{ readonly number: number; readonly isProposed: boolean }> {
    checkMay(editor, 'change', feed);
    const { store, editors, approve, now, onProposed } = this.#options;
    const isProposed = approve === 'other';
    const { number } = await changeSettings(store, feed, given, { who: editor.name, propose: isProposed, read, now });
    if (isProposed) onProposed();
    const action = isProposed ? 'import_proposed' : 'settings_changed';
    await editors.note(actorOf(editor), action, { feed, subject: String(number) });
    return { number, isProposed };
  }

  /** Stops what goes on, after the batch in work: it is finished by whoever works on the register next. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#works);
  }

  /** Begins some work, and leaves it to itself. @returns the number of its import, once it is begun */
  async #begin(
    work: (how: Pick<DecideOptions, 'onBegun' | 'onProgress' | 'signal'>) => Promise<unknown>,
  ): Promise<number> {
    const { signal } = this.#stop;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    let number: number | null = null;
    const done = work({
      signal,
      onBegun: (begun) => {
        number = begun;
        this.#progress.set(begun, 0);
        resolve(begun);
      },
      onProgress: (records) => {
        if (number !== null) this.#progress.set(number, records);
      },
    })
      .then(() => undefined)
      .catch((error: unknown) => {
        if (number === null) reject(error);
        else if (!signal.aborted) this.#options.onError(error);
      })
      .finally(() => {
        this.#works.delete(done);
        if (number !== null) this.#progress.delete(number);
      });
    this.#works.add(done);
    const begun = await promise;
    const moment = new AbortController();
    await Promise.race([done, sleep(MOMENT_MS, undefined, { signal: moment.signal }).catch(() => undefined)]);
    moment.abort();
    return begun;
  }
}

/** Whether a proposal is being made, waits, or is being carried out. */
function isOpen({ state }: ImportEntry): boolean {
  return state === 'running' || state === 'proposed' || state === 'approved';
}

/** The number of an import, as an address has it. @throws GazetteError `unknown_import` */
export function importNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new GazetteError('unknown_import', 'there is no such import');
}

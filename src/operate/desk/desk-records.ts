// What editors do with single records at the desk: find one, correct, withdraw or restore it, and erase it. With four eyes all but
// erasing is a proposal first.
import { isGazetteError } from '../../errors.ts';
import type { RawValue } from '../../import/readers/raw-record.ts';
import { recordIdOrNull } from '../../register/identity.ts';
import type { RegisterRecord } from '../../register/record.ts';
import type { DeskEntry, Editor } from '../../stores/contract/desk/editors.ts';
import type { StoredRecord } from '../../stores/contract/registers.ts';
import { feedIdOf } from '../../stores/rows/register.ts';
import { Records } from '../records.ts';
import { type CorrectOptions, WorkByHand } from '../registers/hand.ts';
import type { ImportDone } from '../registers/imports.ts';
import type { DeskImportsOptions } from './desk-imports.ts';
import { actorOf, checkMay } from './editors.ts';

/** How many records a search gives. */
const FOUND = 20;

/** How many erasures the page of a register shows. */
const ERASURES = 3;

/** What the work needs. */
export interface DeskRecordsOptions extends Omit<DeskImportsOptions, 'onError' | 'onDecided'> {
  /** Called when a record was erased. */
  readonly onErased: () => Promise<void>;
}

/** What is done with a record, and the version that was read of it. */
export type RecordWork = { readonly version: number } & (
  | ({ readonly kind: 'correct'; readonly values: ReadonlyMap<string, RawValue> } & Required<
      Pick<CorrectOptions, 'cause' | 'forms'>
    >)
  | { readonly kind: 'withdraw' | 'restore' }
);

/** What of a record is as somebody set it by hand. */
export interface SetByHand {
  /** The names of fields, as `changed` of a version has them. */
  readonly fields: readonly string[];
  /** Whether it is published, or withdrawn, because somebody said so. */
  readonly isState: boolean;
}

/** At how many versions of a hand is looked. */
const HAND_VERSIONS = 20;

const ACTIONS = { correct: 'record_corrected', withdraw: 'record_withdrawn', restore: 'record_restored' } as const;

/** The records of registers, for editors. */
export class DeskRecords {
  readonly #options: DeskRecordsOptions;
  readonly #records: Records;
  readonly #hand: WorkByHand;

  constructor(options: DeskRecordsOptions) {
    this.#options = options;
    this.#records = new Records(options.store, { now: options.now });
    this.#hand = new WorkByHand(options.store, { now: options.now });
  }

  /** A record, live or not. @throws GazetteError `unknown_feed`, `unknown_record` */
  async find(editor: Editor, recordId: string): Promise<StoredRecord> {
    checkMay(editor, 'see', feedIdOf(recordId));
    return this.#records.find(recordId);
  }

  /** What of a record is as somebody set it by hand. */
  async byHand({ id, version }: StoredRecord): Promise<SetByHand> {
    const { store } = this.#options;
    const versions = (await store.imports.byHand.find([id])).get(id)?.byHand ?? [];
    const found = versions
      .slice(0, HAND_VERSIONS)
      .map(async (one) => (await store.history(id, { offset: version - one, limit: 1 })) ?? []);
    const all = (await Promise.all(found)).flat();
    return {
      fields: [...new Set(all.flatMap(({ changed }) => changed))].sort(),
      isState: all.some(({ cause }) => cause === 'withdrawn' || cause === 'restored'),
    };
  }

  /** What a record said in an earlier version. Null: that is not known any more. */
  async before({ id, version }: StoredRecord, earlier: number): Promise<RegisterRecord | null> {
    if (earlier < 1 || earlier > version) return null;
    const [found] = (await this.#options.store.history(id, { offset: version - earlier, limit: 1 })) ?? [];
    return found?.record ?? null;
  }

  /**
   * The records of a register that a text may mean: the one whose id or key it is, or those with its words; without a text the
   * newest. Null: there can be nothing with such words.
   *
   * @throws GazetteError `unknown_feed`
   */
  async search(editor: Editor, feedId: string, text: string): Promise<string | readonly RegisterRecord[] | null> {
    checkMay(editor, 'see', feedId);
    const { store } = this.#options;
    const ids = text.startsWith(`${feedId}:`) ? [text] : [];
    for (const id of [...ids, recordIdOrNull(feedId, text)]) {
      if (id !== null && text !== '' && (await store.record(id)) !== null) return id;
    }
    const source = await store.source(feedId);
    try {
      const page = await source.page({ offset: 0, limit: FOUND, ...(text === '' ? {} : { filter: { q: text } }) });
      return page.records;
    } catch (error) {
      // The register has no index of words, or not yet, or there are no words in the text.
      if (WORDLESS.some((code) => isGazetteError(error, code))) return null;
      throw error;
    }
  }

  /**
   * Does something with a record, or proposes it where another editor has to approve it.
   *
   * @returns the number of its import, and whether that waits
   * @throws GazetteError `unknown_feed`, `unknown_record`, `editor_refused`; `item_changed` for another version; `invalid_record`;
   *   `invalid_option` for what would change nothing; `register_busy`
   */
  async change(
    editor: Editor,
    recordId: string,
    work: RecordWork,
  ): Promise<{ readonly number: number; readonly isProposed: boolean }> {
    const feed = feedIdOf(recordId);
    checkMay(editor, 'change', feed);
    const { editors, approve, onProposed } = this.#options;
    const isProposed = approve === 'other';
    const { number } = await this.#work(recordId, work, { who: editor.name, propose: isProposed });
    if (isProposed) {
      onProposed();
      await editors.note(actorOf(editor), 'import_proposed', { feed, subject: String(number) });
    } else {
      await editors.note(actorOf(editor), ACTIONS[work.kind], { feed, subject: recordId });
    }
    return { number, isProposed };
  }

  #work(
    recordId: string,
    work: RecordWork,
    how: { readonly who: string; readonly propose: boolean },
  ): Promise<ImportDone> {
    if (work.kind !== 'correct') return this.#hand[work.kind](recordId, { ...how, version: work.version });
    const { version, values, cause, forms } = work;
    return this.#hand.correct(recordId, values, { ...how, version, cause, forms });
  }

  /** The latest erasures in a register. @throws GazetteError `unknown_feed` */
  erasures(editor: Editor, feedId: string): Promise<readonly DeskEntry[]> {
    checkMay(editor, 'see', feedId);
    return this.#options.editors.log({ limit: ERASURES, only: { feed: feedId, action: 'record_redacted' } });
  }

  /**
   * Erases the content of a record, for legal reasons, also where four eyes approve everything else.
   *
   * @returns the numbers of the proposals that were discarded because they had it, or may have had it
   * @throws GazetteError `unknown_feed`, `unknown_record`, `editor_refused`, `register_busy`
   */
  async erase(editor: Editor, recordId: string): Promise<readonly number[]> {
    const feedId = feedIdOf(recordId);
    checkMay(editor, 'change', feedId);
    const { store, editors, approve, onErased, now } = this.#options;
    const waiting = async (): Promise<readonly number[]> =>
      (await store.imports.proposals.waiting()).filter((one) => one.feedId === feedId).map(({ number }) => number);
    const before = await waiting();
    const by = actorOf(editor);
    const noted = { ...by, at: new Date(now()).toISOString(), action: 'record_redacted', feed: feedId } as const;
    // Noted with it: however this process ends, whoever approves everything else is told.
    await this.#records.erase(recordId, { noted: { ...noted, subject: recordId, isToTell: approve === 'other' } });
    const left = new Set(await waiting());
    const discarded = before.filter((number) => !left.has(number));
    for (const number of discarded) {
      await editors.note(by, 'import_discarded', { feed: feedId, subject: String(number) });
    }
    await onErased();
    return discarded;
  }
}

const WORDLESS = ['invalid_parameter', 'unknown_parameter', 'index_building'] as const;

// An editor's or operator's work with the content of single records: correct one, withdraw one, restore one. Each is an import of
// the log, as that of a file is: it can wait for somebody's approval, and be taken back.
import { GazetteError } from '../../errors.ts';
import { correctedStatement, withoutIgnored } from '../../import/corrected-statement.ts';
import { keepProposal } from '../../import/proposals/proposing.ts';
import { FieldReports, type ImportReport } from '../../import/proposals/report.ts';
import type { TextFormOptions } from '../../import/mapping/text-forms.ts';
import type { RawValue } from '../../import/readers/raw-record.ts';
import { NO_COUNTS } from '../../stores/contract/imports/counts.ts';
import type { NewImport } from '../../stores/contract/imports/log.ts';
import type { PreparedRecord, PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { RegisterEntry, RegisterStore } from '../../stores/contract/registers.ts';
import type { HeldRegister } from '../../stores/lease/held-register.ts';
import { holdRegister } from '../../stores/lease/hold-register.ts';
import { prepareRecord } from '../../stores/rows/prepare.ts';
import { changedFields } from '../../stores/rows/published-record.ts';
import { feedIdOf, unknownFeed, unknownRecord } from '../../stores/rows/register.ts';
import { Records } from '../records.ts';
import { type ImportDone, proposeOrDo, type UndoOptions } from './imports.ts';

/** How work by hand is done. */
export interface HandOptions extends UndoOptions {
  /** The number of the version that was read. Default: whatever it is now. */
  readonly version?: number;
}

/** How a record is corrected. */
export interface CorrectOptions extends HandOptions {
  /** Why: the source changed, or it was misread. Default `extraction_correction`. */
  readonly cause?: NewImport['cause'];
  /** How texts of numbers and dates are written. Default: as in JSON and RFC 3339. */
  readonly forms?: TextFormOptions;
}

/** A record that somebody works on. */
interface InHand {
  readonly recordId: string;
  readonly entry: RegisterEntry;
  readonly state: 'live' | 'withdrawn';
  readonly statement: PublishedRecord;
}

/** What is to become of it. */
interface Change {
  /** What it states then; null: it is withdrawn. */
  readonly after: PublishedRecord | null;
  readonly count: 'changed' | 'withdrawn' | 'restored';
  readonly changed: readonly string[];
}

/** Work on single records. */
export class WorkByHand {
  readonly #store: RegisterStore;
  readonly #now: () => number;

  /** @param options.now the clock, in milliseconds since 1970. Default `Date.now` */
  constructor(store: RegisterStore, { now = Date.now }: { readonly now?: () => number } = {}) {
    this.#store = store;
    this.#now = now;
  }

  /**
   * Gives a live record other values. Later files leave them alone until they say something that the source did not say before.
   *
   * @param values the new values as {@link correctedStatement} takes them
   * @throws GazetteError `unknown_record`; `item_changed` for another version; `invalid_option` for one that is not live, a name that
   *   is none of a field, and where nothing would change; `invalid_record`; `register_busy`; `aborted`
   */
  async correct(
    recordId: string,
    values: ReadonlyMap<string, RawValue>,
    { forms, ...options }: CorrectOptions,
  ): Promise<ImportDone> {
    return this.#change(recordId, 'correct', options, async ({ state, statement, entry }) => {
      if (state === 'withdrawn') throw refused(recordId, 'is withdrawn: restore it first');
      const { definition } = entry;
      const after = await correctedStatement(definition, statement, values, {
        ...forms,
        observedAt: new Date(this.#now()).toISOString(),
      });
      const changed = changedFields(statement, after, definition.fields);
      if (changed.length === 0) throw refused(recordId, 'has these values already');
      return { after, count: 'changed', changed };
    });
  }

  /**
   * Withdraws a live record. Later files do not bring it back until they say something that the source did not say before.
   *
   * @throws GazetteError `unknown_record`; `item_changed` for another version; `invalid_option` for one that is not live;
   *   `register_busy`; `aborted`
   */
  async withdraw(recordId: string, options: HandOptions): Promise<ImportDone> {
    return this.#change(recordId, 'withdraw', options, ({ state }) => {
      if (state === 'withdrawn') throw refused(recordId, 'is withdrawn already');
      return { after: null, count: 'withdrawn', changed: [] };
    });
  }

  /**
   * Restores a withdrawn record with what it stated last. Files that still lack it do not withdraw it again.
   *
   * @throws GazetteError `unknown_record`; `item_changed` for another version; `invalid_option` for one that is not withdrawn;
   *   `register_busy`; `aborted`
   */
  async restore(recordId: string, options: HandOptions): Promise<ImportDone> {
    return this.#change(recordId, 'restore', options, ({ state, statement }) => {
      if (state === 'live') throw refused(recordId, 'is not withdrawn');
      return { after: statement, count: 'restored', changed: [] };
    });
  }

  async #change(
    recordId: string,
    verb: string,
    { cause = 'extraction_correction', version, ...options }: Omit<CorrectOptions, 'forms'>,
    decide: (record: InHand) => Change | Promise<Change>,
  ): Promise<ImportDone> {
    const store = this.#store;
    // Says which record may be meant where there is none of this id.
    await new Records(store).find(recordId);
    const feedId = feedIdOf(recordId);
    const now = this.#now;
    return holdRegister(store, feedId, { ...options, what: `record ${verb}`, now }, async (hold) => {
      const entry = await hold.ask(() => store.register(feedId));
      if (entry === null) throw unknownFeed(feedId);
      const found = (await hold.ask(() => store.imports.byHand.find([recordId]))).get(recordId);
      if (found === undefined) throw unknownRecord(recordId);
      const { state, statement, byHand } = found;
      if (version !== undefined && found.version !== version)
        throw changed(recordId, { read: version, now: found.version });
      if (state === 'redacted' || statement === null) {
        throw refused(recordId, 'was erased permanently: nothing of it can be changed or restored');
      }
      const change = await decide({ recordId, entry, state, statement });
      // Where a hand made what is stored, what the source says was kept then.
      const { ignored } = await hold.ask(() => store.imports.basis(feedId));
      const stated = (): PreparedRecord => prepareRecord(withoutIgnored(entry.definition, statement, ignored));
      const says = byHand.length > 0 ? [] : [{ id: recordId, record: state === 'live' ? stated() : null }];
      const what = { kind: 'hand', file: recordId, cause, who: options.who } as const;
      return proposeOrDo({ store, feedId, hold, what, now }, options, async (number) => {
        const report = reportOf({ recordId, entry, state, statement }, change);
        const proposal = await propose({ store, hold, number, entry, cause, report }, recordId, change, says);
        return { proposal, report };
      });
    });
  }
}

function reportOf({ recordId, entry, statement }: InHand, { after, count, changed }: Change): ImportReport {
  const fields = new FieldReports(entry.definition.fields);
  if (after !== null && count === 'changed') fields.add(statement, after, changed);
  return {
    ...{ counts: { ...NO_COUNTS, [count]: 1 }, fields: fields.list(), findings: [], refused: [] },
    added: count === 'restored' ? [{ record_id: recordId, title: statement.title }] : [],
    withdrawn: count === 'withdrawn' ? [recordId] : [],
  };
}

interface Proposing {
  readonly store: RegisterStore;
  readonly hold: HeldRegister;
  readonly number: number;
  readonly entry: RegisterEntry;
  readonly cause: NewImport['cause'];
  readonly report: ImportReport;
}

async function propose(
  { entry, cause, report, ...held }: Proposing,
  recordId: string,
  { after }: Change,
  says: Parameters<RegisterStore['imports']['byHand']['keep']>[1],
): ReturnType<typeof keepProposal> {
  const { fields } = entry.definition;
  return keepProposal({
    ...{ ...held, change: entry.change, unchanged: new Uint8Array((entry.top >> 3) + 1) },
    settings: { cause, indifferent: [], fields, sets: {}, replaces: {}, isWhole: false },
    // What the source says belongs to the version that is made: it goes with that when it is taken back.
    records: [
      [{ id: recordId, record: after === null ? null : prepareRecord(after) }],
      ...says.map((each) => [{ ...each, byHand: 'kept' } as const]),
    ],
    report: () => report,
  });
}

function changed(recordId: string, { read, now }: Readonly<Record<'read' | 'now', number>>): GazetteError {
  const message = `record ${recordId} was read in version ${read}, and has version ${now} by now`;
  return new GazetteError('item_changed', message, { details: { id: recordId, version: now } });
}

function refused(recordId: string, why: string): GazetteError {
  return new GazetteError('invalid_option', `record ${recordId} ${why}`, { details: { id: recordId } });
}

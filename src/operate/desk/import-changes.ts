// All that one import changes, record by record and page by page: what a proposal would do while it waits, and afterwards what it did.
import { differencesIn, type HandDifference } from '../../import/proposals/report.ts';
import { writtenBy } from '../../import/taken-back.ts';
import type { Field } from '../../register/record.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { ProposedRecord, ProposedSettings } from '../../stores/contract/imports/proposals.ts';
import type { PublishedRecord } from '../../stores/contract/prepared-record.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import { statedIn } from '../../stores/rows/prepare.ts';

/** How many records are on a page, and how many characters of their fields: each counts for its place, and for so much of its values. */
const [RECORDS, LENGTH, FIELD_LENGTH, VALUE_LENGTH] = [100, 30_000, 60, 2000];

/** What becomes of a record. */
export interface RecordChange {
  readonly record_id: string;
  /** Null: it was erased since. */
  readonly title: string | null;
  readonly becomes: 'added' | 'changed' | 'restored' | 'withdrawn';
  /** Whether it is as somebody set it by hand, so that who approves says what becomes of it. */
  readonly isAsked: boolean;
  /** What is another; of a new record, all that it says. */
  readonly fields: HandDifference['fields'];
}

/** A page of them. */
export interface ChangesPage {
  readonly changes: readonly RecordChange[];
  /** Behind what the next page begins; null: this is the last. */
  readonly next: string | null;
}

/** A change, and its place. */
type Placed = RecordChange & { readonly place: string };

/** What is read of a store. */
type Store = Pick<RegisterStore, 'imports' | 'compare'>;

/** A page of what a proposal would do. @param after the place behind which it begins; empty: the first page */
export function proposedChanges(
  store: Store,
  {
    feedId,
    number,
    settings,
  }: { readonly feedId: string; readonly number: number; readonly settings: ProposedSettings },
  after: string,
): Promise<ChangesPage> {
  const fields = settings.sets.fields ?? settings.fields;
  const ignored = new Set(settings.indifferent);
  const [batch = 1, place = -1] = /^\d{1,9}-\d{1,9}$/.test(after) ? after.split('-').map(Number) : [];
  const walk = async function* (): AsyncGenerator<readonly Placed[], void, undefined> {
    let from = place + 1;
    for (let at = batch; ; at++) {
      const kept = await store.imports.proposals.records(number, at);
      if (kept.length === 0) return;
      for (; from < kept.length; from += RECORDS) {
        const records = kept.slice(from, from + RECORDS).map((one, n) => ({ ...one, place: `${at}-${from + n}` }));
        yield await compared(records.filter(({ byHand }) => byHand !== 'kept'));
      }
      from = 0;
    }
  };
  const compared = async (records: readonly (ProposedRecord & { place: string })[]): Promise<readonly Placed[]> => {
    const stated = records.flatMap(({ record }) => (record === null ? [] : [record]));
    const comparisons = stated.length === 0 ? [] : await store.compare(feedId, stated, { fields, ignored });
    const outcomes = new Map(stated.map(({ id }, at) => [id, comparisons[at]!]));
    const gone = records.filter(({ record }) => record === null).map(({ id }) => id);
    const known = gone.length === 0 ? new Map<string, never>() : await store.imports.byHand.find(gone);
    return records.flatMap(({ id, record, byHand, place }): readonly Placed[] => {
      const shared = { record_id: id, isAsked: byHand === 'asked', place };
      if (record === null) {
        const title = known.get(id)?.statement?.title ?? null;
        return [{ ...shared, title, becomes: 'withdrawn', fields: [] }];
      }
      const { outcome, before } = outcomes.get(id)!;
      if (outcome === 'unchanged' || outcome === 'redacted') return [];
      const after = statedIn(record);
      return [{ ...shared, title: after.title, becomes: outcome, fields: differencesIn(fields, before, after) }];
    });
  };
  return pageOf(walk());
}

/** A page of what an import did. @param fields of the register now @param after as in {@link proposedChanges} */
export function madeChanges(
  store: Store,
  { feedId, number, fields }: { readonly feedId: string; readonly number: number; readonly fields: readonly Field[] },
  after: string,
): Promise<ChangesPage> {
  const walk = async function* (): AsyncGenerator<readonly Placed[], void, undefined> {
    for (let behind = /^\d{1,15}$/.test(after) ? Number(after) : 0; ;) {
      const versions = await store.imports.made(feedId, number, { after: behind, limit: RECORDS });
      if (versions.length === 0) return;
      yield versions.map(({ change, id, cause, made, wasLive, before }): Placed => {
        const becomes = cause === 'withdrawn' ? cause : cause === 'restored' ? cause : wasLive ? 'changed' : 'added';
        const was: PublishedRecord | null = before === null ? null : statedIn(before);
        const isTold = becomes !== 'withdrawn' && made !== null && !(wasLive && was === null);
        const differences = isTold ? differencesIn(fields, was, made) : [];
        return {
          ...{ record_id: id, title: made?.title ?? null, becomes, isAsked: false, fields: differences },
          place: String(change),
        };
      });
      behind = versions.at(-1)!.change;
    }
  };
  return pageOf(walk());
}

/** Whether an import has such pages: what it did, or would do, is known of each record. */
export function hasChanges(entry: Pick<ImportEntry, 'kind' | 'state' | 'counts'>): boolean {
  return entry.kind !== 'settings' && isKnown(entry) && writtenBy(entry.counts) > 0;
}

/** Whether it is known of each record what becomes of it: neither while that is found out or carried out, nor once it is discarded. */
export function isKnown({ state }: Pick<ImportEntry, 'state'>): boolean {
  return state !== 'running' && state !== 'approved' && state !== 'discarded';
}

async function pageOf(all: AsyncIterable<readonly Placed[]>): Promise<ChangesPage> {
  const changes: Placed[] = [];
  let length = 0;
  for await (const some of all) {
    for (const change of some) {
      if (changes.length === RECORDS || length > LENGTH) return { changes, next: changes.at(-1)!.place };
      changes.push(change);
      for (const { before, after } of change.fields) {
        length += FIELD_LENGTH + Math.min(JSON.stringify([before, after]).length, VALUE_LENGTH);
      }
    }
  }
  return { changes, next: null };
}

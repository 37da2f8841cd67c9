// Decides what a batch of statements changes in a register: pure functions, the same for every store. A store reads
// what it knows about the ids, asks which contents must be compared, and carries out the plan in one transaction.
import type { Field, VersionCause } from '../../register/record.ts';
import type { ApplyOptions, BatchResult } from '../contract/registers.ts';
import {
  CONTENT_AT,
  CONTENT_COLUMNS,
  RECORD_COLUMNS,
  slotOf,
  type SqlRow,
  type StoredContent,
  storedContentOf,
} from '../rows/columns.ts';
import type { KnownRecord } from '../rows/known.ts';
import type { RegisterLogs } from '../rows/commitment.ts';
import { definitionOf, feedIdOf, type RegisterRow } from '../rows/register.ts';
import { canonicalIn, prepareRecord, prepareStored, statedIn } from '../rows/prepare.ts';
import { type CompareOptions, PreparedRecord, type RecordComparison } from '../contract/prepared-record.ts';
import { changedFields } from '../rows/published-record.ts';
import type { TermChanges } from './finding/term-postings.ts';
import type { ValueTally } from './value-tally.ts';

/** A content to be written, with the time of its observation filled in. */
export type NewContent = PreparedRecord;

/** What the log records about a new version. */
export interface Logged {
  readonly cause: VersionCause;
  readonly changed: readonly string[];
  /** What the publisher stated; null in a withdrawal. */
  readonly stated: PreparedRecord | null;
}

/** The canonical JSON of what a version states. Made when it is committed to: a batch may have thousands of long ones. */
export function statementOf({ stated }: Logged): string | null {
  return stated === null ? null : canonicalIn(stated);
}

/** What a version is of: the record's state before it, and its content. */
export type Placed = Pick<KnownRecord, 'position' | 'version' | 'contentVersion'>;

/** That of a record's first version, without its position. */
export const FIRST: Omit<Placed, 'position'> = { version: 0, contentVersion: 1 };

/** Why a record has its first version. */
export const FIRST_CAUSE: VersionCause = 'first_observed';

/** That of a known record's next version. @param content null: it stays */
export function placedWith(known: KnownRecord, content: NewContent | null): Placed {
  return content === null ? known : { ...known, contentVersion: known.version + 1 };
}

/** What the log records about a withdrawal. */
export const WITHDRAWAL: Logged = { cause: 'withdrawn', changed: [], stated: null };

/**
 * One step of a plan. Steps are in the order of the batch; each creates one version, and each `add` takes the next
 * position.
 */
export type Step = Logged & { readonly id: string } & (
    | { readonly kind: 'add'; readonly content: NewContent }
    | { readonly kind: 'change'; readonly known: KnownRecord; readonly content: NewContent }
    /** `content` is null when a withdrawn record returns unchanged. */
    | { readonly kind: 'restore'; readonly known: KnownRecord; readonly content: NewContent | null }
  );

const NOTHING: readonly string[] = [];

/** The result of planning a batch. */
export interface BatchPlan {
  readonly steps: readonly Step[];
  readonly result: BatchResult;
}

/**
 * The known records whose content the plan needs, because their commitment does not confirm what is said. By id.
 *
 * @param logs null: an import writes, which has compared its records so, and found that these are others
 */
export function contentsNeeded(
  batch: readonly PreparedRecord[],
  known: ReadonlyMap<string, KnownRecord>,
  logs: RegisterLogs | null,
): ReadonlyMap<string, KnownRecord> {
  const needed = new Map<string, KnownRecord>();
  for (const said of batch) {
    const record = known.get(said.id);
    if (record === undefined || record.state === 'redacted') continue;
    if (record.state === 'live' && logs !== null && confirms(record, said, logs)) continue;
    needed.set(said.id, record);
  }
  return needed;
}

/** Whether a batch has a record whose key is another than that of its id. */
export function hasKeys(steps: readonly Step[]): boolean {
  return steps.some(({ stated }) => stated !== null && stated.values[CONTENT_AT.key] !== null);
}

function confirms({ commitment, version }: KnownRecord, said: PreparedRecord, logs: RegisterLogs): boolean {
  return commitment !== null && logs.confirm(commitment, said.id, version, canonicalIn(said));
}

/** The current content of a record, with its row as `recordOf()` reads it. */
export interface ReadContent extends StoredContent {
  readonly row: SqlRow;
}

/** The content in a row of {@link RECORD_COLUMNS}; undefined when it was erased, which sets the title to null. */
export function readContent(row: SqlRow): ReadContent | undefined {
  const at = RECORD_COLUMNS.length - CONTENT_COLUMNS.length;
  return row[at + CONTENT_AT.title] === null
    ? undefined
    : { ...storedContentOf(feedIdOf(row[1] as string), row, 1, at), row };
}

/** What a store has of a batch's records. */
export interface StoredBatch {
  /** What it knows about their ids. */
  readonly known: ReadonlyMap<string, KnownRecord>;
  /** The contents that {@link contentsNeeded} asked for, by id, as far as they were not erased; each is read once. */
  readonly contents: Pick<ReadonlyMap<string, ReadContent>, 'get'>;
}

/** What would become of each record of a batch; where it is `asked`, nobody has looked yet what was answered before. */
export function compareBatch(
  batch: readonly PreparedRecord[],
  { known, contents }: StoredBatch,
  fields: readonly Field[],
  { byHand, ...how }: Pick<CompareOptions, 'ignored' | 'byHand'> = {},
): readonly RecordComparison[] {
  return batch.map((said) => {
    const record = known.get(said.id);
    const before = contents.get(said.id);
    const { outcome, changed } = decide(said, record, before, fields, how);
    const isChanged = outcome === 'changed';
    const isOfHand = (isChanged || outcome === 'restored') && byHand?.has(record!.import ?? 0) === true;
    return {
      ...{ outcome, changed, position: record?.position ?? null, before: isChanged ? before!.statement : null },
      byHand: isOfHand ? 'asked' : null,
    };
  });
}

/**
 * The plan for a batch.
 *
 * @param head the register before it
 * @param indexes note what the steps change in them
 */
export function planBatch(
  batch: readonly PreparedRecord[],
  { known, contents }: StoredBatch,
  head: RegisterRow,
  options: ApplyOptions,
  { values, terms }: { readonly values: ValueTally; readonly terms: TermChanges },
): BatchPlan {
  const { fields } = definitionOf(head);
  const { recordedAt } = options;
  const rowOf = (position: number, { id, values }: NewContent): SqlRow => {
    // Nothing is made of the version.
    return [slotOf(head.number, position), id, 1, recordedAt, ...values];
  };
  const steps: Step[] = [];
  const result = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
  for (const said of batch) {
    const { id } = said;
    const record = known.get(id);
    const before = contents.get(id);
    const { outcome, changed, content: next } = decide(said, record, before, fields, options);
    result[outcome]++;
    const content = next === null ? null : observed(next, before?.observedAt ?? recordedAt);
    if (record === undefined) {
      values.count(content!.values, null, 1);
      terms.change(null, rowOf(head.top + result.added, content!));
      steps.push({ kind: 'add', id, cause: FIRST_CAUSE, changed, stated: content!, content: content! });
    } else if (outcome === 'restored') {
      // The content stays only where it was read.
      const stated = content ?? prepareStored(before!);
      steps.push({ kind: 'restore', id, cause: 'restored', changed, stated, known: record, content });
      values.count(stated.values, record.position, 1);
      terms.change(null, rowOf(record.position, stated));
    } else if (content !== null) {
      const cause = options.cause ?? 'source_change';
      steps.push({ kind: 'change', id, cause, changed, stated: content, known: record, content });
      // Only what was read is found to differ.
      values.countRead(before!, record.position, -1);
      values.count(content.values, record.position, 1);
      terms.change(before!.row, rowOf(record.position, content));
    }
  }
  return { steps, result };
}

/** What becomes of a record. `content` is null where what is stored stays, even if another statement was made of it. */
interface Decision extends Pick<RecordComparison, 'outcome' | 'changed'> {
  readonly content: NewContent | null;
}

function decide(
  said: PreparedRecord,
  record: KnownRecord | undefined,
  before: StoredContent | undefined,
  fields: readonly Field[],
  how: Pick<ApplyOptions, 'ignored' | 'cause'>,
): Decision {
  if (record === undefined) return { outcome: 'added', changed: NOTHING, content: said };
  if (record.state === 'redacted') return REDACTED;
  // A content that was not read: of a live record its commitment confirmed what is said, of another it was erased.
  const { changed, content } =
    before === undefined
      ? { changed: NOTHING, content: record.state === 'live' ? null : said }
      : compare(before, said, fields, how);
  if (record.state === 'withdrawn') return { outcome: 'restored', changed, content };
  return content === null ? UNCHANGED : { outcome: 'changed', changed, content };
}

const REDACTED: Decision = { outcome: 'redacted', changed: NOTHING, content: null };
const UNCHANGED: Decision = { outcome: 'unchanged', changed: NOTHING, content: null };

/** The content of a record; if the publisher does not state when it was observed, this time is used. */
function observed(said: NewContent, time: string): NewContent {
  const { id, values, data } = said;
  if (values[CONTENT_AT.observedAt] !== null) return said;
  return new PreparedRecord({ id, values: values.with(CONTENT_AT.observedAt, time), data });
}

/** A record keeps its key, unless it is renumbered: then the key is all that it gets. */
function compare(
  before: StoredContent,
  said: PreparedRecord,
  fields: readonly Field[],
  { ignored, cause }: Pick<ApplyOptions, 'ignored' | 'cause'>,
): Omit<Decision, 'outcome'> {
  if (cause === 'renumbered') {
    const { key = null } = statedIn(said);
    if (key === (before.statement.key ?? null)) return { changed: NOTHING, content: null };
    return { changed: ['key'], content: prepareStored({ ...before, statement: { ...before.statement, key } }) };
  }
  const own = statedIn(said);
  const isOfOtherKey = own.key !== before.statement.key;
  const stated = isOfOtherKey ? { ...own, key: before.statement.key ?? null } : own;
  const observedAt = said.values[CONTENT_AT.observedAt] as string | null;
  // If the publisher no longer states when the record was first observed, the stored time remains.
  const keepsObserved = observedAt === null && before.statement.observed_at !== null;
  const statement = keepsObserved ? { ...stated, observed_at: before.statement.observed_at } : stated;
  // Compares the stored values: if the publisher now states the time that we recorded ourselves, nothing changed
  // either.
  const changed = changedFields(
    { ...before.statement, observed_at: before.observedAt },
    { ...statement, observed_at: observedAt ?? before.observedAt },
    fields,
  );
  if (changed.every((name) => ignored?.has(name))) return { changed: NOTHING, content: null };
  return { changed, content: keepsObserved || isOfOtherKey ? prepareRecord(statement) : said };
}

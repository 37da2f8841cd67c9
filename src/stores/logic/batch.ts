// Decides what a batch of statements changes in a register: pure functions, the same for every store. A store reads
// what it knows about the ids, asks which contents must be compared, and carries out the plan in one transaction.
import type { Field, VersionCause } from '../../register/record.ts';
import type { ApplyOptions, BatchResult } from '../contract/registers.ts';
import { CONTENT_AT, type KnownRecord, type StoredContent } from '../rows/columns.ts';
import { prepareRecord, statedIn } from '../rows/prepare.ts';
import type { PreparedParts, PreparedRecord } from '../contract/prepared-record.ts';
import { changedFields } from '../rows/published-record.ts';

/** A content to be written, with the time of its observation filled in. */
export type NewContent = PreparedParts;

/** What the log records about a new version. */
interface NewVersion {
  readonly cause: VersionCause;
  readonly changed: readonly string[];
}

/**
 * One step of a plan. Steps are in the order of the batch; each creates one version, and each `add` takes the next
 * position.
 */
export type Step = NewVersion &
  (
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

/** The known records whose content the plan needs, because their digest differs. By id. */
export function contentsNeeded(
  batch: readonly PreparedRecord[],
  known: ReadonlyMap<string, KnownRecord>,
): ReadonlyMap<string, KnownRecord> {
  const needed = new Map<string, KnownRecord>();
  for (const { id, digest } of batch) {
    const record = known.get(id);
    if (record !== undefined && record.state !== 'redacted' && !equalBytes(digest, record.digest)) {
      needed.set(id, record);
    }
  }
  return needed;
}

/**
 * The plan for a batch.
 *
 * @param known what the store knows about the batch's ids.
 * @param contents the contents {@link contentsNeeded} asked for, by id; each is read once.
 * @param fields the definition's.
 */
export function planBatch(
  batch: readonly PreparedRecord[],
  known: ReadonlyMap<string, KnownRecord>,
  contents: Pick<ReadonlyMap<string, StoredContent>, 'get'>,
  fields: readonly Field[],
  options: ApplyOptions,
): BatchPlan {
  const steps: Step[] = [];
  const result = { added: 0, changed: 0, unchanged: 0, restored: 0, redacted: 0 };
  for (const said of batch) {
    const record = known.get(said.id);
    if (record === undefined) {
      const content = observed(said, options.recordedAt);
      steps.push({ kind: 'add', cause: 'first_observed', changed: NOTHING, content });
      result.added++;
      continue;
    }
    if (record.state === 'redacted') {
      result.redacted++;
      continue;
    }
    const before = contents.get(said.id);
    const change = before === undefined ? null : compare(before, said, fields);
    const changed = change?.changed ?? NOTHING;
    const content = change?.content ?? null;
    if (record.state === 'withdrawn') {
      steps.push({ kind: 'restore', cause: 'restored', changed, known: record, content });
      result.restored++;
    } else if (content === null) {
      result.unchanged++;
    } else {
      steps.push({ kind: 'change', cause: options.cause ?? 'source_change', changed, known: record, content });
      result.changed++;
    }
  }
  return { steps, result };
}

/** The content of a record; if the publisher does not state when it was observed, the current time is used. */
function observed(said: PreparedRecord, now: string): NewContent {
  if (said.values[CONTENT_AT.observedAt] !== null) return said;
  return { id: said.id, digest: said.digest, values: said.values.with(CONTENT_AT.observedAt, now) };
}

/** The changed fields; null when nothing changed, even if the digests differ. */
function compare(
  before: StoredContent,
  said: PreparedRecord,
  fields: readonly Field[],
): { readonly changed: readonly string[]; readonly content: NewContent } | null {
  const stated = statedIn(said);
  // If the publisher no longer states when the record was first observed, the stored time remains.
  const keepsObserved = stated.observed_at === null && before.statement.observed_at !== null;
  const statement = keepsObserved ? { ...stated, observed_at: before.statement.observed_at } : stated;
  const observedAt = statement.observed_at ?? before.observedAt;
  // Compares the stored values: if the publisher now states the time that we recorded ourselves, nothing changed
  // either.
  const changed = changedFields(
    { ...before.statement, observed_at: before.observedAt },
    { ...statement, observed_at: observedAt },
    fields,
  );
  if (changed.length === 0) return null;
  return { changed, content: observed(keepsObserved ? prepareRecord(statement) : said, observedAt) };
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

// `changes.atom`: the records that were recently corrected, withdrawn or restored, each once, in its current state.
import { fileUrl, definitionInTier, urlOf } from '../../archive/content.ts';
import { renderFormat } from '../../archive/documents.ts';
import { CHANGES_FILE, HEAD_NAME, MANIFEST_FILE } from '../../archive/layout.ts';
import type { DocumentHead, Format } from '../../formats/format.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { tierFileRecord, tierIn } from '../../register/tier.ts';
import { type RegisterEntry, type RegisterStore, VERSIONS_PAGE_SIZE } from '../../stores/contract/registers.ts';
import { changesTitle, type SnapshotRegister } from './content.ts';

/** How many changes back "recently" reaches: ten queries of the store, however large the register is. */
const LATE_CHANGES = 1000;

/** The maximum number of records in the feed. */
const MAX_ENTRIES = 100;

/** The feed's bytes, and the number of its records. */
export async function renderChanges(
  store: RegisterStore,
  register: SnapshotRegister,
  { definition: { id }, change, log, lastChange, top }: RegisterEntry,
  atom: Format,
): Promise<{ readonly bytes: Uint8Array; readonly records: number }> {
  // The newest change is last, whatever happened to a record before.
  const late = new Map<string, { readonly record: RegisterRecord | null; readonly at: string }>();
  for (let since = Math.max(change - LATE_CHANGES, 0), more = true; more && since < change;) {
    const page = await store.changes(id, { since, log, limit: VERSIONS_PAGE_SIZE });
    for (const { cause, record_id, record, recorded_at, change: number } of page.versions) {
      if (cause === 'first_observed' || number > change) continue;
      late.delete(record_id);
      late.set(record_id, { record: cause === 'withdrawn' ? null : record, at: recorded_at });
      // The oldest entry: a map keeps its order.
      if (late.size > MAX_ENTRIES) late.delete(late.keys().next().value!);
    }
    ({ nextSince: since, more } = page);
  }
  const records: RegisterRecord[] = [];
  const withdrawn: NonNullable<DocumentHead['withdrawn']>[number][] = [];
  for (const [recordId, { record, at }] of [...late].reverse()) {
    if (record === null) withdrawn.push({ recordId, at });
    else
      records.push(
        tierFileRecord(
          record,
          tierIn(register.definition, register.tier),
          register.latest.has(recordId),
          register.tiers,
        ),
      );
  }
  const definition = definitionInTier(register);
  const head = {
    definition: { ...definition, title: changesTitle(definition) },
    part: 'changes',
    lastChange,
    asOf: top,
    pagingNote: `Records that were corrected, withdrawn or restored of late; all records are in ${urlOf(register, MANIFEST_FILE)}.`,
    withdrawn,
    links: { self: urlOf(register, CHANGES_FILE), alternate: fileUrl(register, HEAD_NAME, 'html') },
  };
  return { bytes: await renderFormat(atom, head, { records, nextOffset: null, asOf: top }), records: records.length };
}

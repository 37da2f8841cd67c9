// What of a register's folder a run may keep: the closed pages whose records have not changed since the last one.
import { closedPage, closedPages, type Ending, pageNumberOf } from '../archive/layout.ts';
import { canonicalJson } from '../register/canonical-json.ts';
import { type RegisterEntry, type RegisterStore, VERSIONS_PAGE_SIZE } from '../stores/contract/registers.ts';
import { digestOf, type RegisterManifestHead } from './folder/manifest.ts';
import type { SnapshotFolder } from './folder/writer.ts';
import { fileNames } from './pages/content.ts';

/** What may be kept from the previous state. */
export interface KnownState {
  readonly change: number;
  /** The number of pages that were closed. */
  readonly closed: number;
  /** The numbers of the closed pages that must be written again. */
  readonly changed: ReadonlySet<number>;
}

/** The existing files of this register with the same options; null if everything must be written. */
export async function knownState(
  store: RegisterStore,
  entry: RegisterEntry,
  folder: SnapshotFolder<RegisterManifestHead>,
  shape: string,
  endings: readonly Ending[],
): Promise<KnownState | null> {
  const { log, change, top } = entry;
  const { id } = entry.definition;
  const previous = folder.previous?.head;
  if (previous?.shape !== shape) return null;
  // A register that was removed and created again with the same id is a different one.
  if (previous.change > change || previous.as_of > top) return null;
  if (previous.change_mark !== (await markOf(store, entry, previous.change))) return null;
  const closed = closedPages(previous.as_of);
  const changed = new Set<number>();
  for (let number = 1; number <= closed; number++) {
    const { name } = closedPage(number);
    if (!folder.areKnown(name, fileNames(endings, name))) changed.add(number);
  }
  for (let since = previous.change, more = true; more;) {
    const page = await store.changes(id, { since, log, limit: VERSIONS_PAGE_SIZE });
    for (const { position } of page.versions) {
      const number = pageNumberOf(position);
      if (number <= closed) changed.add(number);
    }
    ({ nextSince: since, more } = page);
  }
  return { change: previous.change, closed, changed };
}

/** Identifies the change with this number without data that only PRO may see; null before the first. */
export async function markOf(
  store: RegisterStore,
  { definition, log }: RegisterEntry,
  change: number,
): Promise<string | null> {
  if (change === 0) return null;
  const { versions } = await store.changes(definition.id, { since: change - 1, log, limit: 1 });
  const version = versions[0];
  return version === undefined
    ? null
    : digestOf(canonicalJson([version.record_id, version.cause, version.recorded_at]));
}

import type { RecordVersion } from '../../src/register/record.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';

/** The whole log of a register. */
export async function allChanges(
  store: Pick<RegisterStore, 'changes'>,
  feedId = 'permits',
): Promise<readonly RecordVersion[]> {
  const all: RecordVersion[] = [];
  for (let page, since = 0; page?.more !== false; since = page.nextSince) {
    page = await store.changes(feedId, { since, limit: 100 });
    all.push(...page.versions);
  }
  return all;
}

// What an import did, as the versions that it made say: its proposal is gone by then. What was erased since is not in it.
import type { Field } from '../../register/record.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { RegisterStore } from '../../stores/contract/registers.ts';
import { statedIn } from '../../stores/rows/prepare.ts';
import { changedFields } from '../../stores/rows/published-record.ts';
import { EXAMPLES, FieldReports, type ImportReport, type RecordExample } from './report.ts';

/** How many versions it is made of. */
export const MADE_READ = 1000;

/** Says it, of the first thousand records; the counts are those of the import. @param fields of the register now */
export async function reportOfMade(
  store: RegisterStore,
  feedId: string,
  { number, counts }: Pick<ImportEntry, 'number' | 'counts'>,
  fields: readonly Field[],
): Promise<ImportReport> {
  const changes = new FieldReports(fields);
  const added: RecordExample[] = [];
  const withdrawn: string[] = [];
  for (const { id, cause, made, wasLive, before } of await store.imports.made(feedId, number, {
    after: 0,
    limit: MADE_READ,
  })) {
    if (cause === 'withdrawn') withdrawn.push(id);
    else if (made === null) continue;
    else if (!wasLive) added.push({ record_id: id, title: made.title });
    else if (before !== null) {
      const was = statedIn(before);
      changes.add(was, made, changedFields(was, made, fields));
    }
  }
  const first = { added: added.slice(0, EXAMPLES), withdrawn: withdrawn.slice(0, EXAMPLES) };
  return { counts, fields: changes.list(), findings: [], refused: [], ...first };
}

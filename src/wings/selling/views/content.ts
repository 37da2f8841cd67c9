// The record that a buyer gets, whose source may have changed it since it was paid for.
import { GazetteError } from '../../../errors.ts';
import type { RecordVersion, RegisterRecord } from '../../../register/record.ts';
import { HISTORY_PAGE, isFree, isOfSameContent } from '../../../views/bought-content.ts';
import type { RegisterViews } from '../../../views/registers.ts';
import type { Item } from '../stores/contract/ledger.ts';

/**
 * A record in the content version that was bought, corrections of it included.
 *
 * @param items says what a record's item is
 * @param now the item as it was when the record was paid for, or since
 * @throws GazetteError `record_withdrawn`
 */
export async function contentOf(
  registers: Pick<RegisterViews, 'record' | 'history'>,
  items: { readonly item: (recordId: string) => Promise<Item> },
  bought: Item,
  now: Item,
): Promise<RegisterRecord> {
  if (bought.contentVersion === now.contentVersion) {
    const record = await registers.record(bought.recordId);
    // Looked at after the record: its source may have changed it while it was paid for.
    if ((await items.item(bought.recordId)).contentVersion === bought.contentVersion) return record;
  }
  const since: RecordVersion[] = [];
  for (let offset = 0, isMore = true; isMore; offset += HISTORY_PAGE) {
    const page = await registers.history(bought.recordId, { offset, limit: HISTORY_PAGE });
    since.push(...page.filter(({ version }) => version >= bought.contentVersion));
    isMore = page.length === HISTORY_PAGE && page.at(-1)!.version > bought.contentVersion;
  }
  let record: RegisterRecord | null = null;
  for (const version of since.reverse()) {
    if (version.version === bought.contentVersion || isFree(version)) record = version.record;
    else if (!isOfSameContent(version)) break;
  }
  if (record !== null) return record;
  const message = `version ${bought.contentVersion} of ${bought.recordId} is not shown any more`;
  throw new GazetteError('record_withdrawn', message);
}

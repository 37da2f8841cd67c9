// What a buyer sees of a record whose source may have changed it since it was paid for.
import { GazetteError } from '../errors.ts';
import type { RecordVersion, RegisterRecord } from '../register/record.ts';
import type { Item } from '../wings/selling/stores/contract/ledger.ts';
import type { RegisterViews } from './registers.ts';

/** How many versions are read at once. */
const HISTORY_PAGE = 100;

/** Whether a version belongs to the content version before it: who bought that one sees it too. */
export function isOfSameContent({ cause, changed }: Pick<RecordVersion, 'cause' | 'changed'>): boolean {
  return cause === 'withdrawn' || isFree({ cause }) || (cause === 'restored' && changed.length === 0);
}

/** Whether a version is shown to who bought the one before it, in its place. */
function isFree({ cause }: Pick<RecordVersion, 'cause'>): boolean {
  return cause === 'extraction_correction' || cause === 'renumbered';
}

/**
 * Whether somebody bought what a version says.
 *
 * @param owned the content versions that they own
 * @param version its number
 * @param newest the number of the record's newest version, or of an older one that is not below this
 */
export async function isBoughtIn(
  registers: Pick<RegisterViews, 'history'>,
  recordId: string,
  owned: readonly number[],
  { version, newest }: { readonly version: number; readonly newest: number },
): Promise<boolean> {
  const bought = Math.max(...owned.filter((content) => content <= version));
  if (!Number.isFinite(bought)) return false;
  // Newer ones that come meanwhile move the others down, so that some come twice.
  for (let [offset, above] = [newest - version, version]; above > bought;) {
    const page = await registers.history(recordId, { offset, limit: HISTORY_PAGE });
    const own = page.filter((one) => one.version > bought && one.version <= version);
    if (page.length === 0 || !own.every(isOfSameContent)) return false;
    above = page.at(-1)!.version - 1;
    offset += page.length;
  }
  return true;
}

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

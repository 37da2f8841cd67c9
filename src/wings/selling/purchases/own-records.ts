// What buyers read beyond the public tier: what they own by the ledger.
import type { OwnRecords } from '../../../register/sources/preview-source.ts';
import type { MaybeBuyer } from '../../../views/selling.ts';
import type { LedgerStore, Payer } from '../stores/contract/ledger.ts';

/** Says what callers own. Null: they cannot buy. */
export function ownRecords(
  ledger: Pick<LedgerStore, 'owned' | 'ownedWithin'>,
): (caller: MaybeBuyer) => OwnRecords | null {
  return ({ buyer }) => {
    if (buyer === undefined) return null;
    const { id, balance } = buyer.account;
    return {
      // Every purchase changes what was charged.
      key: `${id} ${balance?.charged}`,
      owned: (recordIds) => ownedNow(ledger, id, recordIds),
      ownedWithin: (range) => ledger.ownedWithin(id, range),
      versions: async (recordId) => (await ledger.owned(id, [recordId])).map(({ contentVersion }) => contentVersion),
    };
  };
}

/** The records of these that a payer owns as they are now. */
async function ownedNow(
  ledger: Pick<LedgerStore, 'owned'>,
  payer: Payer,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const owned = await ledger.owned(payer, recordIds);
  return new Set(owned.filter(({ isCurrent }) => isCurrent).map(({ recordId }) => recordId));
}

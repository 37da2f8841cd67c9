// What buyers read beyond the public tier: what they own by the ledger.
import type { OwnRecords } from '../../../register/sources/preview-source.ts';
import type { Balance } from '../../../stores/contract/accounts.ts';
import type { LedgerStore, Payer } from '../stores/contract/ledger.ts';

/** Who may be a buyer; every `Access` is one. */
export interface MaybeBuyer {
  /** Who can buy records. */
  readonly buyer?: { readonly account: { readonly id: string; readonly balance?: Balance } };
}

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

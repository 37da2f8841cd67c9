// A register as a caller sees it, on every surface: whole, its latest records, or, for those who buy single records, previews
// of all and whole what they bought.
import { type PreviewedRegister, previewedRegister, type PreviewOptions } from '../register/sources/preview-source.ts';
import type { RegisterSource } from '../register/sources/source.ts';
import { type Tier, tierIn, type TierOptions, tierSource } from '../register/tier.ts';
import type { LedgerStore, Payer } from '../stores/contract/ledger.ts';
import type { RegisterView } from './registers.ts';

/** What the answer depends on. */
export interface SightServices {
  readonly tiers: TierOptions;
  /** Who bought what. Absent: nobody buys anything. */
  readonly ledger?: Pick<LedgerStore, 'owned' | 'ownedWithin'> | undefined;
}

/** Whose register it is to be; every `Access` is one. */
export interface Sighted {
  readonly tier: Tier;
  /** Who can buy records. */
  readonly buyer?: { readonly account: { readonly id: string } };
}

/** What a caller sees of a register. */
export interface SeenRegister {
  /** `public` for buyers too. */
  readonly tier: Tier;
  readonly source: RegisterSource;
  /** For a buyer: what a record that `source` gave is. Null: the source gives the tier's records alone. */
  readonly kindOf: PreviewedRegister['kindOf'] | null;
}

/** The register as the caller sees it. */
export function seenRegister(
  { tiers, ledger }: SightServices,
  { entry, source }: Pick<RegisterView, 'entry' | 'source'>,
  { tier: asked, buyer }: Sighted,
): SeenRegister {
  const tier = tierIn(entry.definition, asked);
  if (tier === 'pro' || buyer === undefined || ledger === undefined) {
    return { tier, source: tierSource(source, tier, tiers), kindOf: null };
  }
  const { id } = buyer.account;
  const owned = (ids: readonly string[]): Promise<ReadonlySet<string>> => ownedNow(ledger, id, ids);
  const ownedWithin: PreviewOptions['ownedWithin'] = (range) => ledger.ownedWithin(id, range);
  return { tier, ...previewedRegister(source, { ...tiers, owned, ownedWithin }) };
}

/** The content versions of a record that the caller bought. */
export async function ownedVersions(
  ledger: Pick<LedgerStore, 'owned'> | undefined,
  { buyer }: Sighted,
  recordId: string,
): Promise<readonly number[]> {
  if (buyer === undefined) return [];
  const owned = (await ledger?.owned(buyer.account.id, [recordId])) ?? [];
  return owned.map(({ contentVersion }) => contentVersion);
}

/** The records of these that a payer has bought as they are now. */
export async function ownedNow(
  ledger: Pick<LedgerStore, 'owned'> | undefined,
  payer: Payer,
  recordIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const owned = (await ledger?.owned(payer, recordIds)) ?? [];
  return new Set(owned.filter(({ isCurrent }) => isCurrent).map(({ recordId }) => recordId));
}

// What somebody sees of registers, on every surface: all of a register, its latest records, or previews of all and whole what is
// theirs beyond the tier. What is theirs is said from outside: nothing here knows how it came to be.
import { type OwnRecords, type PreviewedRegister, previewedRegister } from '../register/sources/preview-source.ts';
import type { RegisterSource } from '../register/sources/source.ts';
import { type Tier, tierIn, type TierOptions, tierSource } from '../register/tier.ts';
import type { RegisterView } from './registers.ts';

/** Somebody who sees what the tier shows. */
export interface Sighted {
  readonly tier: Tier;
}

/** What a caller sees of a register. */
export interface SeenRegister {
  /** `public` for who sees previews, too. */
  readonly tier: Tier;
  readonly source: RegisterSource;
  /** What a record that `source` gave is. Null: the source gives the tier's records alone. */
  readonly kindOf: PreviewedRegister['kindOf'] | null;
  /** The same for those who see the same. */
  readonly key: string;
}

/** What callers see. */
export class Sight<Caller extends Sighted = Sighted> {
  readonly tiers: TierOptions;
  readonly #ownOf: (caller: Caller) => OwnRecords | null;

  /** @param ownOf which records a caller reads beyond the tier; null: none, and no previews in lists. Default: nobody does */
  constructor(tiers: TierOptions, ownOf: (caller: Caller) => OwnRecords | null = () => null) {
    this.tiers = tiers;
    this.#ownOf = ownOf;
  }

  /** The register as the caller sees it. */
  of(caller: Caller, { entry, source }: Pick<RegisterView, 'entry' | 'source'>): SeenRegister {
    const tier = tierIn(entry.definition, caller.tier);
    const own = tier === 'pro' ? null : this.own(caller);
    if (own === null) return { tier, source: tierSource(source, tier, this.tiers), kindOf: null, key: tier };
    return { tier, ...previewedRegister(source, own, this.tiers), key: own.key };
  }

  /** What the caller reads beyond the tier. Null: nothing. */
  own(caller: Caller): OwnRecords | null {
    return this.#ownOf(caller);
  }
}

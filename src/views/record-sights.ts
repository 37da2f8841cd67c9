// What a caller sees of one record, on every surface: whole, or a preview, which is counted.
import { isGazetteError } from '../errors.ts';
import { Shared } from '../shared.ts';
import { publicWindow, type Tier, tierIn } from '../register/tier.ts';
import { MAX_VIEWS, type RegisterView, type RegisterViews } from './registers.ts';
import type { Sight, Sighted } from './sight.ts';

/** What a caller sees of a record. */
export interface RecordSight {
  readonly view: RegisterView;
  readonly tier: Tier;
  /** Whether the caller sees it whole: it is the tier's, one of the latest, or the caller's own. */
  readonly isWhole: boolean;
  /** Whether it is whole for its owner, and for nobody else of this tier. */
  readonly isOwn: boolean;
}

/** Who asks for a record. */
export interface RecordCaller<Caller extends Sighted = Sighted> {
  readonly access: Caller;
  readonly stamp: number | undefined;
  /** Counts what the public sees of older records. @throws GazetteError `rate_limited` */
  readonly countPreviews: (times: number) => Promise<void>;
}

/** Decides what callers see of records. */
export class RecordSights<Caller extends Sighted> {
  readonly #registers: RegisterViews;
  readonly #sight: Sight<Caller>;
  /** The ids that the public sees whole, by the register, under its view. */
  readonly #latest = new Shared<string, ReadonlySet<string>, RegisterView>({ capacity: MAX_VIEWS });

  constructor({ registers, sight }: { readonly registers: RegisterViews; readonly sight: Sight<Caller> }) {
    this.#registers = registers;
    this.#sight = sight;
  }

  /**
   * Answers a request for a record. A preview is counted, and an id that is not known counts twice: who tries ids must not find
   * out more cheaply which there are than who reads previews.
   *
   * @throws GazetteError `rate_limited`, `unknown_record`, and what `answer` throws
   */
  async of<T>(id: string, caller: RecordCaller<Caller>, answer: (sight: RecordSight) => Promise<T>): Promise<T> {
    let { tier } = caller.access;
    let costOfUnknown = 2;
    try {
      const view = await this.#registers.viewOfRecord(id, caller.stamp);
      tier = tierIn(view.entry.definition, tier);
      const isFree = tier === 'pro' || (await this.#latestOf(view)).has(id);
      const isOwn = !isFree && (await this.#sight.own(caller.access)?.owned([id]))?.has(id) === true;
      const isWhole = isFree || isOwn;
      if (!isWhole) {
        await caller.countPreviews(1);
        costOfUnknown = 1;
      }
      return await answer({ view, tier, isWhole, isOwn });
    } catch (error) {
      if (tier === 'public' && isGazetteError(error, 'unknown_record')) await caller.countPreviews(costOfUnknown);
      throw error;
    }
  }

  async #latestOf(view: RegisterView): Promise<ReadonlySet<string>> {
    const { value } = await this.#latest.of(view.entry.definition.id, view, async () => {
      const records = await publicWindow(view.source, this.#sight.tiers.window);
      return { value: new Set(records.map((record) => record.id)), isLasting: true };
    });
    return value;
  }
}

// The dates by which readers ask whether anything is different: an answer is made of a register and of the configuration, and both
// have a date. The store keeps since when the configuration is the current one.
import { isGazetteError } from '../errors.ts';
import { Shared } from '../shared.ts';
import type { ConfigurationStore } from '../stores/contract/nodes/configuration.ts';
import { lastModified, registerModified, type Validators } from '../web/validators.ts';
import { MAX_VIEWS, type RegisterView } from './registers.ts';

/** What is asked of the configuration. */
export interface ConfigurationDateOptions {
  /** Absent, or one that cannot be written: the start of the process counts. */
  readonly store?: ConfigurationStore | undefined;
  /** A digest of everything that shapes answers. */
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The date of an answer. */
export type Dated = Pick<Validators, 'lastModified' | 'isDateDecisive'>;

const UNDATED: Dated = { lastModified: null };

/** Since when the configuration is the current one, in seconds since 1970; `started`: nobody keeps it; null: not known yet. */
type Since = number | 'started' | null;

/** The dates of a service's answers. */
export class ConfigurationDate {
  readonly #options: ConfigurationDateOptions;
  readonly #startedMs: number;
  #since: Promise<Since>;
  /** Whether the configuration was still the current one after a register was read. */
  readonly #isCurrent = new Shared<string, boolean, RegisterView>({ capacity: MAX_VIEWS });

  constructor(options: ConfigurationDateOptions) {
    this.#options = options;
    this.#startedMs = options.now();
    this.#since = this.#begin();
  }

  /** The date of an answer that changes with the configuration alone. */
  async alone(): Promise<Dated> {
    const since = await this.#begun();
    if (since === null) return UNDATED;
    return { lastModified: lastModified(since === 'started' ? this.#startedMs : since * 1000, this.#options.now()) };
  }

  /** The date of an answer from a register. */
  async of(view: RegisterView): Promise<Dated> {
    const since = await this.#begun();
    if (since === 'started') return registerModified(view.lastModified, this.#startedMs, this.#options.now());
    if (since === null || view.lastModified === null || !(await this.#wasCurrent(view, since))) return UNDATED;
    return { lastModified: lastModified(Math.max(view.lastModified, since) * 1000, this.#options.now()) };
  }

  /** A store that was away is asked again by the next request. */
  async #begun(): Promise<Since> {
    const since = await this.#since;
    if (since === null) this.#since = this.#begin();
    return since;
  }

  async #begin(): Promise<Since> {
    const { store, digest } = this.#options;
    if (store === undefined) return 'started';
    try {
      return await store.begin(digest, Math.floor(this.#startedMs / 1000));
    } catch (error) {
      return isGazetteError(error, 'store_busy') || isGazetteError(error, 'store_unavailable') ? null : 'started';
    }
  }

  /** Once a process has begun with another configuration, a later change has one date for both, whoever begins after it. */
  async #wasCurrent(view: RegisterView, since: number): Promise<boolean> {
    const { value } = await this.#isCurrent.of(view.entry.definition.id, view, () =>
      this.#options.store!.since().then(
        (current) => ({ value: current === since, isLasting: true }),
        () => ({ value: false, isLasting: false }),
      ),
    );
    return value;
  }
}

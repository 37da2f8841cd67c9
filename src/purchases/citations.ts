// Receipts to cite: for each purchase a signed text that says which record was bought, in which content version, and as
// which change its register recorded that version, with the entry of the log where there is one. It does not say who paid.
import type { LogStore } from '../stores/contract/proofs/logs.ts';
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { Purchase } from '../stores/contract/ledger.ts';
import type { Receipts } from './receipts.ts';

/** What receipts to cite are made from. */
type CitedStore = Pick<RegisterStore, 'history'> & { readonly logs: Pick<LogStore, 'of'> };

/** Makes receipts to cite for what a store's ledger has. */
export class Citations {
  readonly #receipts: Pick<Receipts, 'cite' | 'publicKeys'>;
  readonly #store: CitedStore;

  constructor(receipts: Pick<Receipts, 'cite' | 'publicKeys'>, store: CitedStore) {
    this.#receipts = receipts;
    this.#store = store;
  }

  /** The public keys that check them, as text: a JWK set (RFC 7517). */
  keySet(): string {
    return JSON.stringify(this.#receipts.publicKeys());
  }

  /**
   * The receipt of a purchase; the same each time, but that it names the log once that is signed.
   *
   * @param issuer the address of the API, which serves the public keys
   * @returns null when the register has the version no longer
   */
  async of({ item, charge }: Purchase, issuer: string): Promise<string | null> {
    const { feedId, recordId, contentVersion } = item;
    const change = await this.#changeOf(recordId, contentVersion);
    if (change === null) return null;
    const { origin: log } = await this.#store.logs.of(feedId);
    return this.#receipts.cite({ issuer, feedId, recordId, contentVersion, change, log, boughtAt: charge.at });
  }

  /** The change by which a version was recorded. Versions of a record are dense, and the newest is usually meant. */
  async #changeOf(recordId: string, version: number): Promise<number | null> {
    for (let offset = 0; ;) {
      const [found] = (await this.#store.history(recordId, { offset, limit: 1 })) ?? [];
      if (found === undefined || found.version < version) return null;
      if (found.version === version) return found.change;
      offset += found.version - version;
    }
  }
}

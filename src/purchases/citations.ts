// Receipts to cite: for each purchase a signed text that says which record was bought, in which content version, and as
// which change its register recorded that version. It does not say who paid.
import type { RegisterStore } from '../stores/contract/registers.ts';
import type { Purchase } from '../stores/contract/ledger.ts';
import type { Receipts } from './receipts.ts';

/** Makes receipts to cite for what a store's ledger has. */
export class Citations {
  readonly #receipts: Pick<Receipts, 'cite' | 'publicKeys'>;
  readonly #store: Pick<RegisterStore, 'history'>;

  constructor(receipts: Pick<Receipts, 'cite' | 'publicKeys'>, store: Pick<RegisterStore, 'history'>) {
    this.#receipts = receipts;
    this.#store = store;
  }

  /** The public keys that check them, as text: a JWK set (RFC 7517). */
  keySet(): string {
    return JSON.stringify(this.#receipts.publicKeys());
  }

  /**
   * The receipt of a purchase; the same each time.
   *
   * @param issuer the address of the API, which serves the public keys
   * @returns null when the register has the version no longer
   */
  async of({ item, charge }: Purchase, issuer: string): Promise<string | null> {
    const { feedId, recordId, contentVersion } = item;
    const change = await this.#changeOf(recordId, contentVersion);
    if (change === null) return null;
    return this.#receipts.cite({ issuer, feedId, recordId, contentVersion, change, boughtAt: charge.at });
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

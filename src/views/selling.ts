// What the core asks of what sells records.
import type { RegisterDefinition } from '../register/record.ts';
import type { OwnRecords } from '../register/sources/preview-source.ts';
import type { Balance } from '../stores/contract/accounts.ts';

/** Somebody who moves money for records that are bought. `createX402()` of `gazette/x402` makes one. */
export interface PaymentProvider {
  /** Unique among the providers of a service; in the ledger it is the entries' `provider`. */
  readonly name: string;
}

/** Who may be a buyer; every `Access` is one. */
export interface MaybeBuyer {
  /** Who can buy records. */
  readonly buyer?: { readonly account: { readonly id: string; readonly balance?: Balance } };
}

/** A document as plain JSON. */
type Described = Readonly<Record<string, unknown>>;

/** How records are sold. */
export interface Selling {
  /** What a caller owns. Null: it cannot buy. */
  own(caller: MaybeBuyer): OwnRecords | null;
  /** Whether anything was ever bought, or is being bought. */
  hasSold(): Promise<boolean>;
  /** The number of the version whose content is sold now. Null: the record is not live. */
  contentVersion(recordId: string): Promise<number | null>;
  /** The numbers of the versions that a receipt opens. @param url where the record is bought */
  opened(receipt: string, recordId: string, url: string): Promise<readonly number[]>;
  /** openapi.json of a service that sells records of these registers, or has sold some. */
  described(document: Described, definitions: readonly RegisterDefinition[]): Described;
}

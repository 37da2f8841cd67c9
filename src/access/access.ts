// The interface between the surfaces, which ask who sent a request, and authenticate.ts, which finds out.
import type { Tier } from '../register/tier.ts';
import type { Account, ApiKeyEntry } from '../stores/contract/accounts.ts';

/**
 * Somebody who can buy records one by one: by the credit of an account without a date, or with a key that has a budget.
 * They read previews of all records, and see whole what the account bought (`ledger.owned(account.id, …)`).
 */
export interface Buyer {
  readonly account: Account;
  /** Null: the owner signed in. */
  readonly key: ApiKeyEntry | null;
  /** Whether the key was made to spend (`key.budget`): then it pays by reading. Others buy by asking for it. */
  readonly paysByReading: boolean;
}

/**
 * The tier of a request, and whose account it uses. With a key, `key` is that key. Somebody who signed in has none; without
 * paid access the tier is then `public`, with the account. `buyer` is who can buy: it is on the tier `public` too,
 * as is who sent a receipt (`gzr_…`) in place of a key, which opens what it was given for and nothing else.
 */
export type Access =
  | {
      readonly tier: Extract<Tier, 'public'>;
      readonly account?: Account;
      readonly buyer?: Buyer;
      readonly receipt?: string;
    }
  | { readonly tier: Extract<Tier, 'pro'>; readonly account: Account; readonly key: ApiKeyEntry | null };

/** The key that came with a request, a buyer's too; null: none did. */
export function keyOf(access: Access): ApiKeyEntry | null {
  return (access.tier === 'pro' ? access.key : access.buyer?.key) ?? null;
}

/** Access without an account. */
export const PUBLIC_ACCESS: Access = { tier: 'public' };

/** The part of a request that identifies its sender; `Request` has it. */
export interface Asking {
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
}

/**
 * Finds out who sent a request. A request without credentials is public; one with credentials is `pro` or refused,
 * never silently public.
 *
 * @param stamp the store's current stamp, if it has one: what is known about a key under the same stamp is still valid
 * @throws GazetteError `credentials_in_url`, `misplaced_credentials` and `repeated_credentials` (400); `malformed_key`, `unknown_key`,
 *   `revoked_key`, `rotated_key` (its grace period is over), `expired_key`, `wrong_product`, `access_lapsed`, `account_suspended`
 *   (401).
 */
export type Authenticate = (request: Asking, stamp?: number) => Promise<Access>;

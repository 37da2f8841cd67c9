// Who a request comes from: the joint between the surfaces, which ask, and authenticate.ts, which answers.
import type { Tier } from '../register/tier.ts';
import type { Account, ApiKeyEntry } from '../stores/contract/accounts.ts';

/** What a request may see, and as whom. */
export type Access =
  | { readonly tier: Extract<Tier, 'public'> }
  | { readonly tier: Extract<Tier, 'pro'>; readonly account: Account; readonly key: ApiKeyEntry };

/** As much of a request as says who sent it; `Request` has it. */
export interface Asking {
  readonly url: string;
  readonly headers: Pick<Headers, 'get'>;
}

/**
 * Finds out who a request comes from. A request without credentials is public; one with credentials is `pro` or refused,
 * never silently public.
 *
 * @param stamp the store's at this moment, where it has one: what is known of a key under the same stamp still holds
 * @throws GazetteError `credentials_in_url` and `repeated_credentials` (400); `malformed_key`, `unknown_key`,
 *   `revoked_key`, `rotated_key` (its grace is over), `wrong_product`, `access_lapsed`, `account_suspended` (401).
 */
export type Authenticate = (request: Asking, stamp?: number) => Promise<Access>;

// What the pages of an account need: how somebody signs in, and what the owner of an account may do.
import type { OwnAccount } from '../../operate/own-account.ts';
import type { SignInMail } from '../../operate/sign-in-mail.ts';
import type { SignIns } from '../../operate/sign-in.ts';
import type { Account, ServiceStore } from '../../stores/contract/accounts.ts';
import type { WebhookEndpoint } from '../../stores/contract/endpoints.ts';
import type { Choices } from '../../templates/account/key-parts.ts';
import type { PageContext, PageOptions } from '../services.ts';

/** What all pages of accounts share. */
export interface OwnerServices {
  readonly signIns: SignIns<Account>;
  /** Sends links by e-mail. Null: the operator hands them out. */
  readonly mail: SignInMail | null;
  /** Everything that the owner of an account may do goes through this. */
  readonly ownAccount: (
    accountId: string,
    by?: null,
    stores?: Pick<ServiceStore, 'accounts' | 'deliveries'>,
  ) => OwnAccount;
  /** Remembers forms that make something secret, each of which is done once. */
  readonly idempotency: ServiceStore['idempotency'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The registers that can be chosen. @param chosen those that are already */
  registers(chosen: readonly string[]): Promise<Choices>;
  /** The product of keys that work here. */
  readonly product: string;
  readonly options: PageOptions;
}

/** Somebody who is signed in, and asks. */
export interface OwnerRequest {
  readonly context: PageContext;
  readonly account: Account;
  /** Of the session. */
  readonly secret: string;
  readonly own: OwnAccount;
  /** Endpoints that were disabled, or have failed for a day. */
  readonly troubled: readonly WebhookEndpoint[];
}

// What owners of accounts need of a service: the account of each, and how links to sign in are sent.
import { Accounts } from '../operate/accounts.ts';
import { EndpointMail } from '../operate/endpoint-mail.ts';
import { Endpoints, type EndpointsOptions } from '../operate/endpoints.ts';
import { OwnAccount } from '../operate/own-account.ts';
import { type MailTransport, SignInMail } from '../operate/sign-in-mail.ts';
import { accountSignIns, type SignIns } from '../operate/sign-in.ts';
import type { Account, ApiKeyEntry, ServiceStore } from '../stores/contract/accounts.ts';
import { endpointMail } from '../templates/account/endpoint-mail.ts';
import { SecretBox } from '../webhooks/send/secret-box.ts';

/** How links to sign in, and what owners are told of their endpoints, are sent by e-mail. */
export interface MailOptions {
  /** A transport of nodemailer, or anything else with its method. */
  readonly transport: MailTransport;
  /** The sender's address, such as `registers@example.org`. */
  readonly from: string;
}

/** Options of {@link createOwners}. */
export interface OwnersOptions {
  readonly store: ServiceStore;
  readonly product: string;
  readonly now: () => number;
  /** How endpoints are kept that owners add. Default: their secrets cannot be kept, and adding one is refused. */
  readonly endpoints?: Omit<EndpointsOptions, 'now'> | undefined;
  readonly mail?: MailOptions | undefined;
  /** The name of the service, and its public address, without a slash at its end: what mails say. */
  readonly service: { readonly title: string; readonly baseUrl: string | undefined };
  readonly onError: (error: unknown) => void;
}

/** What owners of accounts need of a service. */
export interface Owners {
  readonly signIns: SignIns<Account>;
  readonly mail: SignInMail | null;
  /**
   * Everything that the owner of an account may do.
   *
   * @param by the key that a program uses; null, the default: the owner is signed in
   * @param stores the parts of the store, if not its own
   */
  readonly ownAccount: (
    accountId: string,
    by?: ApiKeyEntry | null,
    stores?: Pick<ServiceStore, 'accounts' | 'deliveries'>,
  ) => OwnAccount;
  /** Remembers requests and forms that must not take effect twice. */
  readonly idempotency: ServiceStore['idempotency'];
  /** Sends the mails that wait. */
  close(): Promise<void>;
}

/** Puts it together. */
export function createOwners({ store, product, now, mail, service, onError, ...options }: OwnersOptions): Owners {
  const signIns = accountSignIns(store, { now });
  const sending =
    mail === undefined
      ? null
      : new SignInMail({
          ...{ find: (email) => store.accounts.accountsOfEmail(email), signIns, onError },
          ...mail,
        });
  const telling =
    mail === undefined || store.isReadOnly === true
      ? null
      : new EndpointMail({
          ...{ deliveries: store.deliveries, accounts: store.accounts, now, onError, ...mail },
          compose: (endpoint) =>
            endpointMail(endpoint, {
              service: service.title,
              url: `${service.baseUrl ?? ''}/account/endpoints/${endpoint.id}`,
            }),
        });
  return {
    signIns,
    mail: sending,
    idempotency: store.idempotency,
    ownAccount: (accountId, by = null, stores = store) => {
      const accounts = new Accounts(stores, { product, now });
      const endpoints = new Endpoints(stores, {
        box: () => SecretBox.fromHex(undefined),
        ...options.endpoints,
        now,
      });
      return new OwnAccount({ accounts, endpoints, accountId, by });
    },
    async close() {
      await sending?.close();
      await telling?.close();
    },
  };
}

// What an owner does with her account through any coat: the command line, the routes for programs, the pages.
import type { ErrorCode } from '../../src/errors.ts';
import type { ApiKeyEntry, ServiceStore } from '../../src/stores/contract/accounts.ts';

/** What a key is to be; absent members stay as they are. */
export interface KeyWish {
  readonly name?: string | null;
  readonly scopes?: readonly string[];
  /** Null: all. */
  readonly feeds?: readonly string[] | null;
  /** Such as `600/60`; null: none. */
  readonly limit?: string | null;
  /** In cents; null: none. */
  readonly budget?: number | null;
  readonly perDay?: number | null;
}

/** What an endpoint is to be; absent members stay as they are, empty ones mean all. */
export interface EndpointWish {
  readonly url?: string;
  readonly feeds?: readonly string[];
  readonly types?: readonly string[];
  readonly filters?: Readonly<Record<string, readonly string[]>>;
  readonly isStandard?: boolean;
}

/** An account through one coat. Every method throws {@link refused} where the coat refuses. */
export interface AccountCoat {
  /** @returns the key, as it is shown */
  createKey(wish: KeyWish, expires?: string): Promise<string>;
  updateKey(id: string, wish: KeyWish): Promise<unknown>;
  /** @returns the new key, as it is shown */
  rotateKey(id: string, graceHours?: number): Promise<string>;
  revokeKey(id: string): Promise<unknown>;
  /** The ids of the keys in a list. */
  keyIds(): Promise<readonly string[]>;
  /** @returns the secret, as it is shown */
  addEndpoint(wish: EndpointWish & { readonly url: string }): Promise<string>;
  updateEndpoint(id: string, wish: EndpointWish): Promise<unknown>;
  setEnabled(id: string, isEnabled: boolean): Promise<unknown>;
  removeEndpoint(id: string): Promise<unknown>;
  testEndpoint(id: string): Promise<unknown>;
  /** @returns the secret, as it is shown */
  prepareSecret(id: string): Promise<string>;
  activateSecret(id: string, graceHours: number): Promise<unknown>;
  endpointIds(): Promise<readonly string[]>;
  /** The ids of the deliveries in a list. */
  deliveryIds(endpointId: string): Promise<readonly string[]>;
  /** What each attempt was answered. */
  statuses(deliveryId: string): Promise<readonly number[]>;
  replayDelivery(id: string): Promise<unknown>;
  /** Those that failed. @param since default: the first */
  replayMissed(endpointId: string, since?: string): Promise<unknown>;
}

/** A refusal, as a coat says it. @param code of the coat, which is the error's cause */
export function refused(code: string, said: string): Error {
  return new Error(said, { cause: code });
}

/** A coat over a store of its own. */
export interface CoatSubject {
  readonly store: ServiceStore;
  /** The coat over an account of the store. */
  readonly coatOf: (accountId: string) => Promise<AccountCoat>;
  readonly dispose: () => Promise<void>;
}

/** A coat. */
export interface CoatKind {
  readonly name: string;
  readonly open: () => Promise<CoatSubject>;
  /** What it says of each code, where it says another. */
  readonly codes: Readonly<Partial<Record<ErrorCode, string>>>;
  /** Whether it says the rule's own sentence, where no schema refuses before. */
  readonly saysRule: boolean;
  /** Whether it handles the endpoints of all accounts: an operator's command line. */
  readonly isOperators: boolean;
}

/** The name of the key with which a coat itself asks, which is no part of the state. */
export const OWN_KEY = 'the coat’s own';

/** Where endpoints are, unless they are elsewhere. */
export const URL_OF_MINE = 'https://8.8.8.8/hook';

/** What a scenario has: the coat, and what there is in the account. */
export interface Scene {
  readonly coat: AccountCoat;
  /** The newest of each kind. */
  readonly key: () => Promise<ApiKeyEntry>;
  readonly endpoint: () => Promise<string>;
  readonly delivery: () => Promise<string>;
  /** Settles what waits: answered 500 for good, or 204. */
  readonly settle: (as: 'failed' | 'acknowledged') => Promise<void>;
  /** Has the account credit in euro cents, in a service that sells records. */
  readonly credit: (cents: number) => Promise<void>;
  /** Has the newest key spend of its budget. */
  readonly spend: (cents: number) => Promise<void>;
  /** Ids of the other account. */
  readonly foreign: { readonly key: string; readonly endpoint: string; readonly delivery: string };
  readonly state: () => Promise<State>;
}

/** An account in the store, with ordinals for ids, and with hours from now for times that are not years away. */
export interface State {
  readonly keys: readonly object[];
  readonly endpoints: readonly object[];
  readonly deliveries: readonly object[];
}

/** Something that is done with an account. */
export type Scenario = (scene: Scene) => Promise<unknown>;

// Requests that must not take effect twice (`Idempotency-Key`): what a store keeps of them, and for how long.

/** A request that begins. */
export interface NewRequest {
  /** The account. */
  readonly accountId: string;
  /** The route: the same key means another request there. */
  readonly route: string;
  /** The key that the client chose. */
  readonly key: string;
  /** SHA-256 of everything that the client asks for. */
  readonly digest: Uint8Array;
  /** A random name of this attempt. */
  readonly token: string;
  /** When it begins, RFC 3339. */
  readonly at: string;
  /** When another attempt may begin, unless this one has taken effect by then: its process was killed. */
  readonly until: string;
  /** Requests that began before this time are forgotten. */
  readonly forgetBefore: string;
}

/** What became of a request so far. */
export type RequestState =
  /** It begins now: it is to be ended or abandoned. */
  | { readonly kind: 'begun' }
  /** An attempt is running. */
  | { readonly kind: 'running' }
  /** The key was used for something else. */
  | { readonly kind: 'mismatch' }
  /** It took effect: with this result, as JSON, and it began at this time. */
  | { readonly kind: 'done'; readonly result: string; readonly at: string };

/** Requests with keys. @typeParam Changed the parts of the store that a request may change */
export interface IdempotencyStore<Changed> {
  /** Begins a request, if it neither runs nor has taken effect. @throws GazetteError `unknown_account`, `invalid_option` */
  begin(request: NewRequest): Promise<RequestState>;

  /**
   * Parts of the store for a request that has begun: the next change of them ends it, in the transaction
   * of the change. What the change returns is kept as the result; of one in parts, what its last part returns.
   *
   * @param token that of the attempt. A change throws `idempotency_in_progress`, and changes nothing, once another
   *   attempt has begun
   */
  ending(token: string): Changed;

  /** Forgets an attempt that has failed. One that has taken effect stays. */
  abandon(token: string): Promise<void>;
}

// What is read of a request. `Request` has it all; a host that has a request of its own gives this much of it, and is
// spared the making of a `Request`, which costs more than most answers.

/** A request, whoever made the object. */
export interface IncomingRequest {
  /** In capitals: `GET`. */
  readonly method: string;
  /** An absolute URL in its normal form (Fetch 5.4). */
  readonly url: string;
  /** Its header fields. */
  readonly headers: Pick<Headers, 'get'>;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Null where there can be none. To be read once. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

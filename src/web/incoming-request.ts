// The parts of a request that handlers read. `Request` has them all. A host with its own request type provides only
// these and avoids creating a `Request`, which costs more than most answers.

/** A request, as a `Request` or a host's own object. */
export interface IncomingRequest {
  /** In upper case: `GET`. */
  readonly method: string;
  /** An absolute URL in its normal form (Fetch 5.4). */
  readonly url: string;
  /** Its header fields. */
  readonly headers: Pick<Headers, 'get'>;
  /** Fires when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Null if there cannot be one. It can be read once. */
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** A part of an address without its escapes (RFC 3986 2.1); one that is escaped wrongly, as it is. */
export function unescaped(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What the host knows about a request besides the request itself. */
export interface RequestOrigin {
  /** The client's address. Without it, limits per address do not count. */
  readonly remoteAddress?: string | undefined;
}

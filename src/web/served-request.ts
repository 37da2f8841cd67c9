// A request on its way through the service, with the facts that every surface needs.
import type { IncomingRequest } from './incoming-request.ts';
import type { HeaderFields } from './representation.ts';

/** A request, and what was learned about it on the way. */
export interface ServedRequest {
  readonly request: IncomingRequest;
  /** The public URL of `/api/v1`. */
  readonly api: string;
  /** The client's address; null if unknown. */
  readonly remoteAddress: string | null;
  /** Header fields of every answer to this request. */
  readonly headers: HeaderFields;
  /** The store's stamp when the answer was begun; undefined if the store has none. */
  readonly stamp: number | undefined;
}

// A request on its way through the service, as far as every surface needs to know it.
import type { IncomingRequest } from './incoming-request.ts';
import type { HeaderFields } from './representation.ts';

/** A request, and what was found out about it on the way. */
export interface ServedRequest {
  readonly request: IncomingRequest;
  /** The public address of `/api/v1`. */
  readonly api: string;
  /** Where the connection comes from; null where that is not known. */
  readonly remoteAddress: string | null;
  /** Header fields of every answer to it. */
  readonly headers: HeaderFields;
  /** The store's stamp when the answer was begun; undefined where it has none. */
  readonly stamp: number | undefined;
}

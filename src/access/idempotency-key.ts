// The header field by which a request is told from its repetition (draft-ietf-httpapi-idempotency-key-header).
import { GazetteError, quote } from '../errors.ts';
import type { IncomingRequest } from '../web/incoming-request.ts';

/**
 * The `Idempotency-Key` of a request: 1 to 255 visible characters, so that logs and databases hold them; null: none.
 *
 * @throws GazetteError `invalid_parameter`
 */
export function idempotencyKeyOf({ headers }: Pick<IncomingRequest, 'headers'>): string | null {
  const key = headers.get('idempotency-key');
  return key === null ? null : checkIdempotencyKey(key, 'Idempotency-Key');
}

/** The same for a key that came otherwise. @param name what the error calls it @throws GazetteError `invalid_parameter` */
export function checkIdempotencyKey(key: string, name: string): string {
  if (/^[!-~]{1,255}$/.test(key)) return key;
  const message = `${name} must be 1..255 visible ASCII characters, got ${quote(key)}`;
  throw new GazetteError('invalid_parameter', message, { details: { parameter: name } });
}

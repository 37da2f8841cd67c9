// The headers of Standard Webhooks 1.0, for receivers that check them with one of its libraries. The signature is an
// HMAC-SHA-256 over `<id>.<timestamp>.<body>`, in base64, keyed with the bytes that the secret is the base64 of.
import { createHmac } from 'node:crypto';
import { SECRET_PREFIX } from './signature.ts';

/** A message to sign. */
export interface StandardMessage {
  /** The event's id. It must not contain `.`, which separates what is signed. */
  readonly id: string;
  /** Unix time of the sending, in whole seconds. */
  readonly timestampSeconds: number;
  /** The bytes as they are sent. */
  readonly rawBody: Uint8Array;
}

/** The headers of a message. @param secrets those that sign, with their prefix: one signature for each */
export function standardHeaders(
  { id, timestampSeconds, rawBody }: StandardMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(rawBody).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

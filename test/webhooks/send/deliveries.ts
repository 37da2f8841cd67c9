// Signed deliveries for the tests: the vectors of fixtures/webhooks, and an event signed at will.
import { readFileSync } from 'node:fs';
import { sign } from '../../../src/webhooks/signature.ts';

/** A line of fixtures/webhooks/signatures.json. */
export interface SignatureVector {
  readonly name: string;
  readonly secret: string;
  readonly timestamp: number;
  readonly body_base64: string;
  readonly header: string;
}

/** The committed vectors. */
export const VECTORS = JSON.parse(
  readFileSync(new URL('../../../fixtures/webhooks/signatures.json', import.meta.url), 'utf8'),
) as readonly SignatureVector[];

/** The secret of the tests' endpoint. */
export const SECRET = 'whsec_QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZn';

/** A delivery as it travels. */
export interface Delivery {
  readonly body: Buffer;
  readonly headers: { readonly 'x-register-signature': string; readonly 'x-register-event': string };
}

/** A signed test event, sent now unless told. */
export function delivery(id = 'evt_1', timestamp: number = nowSeconds()): Delivery {
  const event = { id, type: 'endpoint.test', created_at: '2026-04-19T08:12:45Z' };
  return signed(id, Buffer.from(JSON.stringify(event)), timestamp);
}

/** The first vector's event, `record.published`, sent now. */
export function recordDelivery(): Delivery {
  const body = Buffer.from(VECTORS[0]!.body_base64, 'base64');
  return signed((JSON.parse(body.toString()) as { readonly id: string }).id, body, nowSeconds());
}

function signed(id: string, body: Buffer, timestamp: number): Delivery {
  return { body, headers: { 'x-register-signature': sign(body, SECRET, timestamp), 'x-register-event': id } };
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

// A signature checked in both ways there are.
import { expect } from 'vitest';
import type { SignatureCheck } from '../../src/webhooks/signature-rules.ts';
import { checkSignature as checkAtOnce } from '../../src/webhooks/signature.ts';
import { checkSignature as checkOnTheWeb } from '../../src/webhooks/web-signature.ts';

/** Checks with Node's crypto and with WebCrypto, which must both accept, or both refuse with the same error: that one is thrown. */
export async function checkSignature(rawBody: Uint8Array, header: string | null, check: SignatureCheck): Promise<void> {
  let atOnce: unknown = null;
  try {
    checkAtOnce(rawBody, header, check);
  } catch (error) {
    atOnce = error;
  }
  let onTheWeb: unknown = null;
  await checkOnTheWeb(rawBody, header, check).catch((error: unknown) => {
    onTheWeb = error;
  });
  expect(onTheWeb).toEqual(atOnce);
  if (onTheWeb !== null) throw onTheWeb as Error;
}

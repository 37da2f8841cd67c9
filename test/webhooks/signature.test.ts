import { describe, expect, it } from 'vitest';
import { isGazetteError } from '../../src/errors.ts';
import { createSigningSecret, sign } from '../../src/webhooks/signature.ts';
import { checkSignature } from '../../src/webhooks/web-signature.ts';
import { SECRET, VECTORS } from './send/deliveries.ts';

const NOW = 1_776_586_365;
const body = '{"id":"evt_1","type":"endpoint.test"}';
const bytes = Buffer.from(body);

/** `accepted`, or the code and the reason of the refusal. */
async function verdict(
  header: string | null,
  secret: string | readonly string[] = SECRET,
  nowSeconds = NOW,
): Promise<string> {
  try {
    await checkSignature(bytes, header, { secret, now: () => nowSeconds * 1000 });
    return 'accepted';
  } catch (error) {
    if (!isGazetteError(error)) throw error;
    return `${error.code} ${String(error.details.reason ?? error.details.option ?? '')}`.trim();
  }
}

describe('a signature', () => {
  it.each(VECTORS)('of $name is that of the vector', ({ secret, timestamp, body_base64, header }) => {
    expect(sign(Buffer.from(body_base64, 'base64'), secret, timestamp)).toBe(header);
  });

  it.each(VECTORS)('of $name is accepted, and no longer when a bit of the body differs', async (vector) => {
    const rawBody = Buffer.from(vector.body_base64, 'base64');
    const check = { secret: vector.secret, now: () => vector.timestamp * 1000 };
    await checkSignature(rawBody, vector.header, check);
    rawBody[rawBody.length - 1]! ^= 1;
    await expect(checkSignature(rawBody, vector.header, check)).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_signature', details: { reason: 'mismatch' } }),
    );
  });

  it('takes a text for its UTF-8', () => {
    expect(sign('é', SECRET, NOW)).toBe(sign(Buffer.from('é', 'utf8'), SECRET, NOW));
  });

  it.each([1.5, -1, NaN, Infinity, '1' as unknown as number])('is not made for the time %s', (timestamp) => {
    expect(() => sign(body, SECRET, timestamp)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });

  it.each<unknown>(['', undefined, null, 5, {}])('is neither made nor checked with the secret %j', async (secret) => {
    expect(() => sign(body, secret as string, NOW)).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    await expect(
      checkSignature(bytes, sign(body, SECRET, NOW), { secret: secret as string, now: () => NOW * 1000 }),
    ).rejects.toThrow(expect.objectContaining({ code: 'invalid_option' }));
  });
});

describe('a new secret', () => {
  it('has its prefix and 264 random bits, and is another each time', () => {
    const secrets = Array.from({ length: 100 }, createSigningSecret);
    for (const secret of secrets) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    expect(new Set(secrets).size).toBe(100);
  });
});

const good = sign(body, SECRET, NOW).split('v1=')[1]!;

/** A header whose digest is right for whatever stands as its time: only the time can be at fault. */
async function signedAs(timestamp: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  return `t=${timestamp},v1=${createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')}`;
}

describe('checking a signature', () => {
  const timestamps = [
    '', ' ', ' 1', '1 ', '0x10', '1e3', 'Infinity', '-Infinity', 'NaN', '+1', '-1', '1.5', '.5', '1_000', '0b1', 'null', 'undefined',
    '１７７６５８６３６５', `${NOW}n`, `${NOW}\n`, `\t${NOW}`, `${NOW}\u0000`, '9'.repeat(400), '[object Object]',
  ]; // prettier-ignore
  it.each(timestamps)('refuses the time %j, however well signed', async (timestamp) => {
    expect(await verdict(await signedAs(timestamp))).toBe('invalid_signature timestamp');
  });

  it.each([
    ['the present', 0, 'accepted'],
    ['300 seconds ago', -300, 'accepted'],
    ['in 300 seconds', 300, 'accepted'],
    ['301 seconds ago', -301, 'signature_expired'],
    ['in 301 seconds', 301, 'signature_expired'],
    ['at the beginning of time', -NOW, 'signature_expired'],
    ['beyond all time', 1e15, 'signature_expired'],
  ])('of %s', async (_, offset, expected) => {
    expect(await verdict(await signedAs(String(NOW + offset)))).toBe(expected);
  });

  it.each([
    [300_000, 'accepted'],
    [300_001, 'signature_expired'],
    [-300_000, 'accepted'],
    [-300_001, 'signature_expired'],
  ])('compares unrounded times: at %i ms', async (offsetMs, expected) => {
    expect(await verdict(sign(body, SECRET, NOW), SECRET, NOW + offsetMs / 1000)).toBe(expected);
  });

  it('takes another tolerance, and none that would accept everything', async () => {
    const check = (toleranceSeconds: number, ageSeconds: number): Promise<void> =>
      checkSignature(bytes, sign(body, SECRET, NOW), {
        secret: SECRET,
        toleranceSeconds,
        now: () => (NOW + ageSeconds) * 1000,
      });
    await check(10, 10);
    await expect(check(10, 11)).rejects.toThrow(expect.objectContaining({ code: 'signature_expired' }));
    await check(0, 0);
    await expect(check(0, 1)).rejects.toThrow(expect.objectContaining({ code: 'signature_expired' }));
    for (const tolerance of [NaN, Infinity, -1, '300', null]) {
      await expect(check(tolerance as number, 0)).rejects.toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });

  it('refuses when the clock tells no time', async () => {
    expect(await verdict(sign(body, SECRET, NOW), SECRET, NaN)).toBe('signature_expired');
  });

  it.each([
    ['empty', ''],
    ['63 characters', good.slice(1)],
    ['65 characters', `${good}0`],
    ['capitals', good.toUpperCase()],
    ['a character beyond f', `g${good.slice(1)}`],
    ['a line end after it', `${good}\n`],
    ['a NUL in it', `${good.slice(0, 63)}\u0000`],
    ['full-width digits', good.replace(/\d/, '１')],
    ['base64', Buffer.from(good, 'hex').toString('base64')],
    ['quotes', `"${good}"`],
  ])('refuses a digest with %s', async (_, hex) => {
    expect(await verdict(`t=${NOW},v1=${hex}`)).toBe('invalid_signature digest');
    expect(await verdict(`t=${NOW},v1=${good},v1=${hex}`)).toBe('invalid_signature digest');
  });

  it.each([
    [null, 'missing'],
    ['', 'missing'],
    ['nonsense', 'malformed'],
    [`t=${NOW}`, 'malformed'],
    [`v1=${good}`, 'malformed'],
    [`t=${NOW}, v1=${good}`, 'malformed'],
    [`t=${NOW},v1=${good},`, 'malformed'],
    [`t=${NOW},t=${NOW},v1=${good}`, 'malformed'],
    [`t=${NOW};v1=${good}`, 'timestamp'],
    [`t=${NOW},v1=${good}, t=${NOW},v1=${good}`, 'malformed'],
    [`T=${NOW},V1=${good}`, 'malformed'],
    [`t=${NOW},v0=${good}`, 'malformed'],
    [`t=${NOW},v1=${'0'.repeat(64)}`, 'mismatch'],
    [`t=${NOW - 1},v1=${good}`, 'mismatch'],
    [`t=0${NOW},v1=${good}`, 'mismatch'],
  ])('refuses the header %j as %s', async (header, reason) => {
    expect(await verdict(header)).toBe(`invalid_signature ${reason}`);
  });

  it('takes any secret and any digest of a rotation, and passes other schemes over', async () => {
    const next = createSigningSecret();
    expect(await verdict(sign(body, next, NOW), [SECRET, next])).toBe('accepted');
    expect(await verdict(sign(body, SECRET, NOW), [SECRET, next])).toBe('accepted');
    expect(await verdict(sign(body, createSigningSecret(), NOW), [SECRET, next])).toBe('invalid_signature mismatch');
    expect(await verdict(`t=${NOW},v1=${'0'.repeat(64)},v1=${good},v0=abc`)).toBe('accepted');
  });
});

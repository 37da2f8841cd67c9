// Receipts: those that open what was bought, and those to cite.
import { createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeReceipt, Receipts } from '../../src/purchases/receipts.ts';

const [OLD, NEW] = ['0a'.repeat(32), '0B'.repeat(32)];
const CLAIMS = { payer: 'x402:eip155:8453:0xaa', item: { recordId: 'permits:Müll 1', contentVersion: 3 } };
const CITATION = {
  ...{ issuer: 'https://register.example', feedId: 'permits', recordId: 'permits:a', contentVersion: 3, change: 17 },
  log: null,
  boughtAt: '2026-05-02T10:00:00.000Z',
};

describe('receipts', () => {
  it('open what they were made for, and are the same each time', () => {
    const receipt = Receipts.fromHex(OLD).issue(CLAIMS);
    expect(receipt).toMatch(/^gzr_[\w-]+$/);
    expect(Receipts.fromHex(OLD).issue(CLAIMS)).toBe(receipt);
    expect(Receipts.fromHex(OLD).open(receipt)).toEqual(CLAIMS);
    expect(looksLikeReceipt(receipt)).toBe(true);
  });

  it('are checked by old keys, and made by the first', () => {
    const both = Receipts.fromHex(`${NEW},${OLD}`);
    expect(both.open(Receipts.fromHex(OLD).issue(CLAIMS))).toEqual(CLAIMS);
    expect(both.issue(CLAIMS)).toBe(Receipts.fromHex(NEW.toLowerCase()).issue(CLAIMS));
    expect(() => Receipts.fromHex(NEW).open(Receipts.fromHex(OLD).issue(CLAIMS))).toThrow(/not one of this service/);
  });

  it('open nothing once a single byte is changed', () => {
    const receipts = Receipts.fromHex(OLD);
    const bytes = Buffer.from(receipts.issue(CLAIMS).slice(4), 'base64url');
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ change;
        expect(() => receipts.open(`gzr_${changed.toString('base64url')}`)).toThrow(/not one of this service/);
      }),
    );
    for (const text of [
      '',
      'gzr_',
      'gzr_AAAA',
      'gz_x',
      receipts.issue(CLAIMS).slice(0, -4),
      `gzr_${'A'.repeat(9999)}`,
    ]) {
      expect(() => receipts.open(text), text).toThrow(/not one of this service/);
    }
  });

  it('to cite are checked with the public key, and do not name the payer', () => {
    const receipts = Receipts.fromHex(`${NEW},${OLD}`);
    const [head = '', claims = '', signature = ''] = receipts.cite(CITATION).split('.');
    const read = (part: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
    const { keys } = receipts.publicKeys();
    expect(keys).toHaveLength(2);
    expect(read(head)).toEqual({ alg: 'EdDSA', typ: 'gazette-receipt+jwt', kid: keys[0]?.kid });
    expect(read(claims)).toEqual({
      ...{ iss: 'https://register.example', iat: 1_777_716_000, feed_id: 'permits', record_id: 'permits:a' },
      ...{ content_version: 3, change: 17 },
    });
    const isSigned = keys.map((jwk) => {
      const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
      return verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'));
    });
    expect(isSigned).toEqual([true, false]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });

  it('have the key of RFC 8037 appendix A', () => {
    const seed = Buffer.from('nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', 'base64url').toString('hex');
    expect(Receipts.fromHex(seed).publicKeys().keys[0]).toMatchObject({
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
    });
  });

  it.each([undefined, '', 'secret', 'a'.repeat(63), `${OLD},`, `${OLD};${NEW}`])('need a key: not %j', (key) => {
    const make = (): Receipts => Receipts.fromHex(key);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_receipt_key' }));
    if (key !== undefined && key !== '') expect(make).not.toThrow(key);
  });
});

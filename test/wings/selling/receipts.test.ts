// Receipts, which open what was bought.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLikeReceipt, Receipts } from '../../../src/wings/selling/purchases/receipts.ts';

const [OLD, NEW] = ['0a'.repeat(32), '0B'.repeat(32)];
const CLAIMS = { payer: 'x402:eip155:8453:0xaa', item: { recordId: 'permits:Müll 1', contentVersion: 3 } };

describe('receipts', () => {
  it('open what they were made for, and are the same each time', () => {
    const receipt = Receipts.fromHex(OLD).issue(CLAIMS);
    expect(receipt).toBe(
      'gzr_WyJ4NDAyOmVpcDE1NTo4NDUzOjB4YWEiLCJwZXJtaXRzOk3DvGxsIDEiLDNdK1KTwbvtCTnX8oYZRvq9PVRb2JMLrl6R7SLzB1ypl-w',
    );
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

  it.each([undefined, '', 'secret', 'a'.repeat(63), `${OLD},`, `${OLD};${NEW}`])('need a key: not %j', (key) => {
    const make = (): Receipts => Receipts.fromHex(key);
    expect(make).toThrow(expect.objectContaining({ code: 'invalid_receipt_key' }));
    if (key !== undefined && key !== '') expect(make).not.toThrow(key);
  });

  it('say that a key has white space around it', () => {
    expect(() => Receipts.fromHex(`${NEW}\n`)).toThrow(/GAZETTE_RECEIPT_KEY.*white space around/);
  });
});

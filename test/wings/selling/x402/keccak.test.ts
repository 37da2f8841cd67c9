// Keccak-256 and what is computed with it: published values.
import { describe, expect, it } from 'vitest';
import {
  AUTHORIZATION_CANCELED,
  AUTHORIZATION_USED,
  TRANSFER,
} from '../../../../src/wings/selling/purchases/x402/chain.ts';
import { keccak256 } from '../../../../src/wings/selling/purchases/x402/keccak.ts';

const hash = (text: string): string => Buffer.from(keccak256(Buffer.from(text))).toString('hex');

describe('keccak256', () => {
  it.each([
    ['', 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'],
    ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ])('hashes %j', (text, expected) => {
    expect(hash(text)).toBe(expected);
  });

  it('makes another padding at each length around its block, and never the same hash', () => {
    const hashes = Array.from({ length: 300 }, (_, length) => hash('x'.repeat(length)));
    expect(new Set(hashes).size).toBe(300);
  });

  it.each([
    ['AuthorizationUsed(address,bytes32)', AUTHORIZATION_USED],
    ['AuthorizationCanceled(address,bytes32)', AUTHORIZATION_CANCELED],
    ['Transfer(address,address,uint256)', TRANSFER],
  ])('is the topic of %s', (signature, topic) => {
    expect(`0x${hash(signature)}`).toBe(topic);
  });

  it.each([
    ['authorizationState(address,bytes32)', 'e94a0102'],
    ['isValidSignature(bytes32,bytes)', '1626ba7e'],
  ])('selects %s', (signature, selector) => {
    expect(hash(signature).slice(0, 8)).toBe(selector);
  });
});

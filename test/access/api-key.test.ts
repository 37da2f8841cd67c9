import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkProduct } from '../../src/stores/rows/keys.ts';
import { createApiKey, digestApiKey, isApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { RUNS, character } from '../properties/arbitraries.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Keys made of given bytes, so that a failure can be run again. */
const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32, max: 247 })
  .map((bytes) => createApiKey((size) => bytes.slice(0, size)));

describe('a new key', () => {
  it('is gz_, 32 characters, _ and the CRC-32 of all before it in base62', () => {
    const key = createApiKey();
    expect(key).toMatch(/^gz_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$/);
    const digits = key
      .slice(-6)
      .split('')
      .map((digit) => BASE62.indexOf(digit));
    expect(digits.reduce((number, digit) => number * 62 + digit)).toBe(crc32(key.slice(0, 36)));
    // Worked out by zlib.crc32 of Python: 'gz_' + '0' * 32 + '_'.
    expect(createApiKey((size) => new Uint8Array(size))).toBe(`gz_${'0'.repeat(32)}_3WxBe8`);
  });

  it('is of its own every time, all characters alike', () => {
    const made = Array.from({ length: 2000 }, () => createApiKey());
    expect(new Set(made).size).toBe(2000);
    const counts = new Map(BASE62.split('').map((character) => [character, 0]));
    for (const key of made) for (const character of key.slice(3, 35)) counts.set(character, counts.get(character)! + 1);
    // 64,000 characters: 1,032 of each, give or take 32. A byte modulo 62 would give the first eight 1,250.
    for (const count of counts.values()) expect(Math.abs(count - 64_000 / 62)).toBeLessThan(190);
  });

  it('favours no character: bytes that would are thrown away', () => {
    const bytes = [255, 248, 250, 247, 0, 61, 62];
    let at = 0;
    const key = createApiKey((size) => Uint8Array.from({ length: size }, () => bytes[at++ % bytes.length]!));
    expect(key.slice(3, 35)).toBe('z0z0'.repeat(8));
  });
});

describe('isApiKey', () => {
  it('takes every key that is made', () => {
    fc.assert(
      fc.property(keys, (key) => isApiKey(key)),
      { numRuns: RUNS },
    );
    for (let i = 0; i < RUNS; i++) expect(isApiKey(createApiKey())).toBe(true);
  });

  it('refuses a key with any one character mistyped', () => {
    const typed = fc.tuple(keys, fc.nat({ max: 41 }), fc.constantFrom(...BASE62.split(''), '-', '_', ' ', 'é'));
    fc.assert(
      fc.property(typed, ([key, at, character]) => {
        fc.pre(key[at] !== character);
        return !isApiKey(key.slice(0, at) + character + key.slice(at + 1));
      }),
      { numRuns: RUNS * 10 },
    );
  });

  it('refuses a key with two neighbours swapped, a character lost, doubled or added', () => {
    fc.assert(
      fc.property(keys, fc.nat({ max: 40 }), (key, at) => {
        const swapped = key.slice(0, at) + key[at + 1]! + key[at]! + key.slice(at + 2);
        if (swapped !== key) expect(isApiKey(swapped)).toBe(false);
        expect(isApiKey(key.slice(0, at) + key.slice(at + 1))).toBe(false);
        expect(isApiKey(key.slice(0, at) + key[at]! + key.slice(at))).toBe(false);
        for (const around of [` ${key}`, `${key} `, `${key}\n`, `${key}=`]) expect(isApiKey(around)).toBe(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('refuses any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 60 }), (text) => !isApiKey(text)),
      { numRuns: RUNS },
    );
  });
});

describe('what is kept of a key', () => {
  it('is its SHA-256 and its last four characters', () => {
    const key = createApiKey();
    const entry = newKeyEntry(key, { accountId: 'acme', product: 'gazette', createdAt: '2026-05-01T00:00:00Z' });
    expect(Buffer.from(digestApiKey(key))).toEqual(createHash('sha256').update(key).digest());
    expect(entry).toEqual({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{12}$/) as string,
      accountId: 'acme',
      product: 'gazette',
      digest: digestApiKey(key),
      lastFour: key.slice(38),
      createdAt: '2026-05-01T00:00:00Z',
    });
    const [secret] = /[0-9A-Za-z]{32}/.exec(key)!;
    expect(JSON.stringify(entry)).not.toContain(secret);
  });

  it('has a name that is not made of the key', () => {
    const random = (size: number): Uint8Array => randomBytes(size);
    const key = createApiKey();
    const about = { accountId: 'acme', product: 'gazette', createdAt: '2026-05-01T00:00:00Z' };
    expect(newKeyEntry(key, about, random).id).not.toBe(newKeyEntry(key, about, random).id);
  });
});

describe('a product', () => {
  it.each(['gazette', 'Permits-2', 'a', 'x.y_z', 'p'.repeat(64)])('may be called %s', (product) => {
    expect(() => {
      checkProduct(product);
    }).not.toThrow();
  });

  // It stands in the header WWW-Authenticate.
  it.each(['', ' ', '-a', 'a"b', 'a\r\nb', 'é', 'p'.repeat(65)])('may not be called %j', (product) => {
    expect(() => {
      checkProduct(product);
    }).toThrow(expect.objectContaining({ code: 'invalid_option', details: { option: 'product' } }) as Error);
  });
});

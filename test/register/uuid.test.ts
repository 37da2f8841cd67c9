import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ID_PATTERNS } from '../../src/register/identity.ts';
import { uuidsIn } from '../../src/register/uuid.ts';
import { RUNS, texts } from '../properties/arbitraries.ts';

/** The namespace of domain names (RFC 9562 6.6). */
const DNS = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** RFC 9562 5.5, with Node's own SHA-1. */
function expected(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name)
    .digest();
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

describe('a UUID by name', () => {
  it('is what Python’s uuid5 gives', () => {
    expect(uuidsIn(DNS)('www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it('is that of RFC 9562 for names of every length', () => {
    const uuidOf = uuidsIn(DNS);
    for (let length = 0; length < 300; length++) {
      const name = 'x'.repeat(length);
      expect(uuidOf(name)).toBe(expected(DNS, name));
    }
  });

  it('is that of RFC 9562 for every namespace and name', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.array(texts(20)), (namespace, names) => {
        const uuidOf = uuidsIn(namespace);
        for (const name of names) {
          expect(uuidOf(name)).toBe(expected(namespace, name));
          expect(uuidOf(name)).toMatch(ID_PATTERNS.uuid);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

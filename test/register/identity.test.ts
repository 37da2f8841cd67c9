import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import {
  decodeKey,
  encodeKey,
  feedUri,
  isRecordId,
  MAX_KEY_LENGTH,
  recordId,
  recordKey,
  recordUri,
  recordUris,
} from '../../src/register/identity.ts';
import { RUNS, character, texts } from '../properties/arbitraries.ts';

/** The namespace of domain names (RFC 9562 6.6). */
const UUID = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

const definition = defineRegister({
  id: 'permits',
  title: 'Permits',
  created_at: '2026-01-01T00:00:00Z',
  authority: 'permits.example.org',
  year: 2026,
});

/** Keys a publisher may have: Unicode text, not empty, short enough once encoded. */
const keys = fc
  .oneof(texts(), fc.string({ unit: character }), fc.stringMatching(/^[A-Za-z0-9._~:%-]{1,20}$/))
  .map((text) => text.toWellFormed())
  .filter((text) => text !== '' && new TextEncoder().encode(text).length * 3 <= MAX_KEY_LENGTH);

describe('recordKey', () => {
  it('gives every key back exactly', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(recordKey(recordId('permits', key))).toBe(key);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('encodeKey', () => {
  it.each([
    ['the empty key', '', 'id must be 1..200 characters once encoded, got 0 ("")'],
    ['201 characters', 'x'.repeat(201), 'got 201'],
    ['67 letters of three bytes', '€'.repeat(23), 'got 207'],
    ['a lone high surrogate', 'a\ud800', 'id must be Unicode text'],
    ['a lone low surrogate', '\udc00a', 'id must be Unicode text'],
  ])('refuses %s', (_, key, message) => {
    expect(() => encodeKey(key)).toThrow(
      expect.objectContaining({
        code: 'invalid_record',
        details: { field: 'id' },
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  it('takes up to 200 characters', () => {
    expect(encodeKey('x'.repeat(200))).toHaveLength(200);
    expect(encodeKey(`${'ä'.repeat(33)}xx`)).toHaveLength(200);
  });

  it('gives every key a text of its own, from which the key comes back', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(encodeKey(a)).toMatch(/^(?:[A-Za-z0-9._-]|~[0-9A-F]{2})+$/);
        expect(decodeKey(encodeKey(a))).toBe(a);
        expect(encodeKey(a) === encodeKey(b)).toBe(a === b);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('decodeKey', () => {
  it('keeps a byte order mark', () => {
    expect(decodeKey('~EF~BB~BFa')).toBe('\ufeffa');
  });

  it('answers a key only for texts encodeKey writes', () => {
    const encodedLike = fc.stringMatching(/^(?:[A-Za-z0-9._~-]|~[0-9A-F]{2}){1,30}$/);
    fc.assert(
      fc.property(fc.oneof(encodedLike, texts()), (text) => {
        const key = decodeKey(text);
        if (key !== null) expect(encodeKey(key)).toBe(text);
      }),
      { numRuns: RUNS * 5 },
    );
  });
});

describe('record ids', () => {
  it('are the feed id and the encoded key', () => {
    expect(recordId('permits', '22/01234/FUL')).toBe('permits:22~2F01234~2FFUL');
  });

  it.each([
    ['permits:2026-0417', true],
    ['permits:22~2F01', true],
    ['notices:2026-0417', false],
    ['permits', false],
    ['permits:', false],
    ['permits:a/b', false],
    ['permits:~2f', false],
    ['permits:~41', false],
    ['permits:~FF', false],
    ['permits:a:b', false],
    [`permits:${'x'.repeat(200)}`, true],
    [`permits:${'x'.repeat(201)}`, false],
    ['PERMITS:1', false],
    ['permits:1\n', false],
  ])('%s is one of the register permits: %s', (text, expected) => {
    expect(isRecordId('permits', text)).toBe(expected);
  });

  it('are recognised for every key', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(isRecordId('permits', recordId('permits', key))).toBe(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('permanent URIs', () => {
  it('are tag URIs of the authority and the year, whatever the site’s address', () => {
    expect(recordUri(definition, 'permits:22~2F01')).toBe('tag:permits.example.org,2026:record/permits:22~2F01');
    expect(recordUris(definition)('permits:1')).toBe('tag:permits.example.org,2026:record/permits:1');
    expect(feedUri(definition)).toBe('tag:permits.example.org,2026:feed/permits');
    expect(feedUri(definition, '/changes')).toBe('tag:permits.example.org,2026:feed/permits/changes');
  });

  it('are made of the UUID where there is no authority', () => {
    const plain = { ...definition, uuid: UUID, authority: null, year: null };
    expect(feedUri(plain)).toBe(`urn:uuid:${UUID}`);
    expect(recordUri(plain, 'www.example.com')).toBe('urn:uuid:2ed6657d-e927-568b-95e1-2665a8aea6a2');
    expect(recordUris(plain)('permits:1')).toBe(recordUri(plain, 'permits:1'));
    const ids = [
      feedUri(plain),
      feedUri(plain, '/changes'),
      feedUri(plain, '?document_type=a'),
      recordUri(plain, 'permits:1'),
      recordUri({ ...plain, uuid: UUID.replace('c8', 'c9') }, 'permits:1'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are tag URIs where there is a UUID, too', () => {
    expect(recordUri({ ...definition, uuid: UUID }, 'permits:1')).toBe(recordUri(definition, 'permits:1'));
    expect(feedUri({ ...definition, uuid: UUID })).toBe(feedUri(definition));
  });

  it('are URIs for every key, distinct for distinct keys, and tag URIs by RFC 4151 2.1', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        const [first, second] = [a, b].map((key) => recordUri(definition, recordId('permits', key)));
        expect(first).toMatch(/^tag:[a-z0-9.-]+,\d{4}:[A-Za-z0-9._~:/-]+$/);
        expect(URL.canParse(first!)).toBe(true);
        expect(first === second).toBe(a === b);
      }),
      { numRuns: RUNS },
    );
  });

  it('need an authority and a year, or a UUID', () => {
    const without = { ...definition, uuid: null, authority: null, year: null };
    for (const make of [() => recordUri(without, 'permits:1'), () => recordUris(without), () => feedUri(without)]) {
      expect(make).toThrow(expect.objectContaining({ code: 'authority_required', details: { feed_id: 'permits' } }));
    }
  });
});

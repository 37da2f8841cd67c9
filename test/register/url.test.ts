import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHttpUrl, toUri } from '../../src/register/url.ts';
import { isUri, placeOf } from '../contracts/uri.ts';
import { RUNS, texts, urls } from '../properties/arbitraries.ts';

describe('isHttpUrl', () => {
  it('accepts Latin-1 letters also once the runtime has optimised the check', () => {
    const url = 'https://müller.example/';
    for (let i = 0; i < 20_000; i++) {
      if (!isHttpUrl(url)) expect.fail(`refused at call ${i}`);
    }
  });

  it('accepts only what is already an address as it stands: nothing is trimmed, dropped or mended', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          urls(),
          texts(),
          texts(2).map((text) => `https://example.org/${text}`),
        ),
        (text) => {
          if (!isHttpUrl(text)) return;
          const url = new URL(text);
          expect(url.protocol).toMatch(/^https?:$/);
          expect(url.host).not.toBe('');
          expect(text).not.toMatch(/[\s"<>\\^`{|}\u0000-\u001f\u007f]/);
        },
      ),
      { numRuns: RUNS * 5 },
    );
  });
});

describe('a URL as a URI', () => {
  it('is one by RFC 3986, leads to the same place, and stays as it is', () => {
    fc.assert(
      fc.property(urls(), (url) => {
        const uri = toUri(url);
        expect(uri).toSatisfy(isUri);
        expect(placeOf(uri)).toBe(placeOf(url));
        expect(toUri(uri)).toBe(uri);
      }),
      { numRuns: RUNS * 5 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHttpUrl, toUri } from '../../src/register/url.ts';
import { isUri, placeOf } from '../contracts/uri.ts';
import { RUNS, texts, urls } from '../properties/arbitraries.ts';

describe('isHttpUrl', () => {
  it.each([
    'https://example.org',
    'http://example.org/',
    'HTTPS://EXAMPLE.ORG/a?b=c#d',
    'https://example.org:8443/%E2%82%AC?x=%26&y=a+b',
    'https://user@example.org/',
    "https://example.org/it's(here);v=1,2[3]",
    'https://[2001:db8::1]/',
    'https://127.0.0.1:80/',
    'https://bücher.example/straße/ελ?q=ł',
    'https://example.org/?q=%27%3D1%2B1',
    `https://example.org/${'x'.repeat(3000)}`,
  ])('accepts %s', (text) => {
    expect(isHttpUrl(text)).toBe(true);
  });

  it('accepts Latin-1 letters also once the runtime has optimised the check', () => {
    const url = 'https://müller.example/';
    for (let i = 0; i < 20_000; i++) {
      if (!isHttpUrl(url)) expect.fail(`refused at call ${i}`);
    }
  });

  it.each([
    ['nothing', ''],
    ['a relative path', '/permits/1'],
    ['a relative file', 'permit.html'],
    ['a host without a scheme', '//example.org/'],
    ['a name without a scheme', 'example.org/1'],
    ['another scheme', 'ftp://example.org/'],
    ['a script', 'javascript:alert(1)'],
    ['a script that looks like an address', 'javascript://example.org/%0Aalert(1)'],
    ['data', 'data:text/html,x'],
    ['one slash, which browsers mend', 'https:/example.org/'],
    ['three slashes, which browsers mend', 'https:///example.org/'],
    ['no slash, which browsers mend', 'https:example.org'],
    ['back slashes, which browsers mend', 'https:\\\\example.org\\'],
    ['a back slash in the path', 'https://example.org/a\\b'],
    ['no host', 'https://'],
    ['no host but a query', 'https://?x'],
    ['a space', 'https://example.org/a b'],
    ['a space in front, which URL() trims', ' https://example.org/'],
    ['a line feed, which URL() drops', 'https://example.org/a\nb'],
    ['a tab, which URL() drops', 'https://exam\tple.org/'],
    ['NUL', 'https://example.org/\u0000'],
    ['DEL', 'https://example.org/\u007f'],
    ['a quote', 'https://example.org/"x'],
    ['angle brackets', 'https://example.org/<x>'],
    ['braces', 'https://example.org/{id}'],
    ['a no-break space', 'https://example.org/\u00a0'],
    ['a line separator', 'https://example.org/\u2028'],
    ['a lone surrogate', 'https://example.org/\ud800'],
    ['U+FFFE', 'https://example.org/\ufffe'],
    ['a direction override, which shows another address than it is', 'https://example.org/\u202efdp.exe'],
    ['a directional isolate', 'https://example.org/\u2066a\u2069'],
    ['a port that is none', 'https://example.org:99999/'],
    ['a host that is none', 'https://exa%mple/'],
  ])('refuses %s', (_, text) => {
    expect(isHttpUrl(text)).toBe(false);
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
  it.each([
    ['https://example.org/a?b=1&c=(2)#d', 'https://example.org/a?b=1&c=(2)#d'],
    ['HTTPS://Example.ORG', 'HTTPS://Example.ORG'],
    ['https://example.org/漢?é', 'https://example.org/%E6%BC%A2?%C3%A9'],
    ['https://müller.example/', 'https://xn--mller-kva.example/'],
    ['https://blåbær.example/a', 'https://xn--blbr-roah.example/a'],
    ['https://漢字。example/', 'https://xn--p8s937b.example/'],
    ['https://example.org/[1]?a[]=b|c', 'https://example.org/%5B1%5D?a%5B%5D=b%7Cc'],
    ['http://[2001:db8::1]:8080/[x]', 'http://[2001:db8::1]:8080/%5Bx%5D'],
    ['https://example.org/%zz?100%#%', 'https://example.org/%25zz?100%25#%25'],
    ['https://example.org/#a#b', 'https://example.org/#a%23b'],
    ['https://a@b@example.org/', 'https://a%40b@example.org/'],
    ['https://a%22b.example/', 'https://a%22b.example/'],
    ['https://%65xample.org/', 'https://example.org/'],
    ['no URL at all', 'no URL at all'],
  ])('%s is written %s', (url, expected) => {
    expect(toUri(url)).toBe(expected);
  });

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

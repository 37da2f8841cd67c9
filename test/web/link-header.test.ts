// `Link` headers as services, and those who stand between, write them.
import { describe, expect, it } from 'vitest';
import { linkTarget } from '../../src/web/link-header.ts';

describe('a Link header', () => {
  it.each<[string | null, string | null]>([
    [null, null],
    ['', null],
    ['<https://a/>; rel="next"', 'https://a/'],
    ['<https://a/>; rel=next', 'https://a/'],
    ['<https://a/> ; rel = "next"', 'https://a/'],
    ['<https://a/>;rel="prev", <https://b/>; title="a, b; c"; rel="last next"', 'https://b/'],
    ['<https://a/?x=1,2;3>; REL="NEXT"', 'https://a/?x=1,2;3'],
    ['<https://a/>, , <https://b/>; rel=next', 'https://b/'],
    ['<https://a/>; rel="nextish"', null],
    ['https://a/; rel="next"', null],
    ['<https://a/; rel="next"', null],
    // What stands in quotes is a value, whatever it looks like.
    ['<https://a/>; title="x\\", rel=next"; rel=prev', null],
    ['<https://a/>; title="; rel=next"; rel="prev"', null],
    ['<https://a/>; title=", <https://b/>; rel=next', null],
    ['<https://a/>; rel="ne\\xt"', 'https://a/'],
    // RFC 8288 3.3: of several relations the first one counts.
    ['<https://a/>; rel=prev; rel=next', null],
    // RFC 8288 3.2: another document's next page.
    ['<https://a/>; rel=next; anchor="https://elsewhere/"', null],
    ['<https://a/>; anchor="#part"; rel=next, <https://b/>; rel=next', 'https://b/'],
  ])('of %s leads to %s', (header, target) => {
    expect(linkTarget(header, 'next')).toBe(target);
  });

  it.each(['<', '<a>;', '<a>; x="', '<a>,', '<a> ', ';', '<a>; x=\\"', '"', ' '])(
    'of many times %j is read in no time',
    (part) => {
      // Where time grows with the square, it is minutes, and the test fails for it.
      expect(linkTarget(part.repeat(100_000), 'next')).toBeNull();
    },
  );
});

// `Link` headers as services, and those who stand between, write them.
import { describe, expect, it } from 'vitest';
import { linkTarget } from '../../src/web/link-header.ts';

describe('a Link header', () => {
  it.each(['<', '<a>;', '<a>; x="', '<a>,', '<a> ', ';', '<a>; x=\\"', '"', ' '])(
    'of many times %j is read in no time',
    (part) => {
      // Where time grows with the square, it is minutes, and the test fails for it.
      expect(linkTarget(part.repeat(100_000), 'next')).toBeNull();
    },
  );
});

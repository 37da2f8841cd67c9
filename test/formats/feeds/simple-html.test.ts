import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { benchRecord } from '../../../bench/data.ts';
import { cleanHtml } from '../../../src/formats/feeds/clean-html.ts';
import { attributeMarkup } from '../../../src/formats/feeds/html-policy.ts';
import { readAttributeValue } from '../../../src/html-references.ts';
import { cleanSimpleHtml } from '../../../src/formats/feeds/simple-html.ts';
import { tries } from '../../effort.ts';
import { texts } from '../../properties/arbitraries.ts';
import { markups } from './markups.ts';
import { nearlyClean } from './nearly-clean.ts';

const BASE = 'https://example.org/permits/7?lang=en#top';

describe('HTML that needs no parser', () => {
  it.each([
    ['is what has nothing to clean', '<p>a <b>b</b> &amp; c</p>\n<ul><li>d</li></ul>', null],
    ['is plain text', 'a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['may have attributes that are left out', '<p class="x" style=\'y\' id=z hidden>a</p>', '<p>a</p>'],
    ['may have links', '<a href="https://example.org/a?b=1&amp;c=2">x</a>', null],
    [
      'may have links whose ampersands are bare',
      '<a href="/a?b=1&copy=2">x</a>',
      '<a href="https://example.org/a?b=1&amp;copy=2">x</a>',
    ],
    ['may have links without an address', '<p><a name="top"></a>x</p>', '<p>x</p>'],
    ['may have characters by name and number', '&nbsp;&Uuml;&#8217;&#x2019;&quot;', '\u00a0Ü’’"'],
    ['may have line ends of any kind', '<p>a<br />b</p>\r\n<hr/>', '<p>a<br>b</p>\n<hr>'],
    ['may have comments', '<!-- wp:paragraph -->\n<p>a</p>\n<!-- /wp:paragraph -->', '\n<p>a</p>\n'],
    [
      'may have tables whose parts are all there',
      '<table border=1>\n<thead><tr><th scope="col">a</th></tr></thead> <tbody><tr><td width="10%">b</td></tr></tbody></table>',
      '<table>\n<thead><tr><th scope="col">a</th></tr></thead> <tbody><tr><td>b</td></tr></tbody></table>',
    ],
    ['may have images', '<img src="/a.png" alt="A" onerror="x">', '<img src="https://example.org/a.png" alt="A">'],
  ])('%s', (_, html, expected) => {
    expect(cleanSimpleHtml(html, BASE)).toBe(expected ?? html);
    expect(cleanHtml(html, BASE)).toBe(expected ?? html);
  });

  it.each([
    ['an element that stays open', '<p>a'],
    ['an end tag without a start tag', 'a</p>'],
    ['elements that overlap', '<b><i>a</b></i>'],
    ['a block in a paragraph', '<p><span><div>a</div></span></p>'],
    ['a link in a link', '<a href="/a"><b><a href="/b">x</a></b></a>'],
    ['a row without a table body', '<table><tr><td>a</td></tr></table>'],
    ['text in a table', '<table>a<tbody></tbody></table>'],
    ['a line break that a parser drops', '<pre>\na</pre>'],
    ['a line break that becomes the first character', '<pre><a name="x"></a>\na</pre>'],
    ['an element that is renamed', '<center>a</center>'],
    ['an element whose content is dropped', '<script>a</script>'],
    ['a name that is not usual', '&notin;'],
    ['a reference without its end', '&amp'],
    ['an attribute twice', '<p title="a" title="b">c</p>'],
    ['NUL', 'a\0b'],
  ])('is not %s', (_, html) => {
    expect(cleanSimpleHtml(html, BASE)).toBeNull();
  });

  it('is what this project measures feeds with', () => {
    for (let position = 1; position <= 200; position++) {
      const { content, content_type } = benchRecord(position);
      if (content !== null && content_type === 'html') expect(cleanSimpleHtml(content, BASE)).not.toBeNull();
    }
  });

  it('is cleaned as a parser would clean it', () => {
    fc.assert(
      fc.property(fc.oneof({ weight: 8, arbitrary: nearlyClean() }, markups(), texts(8)), (html) => {
        const simple = cleanSimpleHtml(html, BASE);
        fc.pre(simple !== null);
        expect(simple).toBe(cleanHtml(html, BASE));
      }),
      { numRuns: tries(1000) },
    );
  });

  it('may have any printable character as a reference', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0x11_0000 }), fc.boolean(), (code, isHexadecimal) => {
        const html = `a${isHexadecimal ? `&#x${code.toString(16)};` : `&#${code};`}b`;
        const simple = cleanSimpleHtml(html, BASE);
        fc.pre(simple !== null);
        expect(simple).toBe(cleanHtml(html, BASE));
      }),
      { numRuns: tries(250) },
    );
  });
});

describe('an address', () => {
  const part = fc.constantFrom(
    'a',
    'B',
    '1',
    '-',
    '.',
    '/',
    '..',
    '%2e',
    '%41',
    'xn--',
    '?',
    '#',
    '@',
    ':',
    '&',
    "'",
    '|',
    'é',
    ' ',
  );
  it('is written as the URL standard writes it', () => {
    const address = fc
      .tuple(fc.constantFrom('https://', 'http://', 'HTTPS://', 'https:/'), fc.array(part, { maxLength: 12 }), part)
      .chain(([scheme, parts, last]) =>
        fc.constantFrom(
          `${scheme}example.org/${parts.join('')}`,
          `${scheme}${parts.join('')}${last}.org/`,
          `${scheme}${parts.join('')}/a`,
        ),
      );
    fc.assert(
      fc.property(address, (url) => {
        const href = URL.parse(url, BASE)?.href;
        const written = attributeMarkup({ href: 'link' }, 'href', url, BASE);
        expect(readAttributeValue(written)).toBe(href === undefined || !/^https?:/.test(href) ? '' : ` href="${href}"`);
      }),
      { numRuns: tries(1500) },
    );
  });
});

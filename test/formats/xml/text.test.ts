import { describe, expect, it } from 'vitest';
import {
  escapeAttribute,
  escapeCdata,
  escapeHtml,
  escapeHtmlLines,
  escapeRssText,
  escapeText,
  optionalAttribute,
  replaceForbidden,
} from '../../../src/formats/xml/text.ts';
import { Blocks } from '../../../src/formats/blocks.ts';

describe('escaping', () => {
  it.each<[escape: (text: string) => string, text: string, expected: string]>([
    [escapeText, '', ''],
    [escapeText, 'plain "text" 漢字', 'plain "text" 漢字'],
    [escapeText, '<a&b>', '&lt;a&amp;b&gt;'],
    [escapeText, ']]>', ']]&gt;'],
    [escapeText, '&lt;&&', '&amp;lt;&amp;&amp;'],
    [escapeText, '\r\n\r\n\t', '&#13;\n&#13;\n\t'],
    [escapeAttribute, '<a&b> "c" \'d\'', "&lt;a&amp;b&gt; &quot;c&quot; 'd'"],
    [escapeAttribute, '\t\r\n', '&#9;&#13;&#10;'],
    [escapeRssText, 'AT&T <b>\r', 'AT&#x26;T &#x3C;b&gt;&#13;'],
    [escapeHtml, '<a href="x">&\r\n', '&lt;a href=&quot;x&quot;&gt;&amp;]]>&#13;<![CDATA[\n'],
    [escapeHtml, ']]>', ']]&gt;'],
    [escapeHtmlLines, 'a\nb', 'a<br>\nb'],
    [escapeHtmlLines, 'a\r\nb', 'a<br>]]>&#13;<![CDATA[\nb'],
    [escapeHtmlLines, 'b\rc\n\rd', 'b<br>]]>&#13;<![CDATA[c<br>\n<br>]]>&#13;<![CDATA[d'],
    [escapeHtmlLines, '<&">]]>', '&lt;&amp;"&gt;]]&gt;'],
    [escapeCdata, '<p>a &amp; "b"</p>\r\n', '<p>a &amp; "b"</p>]]>&#13;<![CDATA[\n'],
  ])('%o writes %j as %j', (escape, text, expected) => {
    expect(escape(text)).toBe(expected);
    expect(escape(text), 'a second call begins anew').toBe(expected);
  });
});

describe('an optional attribute', () => {
  it('is left out where there is no value, and written where it is empty', () => {
    expect(optionalAttribute('a', null)).toBe('');
    expect(optionalAttribute('a', undefined)).toBe('');
    expect(optionalAttribute('a', '')).toBe(' a=""');
    expect(optionalAttribute('a', '"')).toBe(' a="&quot;"');
  });
});

describe('characters outside XML 1.0', () => {
  /** What becomes of a text in an element, both ways. */
  const write = (text: string): { readonly text: string; readonly isReplaced: boolean } => {
    const noted = { isReplaced: false };
    const escaped = escapeText(text, noted).toWellFormed();
    const blocks = new Blocks();
    expect(blocks.escaped(text, escapeText)).toBe(noted.isReplaced);
    expect(Buffer.concat(blocks.take(true)).toString()).toBe(escaped);
    return { text: escaped, isReplaced: noted.isReplaced };
  };

  it('are exactly those the Char production leaves out', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const isSurrogate = code >= 0xd800 && code <= 0xdfff;
      const isLegal = code === 9 || code === 10 || code === 13 || (code >= 0x20 && !isSurrogate && code <= 0xfffd);
      const text = `a${String.fromCharCode(code)}b`;
      const { isReplaced, text: written } = write(text);
      expect(isReplaced, `U+${code.toString(16)}`).toBe(!isLegal);
      if (!isLegal) expect(written).toBe('a\ufffdb');
      else if (!'\r&<>'.includes(text[1]!)) expect(written).toBe(text);
      expect(replaceForbidden(text).toWellFormed()).toBe(isLegal ? text : 'a\ufffdb');
    }
    expect(write('\u{1fffe}\u{10ffff}').isReplaced).toBe(false);
    expect(write('\ufffd').isReplaced, 'U+FFFD is a character like others').toBe(false);
  });

  it.each([escapeText, escapeAttribute, escapeRssText, escapeHtml, escapeHtmlLines, escapeCdata])(
    'are replaced, and noted, by %o',
    (escape) => {
      const noted = { isReplaced: false };
      expect(escape('a\u0000\u0007\u000b\u001f\ufffe\uffffb', noted)).toBe(`a${'\ufffd'.repeat(6)}b`);
      expect(noted.isReplaced).toBe(true);
      noted.isReplaced = false;
      escape('a & <b>\t"c"\r\n \ufffd', noted);
      expect(noted.isReplaced).toBe(false);
    },
  );

  it('are noted in markup that others made', () => {
    const noted = { isReplaced: false };
    expect(replaceForbidden('<a>\u0000</a>', noted)).toBe('<a>\ufffd</a>');
    expect(noted.isReplaced).toBe(true);
  });
});

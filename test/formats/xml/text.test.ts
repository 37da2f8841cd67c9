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
  const blocks = new Blocks();
  /** What becomes of a text in an element; null where the two ways differ. */
  const write = (text: string): { readonly text: string; readonly isReplaced: boolean } | null => {
    const noted = { isReplaced: false };
    const escaped = escapeText(text, noted).toWellFormed();
    const isReplaced = blocks.escaped(text, escapeText);
    const taken = blocks.take(true);
    const isSame = isReplaced === noted.isReplaced && Buffer.concat(taken).toString() === escaped;
    // 65,536 new blocks have the whole heap of the process collected again and again.
    for (const block of taken) blocks.giveBack(block);
    return isSame ? { text: escaped, isReplaced } : null;
  };

  it('are exactly those the Char production leaves out', () => {
    // Compared here: an assertion for each takes eight seconds.
    const isWrong = (code: number): boolean => {
      const isSurrogate = code >= 0xd800 && code <= 0xdfff;
      const isLegal = code === 9 || code === 10 || code === 13 || (code >= 0x20 && !isSurrogate && code <= 0xfffd);
      const text = `a${String.fromCharCode(code)}b`;
      const written = write(text);
      const isEscaped = isLegal && '\r&<>'.includes(text[1]!);
      return (
        written?.isReplaced !== !isLegal ||
        (!isEscaped && written.text !== (isLegal ? text : 'a\ufffdb')) ||
        replaceForbidden(text).toWellFormed() !== (isLegal ? text : 'a\ufffdb')
      );
    };
    const wrong = Array.from({ length: 0x10000 }, (_, code) => code).filter(isWrong);
    expect(wrong.map((code) => `U+${code.toString(16)}`)).toEqual([]);
    expect(write('\u{1fffe}\u{10ffff}')?.isReplaced).toBe(false);
    expect(write('\ufffd')?.isReplaced, 'U+FFFD is a character like others').toBe(false);
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

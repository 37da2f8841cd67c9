import { describe, expect, it } from 'vitest';
import { Report } from '../../src/formats/report.ts';
import {
  escapeAttribute,
  escapeHtml,
  escapeHtmlLines,
  escapeRssText,
  escapeText,
  optionalAttribute,
  replaceForbidden,
  XmlWriter,
} from '../../src/formats/xml-text.ts';

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
    [escapeHtml, '<a href="x">&\r\n', '&amp;lt;a href=&amp;quot;x&amp;quot;&amp;gt;&amp;amp;&#13;\n'],
    [escapeHtmlLines, 'a\nb', 'a&lt;br&gt;\nb'],
    [escapeHtmlLines, 'a\r\nb\rc\n\rd', 'a&lt;br&gt;&#13;\nb&lt;br&gt;&#13;c&lt;br&gt;\n&lt;br&gt;&#13;d'],
    [escapeHtmlLines, '\r\n', '&lt;br&gt;&#13;\n'],
    [escapeHtmlLines, '<&">\r', '&amp;lt;&amp;amp;"&amp;gt;&lt;br&gt;&#13;'],
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
  /** What becomes of a text in an element, through the writer of records. */
  const write = (text: string): { readonly text: string; readonly report: Report } => {
    const report = new Report();
    let written = '';
    const xml = new XmlWriter({ text: (more) => (written += more.toWellFormed()), bytes: () => undefined }, report);
    xml.end(xml.append('', escapeText(text, xml)), 'a:1');
    return { text: written, report };
  };

  it('are exactly those the Char production leaves out', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const isSurrogate = code >= 0xd800 && code <= 0xdfff;
      const isLegal = code === 9 || code === 10 || code === 13 || (code >= 0x20 && !isSurrogate && code <= 0xfffd);
      const text = `a${String.fromCharCode(code)}b`;
      const { report, text: written } = write(text);
      expect(report.warnings.length, `U+${code.toString(16)}`).toBe(isLegal ? 0 : 1);
      if (!isLegal) expect(written).toBe('a\ufffdb');
      else if (!'\r&<>'.includes(text[1]!)) expect(written).toBe(text);
      expect(replaceForbidden(text).toWellFormed()).toBe(isLegal ? text : 'a\ufffdb');
    }
    expect(write('\u{1fffe}\u{10ffff}').report.warnings).toEqual([]);
  });

  it.each([escapeText, escapeAttribute, escapeRssText, escapeHtml, escapeHtmlLines])(
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

describe('the writer of records', () => {
  it('writes the parts in order, long texts apart from the rest', () => {
    const parts: string[] = [];
    const xml = new XmlWriter({ text: (text) => parts.push(text), bytes: () => undefined }, undefined);
    const long = 'x'.repeat(64);
    let text = xml.append('<a>', 'short');
    text = xml.append(`${text}</a><b>`, long);
    xml.end(`${text}</b>`, 'a:1');
    expect(parts).toEqual(['<a>short</a><b>', long, '</b>']);
  });

  it('counts once per record, whatever the number of characters and wherever they stand', () => {
    const report = new Report();
    const xml = new XmlWriter({ text: () => undefined, bytes: () => undefined }, report);
    xml.end(escapeText('clean', xml), 'a:1');
    xml.end(escapeText('\u0000', xml) + escapeText('\u0001\ud800', xml), 'a:2');
    xml.end(escapeText('clean', xml), 'a:3');
    xml.end(xml.append('', escapeText('\udc00'.repeat(64), xml)), 'a:4');
    expect(report.warnings).toEqual([{ code: 'replaced_characters', count: 2, recordId: 'a:2' }]);
  });
});

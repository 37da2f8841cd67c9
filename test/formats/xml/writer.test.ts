import { describe, expect, it } from 'vitest';
import { Blocks } from '../../../src/formats/blocks.ts';
import { Report } from '../../../src/formats/report.ts';
import { escapeText } from '../../../src/formats/xml/text.ts';
import { XmlWriter } from '../../../src/formats/xml/writer.ts';

const textOf = (blocks: Blocks): string => Buffer.concat(blocks.take(true)).toString();

describe('the writer of markup', () => {
  it('writes bytes, text and escaped text in the order of the calls', () => {
    const blocks = new Blocks();
    const xml = new XmlWriter(blocks, undefined);
    xml.markup(Buffer.from('<a>'));
    xml.escaped('1 < 2', escapeText);
    xml.text('</a>');
    expect(textOf(blocks)).toBe('<a>1 &lt; 2</a>');
  });

  it.each(['short', 'a & b', 'x'.repeat(64), 'x'.repeat(65), '漢', `${'x'.repeat(100)}&`, ''])(
    'builds %j into the markup, or writes what was built and then the text',
    (value) => {
      const blocks = new Blocks();
      const xml = new XmlWriter(blocks, undefined);
      let text = xml.append('<a>', value, escapeText);
      text = xml.append(`${text}</a><b>`, 'end', escapeText);
      xml.text(`${text}</b>`);
      expect(textOf(blocks)).toBe(`<a>${escapeText(value)}</a><b>end</b>`);
    },
  );

  it('builds in what is short or stays as it is, and nothing wide', () => {
    const xml = new XmlWriter(new Blocks(), undefined);
    expect(xml.append('<a>', 'x'.repeat(64), escapeText)).toBe(`<a>${'x'.repeat(64)}`);
    expect(xml.append('<a>', `${'x'.repeat(63)}&`, escapeText)).toBe(`<a>${'x'.repeat(63)}&amp;`);
    expect(xml.append('<a>', `${'x'.repeat(64)}&`, escapeText)).toBe('');
    expect(xml.append('<a>', 'x'.repeat(1024), escapeText)).toBe(`<a>${'x'.repeat(1024)}`);
    expect(xml.append('<a>', 'x'.repeat(1025), escapeText)).toBe('');
    expect(xml.append('<a>', `${'x'.repeat(1000)}\u0001`, escapeText)).toBe('');
    expect(xml.append('<a>', 'š', escapeText)).toBe('');
  });

  it('counts once per record, whatever the number of characters and wherever they stand', () => {
    const report = new Report();
    const xml = new XmlWriter(new Blocks(), report);
    xml.escaped('clean', escapeText);
    xml.end('a:1');
    xml.text(xml.append('', '\u0000', escapeText));
    xml.escaped('\u0001\ud800', escapeText);
    xml.end('a:2');
    xml.escaped('clean', escapeText);
    xml.end('a:3');
    xml.text(xml.append('', '\udc00'.repeat(65), escapeText));
    xml.end('a:4');
    expect(report.warnings).toEqual([{ code: 'replaced_characters', count: 2, recordId: 'a:2' }]);
  });
});

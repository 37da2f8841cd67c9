import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { atom } from '../../../src/formats/feeds/atom.ts';
import { cleanHtml } from '../../../src/formats/feeds/clean-html.ts';
import { rss } from '../../../src/formats/feeds/rss.ts';
import { referenceAtom } from '../../../src/formats/reference/atom.ts';
import { referenceRss } from '../../../src/formats/reference/rss.ts';
import { readAtomWithSaxes, readRssWithSaxes } from '../../contracts/feed-entries.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_HEAD, sampleRecord } from '../../contracts/sample-register.ts';
import { texts } from '../../properties/arbitraries.ts';
import { tries } from '../../effort.ts';
import { markups } from './markups.ts';
import { UNCLOSED } from './unclosed.ts';

const BASE = 'https://example.org/permits/7?lang=en#top';

describe('HTML in feeds', () => {
  it.each([
    ['closes what is open', '<div><p>one<p>two <b>bold', '<div><p>one</p><p>two <b>bold</b></p></div>'],
    ['puts right what is misnested', '<b>1<i>2</b>3</i>', '<b>1<i>2</i></b><i>3</i>'],
    [
      'makes relative links absolute',
      '<a href="../a?b=1&amp;c">x</a>',
      '<a href="https://example.org/a?b=1&amp;c">x</a>',
    ],
    [
      'makes a link inside the page one to the page',
      '<a href=#s2>x</a>',
      '<a href="https://example.org/permits/7?lang=en#s2">x</a>',
    ],
    [
      'ignores a base of its own',
      '<base href=https://evil.example/><a href=x>x</a>',
      '<a href="https://example.org/permits/x">x</a>',
    ],
    ['keeps an address to write to', '<a href="mailto:a@example.org">x</a>', '<a href="mailto:a@example.org">x</a>'],
    [
      'keeps images',
      '<img src=/a.png alt="A" width=10 onerror=x>',
      '<img src="https://example.org/a.png" alt="A" width="10">',
    ],
    ['has the text of an image it cannot show', '<img src="data:image/png;base64,AAAA" alt="a < b">', 'a &lt; b'],
    ['has no scripts', '<script>alert(1)</script>x<noscript>y</noscript>', 'xy'],
    ['has no style', '<style>p{}</style><p style="x" class="y" id="z">x</p>', '<p>x</p>'],
    ['has no frames', '<iframe src="https://elsewhere.example/">x</iframe><frame>y', 'y'],
    [
      'has no event handlers',
      '<p onclick="x()" ONLOAD=y>x</p><img src=/a OnError=x>',
      '<p>x</p><img src="https://example.org/a">',
    ],
    [
      'has no addresses that run',
      '<a href=" java&#10;script:x">a</a><a href=data:text/html,x>b</a><a href=vbscript:x>c</a>',
      'abc',
    ],
    ['has no vector graphics', '<svg onload=x><script>y</script><text>z</text></svg>', 'z'],
    ['has no forms, but their text', '<form><label>Name <input value=x></label></form>', '<div>Name </div>'],
    ['has no unknown elements, but their text', '<o:p>x</o:p><font color=red>y</font>', 'xy'],
    [
      'keeps lines apart',
      '<center>a</center><select><option>b<option>c</select>',
      '<div>a</div><div>b</div><div>c</div>',
    ],
    [
      'keeps tables',
      '<table><tr><th scope=row colspan=2 bgcolor=x>a<td>b',
      '<table><tbody><tr><th scope="row" colspan="2">a</th><td>b</td></tr></tbody></table>',
    ],
    [
      'keeps lists',
      '<ol start=3 type=a><li value=4>x<li>y',
      '<ol start="3" type="a"><li value="4">x</li><li>y</li></ol>',
    ],
    ['keeps the lines of a text', '<pre>\n\n a\n</pre><textarea>\n b</textarea>', '<pre>\n\n a\n</pre><pre> b</pre>'],
    [
      'keeps references as characters',
      '&lt;b&gt; &amp;amp; &eacute;&nbsp;&#13;&quot;',
      '&lt;b&gt; &amp;amp; é\u00a0\n"',
    ],
    [
      'keeps quotes inside attributes',
      `<abbr title='a "b" &lt;'>x</abbr>`,
      '<abbr title="a &quot;b&quot; &lt;">x</abbr>',
    ],
    ['drops comments', 'a<!-- <p> -->b<![CDATA[c]]>d', 'abd'],
    ['is empty for nothing', '', ''],
  ])('%s', (_, given, expected) => {
    expect(cleanHtml(given, BASE)).toBe(expected);
  });

  it.each([
    ['deep', '<div>'.repeat(1000)],
    ['deep in formatting', Array.from({ length: 1000 }, (_, n) => `<font size=${n}>`).join('')],
    ['growing', `<p>${Array.from({ length: 400 }, (_, n) => `<font size=${n}>`).join('')}${'<p>x'.repeat(1000)}`],
  ])('becomes its own source text where a parser would take long: %s', (_, given) => {
    const source = given.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(cleanHtml(`${given}&`, BASE) === `${source}&amp;`).toBe(true);
  });
});

const FORMATS = [
  ['RSS', rss, readRssWithSaxes],
  ['Atom', atom, readAtomWithSaxes],
  ['reference RSS', referenceRss, readRssWithSaxes],
  ['reference Atom', referenceAtom, readAtomWithSaxes],
] as const;

describe.each(FORMATS)('an entry in %s', (_, format, read) => {
  it.each(UNCLOSED)('shows its source after %s that is never closed', async (_kind, content) => {
    const record = sampleRecord(7, { content, content_type: 'html' });
    const [entry] = read(await encodeAll(format, SAMPLE_HEAD, pagesOfSize([record])));
    expect(visibleEnd(entry!.content!)).toEqual(sourceOf(record.source_url));
  });
});

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The last element of a text as a browser finds it: a paragraph of the entry itself, inside nothing that could hide it. */
function visibleEnd(content: string): unknown {
  const last = parseFragment(content).childNodes.at(-1)!;
  return outline(last);
}

function outline(node: Node): unknown {
  if ('value' in node) return node.value;
  if (!('tagName' in node)) return node.nodeName;
  const attributes = node.attrs.map(({ name, value }) => `${name}=${value}`);
  return [node.tagName, ...attributes, ...node.childNodes.map(outline)];
}

function sourceOf(url: string): unknown {
  return ['p', 'Source: ', ['a', `href=${url}`, url]];
}

const RUNS = tries(300);

describe('any text as HTML', () => {
  it('is cleaned without an error, once and for all', () => {
    fc.assert(
      fc.property(fc.oneof(markups(), texts(20)), (text) => {
        const cleaned = cleanHtml(text, BASE);
        expect(cleanHtml(cleaned, 'https://other.example/')).toBe(cleaned);
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves what follows it as it is', () => {
    const end = '<p>Source: <a href="https://example.org/">https://example.org/</a></p>';
    fc.assert(
      fc.property(markups(), (text) => {
        expect(visibleEnd(cleanHtml(text, BASE) + end)).toEqual(sourceOf('https://example.org/'));
      }),
      { numRuns: RUNS },
    );
  });

  it('has nothing in it that runs, loads a document or leads to another scheme', () => {
    fc.assert(
      fc.property(markups(), (text) => {
        for (const { tagName, attrs } of elementsOf(parseFragment(cleanHtml(text, BASE)).childNodes)) {
          expect(tagName).not.toMatch(
            /^(?:script|style|i?frame|frameset|object|embed|form|input|svg|math|template|base|link|meta)$/,
          );
          for (const { name, value } of attrs) {
            expect(name).not.toMatch(/^(?:on|style|class|id|srcset|target)/);
            if (name === 'href' || name === 'src' || name === 'cite')
              expect(value).toMatch(/^(?:https?:\/\/|mailto:|tel:)/);
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

function elementsOf(nodes: readonly Node[]): DefaultTreeAdapterTypes.Element[] {
  return nodes.flatMap((node) => ('tagName' in node ? [node, ...elementsOf(node.childNodes)] : []));
}

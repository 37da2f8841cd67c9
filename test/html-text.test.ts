import fc from 'fast-check';
import { defaultTreeAdapter, type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { textOfHtml } from '../src/html-text.ts';
import { wordsOf } from '../src/register/finding/words.ts';
import { tries } from './effort.ts';

describe('the text of HTML', () => {
  it.each([
    ['is the text between tags', '<p>One</p><p>two</p>', ' One  two '],
    ['is not broken inside words', '<b>P</b>ermit <i class="x">n<sup>o</sup></i> 4<wbr>5', 'Permit no 45'],
    ['is broken by any other element', 'a<br>b<td>c<x-y>d</x-y>e', 'a b c d e'],
    ['has the characters of references', 'Caf&eacute; &amp; &#x42;&#252;ro&nbsp;&euro;', 'Café & Büro\u00a0€'],
    ['has letters with rarer names', '&Ccaron;&aogon;&lstrok;&OElig;&Omega;&sigmaf;&Delta;', 'ČąłŒΩςΔ'],
    ['has a space for a name that it does not know', 'a&boxdr;b&nothing;c&#0;d', 'a b c d'],
    ['keeps what is no reference', 'R&D, a & b, &eacute', 'R&D, a & b, &eacute'],
    ['keeps what is no tag', 'a < b <3 c<', 'a < b <3 c<'],
    ['has no comments', 'a<!-- <b>x</b> -->b<!>c<?php x ?>d<!doctype html>e</ x>f<!-->g', 'abcdefg'],
    ['has no scripts and styles', 'a<script>if (x<y) "</b>"</script>b<STYLE>p{}</stYle >c', 'a  b  c'],
    ['has no attributes', `<a href="x>y" title='<b>' alt = " > " href=x?y="z>w</a>`, 'w'],
    ['begins no value by a = before a name', `<b/='<b>a`, 'a'],
    ['begins no value by a = after a tag name or a value', `<b ="<i>a</i><a x='y'="<i>b`, 'ab'],
    ['ends where a tag, a comment or a script never ends', 'a<b title="', 'a'],
    ['ends with an open comment', 'a<!-- b', 'a'],
    ['ends with an open script', 'a<script>b</scripts>', 'a '],
    ['is a text without markup itself', 'plain', 'plain'],
  ])('%s', (_, html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });

  it('has the words that a parser finds', () => {
    fc.assert(
      fc.property(nested, (html) => {
        expect(wordsOf(textOfHtml(html))).toEqual(wordsOf(textOf(parseFragment(html))));
      }),
      { numRuns: tries(100) },
    );
  });

  it('has the letters that a parser finds, whatever the tags', () => {
    // A parser passes over end tags that end nothing, which separate words here.
    const lettersOf = (text: string): string => wordsOf(text).join('');
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, tag, opening), { maxLength: 12 }), (pieces) => {
        const html = pieces.join('');
        expect(lettersOf(textOfHtml(html))).toEqual(lettersOf(textOf(parseFragment(html))));
      }),
      { numRuns: tries(100) },
    );
  });

  it.each([
    '<',
    '&',
    '<a ',
    '<a =',
    "<a b='",
    '<!--',
    '</',
    '<script>',
    '<b>',
    '&a',
    '&#',
    '=',
    '<a b="c">',
    '<style></style>',
  ])('takes no longer for a hostile text of a MiB: %s', (repeated) => {
    const html = repeated.repeat(2 ** 20 / repeated.length);
    // A quadratic reader needs minutes: the time limit of the test is the check.
    expect(textOfHtml(`${html}<b>`).length).toBeLessThanOrEqual(html.length + 3);
  });
});

/** Text, references and comments. */
const piece = fc.constantFrom(
  ...['a', 'Bc', ' ', '1', 'é', '< ', '>', '"', "'", '=', '/', '&amp;', '&eacute;', '&scaron;', '&lstrok;', '&shy;'],
  ...['&nbsp;', '&#228;', '&#x416;', '&;', '& ', '&times;', '<!-- x -->', '<!---->', '<!x>', '<?y?>', '</ z>', '</>'],
  ...['<script>q<b>r</script>', '<style>s</style>'],
);

/** What changes the meaning of what follows. */
const opening = fc.constantFrom('<', '</', '<style>&lt;</b>', '</script>', '<!-- x');

/** Elements that parsers leave where they are. */
const names = fc.constantFrom(
  ...['b', 'i', 'A', 'span', 'sup', 'p', 'div', 'LI', 'br', 'hr', 'h2', 'x-y', 'em', 'wbr', 'blockquote'],
);
const attributes = fc.constantFrom(
  ...['', '', ' ', ' /', '/', ' c', ' d="e>f"', " g='h\"i>'", ' j=k', ' l = "m"', '\n', ' n=o"p', ' s="t"u', ' =v'],
);

/** A tag that another one may not fit, or that nothing ends. */
const tag = fc
  .tuple(
    fc.constantFrom('', '', '/'),
    names,
    fc.oneof({ weight: 5, arbitrary: attributes }, fc.constantFrom(' q="', " r='")),
    fc.constantFrom('>', '>', '>', '>', '>', ''),
  )
  .map(([slash, name, inside, end]) => `<${slash}${name}${inside}${end}`);

/** Elements inside elements, each of which ends. */
const { nested } = fc.letrec<{ nested: string }>((tie) => ({
  nested: fc
    .array(
      fc.oneof(
        { depthSize: 'small' },
        piece,
        fc
          .tuple(fc.constantFrom('b', 'I', 'span', 'sup', 'div', 'x-y', 'blockquote'), attributes, tie('nested'))
          .map(([name, inside, content]) => `<${name}${inside}>${content}</${name}>`),
        fc.constantFrom('<br>', '<hr/>', '<wbr>'),
      ),
      { maxLength: 5 },
    )
    .map((pieces) => pieces.join('')),
}));

const INSIDE = new Set(['b', 'i', 'a', 'span', 'sup', 'em', 'wbr']);

/** The text that a parser finds, with a space around each element that is not part of a line. */
function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if (defaultTreeAdapter.isTextNode(node)) return node.value;
  if (node.nodeName === 'script' || node.nodeName === 'style') return ' ';
  const children = 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
  return !('tagName' in node) || INSIDE.has(node.tagName) ? children : ` ${children} `;
}

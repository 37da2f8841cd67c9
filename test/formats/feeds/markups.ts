// Markup in any order, as publishers' tools and mistakes make it.
import fc from 'fast-check';
import { texts } from '../../properties/arbitraries.ts';

const TAGS = [
  'p',
  'div',
  'b',
  'i',
  'a href=x',
  'a href=javascript:x',
  'table',
  'tr',
  'td',
  'caption',
  'colgroup',
  'col',
  'li',
  'ul',
];
const MORE_TAGS = [
  'h1',
  'h2',
  'dd',
  'dl',
  'button',
  'select',
  'option',
  'form',
  'svg',
  'math',
  'mi',
  'foreignObject',
  'title',
  'desc',
];
const RAW_TAGS = [
  'textarea',
  'script',
  'style',
  'xmp',
  'plaintext',
  'iframe',
  'noscript',
  'template',
  'pre',
  'ruby',
  'rt',
  'rp',
  'br',
  'hr',
];
const ODD_TAGS = [
  'frameset',
  'body',
  'html',
  'head',
  'nobr',
  'marquee',
  'img src=x alt=y',
  'img',
  'p onclick=x',
  'annotation-xml',
  'image',
];

/** Tags in any order, whole and broken, with texts that stumble between them. */
export function markups(): fc.Arbitrary<string> {
  const tag = fc
    .tuple(
      fc.constantFrom(...TAGS, ...MORE_TAGS, ...RAW_TAGS, ...ODD_TAGS),
      fc.constantFrom('<', '<', '<', '</'),
      fc.constantFrom('>', '>', '>', '/>', ' "', ''),
    )
    .map(([name, open, close]) => `${open}${name}${close}`);
  const piece = fc.oneof(
    { weight: 6, arbitrary: tag },
    { weight: 2, arbitrary: texts(2) },
    fc.constantFrom('<!--', '-->', '<![CDATA[', ']]>', '&#13;', '\n', '&amp'),
  );
  return fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
}

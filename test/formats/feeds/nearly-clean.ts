// HTML that leans towards what needs no parser: elements mostly where they belong, mostly closed, with a slip here and there.
import fc from 'fast-check';

const ANYWHERE = [
  'p',
  'div',
  'span',
  'b',
  'i',
  'em',
  'strong',
  'u',
  'small',
  'code',
  'sub',
  'cite',
  'q',
  'h2',
  'h3',
  'pre',
];
const MORE = ['blockquote', 'section', 'figure', 'address', 'del', 'time', 'abbr', 'font', 'center', 'o:p', 'label'];
const TRAPS = [
  'svg',
  'select',
  'option',
  'button',
  'textarea',
  'ruby',
  'rt',
  'template',
  'form',
  'nobr',
  'image',
  'B',
  'style',
];

/** Where the standard wants these children; others are text and elements of any kind. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  ul: ['li'],
  ol: ['li'],
  dl: ['dt', 'dd'],
  table: ['caption', 'colgroup', 'thead', 'tbody', 'tfoot'],
  colgroup: ['col'],
  thead: ['tr'],
  tbody: ['tr'],
  tfoot: ['tr'],
  tr: ['td', 'th'],
};
const VOID = ['br', 'hr', 'img', 'wbr', 'col'];

const ATTRIBUTES = [
  [
    '',
    '',
    '',
    '',
    '',
    ' class="x"',
    " id='x'",
    ' title="a b"',
    ' lang=de',
    ' dir="rtl"',
    ' hidden',
    ' TITLE="y"',
    ' start=3',
  ],
  [' href="https://example.org/a/b?c=1&amp;d=2#e"', ' href="https://example.org/a?b=1&c=2"', ' href="../a"', ' href=a'],
  [' href="https://EXAMPLE.org/../a"', ' href="https://1.2/"', ' href="javascript:x"', ' href="http://xn--a.example/"'],
  [
    ' href="https://example.org"',
    ' href="mailto:a@example.org"',
    ' href=""',
    ' href',
    ' href="https://e.example/%2E/a"',
  ],
  [' src="https://example.org/a.png"', ' src="/a.png" alt="&quot;A&quot;"', ' width=10', ' colspan="2"', ' scope=row'],
  [
    ' title="&lt;b&gt; &auml; &#39; &"',
    ' title="&copy=1 &copy;"',
    " title='\"'",
    ' title="a>b"',
    ' title=a title=b',
    ' / ',
  ],
  [
    ' title="&notit;"',
    ' title="a\r\nb"',
    ' x:y="z"',
    ' style="a:b;c"',
    ' href=/a/',
    ' title="',
    ' title=a"',
    ' title = "a"',
  ],
].flat();

const TEXTS = [
  [
    'a',
    'b c',
    ' ',
    '\n',
    '\n  ',
    'x\n',
    'é',
    '漢字',
    '\u{1f600}',
    '\u00a0',
    '"',
    "'",
    '\r\n',
    '\r',
    '\t',
    '\f',
    '\0',
    '\ufeff',
    '\ud800',
  ],
  [
    '&amp;',
    '&lt;',
    '&gt;',
    '&quot;',
    '&nbsp;',
    '&uuml;',
    '&ndash;',
    '&#39;',
    '&#x2019;',
    '&#128512;',
    ' & ',
    '&',
    '&a',
    '&amp',
  ],
  [
    '&#10;',
    '&#13;',
    '&#0;',
    '&#150;',
    '&#xD800;',
    '&#xFFFF;',
    '&Amp;',
    '&copy',
    '&copy=',
    '&notin;',
    '&#9',
    '&;',
    '&#;',
    '&1;',
  ],
  [
    '>',
    '<',
    '< ',
    '<5',
    '<>',
    '</>',
    '<?x?>',
    '<!-- x -->',
    '<!---->',
    '<!-->',
    '<!--->',
    '<!-- a--b -->',
    '<!--x--!>',
    '<!doctype>',
  ],
  [
    '<![CDATA[x]]>',
    '</p>',
    '</br>',
    '</b >',
    '<br/>',
    '<br />',
    '<p/>',
    '<b',
    '<b/>',
    '<B>',
    '<a\t>',
    '<a\n href="#">',
    '</li>',
  ],
].flat();

interface Element {
  readonly kind: string;
  readonly attributes: readonly string[];
  readonly inside: readonly (Element | string)[];
  /** Which of the usual children, and whether one that is not usual. */
  readonly pick: number;
  readonly slip: number;
}

const { element } = fc.letrec<{ element: Element; text: string }>((tie) => ({
  text: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...TEXTS.slice(0, 29)) },
    { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
  ),
  element: fc.record({
    kind: fc.oneof(
      { weight: 14, arbitrary: fc.constantFrom(...ANYWHERE) },
      { weight: 14, arbitrary: fc.constantFrom('a', 'a', 'img', 'br', 'table', 'ul', 'ol', 'dl', 'p', 'hr', 'pre') },
      { weight: 4, arbitrary: fc.constantFrom(...MORE) },
      { weight: 1, arbitrary: fc.constantFrom(...TRAPS, ...Object.keys(CHILDREN), 'li', 'td', 'dd', 'caption') },
    ),
    attributes: fc.array(fc.constantFrom(...ATTRIBUTES.slice(0, 16), ...ATTRIBUTES), { maxLength: 2 }),
    inside: fc.array(fc.oneof({ depthSize: 'small' }, tie('text'), tie('element')), { maxLength: 4 }),
    pick: fc.nat(5),
    slip: fc.nat(60),
  }),
}));

/** Documents most of which need no parser, and nearly all of which nearly need none. */
export function nearlyClean(): fc.Arbitrary<string> {
  const part = fc.oneof(
    { weight: 5, arbitrary: element },
    { weight: 2, arbitrary: fc.constantFrom(...TEXTS.slice(0, 29)) },
  );
  return fc.array(part, { maxLength: 4 }).map((parts) => parts.map((one) => written(one, null)).join(''));
}

function written(part: Element | string, parent: string | null): string {
  const usual = parent === null ? undefined : CHILDREN[parent];
  if (typeof part === 'string') return usual === undefined ? part : '\n';
  const { attributes, inside, pick, slip } = part;
  const name = usual === undefined || slip === 0 ? part.kind : usual[pick % usual.length]!;
  const start = `<${name}${attributes.join('')}>`;
  if (VOID.includes(name)) return start;
  const content = inside.map((one) => written(one, name)).join('');
  if (slip === 1) return `${start}${content}`;
  return slip === 2 ? `${content}</${name}>` : `${start}${content}</${name}>`;
}

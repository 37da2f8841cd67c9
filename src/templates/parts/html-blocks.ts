// Publishers' HTML on a page: paragraphs, headings, lists, and in them links and emphasis. It is made of what the cleaner of feeds leaves
// (formats/feeds/html-policy.ts), whose elements are closed and whose addresses are absolute; nothing else of it is kept.
import { textOfHtml } from '../../html-text.ts';
import { markup } from '../markup.ts';
import { excerptOf } from './excerpt.ts';
import { MAX_HREF } from './values.ts';

/** A paragraph, a heading, or an item of a list. */
export interface HtmlBlock {
  readonly kind: 'p' | 'h3' | 'li';
  /** How deep the list of an item is, from 1; of others 0. */
  readonly depth: number;
  /** Whether the items of its list are numbered. */
  readonly isOrdered: boolean;
  /** Clean, with its inline elements closed. */
  readonly html: string;
}

const TOKEN = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^">])*)>|[^<]+/g;

const INLINE: ReadonlySet<string> = new Set('a b strong i em code sub sup s del ins u'.split(' '));

/** Elements that stand in a line, and whose tags are left out. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  'abbr bdi big cite dfn kbd mark q rp rt ruby samp small span time var wbr col colgroup'.split(' '),
);

const HEADING = /^h[1-6]$/;

/** @param clean as the cleaner of feeds gives it */
export function htmlBlocks(clean: string): readonly HtmlBlock[] {
  const blocks: HtmlBlock[] = [];
  const lists: boolean[] = [];
  const open: { readonly name: string; readonly tag: string }[] = [];
  let [html, kind]: [string, HtmlBlock['kind']] = ['', 'p'];
  const begin = (next: HtmlBlock['kind']): void => {
    const closed =
      html +
      open
        .toReversed()
        .map(({ name }) => `</${name}>`)
        .join('');
    if (textOfHtml(closed).trim() !== '') {
      const depth = kind === 'li' ? lists.length : 0;
      blocks.push({ kind, depth, isOrdered: lists.at(-1) === true, html: closed.trim() });
      // What follows the first paragraph of an item is not an item.
      kind = 'p';
    }
    html = open.map(({ tag }) => tag).join('');
    if (next !== 'p') kind = next;
  };
  for (const [text, slash, name, attributes] of clean.matchAll(TOKEN)) {
    if (name === undefined) html += text.replaceAll(/\s+/g, ' ');
    else if (name === 'br') html += '<br>';
    else if (name === 'img') html += /\salt="([^"]*)"/.exec(attributes!)?.[1] ?? '';
    else if (TRANSPARENT.has(name)) continue;
    else if (INLINE.has(name)) {
      const tag = slash === '' ? tagOf(name, attributes!) : `</${name}>`;
      if (slash === '') open.push({ name, tag });
      else
        open.splice(
          open.findLastIndex((one) => one.name === name),
          1,
        );
      html += tag;
    } else if (name === 'td' || name === 'th') html += slash === '' ? ' ' : '';
    else {
      begin('p');
      if (name === 'ul' || name === 'ol') {
        if (slash === '') lists.push(name === 'ol');
        else lists.pop();
      }
      kind = slash !== '' ? 'p' : name === 'li' && lists.length > 0 ? 'li' : HEADING.test(name) ? 'h3' : kind;
    }
  }
  begin('p');
  return blocks;
}

function tagOf(name: string, attributes: string): string {
  const href = name === 'a' ? /\shref="([^"]*)"/.exec(attributes)?.[1] : undefined;
  return href === undefined || href.length > MAX_HREF ? `<${name}>` : `<a rel="noopener" href="${href}">`;
}

/** The blocks in parts, each of so many bytes at most; of a longer block the text alone is shown, in pieces. */
export function partsOfBlocks(blocks: readonly HtmlBlock[], bytes: number): readonly (readonly HtmlBlock[])[] {
  const parts: HtmlBlock[][] = [[]];
  let room = bytes;
  for (const block of blocks.flatMap((one) => piecesOf(one, bytes))) {
    const size = Buffer.byteLength(block.html) + BLOCK_BYTES;
    if (size > room && parts.at(-1)!.length > 0) {
      parts.push([]);
      room = bytes;
    }
    parts.at(-1)!.push(block);
    room -= size;
  }
  return parts;
}

/** What the tags of a block take. */
const BLOCK_BYTES = 12;

function piecesOf(block: HtmlBlock, bytes: number): readonly HtmlBlock[] {
  const most = bytes - BLOCK_BYTES;
  if (Buffer.byteLength(block.html) <= most) return [block];
  const text = textOfHtml(block.html);
  const pieces: HtmlBlock[] = [];
  for (let at: number | null = 0; at !== null && at < text.length;) {
    const { text: piece, end } = excerptOf(text, most, at);
    pieces.push({ ...block, html: markup`${piece}`.toString() });
    at = end;
  }
  return pieces;
}

/** The blocks as HTML: items in their lists. */
export function blocksMarkup(blocks: readonly HtmlBlock[]): string {
  let html = '';
  const lists: string[] = [];
  const closeTo = (depth: number): void => {
    while (lists.length > depth) html += `</li></${lists.pop()!}>\n`;
  };
  for (const { kind, depth, isOrdered, html: content } of blocks) {
    if (kind !== 'li') {
      closeTo(0);
      html += `<${kind}>${content}</${kind}>\n`;
      continue;
    }
    closeTo(depth);
    if (lists.length > 0 && lists.length === depth) html += '</li>\n<li>';
    else {
      lists.push(isOrdered ? 'ol' : 'ul');
      html += `<${lists.at(-1)!}>\n<li>`;
    }
    html += content;
  }
  closeTo(0);
  return html;
}

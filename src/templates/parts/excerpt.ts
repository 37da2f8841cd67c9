// How much of a text a page shows. Pages have a size that they keep to, whatever publishers write, so texts are measured as they are
// written: escaped, in UTF-8.

import type { Markup } from '../markup.ts';

/** The bytes that characters take which markup escapes. */
const ESCAPED: ReadonlyMap<string, number> = new Map([
  ['&', 5],
  ['<', 4],
  ['>', 4],
  ['"', 6],
  ["'", 5],
]);

/** The beginning of a text. */
export interface Excerpt {
  readonly text: string;
  /** Where the text goes on, in UTF-16 units; null: it is whole. */
  readonly end: number | null;
}

/** How many bytes of a page a text takes. */
export function sizeOf(text: string): number {
  let size = 0;
  for (const character of text) size += costOf(character);
  return size;
}

/**
 * As much of a text, from a place on, as fits into so many bytes of a page; cut at a space where there is one near.
 *
 * @param from in UTF-16 units
 */
export function excerptOf(text: string, bytes: number, from = 0): Excerpt {
  if (from === 0 && fits(text, bytes)) return { text, end: null };
  let [size, end, space] = [0, from, from];
  while (end < text.length) {
    const character = String.fromCodePoint(text.codePointAt(end)!);
    size += costOf(character);
    if (size > bytes) {
      const cut = space > from + (end - from) * NEAR ? space : end;
      return { text: text.slice(from, cut).trimEnd(), end: cut };
    }
    end += character.length;
    if (SPACE.test(character)) space = end;
  }
  return { text: text.slice(from), end: null };
}

/** The same as a text, with an ellipsis where it was cut. */
export function shortened(text: string, bytes: number): string {
  const { text: beginning, end } = excerptOf(text, bytes);
  return end === null ? beginning : `${beginning}…`;
}

/** Whether a text certainly fits: nearly all do, and counting their characters would take longer than all else. */
function fits(text: string, bytes: number): boolean {
  if (text.length * MOST_BYTES <= bytes) return true;
  if (text.length > bytes) return false;
  const most = Buffer.byteLength(text);
  return most <= bytes && (!DEARER.test(text) || most + text.match(ALL_DEARER)!.length * DEAREST <= bytes);
}

/** The most bytes of a page that a UTF-16 unit takes: `&quot;`. */
const MOST_BYTES = 6;

/** The characters that take more bytes in a page than in UTF-8, and how many more at most. */
const DEARER = /[\u0000-\u001f"&'<>\u007f-\u009f]/;
const ALL_DEARER = /[\u0000-\u001f"&'<>\u007f-\u009f]/g;
const DEAREST = 5;

const SPACE = /\s/;

/** A space that is nearer to the beginning than this part of the text is too far to cut at. */
const NEAR = 0.7;

/** The control characters in whose place U+FFFD is shown. */
const REPLACED = /[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]/;

function costOf(character: string): number {
  const code = character.codePointAt(0)!;
  if (REPLACED.test(character)) return 3;
  if (code < 0x80) return ESCAPED.get(character) ?? 1;
  return code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
}

/** The items that fit. @returns fewer than there are records if the others need more bytes than there are, but at least one */
export function fittingItems<Item extends string | Markup>(items: readonly Item[], bytes: number): readonly Item[] {
  let room = bytes;
  const end = items.findIndex((item, at) => {
    room -= Buffer.byteLength(item.toString());
    return room < 0 && at > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

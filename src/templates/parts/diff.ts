// What changed in a text, word by word: what was taken out on one side, what was put in on the other.
import { markup, type Markup, NOTHING } from '../markup.ts';
import { excerptOf } from './excerpt.ts';

/** A piece of two texts that they share, or that only one has. */
export interface Piece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Longer texts are compared from shortly before the first difference on. */
const COMPARED_LENGTH = 20_000;

/** How many words, multiplied, are compared each with each; more are replaced as a whole. */
const MAX_CELLS = 90_000;

/** Of what stays the same this many words are shown before and after a change. */
const CONTEXT_WORDS = 12;

/** The pieces that two texts are made of. */
export function differenceOf(before: string, after: string): readonly Piece[] {
  const from = Math.max(0, sharedLength(before, after) - COMPARED_LENGTH / 4);
  const cut = before.length > COMPARED_LENGTH || after.length > COMPARED_LENGTH;
  const [olds, news] = [before, after].map((text) => wordsIn(cut ? text.slice(from, from + COMPARED_LENGTH) : text));
  return compare(olds!, news!);
}

function compare(olds: readonly string[], news: readonly string[]): readonly Piece[] {
  let start = 0;
  while (start < olds.length && start < news.length && olds[start] === news[start]) start++;
  let end = 0;
  const most = Math.min(olds.length, news.length) - start;
  while (end < most && olds[olds.length - 1 - end] === news[news.length - 1 - end]) end++;
  const pieces: Piece[] = [
    { kind: 'same', text: olds.slice(0, start).join('') },
    ...changedWords(olds.slice(start, olds.length - end), news.slice(start, news.length - end)),
    { kind: 'same', text: olds.slice(olds.length - end).join('') },
  ];
  return pieces.filter(({ text }) => text !== '');
}

/** The longest common sequence of words, by the textbook. */
function changedWords(olds: readonly string[], news: readonly string[]): readonly Piece[] {
  const whole: readonly Piece[] = [
    { kind: 'removed', text: olds.join('') },
    { kind: 'added', text: news.join('') },
  ];
  if (olds.length * news.length > MAX_CELLS || olds.length === 0 || news.length === 0) return whole;
  const width = news.length + 1;
  const lengths = new Uint16Array((olds.length + 1) * width);
  for (let i = olds.length - 1; i >= 0; i--) {
    for (let j = news.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        olds[i] === news[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const pieces: { kind: Piece['kind']; text: string }[] = [];
  const put = (kind: Piece['kind'], text: string): void => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < olds.length || j < news.length) {
    if (i < olds.length && j < news.length && olds[i] === news[j]) {
      put('same', olds[i]!);
      i++;
      j++;
    } else if (j === news.length || (i < olds.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      put('removed', olds[i]!);
      i++;
    } else {
      put('added', news[j]!);
      j++;
    }
  }
  return pieces;
}

/** One side of a difference as markup: the text as it was before, or as it is after. @param bytes how many it may take */
export function sideOf(pieces: readonly Piece[], side: 'removed' | 'added', bytes: number): Markup {
  const shown = pieces.filter(({ kind }) => kind === 'same' || kind === side);
  let room = bytes;
  return markup`${shown.map(({ kind, text }, at) => {
    if (room <= 0) return NOTHING;
    const short = kind === 'same' ? around(text, at > 0, at < shown.length - 1) : text;
    const { text: fitting, end } = excerptOf(short, room);
    room = end === null ? room - Buffer.byteLength(fitting) - 11 : 0;
    const whole = end === null ? fitting : `${fitting}…`;
    if (kind === 'same') return whole;
    return kind === 'removed' ? markup`<del>${whole}</del>` : markup`<ins>${whole}</ins>`;
  })}`;
}

/** What stays the same, near the changes beside it. */
function around(text: string, hasBefore: boolean, hasAfter: boolean): string {
  const words = wordsIn(text);
  const kept = (hasBefore ? CONTEXT_WORDS : 0) + (hasAfter ? CONTEXT_WORDS : 0);
  if (words.length <= kept + 4) return text;
  const first = hasBefore ? words.slice(0, CONTEXT_WORDS).join('') : '';
  const last = hasAfter ? words.slice(-CONTEXT_WORDS).join('') : '';
  return `${first}… ${last}`;
}

/** Words, each with the space after it. */
function wordsIn(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}

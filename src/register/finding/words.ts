// The words of a text, as search finds them: made here alone, so that every store answers the same. NFKD; the combining marks
// of Latin, Greek and Cyrillic off; upper then lower case, a final sigma as a sigma; NFC; split at what is no letter, mark or
// digit; runs of scripts that write no spaces as overlapping pairs.

/** The number of the rule: a store whose words were made by another one makes them again. */
export const WORD_RULE = 1;

/** The longest word, in characters (code points); the rest of a longer one is cut off. */
export const MAX_WORD_LENGTH = 64;

const MARKS = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{M}*)\p{M}/gu;
const WORD = /[\p{L}\p{M}\p{Nd}]+/gu;
const PAIRED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const ASCII = /^[\0-\x7f]*$/;

/** The words of a text, in their order. @example wordsOf('Café Noir, 22/01') // ['cafe', 'noir', '22', '01'] */
export function wordsOf(text: string): string[] {
  if (ASCII.test(text))
    return (
      text
        .toLowerCase()
        .match(/[a-z0-9]+/g)
        ?.map(cut) ?? []
    );
  const folded = text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC');
  return (folded.match(WORD) ?? []).flatMap(split);
}

/** A run of letters as words: parts in scripts without spaces as overlapping pairs. */
function split(run: string): string[] {
  const words: string[] = [];
  let end = 0;
  for (const { 0: part, index } of run.matchAll(PAIRED)) {
    if (index > end) words.push(cut(run.slice(end, index)));
    words.push(...pairs(part));
    end = index + part.length;
  }
  if (end < run.length) words.push(cut(run.slice(end)));
  return words;
}

function pairs(part: string): string[] {
  const characters = Array.from(part);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => characters[index]! + character);
}

function cut(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : Array.from(word).slice(0, MAX_WORD_LENGTH).join('');
}

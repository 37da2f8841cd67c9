// Words as finding.md says them, character by character: slow, plain, and sharing nothing with src/.

/** Where the combining marks of Latin, Greek and Cyrillic lie. */
const MARK_BLOCKS = [
  [0x300, 0x36f],
  [0x483, 0x489],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x2de0, 0x2dff],
  [0xa66f, 0xa67d],
  [0xa69e, 0xa69f],
  [0xfe20, 0xfe2f],
] as const;

const LETTERS = new Map(
  Object.entries({ æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't', ς: 'σ' }),
);

const isLetter = (character: string): boolean => /^[\p{L}\p{N}]$/u.test(character);
const isMark = (character: string): boolean => /^\p{M}$/u.test(character);
const isUnspaced = (character: string): boolean =>
  isLetter(character) &&
  /\p{scx=Hani}|\p{scx=Hira}|\p{scx=Kana}|\p{scx=Thai}|\p{scx=Laoo}|\p{scx=Khmr}|\p{scx=Mymr}/u.test(character);

/** Every run of digits, by its first, a zero. */
const ZEROS = Array.from({ length: 0x11_0000 }, (_, code) => code).filter(
  (code) =>
    (code < 0xd800 || code > 0xdfff) &&
    /\p{Nd}/u.test(String.fromCodePoint(code)) &&
    // Two sets may follow each other.
    !/\p{Nd}/u.test(String.fromCodePoint(code - 1)),
);

/** One character without its case. */
function folded(character: string): string {
  const code = character.codePointAt(0)!;
  if (code === 0x2b9 || (code > 0x2b9 && code <= 0x2bf) || code === 0xa78b || code === 0xa78c) return ' ';
  if (code === 0x640 || MARK_BLOCKS.some(([first, last]) => code >= first && code <= last)) return '';
  if (code !== 0x200b && /\p{Default_Ignorable_Code_Point}/u.test(character)) return '';
  if (/\p{Nd}/u.test(character)) return String((code - ZEROS.findLast((zero) => zero <= code)!) % 10);
  const lower = character.toLowerCase().toUpperCase().toLowerCase();
  return Array.from(lower, (letter) => LETTERS.get(letter) ?? letter).join('');
}

/** The words of a text. */
export function plainWords(text: string): string[] {
  const decomposed = Array.from(text.replaceAll('™', ' ').replaceAll('℠', ' ').normalize('NFKD'));
  const characters = Array.from(decomposed.map(folded).join('').normalize('NFC'));
  // Letters with their marks; null where words end.
  const clusters: { text: string[]; isUnspaced: boolean }[][] = [[]];
  for (const character of characters) {
    const run = clusters.at(-1)!;
    if (isLetter(character)) run.push({ text: [character], isUnspaced: isUnspaced(character) });
    else if (isMark(character)) run.at(-1)?.text.push(character);
    else clusters.push([]);
  }
  return clusters.flatMap((run) => {
    const words: string[] = [];
    for (let at = 0; at < run.length;) {
      const kind = run[at]!.isUnspaced;
      const end = run.findIndex((cluster, index) => index >= at && cluster.isUnspaced !== kind);
      const part = run.slice(at, end < 0 ? run.length : end);
      at += part.length;
      const letters = part.map(({ text: cluster }) => (kind ? cluster.slice(0, 32) : cluster));
      if (!kind) words.push(letters.flat().slice(0, 64).join(''));
      else if (letters.length === 1) words.push(letters[0]!.join(''));
      else letters.slice(1).forEach((letter, index) => words.push([...letters[index]!, ...letter].join('')));
    }
    return words;
  });
}

// Names that look like one another: what somebody may have meant who wrote a name that is not there.

/** The maximum number of names that are suggested. */
const MAX_NEAREST = 3;

/** How many times as long as the longest name a text may be that is compared with all of them. */
const MAX_LENGTHS = 2;

/** Letters that no normalization takes apart. Words are made with them: another one needs another `WORD_RULE`. */
export const PLAIN_LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
};

const LETTERS = new RegExp(`[${Object.keys(PLAIN_LETTERS).join('')}]`, 'giu');

/** Text with plain letters instead of those with diacritics, in the case it has. */
export function withPlainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(LETTERS, (letter) => {
      const plain = PLAIN_LETTERS[letter.toLowerCase()]!;
      return letter === letter.toLowerCase() ? plain : plain.toUpperCase();
    });
}

/** How languages write these letters where they have only ASCII (ICAO Doc 9303-3, section 6); others lose their marks. */
const ASCII_LETTERS: Readonly<Record<string, string>> = { ä: 'ae', å: 'aa', ö: 'oe', ø: 'oe', ü: 'ue' };

/** A text in small letters, Latin ones in ASCII. @example 'Größe, Ålesund' → 'groesse, aalesund' */
export function inAscii(text: string): string {
  const small = text.normalize().toLowerCase();
  // `№` has a capital letter in it.
  return withPlainLetters(small.replace(/[äåöøü]/g, (letter) => ASCII_LETTERS[letter]!)).toLowerCase();
}

/** A name without what two ways to write it may differ in: case, diacritics, spaces and signs. */
export function foldName(name: string): string {
  return withPlainLetters(name)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * The names that are written nearly like this one, the nearest first, at most three; none for a text without a letter or
 * digit, or for one that is more than twice as long as the longest of them: comparing takes time with every letter.
 *
 * @example nearest('titel', ['title', 'summary']) // ['title']
 */
export function nearest(name: string, names: readonly string[]): readonly string[] {
  const longest = names.reduce((length, other) => Math.max(length, other.length), 0);
  if (name.length > MAX_LENGTHS * longest) return [];
  const folded = foldName(name);
  if (folded === '') return [];
  return names
    .map((other) => ({ other, distance: distanceOf(folded, foldName(other)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(folded.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAREST)
    .map(({ other }) => other);
}

/** How many values of a field are named. */
export const MAX_NAMED = 20;

/** A longer value helps nobody, and a shortened one is another value. */
export const MAX_NAMED_LENGTH = 200;

/** The values nearest to a text, then those that begin with it, then the others; few, and none that is long. */
export function nearestFirst(asked: string, common: readonly string[], alike: readonly string[] = []): string[] {
  const known = [...new Set([...common, ...alike])];
  const begun = known.filter((value) => value.startsWith(asked));
  return [...new Set([...nearest(asked, known), ...begun, ...common])]
    .filter(({ length }) => length <= MAX_NAMED_LENGTH)
    .slice(0, MAX_NAMED);
}

/**
 * How many letters differ, two that changed places counted as one (optimal string alignment); one where one name is a
 * part of the other.
 */
function distanceOf(a: string, b: string): number {
  if (a === b) return 0;
  if (Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))) return 1;
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(row[j - 1]! + 1, rows[i - 1]![j]! + 1, rows[i - 1]![j - 1]! + same);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) least = Math.min(least, rows[i - 2]![j - 2]! + 1);
      row.push(least);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

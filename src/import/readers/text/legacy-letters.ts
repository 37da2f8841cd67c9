// Tells Windows-1250 and ISO-8859-2 from Windows-1252 by the letters inside of words: `³` between two letters is a Polish
// `ł`, and a text with both `è` and `ø` is Czech rather than French or Danish.
import { legacyDecoder } from './legacy-decoder.ts';

/** The encodings that are told apart, the likeliest first where two read a text alike. */
const ENCODINGS = ['windows-1252', 'windows-1250', 'iso-8859-2'] as const;

/** An encoding of one byte for each character, of languages in Latin letters. */
export type LegacyEncoding = (typeof ENCODINGS)[number];

/** The letters besides a to z of languages that are written in each encoding, with those of neighbours. */
const ALPHABETS: Readonly<Record<'western' | 'central', readonly string[]>> = {
  western: ['àâäæçèéêëîïôöœùûüÿß', 'áàâãçéèêíìîïñóòôõúùüº', 'äöüßåæøéèêòô', 'áéíóúýþðæö', 'äöüõšž'],
  central: ['ąćęłńóśźż', 'áčďéěíňóřšťúůýžäöü', 'áäčďéíĺľňóôŕšťúýžöü', 'áéíóöőúüűä', 'čćđšžäöü', 'ăâîşţáéíóöőúüű'],
};

/** The least number of letters that is enough to judge. */
const MIN_LETTERS = 6;

/** The number of letters at which nothing more has to be read. */
export const ENOUGH_LETTERS = 200;

/** The least share of letters that a language of Central Europe must explain, and by how much more than any western one. */
const EXPLAINED = 0.97;
const CLEAR_LEAD = 0.03;

/** What joins words or parts of words in all of these encodings: spaces, hyphens, apostrophes, dashes, a middle dot. */
const JOINTS = new Set([0x91, 0x92, 0x93, 0x94, 0x96, 0x97, 0xa0, 0xad, 0xb4, 0xb7]);

/** How often each byte beyond ASCII is between two letters of ASCII, and how often any is. */
export interface LetterCounts {
  readonly ofByte: ReadonlyMap<number, number>;
  readonly total: number;
}

/** Counts the letters inside of words. */
export function countLetters(bytes: Uint8Array): LetterCounts {
  const ofByte = new Map<number, number>();
  let total = 0;
  for (let at = 1; at < bytes.length - 1; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80 || JOINTS.has(byte) || !isAsciiLetter(bytes[at - 1]!) || !isAsciiLetter(bytes[at + 1]!)) continue;
    ofByte.set(byte, (ofByte.get(byte) ?? 0) + 1);
    total++;
  }
  return { ofByte, total };
}

/** The encoding whose languages explain the letters; Windows-1252 where there are few, or nothing speaks against it. */
export function likelyEncoding(letters: LetterCounts): LegacyEncoding {
  if (letters.total < MIN_LETTERS) return 'windows-1252';
  const [western, ...central] = ENCODINGS;
  const shares = central.map((encoding) => explained(letters, encoding, ALPHABETS.central));
  const best = Math.max(...shares);
  const isClear = best >= explained(letters, western, ALPHABETS.western) + CLEAR_LEAD;
  return best >= EXPLAINED && isClear ? central[shares.indexOf(best)]! : western;
}

/** The share of the letters that the best of the alphabets has. */
function explained({ ofByte, total }: LetterCounts, encoding: LegacyEncoding, alphabets: readonly string[]): number {
  const decoder = legacyDecoder(encoding);
  const letters = [...ofByte].map(([byte, count]) => ({
    letter: decoder.decode(Uint8Array.of(byte)).toLowerCase(),
    count,
  }));
  const counts = alphabets.map((alphabet) =>
    letters.reduce((sum, { letter, count }) => (alphabet.includes(letter) ? sum + count : sum), 0),
  );
  return Math.max(...counts) / total;
}

function isAsciiLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

// Tells which encoding a text that is not Unicode has: jschardet judges by pairs of letters of some fifty languages, and
// Windows-1252 is left only for what is clearly likelier.
import { isAscii } from 'node:buffer';
import { legacyDecoder } from './legacy-decoder.ts';

/** The encodings that are told apart: the standard's name, jschardet's, and the one that people use. */
const ENCODINGS = [
  ['windows-1252', 'cp1252', 'Windows-1252'],
  ['windows-1250', 'cp1250', 'Windows-1250'],
  ['iso-8859-2', 'iso8859-2', 'ISO-8859-2'],
  ['windows-1254', 'cp1254', 'Windows-1254'],
  ['windows-1257', 'cp1257', 'Windows-1257'],
  ['macintosh', 'mac-roman', 'Mac Roman'],
  ['windows-1251', 'cp1251', 'Windows-1251'],
  ['iso-8859-5', 'iso8859-5', 'ISO-8859-5'],
  ['koi8-r', 'koi8-r', 'KOI8-R'],
  ['koi8-u', 'koi8-u', 'KOI8-U'],
  ['ibm866', 'cp866', 'IBM866'],
  ['windows-1253', 'cp1253', 'Windows-1253'],
  ['iso-8859-7', 'iso8859-7', 'ISO-8859-7'],
  ['windows-1255', 'cp1255', 'Windows-1255'],
  ['iso-8859-8', 'iso8859-8', 'ISO-8859-8'],
  ['windows-1256', 'cp1256', 'Windows-1256'],
  ['iso-8859-6', 'iso8859-6', 'ISO-8859-6'],
  ['windows-874', 'cp874', 'Windows-874'],
  ['shift_jis', 'cp932', 'Shift_JIS'],
  ['euc-jp', 'euc_jis_2004', 'EUC-JP'],
  ['euc-kr', 'cp949', 'EUC-KR'],
  ['big5', 'big5hkscs', 'Big5'],
  ['gb18030', 'gb18030', 'GB18030'],
] as const;

/** A text of this length, in bytes, is judged in as many parts: one byte that is wrong rules an encoding out in its part alone. */
const PART_BYTES = 16_384;
const MAX_PARTS = 12;

/** How many times as likely as Windows-1252 another encoding must be. */
const CLEAR_LEAD = 1.3;

/** The least lead of one for Latin letters: signs such as `°` and `£` alone say little. */
const LEAST_LATIN_LEAD = 0.01;

/** The largest share of letters of another script that may stand beside a letter of ASCII. */
const MIXED_SHARE = 0.2;

/** The least share of them in words: signs such as `§` and single letters such as `é` are letters in other encodings. */
const WORD_SHARE = 0.7;

/** An encoding in the words of people. */
export function encodingTitle(encoding: string): string {
  return ENCODINGS.find(([name]) => name === encoding)?.[2] ?? encoding.toUpperCase();
}

/** The encoding in which the bytes are most likely text. @param bytes with some beyond ASCII, not UTF-8 */
export async function likelyEncoding(bytes: Buffer): Promise<string> {
  // Its tables take a tenth of a second to unpack, which only such texts need.
  const { chardet } = await import('./jschardet.ts');
  const includeEncodings = ENCODINGS.map(([, name]) => name);
  const parts = partsOf(bytes);
  const scores = new Map<string | null, number>();
  for (const part of parts) {
    const found = chardet.detectAll(part, { includeEncodings, ignoreThreshold: true, compatNames: false });
    for (const { encoding, confidence } of found) {
      scores.set(encoding, (scores.get(encoding) ?? 0) + confidence / parts.length);
    }
  }
  const [western, ...others] = ENCODINGS.map(([name, known]) => ({ name, score: scores.get(known) ?? 0 }));
  const best = others
    .sort((a, b) => b.score - a.score)
    .find(({ name, score }) => {
      const lead = score - western!.score;
      return lead > 0 && score >= western!.score * CLEAR_LEAD && fits(parts[0]!, name, lead);
    });
  return best?.name ?? western!.name;
}

/** Whether the text that an encoding gives may be one: it has words, and letters of two scripts are not in one word. */
function fits(part: Buffer, encoding: string, lead: number): boolean {
  const text = legacyDecoder(encoding).decode(part);
  const letters = lengthOf(text, /(?!\p{ASCII}|\p{Script=Latin})[\p{L}\p{M}]/gu);
  const latin = lengthOf(text, /(?!\p{ASCII})\p{Script=Latin}/gu);
  if (latin >= letters) return lead >= LEAST_LATIN_LEAD;
  const mixed = lengthOf(text, /(?<=[a-z])(?!\p{ASCII})\p{L}|(?!\p{ASCII})\p{L}(?=[a-z])/giu);
  const words = lengthOf(text, /\p{Script=Han}|\p{Script=Hangul}|(?:(?!\p{ASCII})[\p{L}\p{M}]){3,}/gu);
  return mixed <= letters * MIXED_SHARE && words >= letters * WORD_SHARE;
}

/** The length of all that a pattern finds. */
function lengthOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.join('').length ?? 0;
}

/** The lines with bytes beyond ASCII, in parts from the whole text. */
function partsOf(bytes: Buffer): readonly Buffer[] {
  const lineFeed = bytes.includes(LF) ? LF : CR;
  const lines: Buffer[] = [];
  let length = 0;
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(lineFeed, start);
    const line = bytes.subarray(start, found < 0 ? bytes.length : found + 1);
    if (!isAscii(line)) {
      lines.push(line);
      length += line.length;
    }
    start += line.length;
  }
  const step = Math.ceil(length / PART_BYTES / MAX_PARTS);
  const parts: Buffer[] = [];
  let part: Buffer[] = [];
  let size = 0;
  let number = 0;
  for (const line of lines) {
    part.push(line);
    size += line.length;
    if (size < PART_BYTES) continue;
    if (number++ % step === 0) parts.push(Buffer.concat(part));
    part = [];
    size = 0;
  }
  // What is left is too short to count as much as a whole part.
  return parts.length === 0 ? [Buffer.concat(part)] : parts;
}

const LF = 10;
const CR = 13;
